import Diagnosis
import Files
import Glibc
import MediaComposition
import SystemPackage

/// The file system that a file is on, or will be.
package struct DiskRoom: Sendable, Hashable {
  /// `st_dev`
  package var device: UInt64
  /// Bytes that this user may still write (`f_bavail`).
  package var free: Int64
  /// Bytes of all of it (`f_blocks`).
  package var total: Int64

  /// So many bytes, free and in all.
  package init(device: UInt64 = 0, free: Int64, total: Int64) {
    (self.device, self.free, self.total) = (device, free, total)
  }

  /// That of the first folder above `path` that is there (statvfs(3)); nil where the system does not
  /// say.
  package init?(for path: FilePath) {
    var folder = path.folder
    while folder.isMissing, folder != folder.folder { folder = folder.folder }
    var disk = statvfs()
    guard let status = try? FileStatus(at: folder), PathCalls.statvfs(folder, &disk) == 0,
      disk.f_blocks > 0
    else { return nil }
    func bytes(_ blocks: fsblkcnt_t) -> Int64 {
      let (bytes, isTooMuch) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
      return isTooMuch ? .max : Int64(clamping: bytes)
    }
    self.init(device: status.device, free: bytes(disk.f_bavail), total: bytes(disk.f_blocks))
  }
}

/// By how many bytes, at least, an export's outputs let the files on one disk grow.
package struct DiskGrowth: Sendable {
  package var room: DiskRoom
  /// Negative where they are less than the files that they replace.
  package var bytes: Int64
  /// The first output there.
  package var path: FilePath
  package var origin: Origin
  /// How many more outputs are there.
  package var others = 0

  /// Whether they would not fit on the disk if nothing else were on it.
  package var exceedsDisk: Bool { bytes > room.total }

  /// Why they do not fit; nil where they may.
  package var shortage: Failure? {
    guard bytes > room.free else { return nil }
    let together =
      others == 0 ? "" : "with \(others) other output\(others == 1 ? "" : "s") of its job "
    return Failure(
      .mendMachine,
      "\(together)takes \(Self.text(bytes)) or more, and its disk "
        + (exceedsDisk
          ? "holds \(Self.text(room.total)) in all; make it shorter, or write it to another disk"
          : "has \(Self.text(room.free)) free; make room, or write it to another disk"),
      path: path, origin: origin, code: .diskFull)
  }

  /// For example `1.3 GB` or `221 TB`.
  package static func text(_ bytes: Int64) -> String {
    var value = Double(max(0, bytes))
    var units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"][...]
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    let tenths = Int((value * 10).rounded())
    let isWhole = tenths >= 100 || units.count == 7
    return (isWhole ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)")
      + " \(units.first ?? "")"
  }
}

/// Disks, for one view of them.
struct RoomCache {
  let look: (FilePath) -> DiskRoom?
  private var known: [FilePath: DiskRoom?] = [:]

  init(_ look: @escaping (FilePath) -> DiskRoom?) { self.look = look }

  mutating func room(for path: FilePath) -> DiskRoom? {
    if let room = known[path.folder] { return room }
    let room = look(path)
    known[path.folder] = .some(room)
    return room
  }
}
