import MediaTime

/// When positions in sources are heard in an output: the map of cues, loops, timers and time references
/// through a finished composition, whatever edits made it. Positions are frames, in exact time on the way
/// from the source's rate to the output's, and rounded once.
package struct MarkMap {
  /// In the order of the output.
  package let parts: [HeardPart]
  /// The output's.
  private let sampleRate: Int
  /// Those of the output.
  private let frameCount: Int64
  /// What alone sounds when the output begins; nil where nothing does, or more.
  package let opening: HeardPart?

  /// - Parameters:
  ///   - parts: What is heard, from the start of the output on (`Export.heardParts`).
  ///   - sampleRate: The output's frames a second.
  ///   - frameCount: The output's frames.
  package init(_ parts: [HeardPart], sampleRate: Int, frameCount: Int64) {
    (self.parts, self.sampleRate, self.frameCount) = (parts, sampleRate, frameCount)
    let first = parts.prefix { $0.target.start <= .zero }
    opening = first.count == 1 ? first.first : nil
  }

  /// Whether all of one source is heard once, forwards and at its own times, and nothing else.
  package var isWhole: Bool {
    guard parts.count == 1, let part = parts.first, !part.isReversed else { return false }
    let length = Time(frames: part.asset.frameCount, rate: part.asset.sampleRate)
    return part.source.start == .zero && part.target.start == .zero
      && part.source.duration == length && part.target.duration == length
  }

  /// When the output begins, in its frames since midnight, by what its first source says of itself.
  ///
  /// - Parameter reference: When the first source begins, in its own frames.
  /// - Returns: nil where other sound is heard then, none, or that source backwards.
  package func timeReference(_ reference: UInt64) -> UInt64? {
    guard let opening, !opening.isReversed, opening.source.start.isNumeric else { return nil }
    let start = opening.source.start
    let (ticks, rate) = (Int128(start.timescale), Int128(opening.asset.sampleRate))
    // Below 2⁶⁴ · 2³¹ · 2²⁰, and 2⁶³ · 2²⁰ · 2²⁰ beside it.
    let sum = Int128(reference) * ticks + Int128(start.value) * rate
    let divisor = rate * ticks
    return UInt64(exactly: (sum * Int128(sampleRate) + divisor / 2) / divisor)
  }

  /// When a moment of the first source is heard.
  ///
  /// - Parameters:
  ///   - time: In the time of the source.
  ///   - isEnd: Whether it is the end of the sound before it, and not the start of that behind.
  /// - Returns: nil where it is not heard, or more than once, or where that source does not open the
  ///   output forwards.
  package func moment(_ time: Time, isEnd: Bool) -> Time? {
    guard let opening, !opening.isReversed else { return nil }
    var found: Time?
    for part in parts where part.asset.isSameSound(as: opening.asset) {
      let isHeard =
        isEnd
        ? part.source.start < time && time <= part.source.end : part.source.contains(time)
      guard isHeard else { continue }
      guard found == nil, !part.isReversed else { return nil }
      found = part.source.map(time, to: part.target)
    }
    return found
  }

  /// The frame of `moment(_:isEnd:)` for a frame of the source.
  package func frame(_ frame: Int64, isEnd: Bool) -> Int64? {
    guard let opening else { return nil }
    return moment(Time(frames: frame, rate: opening.asset.sampleRate), isEnd: isEnd)
      .map { min($0.frames(atRate: sampleRate), frameCount) }
  }

  /// How long a length at the start of the output is, which `speed` changes.
  package func length(_ duration: Time) -> Time? {
    guard let opening, !opening.isReversed else { return nil }
    return opening.source.map(duration: duration, to: opening.target)
  }

  /// A loop of the first source, never empty; nil where it is not heard whole, without a gap, alone and
  /// once. Backwards it is one, too.
  package func loop(_ frames: Range<Int64>) -> (frames: Range<Int64>, isExact: Bool)? {
    guard let opening else { return nil }
    let rate = opening.asset.sampleRate
    let start = Time(frames: frames.lowerBound, rate: rate)
    let range = TimeRange(start: start, end: Time(frames: frames.upperBound, rate: rate))
    let whole = parts.filter { part in
      part.asset.isSameSound(as: opening.asset) && part.source.contains(range)
    }
    guard whole.count == 1, let part = whole.first, range.duration > .zero else { return nil }
    let heard = part.target(of: range)
    let others = parts.filter {
      $0.target.start < heard.end && heard.start < $0.target.end
    }
    guard others.count == 1 else { return nil }
    let first = min(heard.start.frames(atRate: sampleRate), frameCount - 1)
    let end = min(heard.end.frames(atRate: sampleRate), frameCount)
    let length = max(1, end - first)
    return (
      first..<first + length, Time(frames: length, rate: sampleRate) == heard.duration
    )
  }
}

