import Diagnosis
import TestSupport
import Testing

@testable import JobFile

/// Edits by words of a sound in which nothing is said: its transcript has no cue.
@Suite struct SilentWordsTests {
  private func bench() -> Bench {
    var bench = WordEditTests.bench()
    bench.texts["a.json"] = #"{"text": "", "segments": [], "language": "en"}"#
    return bench
  }

  private func messages(_ keys: String) -> [String] {
    do throws(Diagnostics) {
      _ = try bench().exports("clip: a.wav\ntranscript: a.json\n" + keys + "\noutput: x.wav")
      return []
    } catch {
      return error.all.filter { $0.severity == .error }.map { "\($0.message); \($0.help ?? "")" }
    }
  }

  @Test(
    "fillers are not found in it, and the sound stays whole",
    arguments: ["cut: { words: [um, uh] }", "mute: { words: Jane }"])
  func fillers(keys: String) throws {
    #expect(messages(keys) == [])
    #expect(
      try Shapes.tracks("clip: a.wav\ntranscript: a.json\n" + keys, bench()) == [
        "a.wav 0s..1:00 @ 0s"
      ])
    let screen = bench().exportScreen("clip: a.wav\ntranscript: a.json\n\(keys)\noutput: x.wav\n")
    #expect(screen.contains("not in the transcript of 'a.wav'"))
    let read = bench().screen("clip: a.wav\ntranscript: a.json\n\(keys)\noutput: x.wav\n")
    #expect(read.contains("has no cue"))
  }

  @Test("fillers of a group of such sounds are not found either")
  func group() {
    let yaml =
      "concat: [{ clip: a.wav, transcript: a.json }]\ncut: { words: um }\noutput: x.wav\n"
    #expect(!bench().exportScreen(yaml).contains("error"))
  }

  @Test(
    "what must be there is refused",
    arguments: [
      ("from: { text: so }", "'so'"), ("cut: { speaker: Ann }", "a word"),
      ("cut: { cues: 1 }", "a word"), ("keep: { words: so }", "a word"),
      ("mute: { words: so, cues: 1 }", "a word"),
    ])
  func refused(keys: String, subject: String) {
    #expect(
      messages(keys) == [
        "\(subject) is looked for in a transcript, and that of 'a.wav' has no cue; write a time, or "
          + "leave the edit out"
      ])
  }
}
