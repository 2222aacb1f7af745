import Diagnosis
import MediaComposition
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Addresses of servers in job files.
@Suite struct AddressTests {
  private static let plain = "https://ann:se%20cret@h.example:8443/a%20b/ü.wav?x=1;2&y=%2F"
  /// Of a text or a picture, whatever it is read as.
  private static let list = "https://h.example/list?k=1"

  /// A job for each key that takes an address, whose decoder reads no other file.
  private static let accepted = [
    "clip: \(plain) 1:00..2:00\noutput: x.mp3",
    "clip: HTTP://[::1]:80\noutput: x.mp3", "clip: https://h?x\noutput: x.mp3",
    "concat: [\"\(plain) 0:10..\", \(plain), { clip: \"\(plain)\", gain: -1 dB }]\noutput: x.mp3",
    "tracks: { a: \"\(plain)\", b: [\"\(plain)\"], c: { clip: \"\(plain)\" } }\noutput: x.mp3",
    "clip: a.wav\ninsert: [{ clip: \"\(plain)\", at: 1s }]\noutput: x.mp3",
    "sources: { s: \"\(plain) 1s..\", t: { file: \"\(plain)\" }, u: { clip: \"\(plain) ..2s\" } }\n"
      + "concat: [s, t, u]\noutput: x.mp3",
    "sources: { s: { file: \"\(plain)\", sha256: \"\(String(repeating: "0a", count: 32))\" } }\n"
      + "clip: s\noutput: x.mp3",
    "clip: a.wav\nmetadata: { cover: \"\(plain)\", from: \"\(plain)\" }\noutput: x.mp3",
    "clip: a.wav\noutput: { file: x.mp3, metadata: { cover: \"\(plain)\", from: \"\(plain)\" } }",
    "clip: a.wav\nchapters: { 0s: { title: A, image: \"\(plain)\" } }\noutput: x.mp3",
    "clip: a.wav\nchapters: \(list)\noutput: x.mp3",
    "clip: a.wav\nchapters: { points: \"\(list)\", clock: source }\noutput: x.mp3",
    "clip: a.wav\nsplit: \(list)\noutput: \"${part.n}.mp3\"",
    "clip: a.wav\ncut: \(list)\noutput: x.mp3",
    "clip: a.wav\ncut: { ranges: \"\(list)\" }\noutput: x.mp3",
    "clip: a.wav\nmute: \(list)\noutput: x.mp3",
    "clip: a.wav\nmute: { ranges: \"\(list)\" }\noutput: x.mp3",
    "clip: a.wav\neffects: [reverb: { impulse: \"\(plain)\" }]\noutput: x.mp3",
    "for_each: \(plain)\noutput: { folder: o, mp3: V2 }",
    "for_each: [a.wav, \"\(plain)\"]\noutput: { folder: o, mp3: V2 }",
    "for_each: { input: [\"\(plain)\", b.wav], q: [V0, V4] }\noutput: { folder: \"${q}\", mp3: V2 }",
    "vars: { base: \"https://h.example\", n2: 7 }\n"
      + "concat: [\"${base}/a.wav ..2s\", \"https://h.example/${n2:02}.wav ..2s\"]\noutput: x.mp3",
    "defaults: { metadata: { cover: \"\(plain)\" } }\nclip: a.wav\noutput: x.mp3",
  ]

  /// One mistake each, which a schema sees.
  private static let refused = [
    "clip: a.wav\noutput: https://h.example/x.mp3",
    "clip: a.wav\noutput: { file: \"https://h.example/x.mp3\" }",
    "clip: a.wav\noutput: { folder: \"https://h.example/x\", mp3: V2 }",
    "clip: a.wav\noutput: [x.mp3, { file: \"https://h.example/x.json\", json: sidecar }]",
    "rows: https://h.example/t.csv\nclip: a.wav\noutput: \"${n}.mp3\"",
    "include: https://h.example/l.yaml\nclip: a.wav\noutput: x.mp3",
    "include: [\"https://h.example/l.yaml\"]\nclip: a.wav\noutput: x.mp3",
    "clip: ftp://h.example/a.wav\noutput: x.mp3", "clip: \"https://\"\noutput: x.mp3",
    "clip: https://h.example/a b.wav\noutput: x.mp3",
    "clip: https://h.example/a.wav 1:75..2:00\noutput: x.mp3",
    "clip: https://h.example/%zz\noutput: x.mp3", "clip: https://h.example/%00\noutput: x.mp3",
    "clip: https://h.example/a#t\noutput: x.mp3", "clip: https://h..x/\noutput: x.mp3",
    "clip: https://h.example:0/\noutput: x.mp3", "clip: \"https://h.example:\"\noutput: x.mp3",
    "clip: a.wav\nmetadata: { cover: \"ftp://h.example/c.jpg\" }\noutput: x.mp3",
    "clip: a.wav\nchapters: file:///etc/passwd\noutput: x.mp3",
    "clip: a.wav\ncut: https://h.example/list 1:00..2:00\noutput: x.mp3",
    "for_each: [a.wav, \"ftp://h.example/b.wav\"]\noutput: { folder: o, mp3: V2 }",
  ]

