import MediaTime
import TestSupport
import Testing

@testable import MediaComposition

@Suite("The map of marks through edits")
struct MarkMapTests {
  /// One frame a second, so that a second of `SlowTrack` is a frame.
  private static let assets: [Asset] = {
    var dice = Dice(45)
    return ["a.wav", "b.wav"].map { name in
      var asset = sound(name, rate: 1)
      var marks = MediaMarks()
      marks.cues = (0..<60).map { index in
        MediaMarks.Cue(
          frame: dice.number(0..<1000),
          length: index % 2 == 0 ? nil : dice.number(1..<30), label: "\(index)")
      }.sorted { $0.frame < $1.frame }
      asset.marks = marks
      return asset
    }
  }()

  @Test(
    "gives what each second says of itself after 200 random edits",
    arguments: 1...4 as ClosedRange<UInt64>)
  func slowTwin(seed: UInt64) throws {
    var dice = Dice(seed)
    var track = Track()
    var slow = SlowTrack()
    for step in 1...200 {
      try edit(&track, &slow, &dice)
      guard step % 5 == 0, !slow.cells.isEmpty else { continue }
      let rate = [1, 2, 3, 7][Int(dice.number(0..<4))]
      let export = Export(name: "x", composition: Composition(tracks: [track]), outputs: [])
      let map = MarkMap(
        export.heardParts, sampleRate: rate, frameCount: Int64(slow.cells.count * rate))
      let twin = SlowMarks(slow, rate: Int64(rate))
      let reference = UInt64(dice.number(0..<1 << 40))
      #expect(map.timeReference(reference) == twin.timeReference(reference), "step \(step)")
      for _ in 0..<20 {
        let first = dice.number(0..<990)
        let range = first..<first + dice.number(1..<10)
        #expect(map.frame(first, isEnd: false) == twin.frame(first, isEnd: false), "step \(step)")
        #expect(map.frame(first, isEnd: true) == twin.frame(first, isEnd: true), "step \(step)")
        #expect(map.loop(range)?.frames == twin.loop(range), "\(range) at step \(step)")
      }
      for asset in Self.assets {
        let found = map.cues(of: asset)
        try #require(Set(found) == Set(twin.cues(of: asset)), "step \(step)")
        #expect(found.map(\.cue.frame) == found.map(\.cue.frame).sorted())
      }
    }
  }

  private func edit(_ track: inout Track, _ slow: inout SlowTrack, _ dice: inout Dice) throws {
    let end = slow.cells.count
    let at = Int(dice.number(0..<Int64(end) + 1))
    let length = Int(dice.number(1..<40))
    let asset = Self.assets[Int(dice.number(0..<2))]
    let from = Int(dice.number(0..<900))
    switch dice.number(0..<(end > 400 ? 12 : 8)) {
    case 0, 1, 2:
      try track.insertTimeRange(
        range(Int64(from), Int64(length)), of: asset, at: seconds(Int64(at)))
      slow.insert(SlowTrack(asset, from: from, lasting: length), at: at)
    case 3:
      var clip = clip(asset, from: Int64(from), lasting: Int64(length), at: 0)
      clip.isReversed = true
      try track.insertTimeRange(
        range(0, Int64(length)), of: Track(segments: [clip]), at: seconds(Int64(at)))
      slow.insert(SlowTrack(asset, from: from, lasting: length, isReversed: true), at: at)
    case 4:
      let inner = clip(asset, from: Int64(from), lasting: Int64(length), at: 0)
      try track.insertTimeRange(
        range(0, Int64(length)), of: Composition(tracks: [Track(segments: [inner])]),
        at: seconds(Int64(at)))
      slow.insert(SlowTrack(asset, from: from, lasting: length), at: at)
    case 5:
      guard at < end, dice.number(0..<4) == 0 else { return }
      try track.insertEmptyTimeRange(range(Int64(at), Int64(length)))
      slow.insert(SlowTrack(Array(repeating: nil, count: length)), at: at)
    case 6:
      let factor = dice.number(2..<4)
      guard at + length < end, slow.canSlow(at..<at + length, by: factor) else { return }
      try track.scaleTimeRange(
        range(Int64(at), Int64(length)), toDuration: seconds(Int64(length) * factor))
      slow.slow(at..<at + length, by: factor)
    default:
      try track.removeTimeRange(range(Int64(at), Int64(length)))
      slow.remove(at..<at + length)
    }
  }

