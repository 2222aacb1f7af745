import Testing

@testable import Transcripts

/// What recognisers write of a recording in which nothing is said.
@Suite struct SilentTranscriptTests {
  private let warning =
    "warning: 'talk' has no cue; check the file, unless nothing is said in the sound"

  @Test(
    "A file of a known form without a cue, and an empty one, is a transcript, with a warning",
    arguments: [
      "", "\n", " \r\n\t\n", "\u{FEFF}", "WEBVTT", "WEBVTT\n\n", "WEBVTT Kind: captions\n",
      #"{"text": "", "segments": [], "language": "en"}"#, #"{"transcription": []}"#,
      #"{"words": []}"#, #"{"segments": [], "word_segments": []}"#, "[]", "start\tend\ttext\n",
      "start,end,speaker,text\n",
    ])
  func silence(text: String) {
    let (transcript, messages) = TranscriptBench.read(Array(text.utf8))
    #expect(transcript.cues.isEmpty)
    #expect(messages == [warning])
  }

  @Test("So is one of which each cue is without a text, which a note counts")
  func emptyCues() {
    let note = "note: 1 cue without a text is left out"
    #expect(
      TranscriptBench.messages("1\n00:00:01,000 --> 00:00:02,000\n\n") == [warning, "2:1: \(note)"])
    #expect(
      TranscriptBench.messages(#"{"segments": [{"start": 0, "end": 1, "text": " "}]}"#)
        == [warning, "1:15: \(note)"])
    #expect(TranscriptBench.messages("0.5\t1.5\t\n") == [warning, "1:1: \(note)"])
  }

  @Test("A file of texts without times is refused")
  func orphans() {
    #expect(
      TranscriptBench.messages("WEBVTT\n\nHello.\n") == [
        "error: 'talk' has no cue; a transcript has times and texts"
      ])
  }

  @Test("A library gets an empty transcript, and the warning")
  func library() throws {
    var warnings: [String] = []
    let transcript = try Transcript(decoding: [], named: "a.vtt") { warnings.append("\($0)") }
    #expect(transcript == Transcript())
    #expect(warnings.count == 1)
  }
}