  @Test("A source is an address wherever a medium's path may stand, for editors and for avjob")
  func keys() throws {
    var bench = Bench()
    bench.pages[Self.list] = .success("0:10..0:20 One\n")
    let all = Self.accepted + Self.refused
    let verdicts = try SchemaCase.verdicts(on: all.map { SchemaCase(name: $0, yaml: $0) })
    for (yaml, verdict) in zip(all, verdicts) {
      let screen = bench.screen(yaml)
      let lines = (verdict.base ?? []) + (verdict.core ?? [])
      if Self.accepted.contains(yaml) {
        #expect(screen == "" && lines == [], "\(yaml)\n\(screen)\n\(verdict.messages ?? [])")
      } else {
        #expect(screen.contains(": error: ") && !lines.isEmpty, "\(yaml)\n\(screen)")
      }
    }
  }

  @Test("The schema's pattern of addresses says what their reader says")
  func pattern() throws {
    let regex = try Regex(Pattern.location)
    let pieces = [
      "http", "https", "HTTPS", "ftp", "s", "://", "://", "://", "//", ":", "/", "@", "?", "#",
      "%20", "%0", "%00", "h", "h.x", ".", "..", "[::1]", "[", "]", "80", "0", "600000", " ", "é",
      "$", "-", "~", "|", "\"", "<", "e\u{301}", "a:b@h", "_",
    ]
    func isFine(_ text: String) -> Bool {
      if MediaURL.scheme(of: text) != nil { return (try? MediaURL(text)) != nil }
      return (try? Decoder.checkPath(text)) != nil
    }
    /// The groups of an IPv6 address are counted by the reader alone.
    func hasGroups(_ text: String) -> Bool { text.contains("[") && !text.contains("[::1]") }
    var dice = Dice(11)
    var accepted = 0
    for _ in 0..<20_000 {
      var word = (0..<Int(dice.number(1..<7))).map { _ in
        pieces[Int(dice.number(0..<Int64(pieces.count)))]
      }.joined()
      if dice.number(0..<2) == 0 { word = "https://" + word }
      guard !hasGroups(word) else { continue }
      let isTaken = isFine(word)
      if isTaken, word.contains("://") { accepted += 1 }
      #expect(try (regex.firstMatch(in: word) != nil) == isTaken, "'\(word)'")
    }
    #expect(accepted > 500)
  }

  // MARK: Loops

  private func jobs(_ yaml: String, _ bench: Bench = Bench()) throws -> [Job] {
    try bench.load(yaml).jobs
  }

