import MediaTime

extension [SegmentSpeech.Redaction] {
  /// What of these, in order and without overlaps, is in a range; what only touches it lasts no time there.
  /// O(log n), and O(1) for each that is in it.
  func within(_ range: TimeRange) -> [SegmentSpeech.Redaction] {
    let first = partitioningIndex { $0.range.end >= range.start }
    let end = partitioningIndex { $0.range.start > range.end }
    return self[first..<Swift.max(first, end)].map { redaction in
      SegmentSpeech.Redaction(redaction.range.intersection(range), text: redaction.text)
    }
  }

  /// In order and without overlaps. Where several overlap, the text of the one that begins first counts,
  /// and of those that begin together the text of the first. O(n log n).
  var merged: [SegmentSpeech.Redaction] {
    let ordered = enumerated().sorted {
      ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset)
    }
    var result: [SegmentSpeech.Redaction] = []
    for var redaction in ordered.map(\.element) {
      if let last = result.last, redaction.range.start < last.range.end {
        guard last.range.end < redaction.range.end else { continue }
        redaction.range = TimeRange(start: last.range.end, end: redaction.range.end)
      }
      result.append(redaction)
    }
    return result
  }
}

extension Composition {
  /// What may not be read of words that belong to the whole, in its time and in order: where something
  /// in it is redacted, and where something in it is silenced and nothing else sounds. A silenced track
  /// beside a voice hides no word. O(n log n) in the number of segments in the range.
  func redactions(from start: Time, until end: Time) -> [SegmentSpeech.Redaction] {
    silentParts(in: TimeRange(start: start, end: end)).allRedactions
  }

  fileprivate func silentParts(in range: TimeRange) -> SilentParts {
    var found = SilentParts()
    for track in tracks where track.mediaType == .audio {
      var index = track.index(endingAfter: range.start)
      while index < track.segments.count, track.segments[index].target.start < range.end {
        found.add(track.segments[index].silentParts(in: range, onSilentTrack: track.isSilenced))
        index += 1
      }
    }
    return found
  }
}

extension Segment {
  /// Whether all of it is silent, and not because ranges are that have redactions.
  var isSilenced: Bool { mix.gain == .silence && speech?.redactions.isEmpty ?? true }

  /// What is silent of it in a range of its track, in the time of the track.
  fileprivate func silentParts(in range: TimeRange, onSilentTrack: Bool) -> SilentParts {
    var found = SilentParts()
    let counting = (speech?.heard?.moved(by: target.start) ?? target)
      .intersection(target).intersection(range)
    guard counting.duration > .zero else { return found }
    for redaction in speech?.redactions ?? [] {
      found.redactions.append(
        .init(redaction.range.moved(by: target.start), text: redaction.text))
    }
    if !isEmpty {
      if onSilentTrack || isSilenced {
        found.silenced = [counting]
      } else if case .composition(let inner) = content {
        if !source.isEmpty { found.add(nested(inner, heard: counting)) }
      } else {
        found.sounding = [counting]
      }
    }
    return found.clipped(to: counting)
  }

  /// The same of its content, in the time of the track.
  private func nested(_ inner: Composition, heard: TimeRange) -> SilentParts {
    func turned(_ time: Time) -> Time {
      isReversed ? source.start + (source.end - time) : time
    }
    func mapped(_ range: TimeRange, _ map: (Time) -> Time) -> TimeRange {
      let ends = (map(range.start), map(range.end))
      return TimeRange(start: min(ends.0, ends.1), end: max(ends.0, ends.1))
    }
    let range = mapped(heard) { turned(target.map($0, to: source)) }
    return inner.silentParts(in: range).mapped { part in
      mapped(part) { source.map(turned($0), to: target) }
    }
  }
}

/// Where a timeline is silent although something is on it, and where something sounds. None of these
/// lists is in order.
private struct SilentParts {
  /// As they were asked for: they count whatever sounds beside them.
  var redactions: [SegmentSpeech.Redaction] = []
  /// What is silenced as a whole.
  var silenced: [TimeRange] = []
  var sounding: [TimeRange] = []

  mutating func add(_ other: SilentParts) {
    redactions += other.redactions
    silenced += other.silenced
    sounding += other.sounding
  }

  /// The same with each range where `map` has it.
  func mapped(_ map: (TimeRange) -> TimeRange) -> SilentParts {
    SilentParts(
      redactions: redactions.map { .init(map($0.range), text: $0.text) },
      silenced: silenced.map(map), sounding: sounding.map(map))
  }

  /// What of them is in a range.
  func clipped(to range: TimeRange) -> SilentParts {
    var clipped = mapped { $0.intersection(range) }
    clipped.redactions.removeAll { $0.range.duration <= .zero }
    clipped.silenced.removeAll { $0.duration <= .zero }
    clipped.sounding.removeAll { $0.duration <= .zero }
    return clipped
  }

  /// In order and without overlaps: what is redacted, and what is silenced where nothing sounds.
  var allRedactions: [SegmentSpeech.Redaction] {
    guard !silenced.isEmpty else { return redactions.merged }
    var sounds: [TimeRange] = []
    for range in sounding.sorted(by: { $0.start < $1.start }) {
      if let last = sounds.last, range.start <= last.end {
        sounds[sounds.count - 1] = last.union(range)
      } else {
        sounds.append(range)
      }
    }
    var silences: [TimeRange] = []
    for range in silenced {
      var start = range.start
      for sound in sounds[sounds.partitioningIndex { $0.end > range.start }...] {
        guard sound.start < range.end else { break }
        silences.append(TimeRange(start: start, end: max(start, sound.start)))
        start = sound.end
      }
      silences.append(TimeRange(start: start, end: max(start, range.end)))
    }
    // What is shorter lies between sounds that touch, but for rounding.
    silences.removeAll { $0.duration <= Segment.shortestPart }
    return (redactions + silences.map { .init($0) }).merged
  }
}