  @Test("moves a time reference by what is cut, and at another rate counts in its frames")
  func timeReference() {
    func moved(_ clips: [Segment], _ rate: Int) -> UInt64? {
      let export = Export(
        name: "x", composition: Composition(tracks: clips.map { Track(segments: [$0]) }),
        outputs: [])
      return MarkMap(export.heardParts, sampleRate: rate, frameCount: 1).timeReference(172_800_000)
    }
    let voice = clip(sound("a.wav", rate: 48_000), from: 1, lasting: 5, at: 0)
    #expect(moved([voice], 48_000) == 172_848_000)
    #expect(moved([voice], 44_100) == 158_804_100)
    let music = sound("b.wav", rate: 48_000)
    #expect(moved([voice, clip(music, from: 0, lasting: 5, at: 0)], 48_000) == nil)
    #expect(moved([clip(music, from: 0, lasting: 5, at: 1)], 48_000) == nil)
  }

  @Test("is whole where all of one source is heard once, forwards, at its own times and alone")
  func whole() {
    let voice = sound("a.wav", rate: 48_000)
    let length = voice.frameCount / 48_000
    func isWhole(_ clips: [Segment]) -> Bool {
      let export = Export(
        name: "x", composition: Composition(tracks: clips.map { Track(segments: [$0]) }),
        outputs: [])
      return MarkMap(export.heardParts, sampleRate: 44_100, frameCount: 44_100).isWhole
    }
    let all = clip(voice, from: 0, lasting: length, at: 0)
    #expect(isWhole([all]))
    #expect(!isWhole([clip(voice, from: 0, lasting: length - 1, at: 0)]))
    #expect(!isWhole([clip(voice, from: 1, lasting: length - 1, at: 0)]))
    #expect(!isWhole([clip(voice, from: 0, lasting: length, at: 1)]))
    var back = all
    back.isReversed = true
    #expect(!isWhole([back]))
    #expect(!isWhole([all, clip(sound("b.wav", rate: 48_000), from: 0, lasting: 1, at: 0)]))
    #expect(!isWhole([]))
  }

  @Test("keeps a loop that sounds alone, and none that other sound is mixed into or cut out of")
  func loops() {
    let voice = sound("a.wav", rate: 48_000)
    func loop(_ tracks: [Track]) -> Range<Int64>? {
      let export = Export(name: "x", composition: Composition(tracks: tracks), outputs: [])
      return MarkMap(export.heardParts, sampleRate: 44_100, frameCount: 441_000)
        .loop(96_000..<144_000)?.frames
    }
    let whole = Track(segments: [clip(voice, from: 0, lasting: 10, at: 0)])
    #expect(loop([whole]) == 88_200..<132_300)
    let music = sound("b.wav", rate: 48_000)
    let late = Track(segments: [clip(music, from: 0, lasting: 1, at: 5)])
    #expect(loop([whole, late]) == 88_200..<132_300)
    let within = Track(segments: [clip(music, from: 0, lasting: 2, at: 1)])
    #expect(loop([whole, within]) == nil)
    let twice = Track(segments: (0..<2).map { clip(voice, from: 0, lasting: 4, at: $0 * 4) })
    #expect(loop([twice]) == nil)
    let cut = Track(segments: [
      clip(voice, from: 0, lasting: 2, at: 0), clip(voice, from: 3, lasting: 4, at: 2),
    ])
    #expect(loop([cut]) == nil)
  }
}

/// What a slow track says of marks: each second knows which part of which source it plays.
private struct SlowMarks {
  private let cells: [SlowTrack.Cell?]
  private let runs: [Run]
  private let rate: Int64
  private let ticks = SlowTrack.ticks

  init(_ track: SlowTrack, rate: Int64) {
    (cells, self.rate) = (track.cells, rate)
    runs = Self.runs(of: cells)
  }

  /// Seconds of one source that go on at one speed.
  private struct Run {
    var first: Int
    var asset: Asset
    var step: Int64
    /// Ticks of the source.
    var source: Range<Int64>
  }

