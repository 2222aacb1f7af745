import ExportGraph
import MediaTime
import Testing

@testable import ExportEngine

/// How a range's pictures are changed at a moment.
@Suite("Faded ranges")
struct FadedRangeTests {
  private func time(_ tenths: Int64) -> Time { Time(value: tenths, timescale: 10) }

  private func fade(_ start: Int64, _ end: Int64, isIn: Bool) -> PictureFade {
    PictureFade(TimeRange(start: time(start), end: time(end)), isIn: isIn)
  }

  private func range(_ fades: [PictureFade], _ entering: [EnteringRange] = []) -> PictureRange {
    PictureRange(
      source: 0, from: nil, to: nil, place: { $0 }, fades: fades, entering: entering,
      isFaded: true)
  }

  @Test("each fade takes its share of what the others leave")
  func light() {
    let both = range([fade(0, 20, isIn: true), fade(10, 30, isIn: false)])
    #expect([0, 5, 15, 20, 40].map { both.light(at: time($0)) } == [0, 0.25, 0.5625, 0.5, 0])
    #expect(both.fade(at: time(5))?.key == "fade_in")
    #expect(both.fade(at: time(25))?.key == "fade_out")
    let apart = range([fade(0, 10, isIn: true), fade(20, 30, isIn: false)])
    #expect(apart.fade(at: time(10)) == nil && apart.light(at: time(20)) == 1)
  }

  @Test("what comes in is seen from behind its start on, and stays until the next comes")
  func entering() {
    let crossfade = fade(10, 30, isIn: true)
    let coming = [10, 20].map { start in
      EnteringRange(range: range([]), start: time(start), fade: crossfade)
    }
    let whole = range([], coming)
    let seen = [5, 10, 15, 20, 25, 30, 31].map { whole.entering(at: time($0)) }
    #expect(seen.map { $0?.index } == [nil, nil, 0, 0, 1, 1, 1])
    #expect(seen.map { $0?.share } == [nil, nil, 0.25, 0.5, 0.75, 1, 1])
    #expect(whole.fade(at: time(10)) == nil && whole.fade(at: time(15))?.key == "crossfade")
  }
}
