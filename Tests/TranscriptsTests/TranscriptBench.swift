import Diagnosis
import MediaTime
import SystemPackage
import Testing

@testable import Transcripts

/// Transcripts to try, without a job around them.
enum TranscriptBench {
  static func read(
    _ bytes: [UInt8], named name: String = "talk", speakerPrefix: Bool = false,
    encoding: TextEncoding? = nil
  ) -> (transcript: Transcript, messages: [String]) {
    let map = SourceMap()
    let (transcript, sink) = Transcript.read(
      bytes, path: FilePath(name), named: .unknown, speakerPrefix: speakerPrefix,
      encoding: encoding, in: map)
    let messages = sink.diagnostics.all.map { diagnostic in
      let place = map.place(of: diagnostic.origin).map { "\($0.line):\($0.column): " } ?? ""
      return place + diagnostic.severity.rawValue + ": " + diagnostic.message
        + (diagnostic.help.map { "; \($0)" } ?? "")
    }
    return (transcript, messages)
  }

  /// What is reported of a transcript, and nothing of its cues.
  static func messages(_ text: String, speakerPrefix: Bool = false) -> [String] {
    read(Array(text.utf8), speakerPrefix: speakerPrefix).messages
  }

  /// The cues of a transcript, one a line: `start-end Name: text {word@start-end …}`, in milliseconds.
  static func cues(_ text: String, speakerPrefix: Bool = false) -> [String] {
    read(Array(text.utf8), speakerPrefix: speakerPrefix).transcript.cues.map(line)
  }

  static func line(_ cue: Cue) -> String {
    func range(_ range: TimeRange) -> String {
      "\(range.start.frames(atRate: 1000))-\(range.end.frames(atRate: 1000))"
    }
    let words = cue.words.map { word in word.text + "@" + (word.range.map(range) ?? "") }
    return range(cue.range) + " " + (cue.speaker.map { "\($0): " } ?? "")
      + cue.text.replacing("\n", with: "/")
      + (words.isEmpty ? "" : " {\(words.joined(separator: " "))}")
  }
}

extension Cue {
  /// A cue that starts and ends at milliseconds.
  init(_ text: String, _ milliseconds: Range<Int64>, speaker: String? = nil, words: [Word] = []) {
    self.init(text, in: .milliseconds(milliseconds), speaker: speaker, words: words)
  }
}

extension TimeRange {
  static func milliseconds(_ range: Range<Int64>) -> TimeRange {
    TimeRange(
      start: Time(value: range.lowerBound, timescale: 1000),
      end: Time(value: range.upperBound, timescale: 1000))
  }
}
