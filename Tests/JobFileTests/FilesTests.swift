import Diagnosis
import Synchronization
import SystemPackage
import Testing

@testable import JobFile

/// Patterns, the order of names, and the disk.
@Suite struct FilesTests {
  private func found(_ pattern: String, _ files: [String]) throws -> [String] {
    try FilePattern(pattern).matches(in: MemoryFiles(files), base: "").map(\.path.string)
  }

  private let tree = [
    "a.wav", "b.WAV", ".hidden.wav", "x/a.wav", "x/y/a.wav", "x/y/b.mp3", "x/.git/a.wav",
    "z[1].wav",
  ]

  @Test(
    "What patterns find",
    arguments: [
      ("*.wav", ["a.wav", "b.WAV", "z[1].wav"]),
      ("**/*.Wav", ["a.wav", "b.WAV", "x/a.wav", "x/y/a.wav", "z[1].wav"]),
      ("B*.wav", nil),
      ("x/**", ["x/a.wav", "x/y/a.wav", "x/y/b.mp3"]), ("x/*/a.wav", ["x/y/a.wav"]),
      ("?.wav", ["a.wav", "b.WAV"]), ("[ab].*", ["a.wav", "b.WAV"]), ("[!a].*", ["b.WAV"]),
      ("[a-c].{wav,WAV}", ["a.wav", "b.WAV"]), ("{x,q}/{a,b}.{wav,mp3}", ["x/a.wav"]),
      ("z\\[1\\].wav", ["z[1].wav"]), (".h*", [".hidden.wav"]), ("./x/*.wav", ["x/a.wav"]),
      ("x/y/a.wav", ["x/y/a.wav"]), ("**/y/*", ["x/y/a.wav", "x/y/b.mp3"]),
      ("*a*v", ["a.wav", "z[1].wav"]),
    ])
  func patterns(pattern: String, expected: [String]?) throws {
    #expect((try? found(pattern, tree)) == expected)
  }

  @Test("A pattern that could take for ever does not")
  func backtracking() throws {
    let name = String(repeating: "a", count: 200) + ".wav"
    let pattern = String(repeating: "*a", count: 60) + "*b"
    #expect(throws: FilePattern.Failure.self) { try found(pattern, [name]) }
    let braces = String(repeating: "{a,b}", count: 40)
    #expect(throws: FilePattern.Failure.self) { try found(braces, [name]) }
  }

  @Test(
    "Each folder is opened once, whatever the pattern",
    arguments: [
      "**/**/**/**/**/**/**/*.wav", "{**,**/**}/{a,b,c}*.wav", "**/d/**/d/**/d/**/d/**/a.wav",
    ])
  func foldersOnce(pattern: String) throws {
    let deep = Array(repeating: "d", count: 50).joined(separator: "/") + "/a.wav"
    let files = CountingFiles(inner: MemoryFiles([deep, "x/y/z.wav"]))
    let found = try FilePattern(pattern).matches(in: files, base: "").map(\.path.string)
    #expect(found == [deep] || found == [deep, "x/y/z.wav"])
    #expect(files.count.opened.withLock { $0 } == 53)
  }

