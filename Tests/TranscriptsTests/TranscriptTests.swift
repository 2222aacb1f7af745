import JSON
import MediaTime
import TestSupport
import Testing

@testable import Transcripts

struct TranscriptTests {
  @Test("Whatever is changed in a transcript changes its content")
  func content() {
    var cue = Cue("a b", 0..<2, speaker: "Ann", words: [Word("a", in: .milliseconds(0..<1))])
    (cue.markup, cue.settings, cue.identifier, cue.number) = ("<i>a</i> b", "line:0", "one", 1)
    let whole = Transcript([cue, cue], language: "en")
    let changes: [(inout Cue) -> Void] = [
      { $0.range = .milliseconds(0..<3) }, { $0.range = .milliseconds(1..<2) }, { $0.text = "a" },
      { $0.speaker = nil }, { $0.speaker = "" }, { $0.markup = nil }, { $0.settings = nil },
      { $0.identifier = nil }, { $0.number = nil }, { $0.number = 2 }, { $0.endsParagraph = true },
      { $0.isMomentary = true },
      { $0.words = [] }, { $0.words.append(Word("b")) }, { $0.words[0].text = "A" },
      { $0.words[0].range = nil }, { $0.words[0].confidence = 0.5 },
      { ($0.markup, $0.settings) = ($0.settings, $0.markup) },
    ]
    // Another member needs a place in the content, and changes here.
    #expect(Mirror(reflecting: cue).children.count == 10)
    #expect(Mirror(reflecting: cue.words[0]).children.count == 3)
    var contents: Set = [
      whole.content, Transcript([cue, cue]).content, Transcript([cue], language: "en").content,
    ]
    for change in changes {
      var other = cue
      change(&other)
      // Before the unchanged one, so that the order of time does not part them.
      contents.insert(Transcript([other, cue], language: "en").content)
    }
    #expect(contents.count == changes.count + 3)
  }

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
