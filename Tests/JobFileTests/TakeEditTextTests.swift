import Diagnosis
import JobModel
import MediaTime
import Testing

@testable import JobFile

/// Texts that an editor of texts may trip over.
@Suite("Takes in unusual job files") struct TakeEditTextTests {
  private static let take = "{ clip: takes/a.wav, at: 1:23 }"

  /// The text with a take, or the reason why there is none, with its remedy.
  private func outcome(
    _ text: String, track: String = "voice", files others: [String: String] = [:]
  ) -> String {
    let (bytes, map) = (Array(text.utf8), SourceMap())
    func files(_ bytes: [UInt8]) -> MemoryFiles {
      MemoryFiles(["x.wav", "y.wav", "takes/a.wav"], texts: others, bytes: ["job.yaml": bytes])
    }
    do {
      let file = try JobFile.load("job.yaml", into: map, files: files(bytes))
      let name = try #require(file.jobs.first?.name)
      let time = Time(value: 83, timescale: 1)
      let edited = try TakeEdit(clip: "takes/a.wav", onTrack: track, of: name, at: time)
        .applied(to: bytes, of: file, in: map)
      _ = try JobFile.load("job.yaml", into: SourceMap(), files: files(edited.bytes))
      return String(decoding: edited.bytes, as: UTF8.self)
    } catch let error as Diagnostics {
      return error.errors.first.map { "\($0.message); \($0.help ?? "")" } ?? "nothing"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "what moves the mix is refused by name, also from the defaults of an included file",
    arguments: [
      ("from: 1s", "from"), ("to: 1s", "to"), ("duration: 1s", "duration"),
      ("cut: [1s..2s]", "cut"), ("insert: [{ clip: y.wav, at: 1s }]", "insert"),
      ("trim: -50 dB", "trim"), ("reverse: true", "reverse"), ("speed: 2", "speed"),
      ("loop: 2", "loop"),
    ])
  func shifted(entry: String, key: String) {
    let rest = "tracks: { voice: [x.wav] }\noutput: o.mp3\n"
    for (text, parts) in [
      (entry + "\n" + rest, ""), ("defaults: { \(entry) }\n" + rest, ""),
      ("include: parts.yaml\n" + rest, "defaults: { \(entry) }\n"),
    ] {
      let refusal = outcome(text, files: ["parts.yaml": parts])
      #expect(refusal.contains("the job 'job' has '\(key)'"), "\(refusal)")
      #expect(refusal.contains("take '\(key)' away"), "\(refusal)")
    }
    // A default that the job replaces by one that moves nothing.
    let calm = "defaults: { speed: 2 }\nspeed: 1\n" + rest
    #expect(outcome(calm) == calm.replacing("[x.wav]", with: "[x.wav, \(Self.take)]"))
  }

  @Test("a loop in the defaults of an included file is refused")
  func includedLoop() {
    let refusal = outcome(
      "include: parts.yaml\ntracks: { voice: [\"${a}.wav\"] }\noutput: \"o-${a}.mp3\"\n",
      files: ["parts.yaml": "defaults: { for_each: { a: [x, y] } }\n"])
    #expect(
      refusal.contains("one of many that 'for_each' or 'rows' of 'defaults' makes"), "\(refusal)")
  }
}
