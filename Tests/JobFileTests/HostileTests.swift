import SystemPackage
import Testing

@testable import JobFile

/// Files made to break their reader are refused, at once and in words.
@Suite struct HostileTests {
  private func lines(_ yaml: String) -> (first: String, time: Duration) {
    let clock = ContinuousClock()
    var screen = ""
    let time = clock.measure { screen = Bench().screen(yaml) }
    return (String(screen.prefix { $0 != "\n" }), time)
  }

  @Test(
    "Ten thousand levels of nesting",
    arguments: ["[", "{a: ", "- ", "? ", "a: {b: ["])
  func depth(opening: String) {
    let result = lines(String(repeating: opening, count: 10_000))
    #expect(result.first.hasSuffix("error: nested more than 100 levels deep"))
    #expect(result.time < .seconds(1))
  }

  @Test("A few hundred levels, which YAML would take")
  func someDepth() {
    let text = "clip: " + String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
    #expect(Bench().screen(text).contains("error: nested more than 100 levels deep"))
  }

  @Test("Aliases of aliases are never followed, not even as keys")
  func aliases() {
    var text = "a0: &a0 [x, x]\n"
    for level in 1..<40 {
      text +=
        "a\(level): &a\(level) ["
        + Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ") + "]\n"
    }
    let result = lines(text + "? *a39\n: x\n? *a39\n: y\n")
    #expect(result.first == "job.yaml:41:3: error: duplicate key '*a39'")
    #expect(result.time < .seconds(1))
  }

  @Test("A file of fifty megabytes is refused unread")
  func size() {
    let map = SourceMap()
    let files = LimitedFiles()
    #expect {
      try JobFile.load("big.yaml", into: map, files: files)
    } throws: { error in
      (error as? Diagnostics)?.render(in: map)
        == "error: 'big.yaml' has more than 8 MiB: that is no job file"
    }
  }

  @Test("More values than memory should hold are refused before they are parsed")
  func values() {
    let result = lines("concat: [" + String(repeating: "a,", count: 1_600_000) + "]")
    #expect(result.first == "error: 'job.yaml' has more values than a job file can hold")
  }

  @Test("Repeated keys by the thousand are told, or given up, in bounded time")
  func repeatedKeys() {
    let maps = (0..<300).map { "k\($0): { a\($0): 1, a\($0): 2 }" }.joined(separator: "\n")
    #expect(lines(maps).first.contains("error: duplicate key 'a49'"))
    let keys = (0..<2_000).map { "k\($0 % 1_000): 1" }.joined(separator: "\n")
    #expect(Bench().screen(keys).contains("error: duplicate key 'k999'"))
  }

  @Test(
    "Bytes that are no text",
    arguments: [
      ([0x63, 0xFF] as [UInt8], "job.yaml:1:2: error: not UTF-8"),
      ([0xFF, 0xFE, 0x63, 0x00], "error: 'job.yaml' is UTF-16"),
      (
        [0x63, 0x0A, 0x00], "job.yaml:2:1: error: the character U+0000 may not stand in a job file"
      ),
      (
        Array("a: \u{1B}[31m".utf8),
        "job.yaml:1:4: error: the character U+001B may not stand in a job file"
      ),
      (
        Array("a: \u{10FF01}".utf8),
        "job.yaml:1:4: error: the character U+10FF01 may not stand in a job file"
      ),
    ])
  func bytes(bytes: [UInt8], expected: String) {
    let files = MemoryFiles(bytes: ["job.yaml": bytes])
    let map = SourceMap()
    #expect {
      try JobFile.load("job.yaml", into: map, files: files)
    } throws: { error in
      (error as? Diagnostics)?.render(in: map).hasPrefix(expected) == true
    }
  }

  @Test("A byte order mark and all line ends are taken")
  func lineEnds() {
    expect(
      Bench().screen("\u{FEFF}clip: a.wav\r\noutput: x.mp3\rgain: 3\nnmae: \"\u{2028}\u{85}\""),
      """
      job.yaml:3:7: error: '3' has no unit
          3 | gain: 3
            |       ^
        help: write '3 dB', or a factor as '50 %'
      job.yaml:4:1: error: unknown key 'nmae'
          4 | nmae: "\\u{2028}\\u{85}"
            | ^~~~
        help: did you mean 'name'?
      """)
  }

  @Test(
    "What cannot be read says why",
    arguments: [
      ("nope.yaml", "error: 'nope.yaml' does not exist"),
      ("raw", "error: 'raw' is a folder\n  help: name a job file in it"),
    ])
  func unreadable(path: String, expected: String) {
    let map = SourceMap()
    #expect {
      try JobFile.load(FilePath(path), into: map, files: MemoryFiles(["raw/a.wav"]))
    } throws: { ($0 as? Diagnostics)?.render(in: map) == expected }
  }

  @Test("No prefix of a job file brings the reader down")
  func prefixes() {
    let yaml = """
      vars: { e: 42 }
      sources: { host: { file: a.wav, gain: -3 dB } }
      tracks:
        voice: [host ..12s, 750ms, { clip: "b.wav end-3s..", crossfade: 300ms }]
        music: { clip: a.wav, at: 10s, volume: { 0s: 0 dB, 30s: -6 dB } }
      metadata: { title: "Episode ${e:03}" }
      output: [{ file: "out/${e}.mp3", mp3: V2 }, { file: out/x.m4a, aac: 128k }]
      """
    for count in stride(from: 0, to: yaml.count, by: 3) {
      _ = Bench().exportScreen(String(yaml.prefix(count)))
    }
    #expect(Bench().exportScreen(yaml) == "")
  }
}

/// A disk with one file that is larger than any limit.
private struct LimitedFiles: FileSystem {
  var homeDirectory: FilePath? { nil }
  var currentDirectory: FilePath { "/" }
  func kind(of path: FilePath) -> FileKind? { .file }
  func entries(of folder: FilePath) -> [FolderEntry]? { nil }
  func contents(of path: FilePath, limit: Int) throws -> [UInt8] {
    throw FileTooLarge(limit: limit)
  }
}
