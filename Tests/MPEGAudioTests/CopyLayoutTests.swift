import TestSupport
import Testing

@testable import MPEGAudio

@Suite("Where copied frames lie")
struct CopyLayoutTests {
  @Test("a whole file keeps its frames, its delay and its padding")
  func whole() {
    // LAME's delay, and 10 frames of sound.
    let layout = CopyLayout(
      [.init(frames: 0..<10_000, start: 1105)], length: 10_000, on: .mp3(samplesPerFrame: 1152))
    #expect(copies(layout) == ["0: 0–10 from 0"])
    #expect(!layout.hasCarrier && layout.encoded.isEmpty)
    #expect(layout.delay == 576 && layout.padding == 10 * 1152 - 10_000 - 576)
  }

  @Test("a cut begins with a silent frame, and the frame before its first")
  func cut() {
    let layout = CopyLayout(
      [.init(frames: 0..<10_000, start: 57_700)], length: 10_000, on: .mp3(samplesPerFrame: 1152))
    #expect(layout.hasCarrier)
    #expect(copies(layout) == ["0: 1–11 from 49"])
    #expect(layout.delay == 2 * 1152 + 100 - 529)
    let low = CopyLayout(
      [.init(frames: 0..<10_000, start: 28_900)], length: 10_000, on: .mp3(samplesPerFrame: 576))
    #expect(copies(low) == ["0: 1–21 from 48"])
  }

  @Test("a file without a tag gets a frame before its first, for a delay of its own")
  func noTag() {
    let layout = CopyLayout(
      [.init(frames: 0..<11_520, start: 0)], length: 11_520, on: .mp3(samplesPerFrame: 1152))
    #expect(layout.hasCarrier && copies(layout) == ["0: 1–11 from 0"])
    #expect(layout.delay == 1152 - 529 && layout.padding == 529)
  }

  @Test("spans of one phase are joined by two or three frames")
  func join() throws {
    let spans = [
      CopyLayout.Span(frames: 0..<50_000, start: 1105),
      CopyLayout.Span(frames: 50_000..<99_000, start: 51_105 + 7 * 1152),
    ]
    let layout = CopyLayout(spans, length: 99_000, on: .mp3(samplesPerFrame: 1152))
    #expect(layout.copies.map(\.span) == [0, 1])
    let seam = try #require(layout.encoded.first)
    #expect(layout.encoded.count == 1 && 2...3 ~= seam.count)
    #expect(layout.offset(of: spans[1]) == 0)
  }

  @Test("of two phases the one of more sound is copied")
  func phases() {
    let spans = [
      CopyLayout.Span(frames: 0..<20_000, start: 1105),
      CopyLayout.Span(frames: 20_000..<90_000, start: 21_115),
    ]
    let layout = CopyLayout(spans, length: 90_000, on: .mp3(samplesPerFrame: 1152))
    #expect(layout.copies.map(\.span) == [1])
    #expect(layout.offset(of: spans[0]) == -10)
  }

  @Test("a clip of a frame, and short pieces, are encoded")
  func short() {
    let one = CopyLayout(
      [.init(frames: 0..<1152, start: 5000)], length: 1152, on: .mp3(samplesPerFrame: 1152))
    #expect(one.copies.isEmpty && one.encoded == [0..<2] && one.delay == 576)
    let piece = CopyLayout(
      [.init(frames: 9000..<13_000, start: 10_105)], length: 20_000, on: .mp3(samplesPerFrame: 1152)
    )
    #expect(piece.copies.isEmpty)
  }

  @Test("frames keep their place in their sound, and reach into no other", arguments: 1...6)
  func properties(seed: UInt64) throws {
    var dice = Dice(seed)
    for _ in 0..<300 {
      let grid = Self.grids.randomElement(using: &dice) ?? .aac
      let count = grid.samplesPerFrame
      var spans: [CopyLayout.Span] = []
      var end: Int64 = 0
      let base = Int64.random(in: 0..<5000, using: &dice)
      for _ in 0..<Int.random(in: 1...5, using: &dice) {
        let first = end + (Bool.random(using: &dice) ? 0 : .random(in: 1..<9000, using: &dice))
        end = first + .random(in: 1..<60_000, using: &dice)
        let phase = Bool.random(using: &dice) ? base : .random(in: 0..<5000, using: &dice)
        let frames = Int64.random(in: 0..<50, using: &dice) * Int64(count)
        spans.append(.init(frames: first..<end, start: first + phase + frames))
      }
      let length = end + (Bool.random(using: &dice) ? 0 : .random(in: 1..<9000, using: &dice))
      let layout = CopyLayout(spans, length: length, on: grid)
      #expect(layout.copies == slowCopies(layout, spans))
      check(layout, spans)
      // The phase is the one with most sound.
      let sums = Dictionary(grouping: spans, by: { layout.phase(of: $0) })
        .mapValues { $0.reduce(0) { $0 + $1.frames.count } }
      if let copy = layout.copies.first {
        #expect(sums[layout.phase(of: spans[copy.span])] == sums.values.max())
      }
    }
  }