  @Test("Links to folders that multiply folders are refused")
  func multipliedFolders() throws {
    #expect {
      try FilePattern(String(repeating: "*/", count: 40) + "a.wav")
        .matches(in: MirroredFolders(), base: "", limit: 1000)
    } throws: { error in
      if case .tooManyFolders? = error as? FilePattern.Failure { true } else { false }
    }
  }

  @Test("Folders without links are never too many")
  func manyFolders() throws {
    let files = ManyFolders(count: 1001)
    #expect(try FilePattern("*/*.wav").matches(in: files, base: "", limit: 1000).count == 1)
  }

  @Test("The fixed part is the folders before the first wildcard")
  func fixedPart() throws {
    #expect(try FilePattern("/a/b/*/c").fixedPart == "/a/b")
    #expect(try FilePattern("a/{b,c}/*.wav").fixedPart == "a")
    #expect(try FilePattern("*.wav").fixedPart == "")
    #expect(try FilePattern("a/b.wav").fixedPart == "a")
  }

  @Test("Numbers in names count as numbers")
  func naturalOrder() {
    let names: [FilePath] = [
      "ch10.wav", "Ch2.wav", "ch1.wav", "ch02.wav", "ch2.wav", "b/1", "a/10", "a/9", "ch1b.wav",
      "99999999999999999999", "100000000000000000000",
    ]
    #expect(
      NaturalOrder.sorted(names).map(\.string) == [
        "99999999999999999999", "100000000000000000000", "a/9", "a/10", "b/1", "ch1.wav",
        "ch1b.wav", "Ch2.wav", "ch02.wav", "ch2.wav", "ch10.wav",
      ])
  }

  @Test("Natural order is a strict weak order")
  func strictOrder() {
    let names = [
      "", "1", "01", "001", "a", "A", "a1", "a01", "A1", "a1b", "a10", "a2", "ä", "-", "1a",
    ]
    for a in names {
      #expect(!NaturalOrder.precedes(a, a))
      for b in names where a != b {
        #expect(NaturalOrder.precedes(a, b) != NaturalOrder.precedes(b, a), "\(a) \(b)")
        for c in names where NaturalOrder.precedes(a, b) && NaturalOrder.precedes(b, c) {
          #expect(NaturalOrder.precedes(a, c), "\(a) \(b) \(c)")
        }
      }
    }
  }

  @Test("A path is found whatever the case of its letters, the exact one first")
  func spelling() {
    let files = MemoryFiles(["Jobs/Podcast.yaml", "both/x.yaml", "both/X.yaml", "/Top/x"])
    #expect(files.spelling(of: "Jobs/Podcast.yaml") == "Jobs/Podcast.yaml")
    #expect(files.spelling(of: "jobs/podcast.YAML") == "Jobs/Podcast.yaml")
    #expect(files.spelling(of: "./jobs/../jobs/podcast.yaml") == "./Jobs/../Jobs/Podcast.yaml")
    #expect(files.spelling(of: "both/x.yaml") == "both/x.yaml")
    #expect(files.spelling(of: "BOTH/x.YAML") == "both/X.yaml")
    #expect(files.spelling(of: "/top/X") == "/Top/x")
    #expect(files.spelling(of: "jobs/other.yaml") == nil)
  }

  @Test("The local disk: kinds, entries, links, limits")
  func localDisk() throws {
    let files = LocalFileSystem()
    #expect(files.kind(of: "/dev/null") == .other)
    #expect(files.kind(of: "/nowhere/at/all") == nil)
    #expect(files.kind(of: "Package.swift") == .file)
    #expect(files.kind(of: "Sources") == .folder)
    #expect(files.entries(of: "Package.swift") == nil)
    let entries = try #require(files.entries(of: "."))
    #expect(entries.contains(FolderEntry("Package.swift", .file)))
    #expect(entries.contains(FolderEntry("Sources", .folder)))
    let contents = try files.contents(of: "Sources/../Package.swift", limit: 1 << 20)
    #expect(contents.bytes.starts(with: "// swift".utf8))
    #expect(contents.place == files.resolved("Package.swift"))
    #expect(throws: FileTooLarge.self) { try files.contents(of: "Package.swift", limit: 10) }
    #expect(throws: Errno.isDirectory) { try files.contents(of: "Sources", limit: 10) }
    #expect(throws: Errno.invalidArgument) { try files.contents(of: "/dev/null", limit: 10) }
    #expect(files.currentDirectory.isAbsolute)
  }
}

/// Counts how often folders are opened.
private struct CountingFiles: FileSystem {
  /// Shared by all copies.
  final class Count: Sendable { let opened = Mutex(0) }

  let inner: MemoryFiles
  let count = Count()
  var homeDirectory: FilePath? { inner.homeDirectory }
  var currentDirectory: FilePath { inner.currentDirectory }
  func kind(of path: FilePath) -> FileKind? { inner.kind(of: path) }
  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    try inner.contents(of: path, limit: limit)
  }
  func entries(of folder: FilePath) -> [FolderEntry]? {
    count.opened.withLock { $0 += 1 }
    return inner.entries(of: folder)
  }
}

/// A folder with many others, the first of which has a file.
private struct ManyFolders: FileSystem {
  let count: Int
  var homeDirectory: FilePath? { nil }
  var currentDirectory: FilePath { "/" }
  func kind(of path: FilePath) -> FileKind? { .folder }
  func contents(of path: FilePath, limit: Int) throws -> FileContents { throw Errno.isDirectory }
  func entries(of folder: FilePath) -> [FolderEntry]? {
    guard folder == "." else { return folder == "0" ? [FolderEntry("a.wav", .file)] : [] }
    return (0..<count).compactMap { FilePath.Component("\($0)").map { FolderEntry($0, .folder) } }
  }
}

/// A folder with two links to itself.
private struct MirroredFolders: FileSystem {
  var homeDirectory: FilePath? { nil }
  var currentDirectory: FilePath { "/" }
  func kind(of path: FilePath) -> FileKind? { .folder }
  func contents(of path: FilePath, limit: Int) throws -> FileContents { throw Errno.isDirectory }
  func entries(of folder: FilePath) -> [FolderEntry]? {
    ["a", "b"].map { FolderEntry($0, .folder, isLink: true) }
  }
}
