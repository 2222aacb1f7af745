import Diagnosis
import MediaComposition
import MediaTime
import Transcripts

extension Lowering {
  /// The least length of a pause: shorter ones belong to speech.
  private static let leastPause = Time(value: 300, timescale: 1000)

  /// Shortens long silences between sounds: cuts, each with a cross-fade.
  mutating func shortenPauses(
    of lowered: inout LoweredItem, by item: Item, at place: ItemPlace
  ) -> Bool {
    guard let pauses = item.pauses else { return true }
    guard let lengths = pauseLengths(pauses.value, rate: lowered.rate),
      checkTracks(pauses.value.only, of: item, lowered)
    else { return false }
    let shortening = PauseShortening(to: lengths.to, keeping: words(of: lowered))
    let search = SilenceSearch(
      in: lowered.sound.composition.hearing(only: pauses.value.only), below: pauses.value.threshold,
      lasting: lengths.least, shortening: shortening)
    guard let found = silences(search, at: pauses.origin)?.pauses else { return false }
    remark(summary(of: found, in: lowered, to: lengths.to), at: pauses.origin)
    let removed = found.compactMap(\.removed)
    guard !removed.isEmpty else { return true }
    noteShift(of: lowered, by: removed, at: pauses.origin, place)
    let kept = removed.gaps(in: lowered.duration)
    liftChapters(of: &lowered)
    let earlier = edits
    // What may not be read was marked by the edits before.
    let fade = CutFade(duration: shortening.crossfade)
    assemble(
      kept.map(EditStep.part), of: &lowered, .unity, [],
      Dictionary(uniqueKeysWithValues: kept.indices.dropFirst().map { ($0, fade) }))
    if !earlier.isEmpty { edits = earlier.played(as: kept) }
    lowered.content = lowered.content.withExcerpts
    return takes(
      1, lowered.content, at: pauses.origin, "\(kept.count) pieces of \(lowered.name)",
      help: "shorten longer pauses, or those of the items that it is made of, each on its own")
  }

  /// Where words are spoken, in order and apart.
  private func words(of lowered: LoweredItem) -> [TimeRange] {
    let words = transcript(of: lowered).cues.flatMap(\.words).compactMap(\.range)
    var merged: [TimeRange] = []
    for word in words.sorted(by: { $0.start < $1.start }) {
      if let last = merged.last, word.start <= last.end {
        merged[merged.count - 1].duration = max(last.end, word.end) - last.start
      } else {
        merged.append(word)
      }
    }
    return merged
  }

  /// The least length of a pause, and what each becomes; nil after a report.
  private mutating func pauseLengths(_ pauses: Pauses, rate: Int?) -> (least: Time, to: Time)? {
    let times = (time(pauses.longerThan, rate: rate), time(pauses.to, rate: rate))
    guard let least = times.0, let to = times.1 else { return nil }
    guard least >= Self.leastPause else {
      error(
        "pauses of \(Self.text(least)) are too short to be shortened",
        at: pauses.longerThan.origin,
        help: "write \(Self.text(Self.leastPause)) or more: shorter ones are within words")
      return nil
    }
    guard to < least else {
      let lengths = lengths(least, to)
      error(
        "pauses that last \(lengths.a) or more do not become shorter by lasting \(lengths.b)",
        at: pauses.to.origin, help: "write a shorter time than that of 'longer_than'",
        notes: [.init("that is here", at: pauses.longerThan.origin)])
      return nil
    }
    return (least, to)
  }

  /// Whether the item is a mix with tracks of these names; reports it where it is not.
  private mutating func checkTracks(
    _ names: [Located<String>], of item: Item, _ lowered: LoweredItem
  ) -> Bool {
    guard let first = names.first else { return true }
    guard case .tracks(let tracks) = item.content else {
      error(
        "'only' names tracks, and \(lowered.name) is no mix", at: first.origin,
        help: "write 'pauses' beside 'tracks', or leave 'only' out")
      return false
    }
    let known = tracks.map(\.name)
    let unknown = names.filter { !known.contains($0.value) }
    for name in unknown {
      error(
        "there is no track '\(name.value)' in the mix", at: name.origin,
        help: "its tracks are \(known.prefix(10).map { "'\($0)'" }.joined(separator: ", "))")
    }
    return unknown.isEmpty
  }

  /// What becomes of pauses, in words.
  private func summary(of pauses: [Pause], in lowered: LoweredItem, to length: Time) -> String {
    let shortened = pauses.filter { $0.removed != nil }
    var parts: [String] = []
    if let longest = shortened.max(by: { $0.steps.count < $1.steps.count }) {
      let removed = shortened.reduce(Time.zero) { $0 + ($1.removed?.duration ?? .zero) }
      let (count, verb) = (shortened.count, shortened.count == 1 ? "pause" : "pauses")
      parts.append(
        "\(count) \(verb) of \(lowered.name) \(count == 1 ? "is" : "are") shortened to "
          + "\(Self.text(length)), which removes \(Self.text(removed)); the longest lasts "
          + "\(Self.text(longest.silence.duration)), at \(Self.text(longest.silence.start))")
    } else {
      parts.append("no pause of \(lowered.name) is shortened")
    }
    func kept(_ exception: Pause.Exception, _ reason: String) {
      let count = pauses.count { $0.exception == exception }
      guard count > 0 else { return }
      parts.append("\(count) \(count == 1 ? "is" : "are") kept, \(reason)")
    }
    kept(.uneven, "of changing level, as a fade or a breath")
    kept(.spoken, "for the words there")
    return parts.joined(separator: "; ")
  }

