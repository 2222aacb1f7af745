import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Files that are read and written, by their places")
struct PathRegistryTests {
  private let folder = TestFolder()

  private func writer(_ path: String, job: Int) -> PathRegistry.Writer {
    let file = ExportFiles.File(path: FilePath(folder.path(path)), content: .sound)
    return PathRegistry.Writer(file, job: job, part: 0, number: 0)
  }

  private func registry(writing paths: [String]) throws -> PathRegistry {
    var registry = PathRegistry()
    for (job, path) in paths.enumerated() { try registry.write(writer(path, job: job)) }
    return registry
  }

  @Test("A file that others lie below is found once, whichever was added first")
  func obstacles() throws {
    let paths = ["d/x", "d/y/1", "d/x/1", "d/x/e/2", "d/y", "d/xy/1", "z"]
    let found = try registry(writing: paths).obstacles
    #expect(found.map { [$0.file.job, $0.below.job] } == [[4, 1], [0, 2]])
  }

  @Test("A file and one below it are found by whatever links and dots lead there")
  func links() throws {
    try Tool.succeed("mkdir", folder.path("there"))
    try Tool.succeed("ln", "-s", "there", folder.path("link"))
    for (file, below) in [
      ("there/x", "link/x/y"), ("link/x", "there/x/y/z"), ("new/../x", "x/y"),
      ("there/./x", "link/z/../x/y"),
    ] {
      #expect(try registry(writing: [file, below]).obstacles.count == 1, "\(file)")
      #expect(try registry(writing: [below, file]).obstacles.count == 1, "\(file)")
    }
    #expect(try registry(writing: ["there/x", "link/y/x", "x/y"]).obstacles.isEmpty)
  }

  @Test("A file that is not written after all is in no other one's way")
  func removed() throws {
    var registry = try registry(writing: ["d/x", "d/x/1", "d/x/2"])
    #expect(registry.remove(writer("d/x/1", job: 1)) == [])
    #expect(registry.obstacles.map(\.below.job) == [2])
    #expect(registry.remove(writer("d/x", job: 0)) == [])
    #expect(registry.obstacles.isEmpty)
  }

  @Test("Of random paths those in another one's way are found that comparing each pair finds")
  func random() throws {
    var dice = Dice(11)
    for _ in 0..<200 {
      let paths = Set(
        (0..<dice.number(1..<20)).map { _ in
          (0..<dice.number(1..<5)).map { _ in dice.number(0..<2) == 0 ? "a" : "b" }
            .joined(separator: "/")
        }
      ).sorted().shuffled(using: &dice)
      let expected = paths.indices.filter { file in
        paths.contains { $0.hasPrefix(paths[file] + "/") }
      }
      let found = try registry(writing: paths).obstacles
      #expect(found.map(\.file.job).sorted() == expected)
      for obstacle in found {
        #expect(paths[obstacle.below.job].hasPrefix(paths[obstacle.file.job] + "/"))
      }
    }
  }

  @Test("An export that writes below one of its own files is refused before its work")
  func ownFiles() throws {
    let stage = Stage()
    let sound = try stage.sound([Signal.noise(seed: 1, count: 800)], rate: 8000)
    let outputs = ["d/x.wav", "d/x.wav/e/y.wav"].map {
      Output(path: FilePath(stage.folder.path($0)), format: .wav(.int16))
    }
    let export = Export(name: "two", composition: composition(clip(sound)), outputs: outputs)
    let failure = #expect(throws: Failure.self) {
      try ExportSession(export, library: stage.library).run()
    }
    #expect(failure?.code == .outputConflict && failure?.path == outputs[1].path)
    #expect(
      failure?.message == "lies below \(outputs[0].path), another output, which is no folder; "
        + "choose another path")
    #expect(!FilePath(stage.folder.path("d")).exists)
  }
}