  @Test("A loop goes through files and addresses, each once, and binds the parts of their names")
  func loop() throws {
    let jobs = try jobs(
      """
      for_each: [raw/ch2.wav, "https://h.example/ep/a%20b.flac?k=1", raw/*.wav, \
      "https://h.example/ep/a%20b.flac?k=1"]
      metadata: { title: "${input.name}|${input.stem}|${input.ext}|${input.dir}|${n}/${count}" }
      output: { folder: out, mp3: V2 }
      """)
    #expect(jobs.map(\.name) == ["ch2", "a b", "ch1", "ch10"])
    #expect(
      jobs[1].media.map(\.location.url?.absoluteText) == ["https://h.example/ep/a%20b.flac?k=1"])
    #expect(
      jobs.map { $0.metadata["title"] } == [
        "ch2.wav|ch2|wav||1/4", "a b.flac|a b|flac||2/4", "ch1.wav|ch1|wav||3/4",
        "ch10.wav|ch10|wav||4/4",
      ])
    #expect(jobs.map { $0.outputs[0].path }[1] == "out/a b.mp3")
    let one = try self.jobs("for_each: https://h.example/a.wav\noutput: { folder: o, mp3: V2 }")
    #expect(one.map(\.name) == ["a"] && one[0].media.map(\.location.lastName) == ["a.wav"])
    let excluded = try self.jobs(
      "for_each: [raw/*.wav, \"!raw/ch1*\", \"https://h.example/a.wav\"]\n"
        + "output: { folder: o, mp3: V2 }")
    #expect(excluded.map(\.name) == ["ch2", "a"])
  }

  @Test("Addresses whose names repeat name their jobs in full, but for secrets")
  func names() throws {
    func names(_ urls: String...) throws -> [String] {
      let list = urls.map { "\"\($0)\"" }.joined(separator: ", ")
      return try jobs("for_each: [raw/ch1.wav, \(list)]\noutput: \"${n}.mp3\"").map(\.name)
    }
    #expect(
      try names("https://a:b@h.example/ch1.wav?k=1", "https://h.example/x/ch1.wav") == [
        "ch1", "https://h.example/ch1.wav?…", "https://h.example/x/ch1.wav",
      ])
    #expect(
      try names("https://h.example/get?id=1", "https://h.example/get?id=2") == [
        "raw/ch1.wav 1", "https://h.example/get?… 2", "https://h.example/get?… 3",
      ])
    #expect(try names("https://h.example/") == ["ch1", "https://h.example/"])
  }

  @Test("Names of jobs show no secret, and sources keep theirs")
  func secrets() throws {
    let url = "https://ann:s3cret@h.example/a.wav?token=t0p"
    var bench = Bench()
    bench.texts["t.csv"] = "url\n\(url)\n"
    let yaml = """
      vars: { base: "\(url)" }
      jobs:
        "cut-${input}": { for_each: ["\(url)"], clip: "${input} 1s..2s", output: a.mp3 }
        "take-${take}": { for_each: { take: ["\(url)"] }, clip: "${take}", output: b.mp3 }
        "base-${base}": { clip: "${base}", needs: "take-${base}", output: c.mp3 }
        rows: { rows: t.csv, clip: "${url}", output: d.mp3 }
        of-${url}: { rows: t.csv, clip: "${url}", output: e.mp3 }
        after:
          for_each: ["\(url)"]
          needs: "cut-${input}"
          output: f.mp3
      """
    let jobs = try jobs(yaml, bench)
    let shown = "https://h.example/a.wav?…"
    #expect(
      jobs.map(\.name) == [
        "cut-\(shown)", "take-\(shown)", "base-\(shown)", "rows/\(shown)", "of-\(shown)", "after/a",
      ])
    #expect(jobs.allSatisfy { !$0.group.contains("s3cret") && !$0.group.contains("t0p") })
    #expect(jobs.allSatisfy { $0.media.map(\.location.url?.absoluteText) == [url] })
    #expect(jobs.map { $0.needs.map(\.value) }.flatMap { $0 } == ["take-\(shown)", "cut-\(shown)"])
  }

  @Test("A key that holds an address names its job without secrets, also where it is needed")
  func namesOfKeys() throws {
    let jobs = try jobs(
      """
      jobs:
        "https://ann:s@h.example/a?k=1": { clip: a.wav, output: a.mp3 }
        "cut https://ann:s@h.example/a?k=1":
          { clip: a.wav, needs: "https://ann:s@h.example/a?k=1", output: b.mp3 }
      """)
    #expect(jobs.map(\.name) == ["https://h.example/a?…", "cut https://h.example/a?…"])
    #expect(jobs[1].needs.map(\.value) == [jobs[0].name])
  }

  @Test("Keys that differ in a query alone are refused with the reason")
  func keysOfQueries() {
    let screen = Bench().screen(
      """
      jobs:
        cut https://h.example/get?id=1: { clip: a.wav, output: a.mp3 }
        cut https://h.example/get?id=22: { clip: a.wav, output: b.mp3 }
      """)
    #expect(screen.contains("error: two jobs are called 'cut https://h.example/get?…'"))
    #expect(
      screen.contains(
        "help: names have no queries of addresses: give one of them another name"))
  }

  @Test("Tags, titles and names of items show an input without secrets, and its picture is whole")
  func published() throws {
    let url = "https://ann:s3cret@h.example/a.wav?token=t0p"
    let job = try #require(
      try jobs(
        """
        vars: { site: "https://h.example/shop?item=7" }
        for_each: ["\(url)"]
        concat: [{ clip: "${input}", chapter: "Of ${input}", name: "${input}" }]
        metadata: { comment: "From ${input}", website: "${site}", cover: "${input}", from: "${input}" }
        output: { file: a.mp3, metadata: { title: "${input}" } }
        """
      ).first)
    let shown = "https://h.example/a.wav?…"
    #expect(job.metadata["comment"] == "From \(shown)")
    #expect(job.metadata["website"] == "https://h.example/shop?item=7")
    #expect(job.outputs[0].metadata["title"] == shown)
    #expect(Set(job.readLocations.compactMap { $0.url?.absoluteText }) == [url])
    let export = try job.export(assets: { .fake("\($0.location)", seconds: 60) })
    #expect(export.composition.chapters.map(\.title) == ["Of \(shown)"])
  }

  @Test("A loop over an address twice in a list of values is refused without its secrets")
  func twice() {
    let screen = Bench().screen(
      """
      for_each: { take: ["https://a:b@h.example/x?k=1", "https://a:b@h.example/x?k=1"] }
      clip: "${take}"
      output: x.mp3
      """)
    #expect(screen.contains("error: 'https://h.example/x?…' twice"))
  }
}
