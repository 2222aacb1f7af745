import MediaTime
import Testing
import Transcripts

@testable import MediaComposition

/// Punctuation that is no part of a recogniser's words stays with the word that it stands beside.
@Suite struct CuePunctuationTests {
  /// A cue whose words, the letters of its text, last a second each.
  private func cue(_ text: String) -> Cue {
    let texts = text.split { !$0.isLetter }.map(String.init)
    return Cue(
      text, in: range(0, Int64(texts.count)),
      words: texts.enumerated().map { Word($1, in: range(Int64($0), 1)) })
  }

  private func track(_ cue: Cue) -> Track {
    var segment = clip(sound("a.wav"), from: 0, lasting: 100, at: 0)
    segment.transcript = Transcript([cue])
    return Track(segments: [segment])
  }

  private func texts(_ track: Track) -> [String] {
    Composition(tracks: [track]).transcript.cues.map(\.text)
  }

  /// The text where a word is muted.
  private func muting(_ words: Int64..., in text: String) -> [String] {
    var segment = track(cue(text)).segments[0]
    segment.speech?.redactions = words.map { .init(range($0, 1)) }
    return texts(Track(segments: [segment]))
  }

  /// The text where words are removed.
  private func cutting(_ first: Int64, _ count: Int64, of text: String) throws -> [String] {
    var track = track(cue(text))
    try track.removeTimeRange(range(first, count))
    return texts(track)
  }

  private let said = "“Well, did Dr. Mary call you?”"

  @Test("A muted word leaves the punctuation around it, also at the ends of the cue")
  func muted() {
    #expect(muting(3, in: said) == ["“Well, did Dr. … call you?”"])
    #expect(muting(0, in: said) == ["“…, did Dr. Mary call you?”"])
    #expect(muting(5, in: said) == ["“Well, did Dr. Mary call …?”"])
    #expect(muting(2, 3, in: said) == ["“Well, did … call you?”"])
  }

  @Test("A word that is cut takes its punctuation along, and that of others stays")
  func removed() throws {
    #expect(try cutting(3, 1, of: said) == ["“Well, did Dr. call you?”"])
    #expect(try cutting(0, 1, of: said) == ["did Dr. Mary call you?”"])
    #expect(try cutting(5, 1, of: said) == ["“Well, did Dr. Mary call"])
    #expect(try cutting(1, 1, of: "Yes (no) —maybe!") == ["Yes —maybe!"])
    #expect(try cutting(1, 1, of: "Yes—no—maybe") == ["Yes—maybe"])
    #expect(try cutting(1, 1, of: "one\ntwo\nthree") == ["one three"])
  }

  @Test("A cue that is divided between two words is divided before the next one's punctuation")
  func divided() throws {
    var track = track(cue("Ask “Mary,” she said."))
    try track.insertEmptyTimeRange(range(1, 5))
    #expect(texts(track) == ["Ask", "“Mary,” she said."])
    try track.insertEmptyTimeRange(range(7, 5))
    #expect(texts(track) == ["Ask", "“Mary,”", "she said."])
  }

  @Test("What all words keep has the whole text, whichever word is cut")
  func each() throws {
    for word in 0..<Int64(6) {
      let text = try #require(try cutting(word, 1, of: said).first)
      let parts = said.split(separator: " ").enumerated().filter { $0.offset != word }
      #expect(text == parts.map { String($0.element) }.joined(separator: " "))
    }
  }
}
