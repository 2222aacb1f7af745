import Diagnosis
import FuzzDriver
import JobModel
import MediaComposition
import MediaTime
import SystemPackage

@testable import JobFile

/// Any bytes are a job file that a take is put into: every other byte stays, and the result has the
/// same jobs.
@main
enum FuzzTakes {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ input: UnsafeRawBufferPointer) -> CInt {
  let bytes = Array(input)
  let map = SourceMap()
  guard
    let file = try? JobFile.loadAllowingMistakes("job.yaml", into: map, files: Disk(bytes: bytes))
  else { return 0 }
  for job in file.jobs.prefix(4) {
    for track in ["voice", "a: b"] {
      let edit = TakeEdit(
        clip: "takes/a,1.wav", onTrack: track, of: job.name, at: Time(value: 83, timescale: 1))
      do throws(Diagnostics) {
        let edited = try edit.applied(to: bytes, of: file, in: map)
        var rest = edited.bytes
        rest.removeSubrange(edited.inserted)
        precondition(rest == bytes)
        let after = try JobFile.loadAllowingMistakes(
          "job.yaml", into: SourceMap(), files: Disk(bytes: edited.bytes))
        precondition(after.jobs.map(\.name) == file.jobs.map(\.name))
      } catch {
        precondition(!error.errors.isEmpty)
      }
    }
  }
  return 0
}

/// One file.
private struct Disk: FileSystem {
  let bytes: [UInt8]
  var homeDirectory: FilePath? { nil }
  var currentDirectory: FilePath { "/show" }

  func kind(of path: FilePath) -> FileKind? { path == "job.yaml" ? .file : nil }
  func entries(of folder: FilePath) -> [FolderEntry]? { [] }

  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    guard path == "job.yaml" else { throw Errno.noSuchFileOrDirectory }
    guard bytes.count <= limit else { throw FileTooLarge(limit: limit) }
    return FileContents(bytes, at: "/show/job.yaml")
  }
}
