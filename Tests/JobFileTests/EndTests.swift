import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Times at the end of a source, which is printed to the millisecond.
@Suite struct EndTests {
  /// A bench on which `a.wav` lasts 88,199 frames of 44.1 kHz: 1.99998 s, printed as 0:02.000.
  private var bench: Bench {
    var bench = Bench()
    var asset = Asset.fake("a.wav", seconds: 60, rate: 44_100)
    asset.frameCount = 88_199
    bench.assets = ["a.wav": asset]
    return bench
  }

  @Test("A time that is printed as the end is the end, wherever a time meets it")
  func snaps() throws {
    let whole = Time(frames: 88_199, rate: 44_100)
    for lines in [
      "clip: a.wav ..2s", "clip: a.wav ..0:02.000", "clip: a.wav 0s..+2s",
      "{ clip: a.wav, to: 2s }",
      "{ clip: a.wav, duration: 2s }", "clip: a.wav end-2s..", "{ clip: a.wav, fade_in: 2s }",
      "{ clip: a.wav, fade_out: 2.0005s }", "{ clip: a.wav, mute: [1s..2s] }",
      "clip: a.wav 0s..2.00097s",
    ] {
      let export = try #require(try bench.exports(yaml(lines)).first, "\(lines)")
      #expect(export.composition.duration == whole, "\(lines)")
    }
    let cut = try #require(try bench.exports(yaml("{ clip: a.wav, cut: [1s..2s] }")).first)
    #expect(cut.composition.duration == Time(value: 1, timescale: 1))
    let inserted = "{ clip: a.wav, insert: [{ silence: 1s, at: 2s }] }"
    #expect(
      try bench.exports(yaml(inserted)).first?.composition.duration
        == whole + Time(value: 1, timescale: 1))
  }

  private func yaml(_ lines: String) -> String {
    (lines.hasPrefix("{") ? "concat: [\(lines)]" : lines) + "\noutput: x.mp3"
  }

  @Test("More than a millisecond beyond the end is refused, with digits that tell both apart")
  func refusals() {
    for lines in ["clip: a.wav ..2.002s", "{ clip: a.wav, fade_in: 2.5s }"] {
      #expect(bench.exportScreen(yaml(lines)).contains("error:"), "\(lines)")
    }
    let start = bench.exportScreen(yaml("clip: a.wav 2s.."))
    #expect(!start.contains("0:02.000,"), "\(start)")
    let inside = bench.exportScreen(yaml("{ clip: a.wav, chapters: { 2s: End } }"))
    #expect(
      inside.contains("the chapter begins at 2s, but 'a.wav' lasts 0:01.999977"), "\(inside)")
  }
}
