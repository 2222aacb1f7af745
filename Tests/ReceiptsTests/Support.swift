import Glibc
import MediaComposition
import SystemPackage
import TestSupport

@testable import Receipts

/// A folder of job files with what is kept in it.
struct Project {
  let folder = TestFolder()

  var state: StateFolder {
    StateFolder(besideJobsIn: FilePath(folder.root), currentDirectory: "/")
  }

  func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  func write(_ name: String, _ text: String) throws {
    try writeFile(folder.path(name), Array(text.utf8))
  }

  /// The names in a folder of `.avjob`, in order.
  func names(in folder: String) -> [String] {
    StateFolder.names(in: state.path.appending(folder)).map(\.string).sorted()
  }

  /// What an export of `a.wav` to `outputs` claims.
  func claim(
    _ outputs: [String] = ["out.mp3"], sources: [String] = ["a.wav"], timeline: String = "1",
    avjob: String = "1.0"
  ) -> ExportInputs {
    ExportInputs(
      outputs: outputs.map { ExportInputs.Output(path($0)) },
      digests: [("timeline", timeline), ("settings", "2")], tools: ["avjob": avjob],
      sources: sources.compactMap { name in
        FileIdentity(ofFileAt: path(name)).map { ExportInputs.Source(.file(path(name)), $0) }
      })
  }
}

extension Project {
  /// The files of a claim as they are now.
  static func written(_ claim: ExportInputs) -> [FilePath: FileIdentity] {
    let files = claim.outputs.flatMap { [$0.path] + $0.companions }
    return files.reduce(into: [:]) { $0[$1] = FileIdentity(ofFileAt: $1) }
  }
}

extension Ledger {
  /// Records what lies there.
  func record(_ claim: ExportInputs) throws -> Bool {
    try record(claim, written: Project.written(claim)) { false }
  }
}

/// Gives a file another time of modification; seconds since 1970.
func touch(_ path: FilePath, at seconds: Int) {
  var times = [
    timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0),
  ]
  _ = path.withPlatformString { utimensat(AT_FDCWD, $0, &times, 0) }
}
