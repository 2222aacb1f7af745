import Diagnosis
import SystemPackage
import Testing
import TestSupport

@testable import JobFile
@testable import YAML

/// Files made to break their reader are refused, at once and in words.
@Suite struct HostileTests {
  private func firstLine(_ yaml: String) -> String {
    String(Bench().screen(yaml).prefix { $0 != "\n" })
  }

  @Test(
    "Ten thousand levels of nesting",
    arguments: ["[", "{a: ", "- ", "? ", "a: {b: ["])
  func depth(opening: String) {
    let result = firstLine(String(repeating: opening, count: 10_000))
    #expect(result.hasSuffix("error: nested more than 100 levels deep"))
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
    let screen = Bench().screen(text + "? *a39\n: x\n? *a39\n: y\n")
    #expect(screen.contains("job.yaml:1:5: error: no plain text may begin with '&'"))
    #expect(screen.contains("job.yaml:43:3: error: no plain text may begin with '*'"))
  }

  @Test(
    "An escape for a character of plane 16 is refused, wherever other characters are disguised",
    arguments: ["", "  # *"], ["100000", "100004", "10FFFF"])
  func planeSixteen(comment: String, digits: String) {
    #expect(
      Bench().screen("clip: a.wav\(comment)\nname: \"x\\U00\(digits)\"\noutput: x.wav") == """
        job.yaml:2:7: error: the character U+\(digits) may not stand in a job file
            2 | name: "x\\U00\(digits)"
              |       ^~~~~~~~~~~~~
          help: take it out
        """)
    #expect(Bench().screen("clip: a.wav\nname: 'x\\U00\(digits) *'\noutput: x.wav") == "")
  }

  @Test(
    "A mistake in a line of 200,000 letters is reported", arguments: ["]", " : b]", " # x", ""])
  func longLine(end: String) {
    let result = firstLine("a: [" + String(repeating: "x", count: 200_000) + end + "\nb")
    #expect(result.contains("error: "))
  }

  @Test("A file of fifty megabytes is refused unread")
  func size() {
    let map = SourceMap()
    let files = LimitedFiles()
    #expect {
      try JobFile.load("big.yaml", into: map, files: files)
    } throws: { error in
      (error as? Diagnostics)?.render(in: map)
        == """
        error: 'big.yaml' has more than 8 MiB: that is no job file
          help: move its jobs into several files, or let 'for_each' or 'rows' make them
        """
    }
  }

  @Test("More tags than any file has are refused: each costs time for all others")
  func tags() {
    let tags = (0...1000).map { "k\($0): v" }.joined(separator: ", ")
    #expect(
      firstLine("clip: a.wav\noutput: a.mp3\nmetadata: { \(tags) }")
        == "job.yaml:3:11: error: 1001 tags: at most 1000 are written")
  }

  @Test("Of a thousand names that are nearly those of others, a few are looked for")
  func nearNames() {
    let long = String(repeating: "s", count: 58)
    func names(_ letter: String) -> [String] { (0..<1000).map { "\(long)\(letter)\($0)" } }
    let jobs = zip(names("a"), names("b")).map {
      "  \($0): { clip: a.wav, output: { file: \($0).mp3, preset: \($1) }, needs: \($1) }\n"
    }
    let presets = names("a").map { "  \($0): { mp3: V2 }\n" }
    let yaml = "presets:\n" + presets.joined() + "jobs:\n" + jobs.joined()
    let found = #expect(throws: Diagnostics.self) { try Bench().load(yaml) }
    let suggestions = found?.all.count { $0.help?.contains("did you mean") ?? false } ?? 0
    #expect((1...DiagnosticSink.suggestionLimit).contains(suggestions))
    #expect(Bench().screen(yaml).utf8.count < 5000)
  }

  @Test("Where there are many presets, some are listed")
  func manyPresets() {
    let presets = (0..<1000).map { "  p\($0): { mp3: V2 }\n" }
    let screen = Bench().screen(
      "presets:\n" + presets.joined()
        + "clip: a.wav\noutput: { file: a.mp3, preset: nothing-like-it }\n")
    #expect(screen.contains("p105, p106 …, or put it under 'presets'"), "\(screen)")
  }

  @Test("Cuts and clips that multiply are refused")
  func multipliedCuts() throws {
    let cuts = (0..<2000).map { "\(2 * $0)ms..\(2 * $0 + 1)ms" }.joined(separator: ", ")
    let clips = Array(repeating: "a.wav", count: 2000).joined(separator: ", ")
    let screen = Bench().exportScreen("concat: [\(clips)]\ncut: [\(cuts)]\noutput: x.wav\n")
    #expect(
      screen.hasPrefix("job.yaml:2:7: error: 2000 pieces of the sequence are too many\n"),
      "\(screen)")
    #expect(screen.hasSuffix("help: cut the items that it is made of, each on its own"))
  }

  @Test("Parts and clips that multiply are refused")
  func multipliedParts() throws {
    let clips = Array(repeating: "a.wav", count: 1100).joined(separator: ", ")
    expect(
      Bench().exportScreen(
        "concat: [\(clips)]\nsplit: { every: 1m }\noutput: 'x${part.n}.wav'\n"),
      """
      job.yaml:2:8: error: 1100 parts of so many items are too many
          2 | split: { every: 1m }
            |        ^
        help: join the items in a job of its own, and split its output
      """)
  }

  @Test("Variables that fill memory text by text are refused")
  func manyLongTexts() {
    let doubled = (1...10).map { "  v\($0): '${v\($0 - 1)}${v\($0 - 1)}'\n" }.joined()
    let used = (0..<300).map { "  w\($0): '${v10}'\n" }.joined()
    let zero = String(repeating: "x", count: 1000)
    let screen = Bench().screen(
      "vars:\n  v0: \(zero)\n\(doubled)\(used)clip: a.wav\noutput: a.mp3\n")
    #expect(
      screen.contains(
        "error: with their variables all texts of the file have more than 256 MiB\n"),
      "\(screen.prefix(2000))")
  }

  @Test("More values than memory should hold are refused before they are parsed")
  func values() {
    let result = firstLine("concat: [" + String(repeating: "a,", count: 1_600_000) + "]")
    #expect(result == "error: 'job.yaml' has more values than a job file can hold")
  }

  @Test("A line of a hundred thousand items is read in one go")
  func longLine() {
    let result = firstLine("concat: [" + String(repeating: "a.wav, ", count: 100_000) + "]")
    #expect(result == "job.yaml:1:1: error: a job needs an 'output'")
  }

  @Test("A message does not repeat a megabyte")
  func longMessage() {
    let screen = Bench().screen(
      "clip: a.wav\ngain: \"\(String(repeating: "a", count: 1 << 20))\"\noutput: x.mp3")
    #expect(screen.utf8.count < 2_000)
    let path = firstLine("clip: \"\(String(repeating: "a", count: 1 << 20))\"\noutput: x.mp3")
    #expect(path == "job.yaml:1:7: error: a path has less than 4096 bytes")
  }

  @Test("Variables of variables do not fill the memory")
  func manyfoldVariables() {
    let vars = (1..<40).map { "  a\($0): \"\(String(repeating: "${a\($0 - 1)}", count: 10))\"" }
    let result = firstLine(
      "vars:\n  a0: xxxxxxxxxx\n" + vars.joined(separator: "\n") + "\nclip: a.wav\noutput: x.mp3")
    #expect(
      result == "job.yaml:8:13: error: with its variables this text has more than 1 MiB")
  }

  @Test("Repeated keys by the thousand are reported, and not all of them shown")
  func repeatedKeys() {
    let maps = (0..<300).map { "k\($0): { a\($0): 1, a\($0): 2 }" }.joined(separator: "\n")
    #expect(firstLine(maps) == "job.yaml:1:14: error: duplicate key 'a0'")
    let keys = (0..<2_000).map { "k\($0 % 1_000): 1" }.joined(separator: "\n")
    let screen = Bench().screen(keys)
    #expect(screen.hasPrefix("job.yaml:1001:1: error: duplicate key 'k0'\n"))
    #expect(
      screen.contains(
        "\n  and 199 more like it: job.yaml:1002:1, job.yaml:1003:1, job.yaml:1004:1, "))
    #expect(screen.hasSuffix("\nerror: 1800 more are not shown"))
  }

  @Test(
    "Bytes that are no text",
    arguments: [
      ([0x63, 0xFF] as [UInt8], "job.yaml:1:2: error: not UTF-8"),
      ([0xFF, 0xFE, 0x63, 0x00], "error: 'job.yaml' is UTF-16"),
      ([0, 0x63, 0, 0x6C, 0, 0x69, 0, 0x70], "error: 'job.yaml' is UTF-16"),
      ([0x63, 0, 0x6C, 0, 0x69, 0, 0x70, 0], "error: 'job.yaml' is UTF-16"),
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

  @Test(
    "A media file is told from a job file by its first bytes, and by its name where it is large")
  func media() {
    let large = [UInt8](repeating: 1, count: YAMLReader.sizeLimit + 1)
    let files: [(name: String, bytes: [UInt8])] = [
      ("a.wav", [0x52, 0x49, 0x46, 0x46, 0, 1]), ("ab.yaml", [0x49, 0x44, 0x33, 4, 0]),
      ("a b.mp3", [0xFF, 0xFB, 0x90, 0x64]), ("large.flac", large),
      ("x.m4a", [0, 0, 0, 28, 0x66, 0x74, 0x79, 0x70, 0x4D, 0x34, 0x41, 0x20]),
    ]
    for (name, bytes) in files {
      let (path, map) = (FilePath("in/\(name)"), SourceMap())
      var screen = ""
      do throws(Diagnostics) {
        _ = try JobFile.load(path, into: map, files: MemoryFiles(bytes: ["in/\(name)": bytes]))
      } catch {
        screen = error.render(in: map)
      }
      expect(
        screen,
        """
        error: 'in/\(name)' is a media file, and a job file belongs here
          help: write a job file with 'clip: \(name)' and 'output: NAME.mp3' in it, or take \
        'avjob compress', 'avjob clip' or 'avjob probe'
        """)
    }
    #expect(MediaInstead.diagnostic(of: "job.yaml", Array("clip: a".utf8)) == nil)
    #expect(MediaInstead.diagnostic(of: "a.wav", Array("RIFF is a text".utf8)) == nil)
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
      (
        "nope.yaml",
        "error: 'nope.yaml' does not exist\n  help: 'avjob init nope.yaml' writes one to start from"
      ),
      ("raw", "error: 'raw' is a folder\n  help: name a job file in it"),
      (
        "https://ann:secret@example.org/job.yaml?t=hush",
        "error: 'https://example.org/job.yaml?…' is an address, and job files are read from this machine"
          + "\n  help: download it; sources of a job may be addresses"
      ),
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
  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    throw FileTooLarge(limit: limit)
  }
}
