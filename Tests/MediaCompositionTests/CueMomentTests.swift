import MediaTime
import Testing

@testable import MediaComposition

/// Moments in the markup of cues.
@Suite struct CueMomentTests {
  private func doubled(_ markup: String) -> String { markup.mappingMoments { $0 + $0 } }

  @Test("moments are mapped and rounded to milliseconds, and nothing else is touched")
  func moments() {
    #expect(doubled("<00:01.500>a <01:02:03.004>b") == "<00:00:03.000>a <02:04:06.008>b")
    #expect("<00:01.500>".mappingMoments { _ in Time(value: 1, timescale: 3) } == "<00:00:00.333>")
    #expect("<00:01.500>".mappingMoments { $0 - $0 - $0 } == "<00:00:00.000>")
    for text in [
      "", "a", "a < b", "<", "<0", "<00:01.500", "<00:01,500>", "<0:01.500>", "<00:01.5>",
      "<i>é</i>",
      "<<", "1 <2> 3", "00:01.500>", "<v Ann 00:01.500>", "<\u{301}00:01.500>",
      "<00000000000000000000000:00:01.500>",
    ] {
      #expect(doubled(text) == text, "\(text)")
    }
    #expect(doubled("é<<00:00.001>你<00:00.002") == "é<<00:00:00.002>你<00:00.002")
    #expect(doubled("<00:00.001><00:00.001></i>") == "<00:00:00.002><00:00:00.002></i>")
  }
}
