import MediaTime
import Testing

@testable import Transcripts

/// Cues that last no time.
@Suite struct CueLengthTests {
  /// A cue between two times in seconds, in each form that has ends.
  private static func files(from start: Int, to end: Int) -> [String] {
    [
      "WEBVTT\n\n00:0\(start).000 --> 00:0\(end).000\nx y\n",
      "1\n00:00:0\(start),000 --> 00:00:0\(end),000\nx y\n",
      "start\tend\ttext\n\(start)000\t\(end)000\tx y\n",
      #"{"segments": [{"start": \#(start), "end": \#(end), "text": "x y"}]}"#,
      #"{"version": "1.0.0", "segments": [{"startTime": \#(start), "endTime": \#(end), "body": "x y"}]}"#,
    ]
  }

  @Test("A cue that ends before it starts is read as one without a length, with a warning")
  func backwards() {
    for file in Self.files(from: 2, to: 1) + ["2.0\t1.0\tx y\n"] {
      #expect(TranscriptBench.cues(file) == ["2000-2001 x y"], "\(file)")
      let messages = TranscriptBench.messages(file)
      #expect(messages.count == 1, "\(messages)")
      #expect(
        messages.first?.hasSuffix(
          ": warning: 1 cue ends before it starts: it is read as one without a length; "
            + "the start comes first, then the end") == true, "\(messages)")
    }
    // The others of its file stay.
    let two = Self.files(from: 2, to: 1)[0] + "\n00:03.000 --> 00:04.000\ny\n"
    #expect(TranscriptBench.cues(two) == ["2000-2001 x y", "3000-4000 y"])
  }

  @Test("A cue without a length is known as such, unless it has words that last")
  func momentary() {
    for file in Self.files(from: 2, to: 2) + Self.files(from: 2, to: 1) {
      let cues = TranscriptBench.read(Array(file.utf8)).transcript.cues
      #expect(cues.map(\.isMomentary) == [true], "\(file)")
      #expect(cues.map(\.hasNoLength) == [true])
    }
    let spoken = """
      {"segments": [{"start": 2, "end": 2, "text": "x", "words": [
      {"word": "x", "start": 2, "end": 2.5}]}]}
      """
    let cues = TranscriptBench.read(Array(spoken.utf8)).transcript.cues
    #expect(cues.map(TranscriptBench.line) == ["2000-2500 x {x@2000-2500}"])
    #expect(cues.map(\.hasNoLength) == [false])
    #expect(TranscriptBench.messages(spoken) == [])
    // As files are written.
    #expect(Cue("x", 5..<6).hasNoLength && !Cue("x", 5..<7).hasNoLength)
  }
}
