import JSON
import MediaTime
import TestSupport
import Testing

@testable import Transcripts

struct TranscriptTests {
  @Test("Cues are in order of time, and those of one start in the order in which they came")
  func order() {
    let transcript = Transcript([
      Cue("c", 2000..<3000), Cue("a", 1000..<2000), Cue("b", 1000..<2000),
    ])
    #expect(transcript.cues.map(\.text) == ["a", "b", "c"])
  }

  @Test("Cues in a range are those that a search through all finds")
  func search() {
    var dice = Dice(47)
    for _ in 0..<300 {
      let transcript = Transcript(
        (0..<dice.number(0..<40)).map { _ in
          let start = dice.number(0..<100)
          return Cue("x", start..<start + dice.number(0..<(dice.number(0..<9) == 0 ? 100 : 4)))
        })
      let start = dice.number(0..<110)
      let range = TimeRange.milliseconds(start..<start + dice.number(0..<20))
      let wanted = transcript.cues.indices.filter { index in
        let cue = transcript.cues[index].range
        return cue.start < range.end && (cue.end > range.start || cue.start >= range.start)
      }
      #expect(transcript.cues(in: range) == wanted)
    }
    #expect(Transcript([Cue("x", 0..<1)]).cues(in: .invalid) == [])
  }

  @Test("The places of words are found in the text, or none where the text is another")
  func places() {
    let cue = Cue("so, so\ngood", 0..<1000, words: [Word("so,"), Word("so"), Word("good")])
    #expect(cue.placesOfWords?.map { String(cue.text[$0]) } == ["so,", "so", "good"])
    var other = cue
    other.text = "so good"
    #expect(other.placesOfWords == nil)
  }
}
