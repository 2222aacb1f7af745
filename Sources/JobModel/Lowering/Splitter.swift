import Diagnosis
import MediaComposition
import MediaTime

/// Turns a split into time ranges of a timeline whose length is known.
struct Splitter {
  let timeline: Export
  let rate: Int?
  let end: Time
  /// nil: parts stay where they are.
  private let clip: SnappedClip?
  /// Whether messages may quote the timeline's words.
  let quotesWords: Bool
  /// What messages call a part.
  let noun: String
  var lowering: Lowering
  var warnings: [Diagnostic] = []

  var errors: Diagnostics { lowering.diagnostics }

  /// A part with its place.
  struct Placed {
    var part: Part
    var range: TimeRange
    /// The highest number of all parts.
    var highestNumber: Int
  }

  /// - Parameters:
  ///   - timeline: The whole.
  ///   - rate: The rate for times in samples; nil where none is known.
  ///   - clip: To whose pictures parts are moved; nil: they stay where they are.
  ///   - quotesWords: Whether messages may quote its words.
  ///   - noun: What messages call a part.
  ///   - listen: As of `Job.exports`.
  ///   - findKeyPicture: As of `Job.exports`.
  init(
    _ timeline: Export, rate: Int?, snappedTo clip: SnappedClip?, quotingWords quotesWords: Bool,
    naming noun: String = "part", _ listen: @escaping Job.Listen,
    _ findKeyPicture: @escaping Job.FindKeyPicture
  ) {
    self.timeline = timeline
    self.rate = rate
    self.clip = clip
    self.quotesWords = quotesWords
    self.noun = noun
    lowering = Lowering(
      assets: [:], sampleRate: rate, listen: listen, findKeyPicture: findKeyPicture)
    end = timeline.composition.duration
  }

  /// The parts, in order; they count if there are no `errors`. nil where the timeline cannot be
  /// analysed now.
  mutating func parts(of split: Split) -> [Placed]? {
    var parts: [Placed]
    switch split.points {
    case .list(let list): parts = self.parts(of: list)
    case .every(let length): parts = self.parts(every: length)
    case .silence(let least, let threshold, let lengths):
      guard
        let found = self.parts(
          between: least, below: threshold, lasting: lengths, at: split.origin)
      else {
        return nil
      }
      parts = found
    case .chapters: parts = self.parts(ofChaptersAt: split.origin)
    case .cues(let bounds): parts = self.parts(ofCues: bounds, at: split.origin)
    }
    if let clip, !snap(&parts, to: clip, at: split.origin) { return nil }
    let highest = parts.map(\.part.number).max() ?? 0
    for index in parts.indices {
      parts[index].part.count = parts.count
      parts[index].highestNumber = highest
    }
    return parts
  }

  func placed(_ number: Int, _ title: String?, _ range: TimeRange) -> Placed {
    Placed(
      part: Part(number: number, count: 0, title: title), range: range, highestNumber: number)
  }

  // MARK: One length

  private mutating func parts(every length: Located<TimeText>) -> [Placed] {
    guard let step = lowering.time(length, rate: rate), step > .zero else { return [] }
    guard step * TimeList.countLimit >= end else {
      error("more than 100,000 parts", at: length.origin, help: "make them longer")
      return []
    }
    var parts: [Placed] = []
    var start = Time.zero
    while start < end {
      let next = min(step * (parts.count + 1), end)
      parts.append(placed(parts.count + 1, nil, TimeRange(start: start, end: next)))
      start = next
    }
    return parts
  }

  // MARK: Chapters

  private mutating func parts(ofChaptersAt origin: Origin) -> [Placed] {
    let chapters = (timeline.chapters + timeline.composition.chapters).sortedByStart
      .lasting(by: \.start)
    guard !chapters.isEmpty else {
      error(
        "'\(timeline.name)' has no chapters to be split at", at: origin,
        help: "name a list of times, as 'times.txt' or { 0:00: One, 4:10: Two }")
      return []
    }
    for (a, b) in zip(chapters, chapters.dropFirst()) where a.start == b.start {
      error(
        "two chapters begin at \(Lowering.text(a.start)): '\(a.title)' and '\(b.title)'",
        at: b.origin == .unknown ? origin : b.origin,
        help: "name a list of times instead, as 'times.txt'")
    }
    return chapters.indices.map { index in
      let start = index == 0 ? .zero : chapters[index].start
      let next = index + 1 < chapters.count ? chapters[index + 1].start : end
      let title = chapters[index].title
      return placed(
        index + 1, title.isEmpty ? nil : title, TimeRange(start: start, end: max(start, next)))
    }
  }

