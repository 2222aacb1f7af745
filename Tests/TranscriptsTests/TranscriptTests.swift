import MediaTime
import Testing
import Transcripts

struct TranscriptTests {
  @Test("Cues are in order of time, and those of one start in the order in which they came")
  func order() {
    func cue(_ text: String, at second: Int64) -> Cue {
      Cue(
        text,
        in: TimeRange(
          start: Time(value: second, timescale: 1), duration: Time(value: 1, timescale: 1)))
    }
    let transcript = Transcript([cue("c", at: 2), cue("a", at: 1), cue("b", at: 1)])
    #expect(transcript.cues.map(\.text) == ["a", "b", "c"])
  }
}
