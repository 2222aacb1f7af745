import MediaComposition
import MediaTime

extension Lowering {
  /// Whether the clip at `place` keeps its file's chapters: in a job of one clip, and where the
  /// item or a group around it keeps them, unless there are others.
  func keepsChapters(at place: ItemPlace) -> Bool {
    var next: ItemPlace? = place
    while let around = next {
      // Members, and not the item: copying one retains a dozen references.
      let (id, index) = (around.sequence, around.index)
      if sequences[id].sequence.items[index].keepsChapters { return true }
      guard sequences[id].sequence.items[index].chapters.isEmpty,
        sequences[id].sequence.items[index].chapter == nil,
        sequences[id].sequence.items[index].chapterSearch == nil
      else { return false }
      if around == place, isJob(place) { return true }
      next = sequences[id].holder
    }
    return false
  }

  /// The item's chapters, in the time of `stage`.
  mutating func addChapters(
    of item: Item, _ stage: Stage, at place: ItemPlace, to lowered: inout LoweredItem
  ) {
    guard !item.chapters.isEmpty || !lowered.chapters.isEmpty else { return }
    var chapters: [Chapter] = []
    for chapter in item.chapters {
      guard let start = time(chapter.start, of: lowered, at: place, stage) else { continue }
      guard start >= .zero, start < lowered.duration else {
        let lengths = lengths(start, lowered.duration)
        error(
          "the chapter begins at \(lengths.a), but \(lowered.name) lasts \(lengths.b)",
          at: chapter.start.origin, help: "let it begin earlier, or leave it out")
        continue
      }
      chapters.append(Chapter(chapter, start: start))
    }
    chapters = chapters.sortedByStart
    for (a, b) in zip(chapters, chapters.dropFirst()) where a.start == b.start {
      error(
        "two chapters at one time", at: b.origin, help: "leave one of them out",
        notes: [.init("the other one is here", at: a.origin)])
    }
    lowered.chapters = (chapters + lowered.chapters).sortedByStart
  }

  /// Moves the chapters of items nested in `lowered` into its own, before its time is edited.
  func liftChapters(of lowered: inout LoweredItem) {
    guard case .composition(let composition) = lowered.content else { return }
    let nested = composition.chapters
    guard !nested.isEmpty else { return }
    lowered.chapters = (lowered.chapters + nested).sortedByStart
    lowered.content = .composition(composition.withoutChapters)
  }
}

enum EditedPart {
  case part(TimeRange)
  /// An insertion, with chapters of its own in its own time.
  case other(duration: Time, chapters: [Chapter])

  var duration: Time {
    switch self {
    case .part(let range): range.duration
    case .other(let duration, _): duration
    }
  }
}

extension [Chapter] {
  /// These chapters, in order of time, where parts of their timeline of `duration` play one after
  /// the other. A moment stays in its chapter, which begins or continues where a part starts within
  /// it. O(parts · log n + chapters)
  func played(as parts: [EditedPart], of duration: Time) -> [Chapter] {
    guard !isEmpty || parts.contains(where: \.hasChapters) else { return [] }
    var result: [Chapter] = []
    var time = Time.zero
    var current: Int?
    for part in parts {
      switch part {
      case .other(_, let chapters):
        result += chapters.map { $0.moved(by: time) }
        if !chapters.isEmpty { current = nil }
      case .part(let range):
        var index = partitioningIndex { $0.start >= range.start }
        let startsOne = index < count && self[index].start == range.start
        if !startsOne, index > 0, current != index - 1 {
          result.append(self[index - 1].at(time))
          current = index - 1
        }
        while index < count, self[index].start < range.end {
          result.append(self[index].at(time + (self[index].start - range.start)))
          current = index
          index += 1
        }
      }
      time = time + part.duration
    }
    return result
  }

  /// These chapters, in order of time, where their timeline of `duration` is reversed: a chapter
  /// then begins where it ended. O(n)
  func reversed(over duration: Time) -> [Chapter] {
    var result: [Chapter] = []
    var end = duration
    for (index, chapter) in enumerated().reversed() {
      result.append(chapter.at(duration - end))
      if index > 0, self[index - 1].start < chapter.start { end = chapter.start }
    }
    return result
  }

}

extension [EditedPart] {
  /// The moment before the edits that sounds at `time` after them; nil in an insertion. O(n)
  func original(of time: Time) -> Time? {
    var start = Time.zero
    for part in self {
      if time < start + part.duration {
        guard case .part(let range) = part else { return nil }
        return range.start + (time - start)
      }
      start = start + part.duration
    }
    return nil
  }

  /// When the moment at `time` before the edits sounds after them; nil where it was cut. O(n)
  func edited(_ time: Time) -> Time? {
    var start = Time.zero
    for part in self {
      if case .part(let range) = part, range.start <= time, time < range.end {
        return start + (time - range.start)
      }
      start = start + part.duration
    }
    return nil
  }
}

extension EditedPart {
  fileprivate var hasChapters: Bool {
    if case .other(_, let chapters) = self { !chapters.isEmpty } else { false }
  }
}

extension Chapter {
  /// A chapter of an item, at a known time.
  init(_ chapter: ItemChapter, start: Time) {
    self.init(
      start: start, title: chapter.title, url: chapter.url,
      image: chapter.image.map(Artwork.picture),
      origin: chapter.start.origin)
  }

  func at(_ start: Time) -> Chapter {
    var copy = self
    copy.start = start
    return copy
  }
}

extension Composition {
  /// The same sound without chapters. O(segments).
  var withoutChapters: Composition {
    var copy = self
    for track in copy.tracks.indices {
      for index in copy.tracks[track].segments.indices {
        let segment = copy.tracks[track].segments[index]
        if !segment.chapters.isEmpty { copy.tracks[track].segments[index].chapters = [] }
        if case .composition(let inner) = segment.content, !inner.chapters.isEmpty {
          copy.tracks[track].segments[index].content = .composition(inner.withoutChapters)
        }
      }
    }
    return copy
  }
}

extension Job.Whole {
  /// Takes the chapters out of the composition, so that each of many parts is searched for its own
  /// and not for all.
  ///
  /// - Returns: All of them, in order of time.
  mutating func takeChapters() -> [Chapter] {
    let nested = export.composition.chapters
    if !nested.isEmpty { export.composition = export.composition.withoutChapters }
    return (export.chapters + nested).sortedByStart
  }
}

extension [Chapter] {
  /// Of these, in order of time, the one that is under way where a range starts, or else the first,
  /// and all that follow within the range.
  func around(_ range: TimeRange) -> [Chapter] {
    let first = Swift.max(0, partitioningIndex { $0.start > range.start } - 1)
    let end = partitioningIndex { $0.start >= range.end }
    return first < end ? Array(self[first..<end]) : []
  }
}