  private static let grids: [CopyLayout.Grid] = [
    .mp3(samplesPerFrame: 576), .mp3(samplesPerFrame: 1152), .aac, .opus,
  ]

  @Test("AAC is joined by one frame where a frame ends at the join, else by two")
  func aac() {
    for (offset, count) in [(0, 1), (300, 2)] {
      let end = Int64(40 * 1024 + offset)
      let spans = [
        CopyLayout.Span(frames: 0..<end, start: 1024),
        CopyLayout.Span(frames: end..<90_000, start: end + 1024 * 8),
      ]
      let layout = CopyLayout(spans, length: 90_000, on: .aac)
      #expect(layout.copies.map(\.span) == [0, 1] && layout.encoded.map(\.count) == [count])
    }
  }

  @Test("Opus leaves 80 ms behind a join to the encoder")
  func opus() {
    let spans = [
      CopyLayout.Span(frames: 0..<48_000, start: 312),
      CopyLayout.Span(frames: 48_000..<96_000, start: 24_312),
    ]
    let layout = CopyLayout(spans, length: 96_000, on: .opus)
    #expect(copies(layout) == ["0: 0–50 from 0", "1: 55–101 from 30"])
  }

  /// The copies by looking at each frame of the output.
  private func slowCopies(
    _ layout: CopyLayout, _ spans: [CopyLayout.Span]
  ) -> [CopyLayout.Copy] {
    guard let one = layout.copies.first else { return [] }
    let (grid, count) = (layout.grid, Int64(layout.samplesPerFrame))
    let phase = layout.phase(of: spans[one.span])
    let carriers = layout.hasCarrier ? 1 : 0
    return spans.indices.compactMap { number in
      let span = spans[number]
      guard layout.phase(of: span) == phase else { return nil }
      // A copy at the very start has the frames that its decoding begins with.
      let isFirst =
        number == one.span && one.frames.lowerBound == carriers
        && span.frames.lowerBound == 0
      let frames = (carriers..<layout.frameCount).filter { frame in
        let first = layout.firstSample(ofFrame: frame)
        let lead = span.frames.lowerBound == 0 ? 0 : grid.lead
        let number = (first - span.frames.lowerBound + span.start) / count
        let begins =
          isFirst
          || first >= span.frames.lowerBound + lead && number >= grid.firstWhole
        let ends =
          span.frames.upperBound == layout.length
          || first + count + grid.reach <= span.frames.upperBound
        return begins && ends
      }
      guard let start = frames.first, let last = frames.last else { return nil }
      guard isFirst || frames.count >= grid.shortestCopy else { return nil }
      let own = layout.firstSample(ofFrame: start) - span.frames.lowerBound + span.start
      return CopyLayout.Copy(span: number, first: Int(own / count), frames: start..<last + 1)
    }
  }

  private func copies(_ layout: CopyLayout) -> [String] {
    layout.copies.map {
      "\($0.span): \($0.frames.lowerBound)–\($0.frames.upperBound) from \($0.first)"
    }
  }

  private func check(_ layout: CopyLayout, _ spans: [CopyLayout.Span]) {
    let count = Int64(layout.samplesPerFrame)
    if layout.grid.hasReservoir {
      #expect(0...4095 ~= layout.delay && 529...4095 ~= layout.padding)
      #expect(
        Int64(layout.delay + layout.padding) + layout.length == Int64(layout.frameCount) * count)
    }
    var next = layout.hasCarrier ? 1 : 0
    for run in (layout.copies.map(\.frames) + layout.encoded).sorted(by: {
      $0.lowerBound < $1.lowerBound
    }) {
      #expect(run.lowerBound == next && !run.isEmpty)
      next = run.upperBound
    }
    #expect(next == layout.frameCount)
    for copy in layout.copies {
      let span = spans[copy.span]
      // The sample of its stream that a frame begins with.
      let own = layout.firstSample(ofFrame: copy.frames.lowerBound) - span.frames.lowerBound
      #expect(own + span.start == Int64(copy.first) * count && copy.first >= 0)
      if copy.frames.lowerBound > (layout.hasCarrier ? 1 : 0) {
        #expect(layout.firstSample(ofFrame: copy.frames.lowerBound) >= span.frames.lowerBound)
      }
      if copy.frames.upperBound < layout.frameCount {
        let reach = layout.firstSample(ofFrame: copy.frames.upperBound) + layout.grid.reach
        #expect(reach <= span.frames.upperBound)
      }
    }
  }
}