  private static func runs(of cells: [SlowTrack.Cell?]) -> [Run] {
    var runs: [Run] = []
    for (index, cell) in cells.enumerated() {
      guard let cell else { continue }
      let source = min(cell.start, cell.start + cell.step)..<max(cell.start, cell.start + cell.step)
      if let last = runs.last, let before = cells[index - 1], before.asset == cell.asset,
        before.step == cell.step, before.start + before.step == cell.start
      {
        let first = min(last.source.lowerBound, source.lowerBound)
        runs[runs.count - 1].source = first..<max(last.source.upperBound, source.upperBound)
      } else {
        runs.append(Run(first: index, asset: cell.asset, step: cell.step, source: source))
      }
    }
    return runs
  }

  /// The moment of a run that is so many ticks of its source behind its start, exactly: over its step.
  private func heard(_ distance: Int64, _ run: Run) -> (value: Int64, scale: Int64) {
    let scale = abs(run.step)
    return (Int64(run.first) * scale + distance, scale)
  }

  private func frame(_ moment: (value: Int64, scale: Int64)) -> Int64 {
    (2 * moment.value * rate + moment.scale) / (2 * moment.scale)
  }

  func timeReference(_ reference: UInt64) -> UInt64? {
    guard let cell = cells[0], cell.step > 0 else { return nil }
    return (2 * (reference * UInt64(ticks) + UInt64(cell.start)) * UInt64(rate) + UInt64(ticks))
      / (2 * UInt64(ticks))
  }

  func frame(_ frame: Int64, isEnd: Bool) -> Int64? {
    guard let opening = cells[0], opening.step > 0 else { return nil }
    let tick = frame * ticks
    let found = runs.filter { run in
      run.asset == opening.asset
        && (isEnd
          ? run.source.lowerBound < tick && tick <= run.source.upperBound
          : run.source.contains(tick))
    }
    guard found.count == 1, found[0].step > 0 else { return nil }
    return self.frame(heard(tick - found[0].source.lowerBound, found[0]))
  }

  func loop(_ frames: Range<Int64>) -> Range<Int64>? {
    guard let opening = cells[0] else { return nil }
    let loop = frames.lowerBound * ticks..<frames.upperBound * ticks
    let whole = runs.filter { run in
      run.asset == opening.asset && run.source.lowerBound <= loop.lowerBound
        && loop.upperBound <= run.source.upperBound
    }
    guard whole.count == 1, let run = whole.first else { return nil }
    let (start, end) =
      run.step > 0
      ? (loop.lowerBound - run.source.lowerBound, loop.upperBound - run.source.lowerBound)
      : (run.source.upperBound - loop.upperBound, run.source.upperBound - loop.lowerBound)
    let first = min(frame(heard(start, run)), Int64(cells.count) * rate - 1)
    return first..<first + max(1, frame(heard(end, run)) - first)
  }

  func cues(of asset: Asset) -> [MarkMap.HeardCue] {
    let cues = asset.marks?.cues ?? []
    return cues.indices.flatMap { index -> [MarkMap.HeardCue] in
      let cue = cues[index]
      let start = cue.frame * ticks
      let end = start + (cue.length ?? 0) * ticks
      var found: [(start: Int64, end: Int64, isContinued: Bool)] = []
      var last: (source: Int64, value: Int64, scale: Int64)?
      for run in runs where run.asset == asset && run.step > 0 {
        guard cue.length != nil else {
          if run.source.contains(start) {
            let first = frame(heard(start - run.source.lowerBound, run))
            found.append((first, first, false))
          }
          continue
        }
        let part = (start..<end).clamped(to: run.source)
        guard !part.isEmpty else { continue }
        let first = heard(part.lowerBound - run.source.lowerBound, run)
        let behind = heard(part.upperBound - run.source.lowerBound, run)
        if let last, last.value * first.scale == first.value * last.scale,
          last.source <= part.lowerBound
        {
          found[found.count - 1].end = frame(behind)
        } else {
          found.append((frame(first), frame(behind), start < part.lowerBound))
        }
        last = (part.upperBound, behind.value, behind.scale)
      }
      return found.map { piece in
        var heard = cue
        heard.frame = piece.start
        if cue.length != nil { heard.length = max(1, piece.end - piece.start) }
        return MarkMap.HeardCue(index: index, cue: heard, isContinued: piece.isContinued)
      }
    }
  }
}
