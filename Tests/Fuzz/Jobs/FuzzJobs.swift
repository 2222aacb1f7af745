import Diagnosis
import FuzzDriver
import JobModel
import MediaComposition
import MediaTime
import SystemPackage

@testable import JobFile

/// Any bytes are a job file, with what it names: what is read of them can be lowered, and what is
/// refused is refused in words.
@main
enum FuzzJobs {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

/// NULs part the job file from what it may name, in this order.
private let names = ["t.csv", "l.txt", "x.cue", "in.yaml"]

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  let parts = file.split(separator: 0, maxSplits: names.count, omittingEmptySubsequences: false)
  var disk = Disk()
  for (name, part) in zip(["job.yaml"] + names, parts) { disk.texts[name] = Array(part) }
  let map = SourceMap()
  do throws(Diagnostics) {
    let options = JobFile.Options(environment: ["HOME": "/home/ann"])
    let file = try JobFile.load("job.yaml", options: options, into: map, files: disk)
    check(file.diagnostics, in: map, areErrors: false)
    for job in file.jobs.prefix(20) {
      do throws(Diagnostics) {
        let exports = try job.exports { .fake($0.location) }
        precondition(!exports.exports.isEmpty)
      } catch {
        check(error, in: map, areErrors: true)
      }
    }
  } catch {
    check(error, in: map, areErrors: true)
  }
  return 0
}

private func check(_ found: Diagnostics, in map: SourceMap, areErrors: Bool) {
  precondition(found.errors.isEmpty != areErrors)
  let text = found.render(in: map)
  precondition(found.isEmpty == text.isEmpty && text.utf8.count < 4 << 20)
  for diagnostic in found.all { precondition(!diagnostic.message.isEmpty) }
  _ = found.githubCommands(in: map)
}

/// Texts, and some media that are there.
private struct Disk: FileSystem {
  var texts: [String: [UInt8]] = [:]
  private static let media = ["a.wav", "b.mp3", "ch1.flac", "ch2.flac", "ch10.flac"]

  var homeDirectory: FilePath? { "/home/ann" }
  var currentDirectory: FilePath { "/show" }

  private func name(_ path: FilePath) -> String {
    let whole = currentDirectory.pushing(path).lexicallyNormalized().string
    return whole.hasPrefix("/show/") ? String(whole.dropFirst(6)) : whole
  }

  func kind(of path: FilePath) -> FileKind? {
    let name = name(path)
    if ["/show", "/"].contains(name) { return .folder }
    return Self.media.contains(name) || texts[name] != nil ? .file : nil
  }

  func entries(of folder: FilePath) -> [FolderEntry]? {
    guard name(folder) == "/show" else { return nil }
    return (Self.media + texts.keys.sorted()).compactMap { name in
      FilePath.Component(name).map { FolderEntry($0, .file) }
    }
  }

  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    guard let bytes = texts[name(path)] else {
      guard kind(of: path) != .folder else { throw Errno.isDirectory }
      guard kind(of: path) == .file else { throw Errno.noSuchFileOrDirectory }
      return FileContents([], at: resolved(path))
    }
    guard bytes.count <= limit else { throw FileTooLarge(limit: limit) }
    return FileContents(bytes, at: resolved(path))
  }
}

extension Asset {
  fileprivate static func fake(_ location: MediaLocation) -> Asset {
    var asset = Asset(
      location: location, streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: 48_000,
      channelLayout: .stereo, bitDepth: 16, frameCount: 100 * 48_000,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 0))
    asset.metadata["title"] = "A"
    asset.chapters = [
      Chapter(start: .zero, title: "One"),
      Chapter(start: Time(value: 50, timescale: 1), title: "Two"),
    ]
    return asset
  }
}
