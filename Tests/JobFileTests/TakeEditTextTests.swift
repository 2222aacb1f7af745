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
    "line ends, marks, tabs and comments are kept, and the take stands behind the last item",
    arguments: [
      "output: o.mp3\ntracks:\n  voice:\n    - x.wav«\n    - TAKE»",
      "output: o.mp3\r\ntracks:\r\n  voice:\r\n  - x.wav\r\n«  - TAKE\r\n»",
      "output: o.mp3\rtracks:\r  voice:\r  - x.wav«\r  - TAKE»",
      "\u{FEFF}tracks:\n  voice:\n  - x.wav\n«  - TAKE\n»output: o.mp3",
      "tracks:\n  voice:\n  - x.wav\t# a\t\n«  - TAKE\n»output: o.mp3\n",
      "tracks:\n  voice:\n  -\n      x.wav\n«  - TAKE\n»output: o.mp3\n",
      "%YAML 1.1\n--- # a\noutput: o.mp3\ntracks:\n  voice:\n  - x.wav\n«  - TAKE\n»...\n# b",
      "--- { output: o.mp3, tracks: { voice: [x.wav«, TAKE»] } }\n...\n",
      "tracks:\n  voice:\n   - x.wav\n«   - TAKE\n»        # in\n # out\n\n# left\noutput: o.mp3",
      "output: o.mp3\ntracks:\n  voice: # a\n  # b\n  - x.wav # c«\n  - TAKE»",
      "output: o.mp3\ntracks:\n  voice:\n  - clip: x.wav\n    name: |+\n      a\n\n\n«  - TAKE\n»",
      "output: o.mp3\ntracks:\n  voice:\n  - clip: x.wav\n    name: >-\n      a«\n  - TAKE»",
      "output: o.mp3\ntracks:\n  voice:\n  - { clip: x.wav,\n  name: \"a\n\n  b\" }\n«  - TAKE\n»",
      "output: \"ü\u{85}.mp3\" # \u{2028}\ntracks:\n  voice: [ x.wav«, TAKE» ] # é\u{2029}\n",
    ])
  func unusual(marked: String) throws {
    let text = try marked.replacing(Regex("«[^»]*»"), with: "")
    let edited = marked.filter { !"«»".contains($0) }.replacing("TAKE", with: Self.take)
    #expect(outcome(text) == edited)
  }

  @Test(
    "texts that cannot be read, or have no one place for the take, are refused by name",
    arguments: [
      ("", "the file is empty"),
      ("# nothing\n", "the file is empty"),
      ("tracks:\n\tvoice:\n\t- x.wav\noutput: o.mp3\n", "tab"),
      ("tracks:\n  voice:\n  -\tx.wav\noutput: o.mp3\n", "tab"),
      ("tracks:\n  voice: &v\n  - x.wav\noutput: o.mp3\n", "anchor"),
      ("tracks:\n  a: [x.wav]\n  voice: *v\noutput: o.mp3\n", "alias"),
      ("tracks:\n  voice: { <<: x, concat: [x.wav] }\noutput: o.mp3\n", "'<<' merges nothing"),
      ("tracks:\n  voice: !!seq\n  - x.wav\noutput: o.mp3\n", "tag"),
      (
        "tracks:\n  voice: [x.wav]\n  voice: [y.wav]\noutput: o.mp3\n",
        "duplicate key 'voice'"
      ),
      ("tracks:\n  voice:\noutput: o.mp3\n", "'voice' has no value"),
      ("tracks: { voice: [] }\noutput: o.mp3\n", "empty"),
      ("tracks: {}\noutput: o.mp3\n", "empty"),
      ("tracks: { voice: [x.wav] }\noutput: o.mp3\n---\nclip: x.wav\n", "document"),
      (
        "output: o.mp3\ntracks:\n  voice:\n  - clip: x.wav\n    name: |\n      a",
        "has a form that is not edited"
      ),
    ])
  func refused(text: String, message: String) {
    #expect(outcome(text).contains(message), "\(outcome(text))")
    #expect(!outcome(text).contains("takes/a.wav"))
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

  @Test("any name of a track is quoted as needed, or refused")
  func tracks() {
    let text = "output: o.mp3\ntracks:\n  a: x.wav\n"
    for (track, written) in [
      ("b c", "b c"), ("a: b", "\"a: b\""), ("- b", "\"- b\""), ("it's", "\"it's\""),
      ("b #1", "\"b #1\""),
      ("1", "1"), ("true", "true"), ("\u{2028}", "\"\\u2028\""), ("a\nb", "\"a\\nb\""),
      ("*b", "\"*b\""),
    ] {
      #expect(outcome(text, track: track) == text + "  \(written):\n    - \(Self.take)\n")
    }
    for track in ["<<", String(repeating: "a", count: 2000)] {
      #expect(!outcome(text, track: track).contains("takes/a.wav"), "\(track)")
    }
  }

  @Test("a list of ten thousand items is extended, and a job among a thousand found")
  func large() {
    let items = String(repeating: "    - { clip: x.wav, gain: -1 dB } # a\n", count: 10_000)
    let text = "tracks:\n  voice:\n" + items + "output: o.mp3\n"
    #expect(
      outcome(text) == text.replacing("output:", with: "    - \(Self.take)\noutput:"))
    let job = { (n: Int) in "  j\(n): { tracks: { voice: [x.wav] }, output: o\(n).mp3 }\n" }
    let jobs = (0..<1000).map(job)
    let first = job(0).replacing("[x.wav]", with: "[x.wav, \(Self.take)]")
    #expect(outcome("jobs:\n" + jobs.joined()) == "jobs:\n" + first + jobs.dropFirst().joined())
  }
}