extension MarkMap {
  /// A cue of a source, or the part of it that is heard without a gap.
  package struct HeardCue: Sendable, Hashable {
    /// Where it stands among the cues of its source.
    package var index: Int
    /// In frames of the output.
    package var cue: MediaMarks.Cue
    /// Whether it begins within the cue.
    package var isContinued: Bool
  }

  /// More cues than any file holds.
  private static let mostCues = 200_000

  /// Where the cues of a source are heard forwards, in order of time. O(parts · log cues + cues heard), and
  /// for each part the regions that begin after the first one that reaches into it.
  package func cues(of asset: Asset) -> [HeardCue] {
    let cues = asset.marks?.cues ?? []
    let regions = cues.indices.filter { cues[$0].length != nil }
    // The latest end of a region and of all before it.
    let ends = regions.reduce(into: [Int64]()) { ends, index in
      ends.append(max(ends.last ?? 0, cues[index].frame + (cues[index].length ?? 0)))
    }
    var found: [HeardCue] = []
    // Ends of the latest piece of each region, in exact time.
    var last: [Int: (source: Time, target: Time, piece: Int)] = [:]
    for part in parts where !part.isReversed && part.asset.isSameSound(as: asset) {
      guard found.count < Self.mostCues else { break }
      let first = cues.partitioningIndex { start(of: $0, asset) >= part.source.start }
      let reaching = ends.partitioningIndex {
        Time(frames: $0, rate: asset.sampleRate) > part.source.start
      }
      for index in regions[reaching...].prefix(while: { $0 < first }) {
        add(index, of: cues, asset, in: part, to: &found, &last)
      }
      for index in cues[first...].indices.prefix(while: {
        start(of: cues[$0], asset) < part.source.end
      }) {
        add(index, of: cues, asset, in: part, to: &found, &last)
      }
    }
    return found.enumerated()
      .sorted { ($0.element.cue.frame, $0.offset) < ($1.element.cue.frame, $1.offset) }
      .map(\.element)
  }

  private func start(of cue: MediaMarks.Cue, _ asset: Asset) -> Time {
    Time(frames: cue.frame, rate: asset.sampleRate)
  }

  /// Adds what is heard of a cue in a part, or makes the piece before it longer.
  private func add(
    _ index: Int, of cues: [MediaMarks.Cue], _ asset: Asset, in part: HeardPart,
    to found: inout [HeardCue], _ last: inout [Int: (source: Time, target: Time, piece: Int)]
  ) {
    var cue = cues[index]
    let start = start(of: cue, asset)
    let end = cue.length.map { Time(frames: cue.frame + $0, rate: asset.sampleRate) }
    let heardStart = max(start, part.source.start)
    guard end.map({ heardStart < min($0, part.source.end) }) ?? part.source.contains(start)
    else { return }
    let target = part.source.map(heardStart, to: part.target)
    cue.frame = min(target.frames(atRate: sampleRate), frameCount)
    if let end {
      let heardEnd = min(end, part.source.end)
      let targetEnd = part.source.map(heardEnd, to: part.target)
      let endFrame = min(targetEnd.frames(atRate: sampleRate), frameCount)
      // A cut within a region leaves one.
      if let before = last[index], before.target == target, before.source <= heardStart {
        found[before.piece].cue.length = max(1, endFrame - found[before.piece].cue.frame)
        last[index] = (heardEnd, targetEnd, before.piece)
        return
      }
      cue.length = max(1, endFrame - cue.frame)
      last[index] = (heardEnd, targetEnd, found.count)
    }
    found.append(HeardCue(index: index, cue: cue, isContinued: start < heardStart))
  }
}

extension HeardPart {
  /// When a range within its source is heard.
  fileprivate func target(of range: TimeRange) -> TimeRange {
    let ends = [range.start, range.end].map { time in
      source.map(isReversed ? source.start + (source.end - time) : time, to: target)
    }.sorted()
    return TimeRange(start: ends[0], end: ends[1])
  }
}
