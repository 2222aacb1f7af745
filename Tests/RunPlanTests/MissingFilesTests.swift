import Diagnosis
import ExportEngine
import JobFile
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import RunPlan

@Suite("Files that are not there")
struct MissingFilesTests {
  @Test("Of very many, the disk is asked about the first hundreds what may help, and no more")
  func bounded() throws {
    let folder = TestFolder()
    let count = 3000
    let jobs = (0..<count).map { "  j\($0): { clip: gone\($0).wav, output: out/\($0).wav }" }
    try writeFile(
      folder.path("job.yaml"),
      ("jobs:\n" + jobs.joined(separator: "\n")).utf8)
    let disk = CountingFiles()
    var loaded = LoadedJobs()
    loaded.append(
      try JobFile.loadAllowingMistakes(
        FilePath(folder.path("job.yaml")), into: SourceMap(), files: disk))
    let before = disk.questions.load(ordering: .relaxed)
    let preparation = Preparation(
      loaded, library: MediaLibrary(), budget: CPUBudget(total: 1))
    #expect(preparation.hasJobErrors && preparation.refusedJobs == count)
    #expect(preparation.refusals.count == count)
    #expect(preparation.refusals.allSatisfy { $0.messages.count == 1 })
    #expect(disk.questions.load(ordering: .relaxed) - before < 2000)
  }
}

extension MissingFilesTests {
  @Test("Beside mistakes of a file, clashes of its outputs and files that none of its jobs writes")
  func besideMistakes() throws {
    let folder = TestFolder()
    try writeFile(
      folder.path("job.yaml"),
      """
      jobs:
        a: { clip: gone.wav, output: a.wav }
        b: { clip: a.wav, output: x.wav }
        c: { clip: ./a.wav, output: x.wav, tilte: y }
      """.utf8)
    let map = SourceMap()
    let file = try JobFile.loadAllowingMistakes(FilePath(folder.path("job.yaml")), into: map)
    #expect(file.hasMistakes)
    let found = file.mistakes.sorted(by: map).all.map { diagnostic in
      diagnostic.message.replacing(folder.path(""), with: "")
    }
    #expect(
      found == [
        "there is no file 'gone.wav'", "two outputs at 'x.wav'",
        "unknown key 'tilte'",
      ])
  }
}

/// The machine's own disk, and how often it was asked.
private final class CountingFiles: FileSystem {
  let questions = Atomic<Int>(0)
  private let files = LocalFileSystem()

  private func count() { questions.add(1, ordering: .relaxed) }

  func kind(of path: FilePath) -> FileKind? {
    count()
    return files.kind(of: path)
  }

  func entries(of folder: FilePath) -> [FolderEntry]? {
    count()
    return files.entries(of: folder)
  }

  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    try files.contents(of: path, limit: limit)
  }

  var homeDirectory: FilePath? { files.homeDirectory }
  var currentDirectory: FilePath { files.currentDirectory }
}
