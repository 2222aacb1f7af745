import MediaComposition
import MediaTime
import TestSupport
import Testing

@Suite("A thousand random edits")
struct RandomEditsTests {
  private let assets = ["a.wav", "b.wav", "c.wav"].map { sound($0) }

  @Test(
    "leave what the same edits leave of a list of seconds", arguments: 1...3 as ClosedRange<UInt64>)
  func slowTwin(seed: UInt64) throws {
    var dice = Dice(seed)
    var track = Track()
    var slow = SlowTrack()
    for step in 1...1000 {
      let end = slow.cells.count
      let at = Int(dice.number(0..<Int64(end) + 2))
      let length = Int(dice.number(1..<12))
      switch dice.number(0..<(end > 300 ? 12 : 8)) {
      case 0, 1:
        let (asset, from) = (anyAsset(&dice), Int(dice.number(0..<900)))
        try track.insertTimeRange(
          range(Int64(from), Int64(length)), of: asset, at: seconds(Int64(at)))
        slow.insert(SlowTrack(asset, from: from, lasting: length), at: at)
      case 2:
        let (asset, from) = (anyAsset(&dice), Int(dice.number(0..<900)))
        var clip = clip(asset, from: Int64(from), lasting: Int64(length), at: 0)
        clip.isReversed = true
        let other = Track(segments: [clip])
        try track.insertTimeRange(range(0, Int64(length)), of: other, at: seconds(Int64(at)))
        slow.insert(
          SlowTrack(asset, from: from, lasting: length, isReversed: true), at: at)
      case 3:
        let group = try anyGroup(&dice)
        let start = Int(dice.number(0..<8))
        try track.insertTimeRange(
          range(Int64(start), 9), of: group.composition, at: seconds(Int64(at)))
        slow.insert(SlowTrack(Array(group.slow.cells[start..<start + 9])), at: at)
      case 4:
        try track.insertEmptyTimeRange(range(Int64(at), Int64(length)))
        slow.insert(SlowTrack(Array(repeating: nil, count: length)), at: at)
      case 5:
        guard at + length < end else { continue }
        let factor = dice.number(2..<4)
        guard slow.canSlow(at..<at + length, by: factor) else { continue }
        try track.scaleTimeRange(
          range(Int64(at), Int64(length)), toDuration: seconds(Int64(length) * factor))
        slow.slow(at..<at + length, by: factor)
      default:
        try track.removeTimeRange(range(Int64(at), Int64(length)))
        slow.remove(at..<at + length)
      }
      #expect(track.end == seconds(Int64(slow.cells.count)), "step \(step)")
      if step % 100 == 0 {
        try track.validate()
        try #require(SlowTrack(Composition(tracks: [track])).cells == slow.cells, "step \(step)")
      }
    }
  }

  @Test(
    "keep order, durations, chapters and both ways of asking", arguments: [11, 12, 13] as [UInt64])
  func invariants(seed: UInt64) throws {
    var dice = Dice(seed)
    var composition = Composition()
    for step in 1...1000 {
      let before = composition.duration
      let at = oddTime(&dice, below: before + seconds(1))
      let length = oddTime(&dice, below: seconds(7)) + Time(value: 1, timescale: 16)
      let place = TimeRange(start: at, duration: length)
      var expected = max(before, at) + length
      switch dice.number(
        0..<(composition.tracks.first.map { $0.segments.count > 60 } == true ? 12 : 8))
      {
      case 0, 1:
        try composition.insertTimeRange(
          TimeRange(start: oddTime(&dice, below: seconds(900)), duration: length),
          of: anyAsset(&dice), at: at)
      case 2, 3:
        let group = try anyGroup(&dice).composition
        let track = dice.number(0..<3) == 0 ? nil : composition.tracks.indices.last
        if let track {
          expected = max(before, max(composition.tracks[track].end, at) + length)
          try composition.tracks[track].insertTimeRange(
            TimeRange(start: oddTime(&dice, below: seconds(2)), duration: length), of: group,
            at: at)
        } else {
          try composition.insertTimeRange(
            TimeRange(start: oddTime(&dice, below: seconds(2)), duration: length), of: group,
            at: at)
        }
      case 4:
        try composition.insertEmptyTimeRange(place)
      case 5:
        let duration = oddTime(&dice, below: seconds(9)) + Time(value: 1, timescale: 4)
        let old = place.intersection(TimeRange(start: .zero, duration: before)).duration
        expected =
          before - old + place.map(duration: old, to: TimeRange(start: at, duration: duration))
        if at >= before { expected = before }
        try composition.scaleTimeRange(place, toDuration: duration)
      default:
        expected = before - place.intersection(TimeRange(start: .zero, duration: before)).duration
        try composition.removeTimeRange(place)
      }
      try #require(isNear(composition.duration, expected), "step \(step)")
      guard step % 50 == 0 else { continue }
      try composition.validate()
      let chapters = composition.chapters.map(\.start)
      #expect(chapters == chapters.sorted())
      for _ in 0..<10 {
        let moment = oddTime(&dice, below: composition.duration)
        for source in composition.sources(at: moment) {
          let times = composition.times(of: source.asset, at: source.time)
          #expect(times == times.sorted())
          #expect(times.contains { isNear($0, moment) }, "\(moment) at step \(step)")
        }
      }
    }
  }

