import MediaTime
import TestSupport
import Testing
import Transcripts

@testable import ExportEngine

/// Cues that MP4 shows in one sample are told apart again.
@Suite struct JointTextsTests {
  private func time(_ milliseconds: Int64) -> Time { Time(value: milliseconds, timescale: 1000) }

  private func range(_ milliseconds: Range<Int64>) -> TimeRange {
    TimeRange(start: time(milliseconds.lowerBound), end: time(milliseconds.upperBound))
  }

  /// `start-end Name: text`, in milliseconds.
  private func lines(_ transcript: Transcript) -> [String] {
    transcript.cues.map { cue in
      "\(cue.range.start.frames(atRate: 1000))-\(cue.range.end.frames(atRate: 1000)) "
        + (cue.speaker.map { "\($0): " } ?? "") + cue.text.replacing("\n", with: "/")
    }
  }

  private func read(_ samples: [(Range<Int64>, String)]) -> Transcript {
    var joint = JointTexts()
    for (milliseconds, text) in samples where !text.isEmpty {
      joint.add(text.split(separator: "\n").map(String.init), in: range(milliseconds))
    }
    return Transcript(joint.cues)
  }

  /// What is read of the samples that captions become.
  private func readBack(_ transcript: Transcript) throws -> Transcript {
    let samples = CueSamples(
      of: try transcript.captions().map { caption in
        .init(
          start: time(caption.milliseconds.lowerBound), end: time(caption.milliseconds.upperBound),
          sample: try #require(TimedText.sample(caption.text)))
      }, timescale: 1000)
    return read(samples.map { ($0.ticks, TimedText.text(of: $0.bytes)) })
  }

  @Test("of cues that begin at once, each ends where its lines are shown no more")
  func equalStarts() {
    #expect(
      lines(read([(0..<1, "a\nb\nc"), (1..<2, "b\nc\nd"), (2..<3, "c"), (4..<5, "c")])) == [
        "0-1 a", "0-2 b", "0-3 c", "1-2 d", "4-5 c",
      ])
    // One whole text goes on rather than a line of another.
    #expect(
      lines(read([(0..<1, "a\nb"), (1..<2, "a\nb\na"), (2..<3, "a")])) == ["0-2 a/b", "1-3 a"])
    // The same again, alone, is another cue.
    #expect(lines(read([(0..<1, "a\nb"), (1..<2, "a\nb")])) == ["0-1 a/b", "1-2 a/b"])
  }

  @Test("whatever overlaps is read back as it was, with its speakers")
  func speakers() throws {
    var dice = Dice(43)
    for _ in 0..<300 {
      var seen: Set<String> = []
      var cues: [Transcripts.Cue] = []
      for number in 0..<dice.number(1..<10) {
        let start = dice.number(0..<6)
        let end = start + dice.number(1..<5)
        let speaker = ["Ann", "Ben", nil][Int(dice.number(0..<3))]
        // What one says at one time in two cues is one text.
        guard seen.insert("\(start) \(end) \(speaker ?? "")").inserted else { continue }
        // A line with a colon is a name only if somebody is called so.
        let more = ["", "\nso", "\nNote: this"][Int(dice.number(0..<3))]
        let front = speaker != nil && dice.number(0..<5) == 0 ? "So: " : ""
        cues.append(
          Transcripts.Cue("\(front)w\(number)\(more)", in: range(start..<end), speaker: speaker))
      }
      let transcript = Transcript(cues)
      let found = try #require(try readBack(transcript).withSpeakersOfTexts)
      #expect(lines(found) == lines(transcript), "\(transcript.captions().map(\.text))")
    }
  }
}