  // MARK: Lists

  private mutating func parts(of list: TimeList) -> [Placed] {
    let starts = list.entries.map { start($0) }
    warnOfBeginning(list, starts.first ?? nil)
    var parts: [Placed] = []
    for (index, entry) in list.entries.enumerated() {
      guard let start = starts[index] else { continue }
      let next = index + 1 < starts.count ? starts[index + 1] : end
      guard let stop = entry.end == nil ? next : stop(entry, after: start) else { continue }
      guard start < stop else {
        refuseEmpty(entry, start, stop, index + 1 < starts.count ? list.entries[index + 1] : nil)
        continue
      }
      var part = placed(
        entry.number ?? index + 1, entry.title, TimeRange(start: start, end: stop))
      part.part.tags = list.tags.overridden(by: entry.tags)
      parts.append(part)
    }
    return parts
  }

  /// A list gives the start of its first part; the sound before it is lost, which is reported.
  private mutating func warnOfBeginning(_ list: TimeList, _ start: Time?) {
    guard let first = list.entries.first, let start, start > .zero, first.end == nil else { return }
    warnings.append(
      Diagnostic(
        .warning,
        "what sounds before \(Lowering.text(start)) is in no part: the list begins there",
        at: first.start.origin, help: "let the first part begin at 0 to keep it"))
  }

  private mutating func start(_ entry: TimeList.Entry) -> Time? {
    guard let start = time(entry.start) else { return nil }
    guard start >= .zero else {
      error(
        "the part begins before the start: '\(timeline.name)' lasts \(Lowering.text(end))",
        at: entry.start.origin, help: "let it begin later")
      return nil
    }
    guard start < end else {
      let lengths = lowering.lengths(start, end)
      error(
        start == end
          ? "the part begins at the end of '\(timeline.name)', \(lengths.b)"
          : "the part begins at \(lengths.a), but '\(timeline.name)' lasts \(lengths.b)",
        at: entry.start.origin, help: "let it begin earlier, or leave it out")
      return nil
    }
    return start
  }

  private mutating func stop(_ entry: TimeList.Entry, after start: Time) -> Time? {
    let stop: Time?
    let origin: Origin
    switch entry.end {
    case nil: return end
    case .moment(let moment): (stop, origin) = (time(moment), moment.origin)
    case .duration(let length):
      stop = lowering.time(length, rate: rate).map { start + $0 }
      origin = length.origin
    }
    guard let stop else { return nil }
    guard stop <= end + Lowering.slack else {
      let lengths = lowering.lengths(stop, end)
      error(
        "the part ends at \(lengths.a), but '\(timeline.name)' lasts \(lengths.b)", at: origin,
        help: "leave its end out, or write 'end'")
      return nil
    }
    return min(stop, end)
  }

  private mutating func refuseEmpty(
    _ entry: TimeList.Entry, _ start: Time, _ stop: Time, _ next: TimeList.Entry?
  ) {
    guard entry.end == nil, let next else {
      error(
        "the part ends before it begins, or is empty", at: entry.start.origin,
        help: "the earlier time comes first, as '12:00..13:30'")
      return
    }
    let lengths = lowering.lengths(start, stop)
    error(
      start == stop
        ? "two parts begin at \(lengths.a)"
        : "this part begins at \(lengths.b), before the one above it at \(lengths.a)",
      at: next.start.origin,
      help: start == stop ? "leave one of them out" : "a list is in order of time",
      notes: [.init("the other one is here", at: entry.start.origin)])
  }

  // MARK: Times

  private mutating func time(_ moment: Located<Moment>) -> Time? {
    var source: String?
    if case .picture = moment.value.anchor { source = "'\(moment.value)' is a picture" }
    if moment.value.isPhrase { source = "\(moment.value) are words" }
    if let source {
      error(
        "\(source) of a source, and parts begin at times of the whole", at: moment.origin,
        help: "write seconds")
      return nil
    }
    let text = Located(moment.value.offset, at: moment.origin)
    guard let offset = lowering.time(text, rate: rate) else { return nil }
    let anchor = moment.value.anchor == .end ? end : .zero
    return moment.value.isEarlier ? anchor - offset : anchor + offset
  }

  mutating func error(
    _ message: String, at origin: Origin, help: String? = nil, notes: [Diagnostic.Note] = []
  ) {
    lowering.error(message, at: origin, help: help, notes: notes)
  }
}
