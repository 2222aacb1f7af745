import Files
import Glibc
import SystemPackage

/// Where the jobs of a folder write: below that folder, and below the folders of their outputs.
///
/// Paths are compared by where they lead on the disk. Files and folders whose names begin with a
/// dot belong to other programs, and do not count.
package struct WrittenFolders: Sendable {
  private let roots: [FilePath]
  /// Whether files of a folder count, by the folder as it is spelled.
  private var known: [FilePath: Bool] = [:]

  /// - Parameters:
  ///   - folder: The job files', as it is spelled; empty for the current one.
  ///   - outputs: What their jobs write now, outside of it, too.
  /// - Complexity: O(distinct folders of `outputs`)
  package init(ofJobsIn folder: FilePath, outputs: some Sequence<FilePath>) {
    let folders = Set(outputs.map { $0.removingLastComponent() }).union([folder])
    let real = Set(folders.compactMap { PathCalls.realPath($0.orCurrent) })
    roots = real.sorted { $0.string < $1.string }
  }

  /// Whether the jobs may have written the file at `path`.
  package mutating func contains(_ path: FilePath) -> Bool {
    guard let name = path.lastComponent, name.kind == .regular, !name.beginsWithDot else {
      return false
    }
    let folder = path.removingLastComponent()
    if let answer = known[folder] { return answer }
    let answer = PathCalls.realPath(folder.orCurrent).map(isBeneath) ?? false
    known[folder] = answer
    return answer
  }

  /// Has paths looked at anew.
  mutating func forget() { known = [:] }

  private func isBeneath(_ folder: FilePath) -> Bool {
    roots.contains { root in
      guard folder.starts(with: root) else { return false }
      return folder.components.dropFirst(root.components.count).allSatisfy {
        !$0.beginsWithDot
      }
    }
  }
}

extension FilePath {
  fileprivate var orCurrent: FilePath { isEmpty ? "." : self }
}

/// What a file is, by its first bytes: of any other kind avjob has written none.
enum WrittenKind {
  static func isSound(beginningOf path: FilePath) -> Bool {
    isSound(PathCalls.beginning(of: path))
  }

  static func isRecord(beginningOf path: FilePath) -> Bool {
    isRecord(PathCalls.beginning(of: path))
  }

  /// Whether bytes begin a file of a format that avjob writes: WAV and RF64 (EBU Tech 3306), AIFF,
  /// CAF, FLAC, Ogg, MP4, and MP3 with ID3 or without.
  static func isSound(_ bytes: [UInt8]) -> Bool {
    let marks = ["RIFF", "RF64", "BW64", "FORM", "caff", "fLaC", "OggS", "ID3"]
    if marks.contains(where: { bytes.starts(with: $0.utf8) }) { return true }
    if bytes.dropFirst(4).starts(with: "ftyp".utf8) { return true }
    return bytes.count > 1 && bytes[0] == 0xFF && bytes[1] & 0xE0 == 0xE0
  }

  /// Whether bytes begin a record, which names its program first (docs/json.md).
  static func isRecord(_ bytes: [UInt8]) -> Bool {
    bytes.first == UInt8(ascii: "{")
      && String(decoding: bytes, as: UTF8.self).contains("\"avjob\"")
  }
}
