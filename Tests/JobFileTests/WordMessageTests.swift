import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// What is said of edits by words that name what others say, and what nobody says.
@Suite struct WordMessageTests {
  @Test("words that are named are not those of others, though another one says them")
  func namedVoices() {
    var bench = WordEditTests.bench()
    bench.texts["o.json"] =
      #"{"segments":[{"start":1,"end":1.4,"text":"so um","speaker":"Ann","words":["#
      + #"{"word":"so","start":1,"end":1.1},{"word":"um","start":1.1,"end":1.4}]},"#
      + #"{"start":1.3,"end":1.8,"text":"um yes","speaker":"Ben","words":["#
      + #"{"word":"um","start":1.3,"end":1.5},{"word":"yes","start":1.5,"end":1.8}]}]}"#
    func screen(_ cut: String) -> String {
      bench.exportScreen("clip: a.wav\ntranscript: o.json\n\(cut)\noutput: x.wav")
    }
    #expect(screen("cut: { words: [um] }") == "")
    #expect(screen("cut: { cues: 1 }").contains("a word of others is cut too"))
    #expect(screen("cut: { cues: 1, words: [um yes] }") == "")
  }

  @Test("words to keep of which none is heard are refused, and named")
  func keepsNothing() {
    func screen(_ keys: String) -> String {
      WordEditTests.bench().exportScreen(WordEditTests.clip + keys + "\noutput: x.wav")
    }
    expect(
      screen("keep: { words: [hm, you knoww] }"),
      """
      job.yaml:3:21: error: 'hm', 'you knoww' are not in the transcript of 'a.wav', and nothing else of it is kept
          3 | keep: { words: [hm, you knoww] }
            |                     ^~~~~~~~~
        help: did you mean 'you know' at 2.2s?
      """)
    expect(
      screen("from: 10s\nkeep: { words: [um] }"),
      """
      job.yaml:4:17: error: none of the words to keep are said in the range of 'a.wav'
          4 | keep: { words: [um] }
            |                 ^~
        help: name words of the range, or widen it
      """)
    #expect(screen("keep: { words: [hm, um] }").contains("note: 'hm' is not in the transcript"))
  }
}