  /// Notes that the item's track now ends earlier, and sounds earlier than before beside others.
  private mutating func noteShift(
    of lowered: LoweredItem, by removed: [TimeRange], at origin: Origin, _ place: ItemPlace
  ) {
    guard let track = sharedTrack(around: place),
      !notes.contains(where: { $0.origin == origin && $0.severity == .note })
    else { return }
    let length = removed.reduce(Time.zero) { $0 + $1.duration }
    note(
      "shortened pauses move \(lowered.name) by up to \(Self.text(length)) against the tracks beside "
        + "'\(track)'",
      at: origin, help: "write 'pauses' beside 'tracks' to shorten those that all of them share")
  }

  /// The track that holds an item, if others sound beside it: the innermost one.
  private func sharedTrack(around place: ItemPlace) -> String? {
    var sequence = sequences[place.sequence]
    while let holder = sequence.holder {
      if case .tracks(let tracks) = item(at: holder).content, tracks.count > 1,
        let name = sequence.names.first?.value
      {
        return name
      }
      sequence = sequences[holder.sequence]
    }
    return nil
  }
}

extension [EditedPart] {
  /// These parts where only ranges of what they make are kept, in order. O(n + ranges)
  func played(as kept: [TimeRange]) -> [EditedPart] {
    var result: [EditedPart] = []
    var (index, start) = (startIndex, Time.zero)
    for range in kept {
      while index < endIndex, start + self[index].duration <= range.start {
        start = start + self[index].duration
        index += 1
      }
      var (next, time) = (index, start)
      while next < endIndex, time < range.end {
        let bounds = TimeRange(start: time, duration: self[next].duration)
        let common = TimeRange(
          start: Swift.max(time, range.start), end: Swift.min(bounds.end, range.end))
        if common.duration > .zero { result.append(self[next].part(common.start - time, common)) }
        time = bounds.end
        next += 1
      }
    }
    return result
  }
}

extension EditedPart {
  /// What lasts as long as `range`, from `offset` in this one.
  fileprivate func part(_ offset: Time, _ range: TimeRange) -> EditedPart {
    switch self {
    case .part(let own): .part(TimeRange(start: own.start + offset, duration: range.duration))
    case .other: .other(duration: range.duration, chapters: [])
    }
  }
}

// MARK: - Excerpts

extension Segment.Content {
  /// The same sound, whose segments hold of compositions only what they play: of an item that was cut
  /// before, each of thousands of pieces would hold all pieces otherwise. O(n log n)
  fileprivate var withExcerpts: Segment.Content {
    guard case .composition(var composition) = self else { return self }
    for track in composition.tracks.indices {
      for index in composition.tracks[track].segments.indices {
        let segment = composition.tracks[track].segments[index]
        guard case .composition(let inner) = segment.content else { continue }
        composition.tracks[track].segments[index].content = .composition(
          inner.excerpt(for: segment.source))
      }
    }
    return .composition(composition)
  }
}

extension Composition {
  /// What is heard of it if of the mixes in it that have tracks of these names the others are silent; all
  /// of it without names.
  fileprivate func hearing(only names: [Located<String>]) -> Composition {
    names.isEmpty ? self : hearing(only: Set(names.map(\.value)))
  }

  private func hearing(only names: Set<String>) -> Composition {
    var copy = self
    let isMix = tracks.contains { names.contains($0.name ?? "") }
    for track in tracks.indices {
      guard !isMix else {
        if !names.contains(tracks[track].name ?? "") { copy.tracks[track].isEnabled = false }
        continue
      }
      for (index, segment) in tracks[track].segments.enumerated() {
        guard case .composition(let inner) = segment.content else { continue }
        copy.tracks[track].segments[index].content = .composition(inner.hearing(only: names))
      }
    }
    return copy
  }

  /// The same tracks without segments that do not sound in `range`. O(tracks · log segments)
  fileprivate func excerpt(for range: TimeRange) -> Composition {
    // A duck looks beyond the range.
    guard !tracks.contains(where: { $0.ducking != nil }) else { return self }
    var excerpt = self
    for index in tracks.indices {
      let segments = tracks[index].segments
      // With the segment before, so that the first one is placed right behind it.
      let first = max(0, segments.partitioningIndex { $0.target.end > range.start } - 1)
      let end = segments.partitioningIndex { $0.target.start >= range.end }
      excerpt.tracks[index].segments = first < end ? Array(segments[first..<end]) : []
    }
    let rest = range.end - excerpt.duration
    if rest > .zero {
      let silence = Segment(
        .silence, source: TimeRange(start: .zero, duration: rest), at: excerpt.duration)
      excerpt.tracks.append(Track(segments: [silence]))
    }
    return excerpt
  }
}