  @Test("what is taken out and put back sounds as it did", arguments: [21, 22] as [UInt64])
  func cutAndInsert(seed: UInt64) throws {
    var dice = Dice(seed)
    for _ in 0..<60 {
      var whole = Composition(
        tracks: try (0..<3).map { _ in try anyGroup(&dice).composition.tracks[0] })
      try whole.tracks[0].scaleTimeRange(range(3, 5), toDuration: Time(value: 22, timescale: 7))
      var edited = whole
      let start = oddTime(&dice, below: whole.duration - seconds(2))
      let cut = TimeRange(start: start, duration: oddTime(&dice, below: whole.duration - start))
      guard cut.duration > .zero else { continue }
      try edited.removeTimeRange(cut)
      #expect(edited.duration == whole.duration - cut.duration)
      try edited.insertTimeRange(cut, of: whole, at: start)
      #expect(edited.duration == whole.duration)
      let moments = (0..<40).map { _ in oddTime(&dice, below: whole.duration) } + [start, cut.end]
      for moment in moments {
        #expect(edited.sources(at: moment) == whole.sources(at: moment), "\(cut) at \(moment)")
      }
    }
  }

  // MARK: Makers

  private func anyAsset(_ dice: inout Dice) -> Asset {
    assets.randomElement(using: &dice) ?? assets[0]
  }

  /// Eighteen seconds of clips, some backwards, with chapters; the last five are a group, or a
  /// group that is played backwards.
  private func anyGroup(_ dice: inout Dice) throws -> (composition: Composition, slow: SlowTrack) {
    var track = Track()
    var slow = SlowTrack()
    for start in stride(from: 0, to: 13, by: 3) {
      let (asset, from) = (anyAsset(&dice), Int(dice.number(0..<900)))
      var clip = clip(asset, from: Int64(from), lasting: 3, at: Int64(start))
      clip.isReversed = .random(using: &dice)
      clip.chapters = [Chapter(start: seconds(dice.number(0..<3)), title: "\(from)")]
      track.segments.append(clip)
      slow.insert(
        SlowTrack(asset, from: from, lasting: 3, isReversed: clip.isReversed), at: start)
    }
    var inner = Segment(
      .composition(Composition(tracks: [track])), source: range(2, 5), at: seconds(15))
    inner.isReversed = .random(using: &dice)
    var cells = Array(slow.cells[2..<7])
    if inner.isReversed {
      cells = cells.reversed().map { cell in
        cell.map { .init(asset: $0.asset, start: $0.start + $0.step, step: -$0.step) }
      }
    }
    track.segments.append(inner)
    slow.insert(SlowTrack(cells), at: 15)
    return (Composition(tracks: [track]), slow)
  }

  /// A time before `end`, on a grid that nobody would choose.
  private func oddTime(_ dice: inout Dice, below end: Time) -> Time {
    let scale = [1, 7, 997, 1001, 30_000, 44_100, 48_000].randomElement(using: &dice) ?? 1
    let most = max(1, end.frames(atRate: scale, rounding: .towardZero))
    return Time(value: dice.number(0..<most), timescale: Int32(scale))
  }

  /// Whether two times are one but for what no timescale could hold.
  private func isNear(_ a: Time, _ b: Time) -> Bool {
    a == b
      || (a.hasBeenRounded || b.hasBeenRounded)
        && (a - b).absoluteValue < Time(value: 1, timescale: 100_000)
  }
}
