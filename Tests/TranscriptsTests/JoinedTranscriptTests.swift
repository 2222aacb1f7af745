import Diagnosis
import MediaTime
import TestSupport
import Testing

@testable import Transcripts

/// Signs of a form beside what makes one character with them.
@Suite struct JoinedTranscriptTests {
  private func text(_ cue: Cue, as format: TranscriptFormat) -> String {
    String(decoding: Transcript([cue]).bytes(as: format), as: UTF8.self)
  }

  @Test("two quotes in a cell of a table are one, whatever stands beside them")
  func cells() {
    for joined in JoinedTexts.around("\"") {
      let doubled = joined.unicodeScalars.reduce(into: "") { text, scalar in
        text += scalar == "\"" ? "\"\"" : String(scalar)
      }
      let said = TranscriptBench.cues("start,end,text\n0,1000,\"a \(doubled) b\"\n")
      #expect(said.map { Array($0.utf8) } == [Array("0-1000 a \(joined) b".utf8)])
    }
  }

  @Test("no name of a speaker, setting or text of WebVTT has an arrow")
  func arrows() {
    for mark in JoinedTexts.before {
      var cue = Cue("a", 0..<1000, speaker: "Ann \(mark)--")
      cue.settings = "line:0 x\(mark)-->\u{301}"
      let lines = text(cue, as: .vtt).split(separator: "\n")
      #expect(lines.count { $0.containsScalars("-->") } == 1, "\(lines)")
    }
  }
}
