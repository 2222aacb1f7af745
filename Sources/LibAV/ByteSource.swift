import Files
import SystemPackage
import Threads

/// A medium's bytes, wherever they come from: what a demuxer reads, and whoever looks into a container
/// beside it. One thread at a time.
package protocol ByteSource: AnyObject {
  /// Bytes in all.
  ///
  /// - Throws: `Errno`, or the source's own error where they cannot be counted.
  func size() throws -> Int64

  /// Reads some of the bytes from `offset` on.
  ///
  /// - Returns: How many; 0 at the end alone, and beyond it.
  /// - Throws: As `size`.
  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int
}

extension ByteSource {
  /// Fills `bytes` from `offset` on.
  ///
  /// - Returns: How many there were; fewer at the end alone.
  /// - Throws: As `size`.
  package func fill(_ bytes: UnsafeMutableRawBufferPointer, from offset: Int64) throws -> Int {
    var filled = 0
    while filled < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
      let count = try read(at: offset + Int64(filled), into: rest)
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// `count` bytes from `offset` on, fewer at the end.
  ///
  /// - Throws: As `size`.
  func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let filled = try bytes.withUnsafeMutableBytes { try fill($0, from: offset) }
    bytes.removeLast(count - filled)
    return bytes
  }
}

/// The bytes of a file. Owns its descriptor. Safe from any thread.
package final class FileBytes: ByteSource, Sendable {
  package let descriptor: FileDescriptor

  /// Opens the file at `path`, which should be a regular one.
  ///
  /// - Throws: The system's error.
  package init(_ path: FilePath) throws(Errno) {
    descriptor = try PathCalls.openToRead(path)
  }

  /// The bytes of an open file, which is closed with this object.
  package init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { try? descriptor.close() }

  package func size() throws -> Int64 { try FileStatus(of: descriptor.rawValue).size }

  /// - Throws: The system's error; `ECANCELED` where the thread's work was cancelled
  ///   (`CancellationFlag.current`).
  package func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    if CancellationFlag.current?.isCancelled == true { throw Errno.canceled }
    return try descriptor.read(fromAbsoluteOffset: offset, into: bytes)
  }
}
