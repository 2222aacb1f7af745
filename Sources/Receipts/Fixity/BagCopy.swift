import Diagnosis
import Files
import Glibc
import LibAV
import MediaComposition
import Synchronization
import SystemPackage
import Threads

/// Copies a file into a bag, or only reads it, for its size and its digest.
final class BagCopy: CrewTask {
  /// Size and SHA-256.
  typealias Facts = (size: Int64, digest: [UInt8])

  private let file: BagWriter.File
  private let target: FilePath?
  private let cancellation: CancellationFlag
  private let outcome = Mutex<Result<Facts, any Error>?>(nil)

  /// A copy at `target`; nil: none is made.
  init(of file: BagWriter.File, to target: FilePath?, _ cancellation: CancellationFlag) {
    (self.file, self.target, self.cancellation) = (file, target, cancellation)
  }

  /// What was found.
  ///
  /// - Throws: The system's error, `CancellationError`, and `tryAgain` where the file was changed
  ///   meanwhile.
  func result() throws -> Facts {
    guard let outcome = outcome.withLock(\.self) else { throw CancellationError() }
    return try outcome.get()
  }

  func advance() -> Bool {
    let result = Result { try copied() }
    outcome.withLock { $0 = result }
    return true
  }

  private func copied() throws -> Facts {
    let source = try BagWriter.writing(file.source) { () throws(Errno) in
      try PathCalls.openToRead(file.source)
    }
    defer { try? source.close() }
    let before = try identity(of: source)
    let known = file.known.flatMap { $0.identity == before ? $0.digest : nil }
    if target == nil, let known { return (before.size, known) }
    let digest = try pass(source)
    guard known == nil || digest == known else {
      throw Failure(
        .mendInput,
        "has other bytes than its receipt says: its medium may be failing; make it again by "
          + "'--force'", path: file.source)
    }
    guard try identity(of: source) == before else {
      throw Failure(.tryAgain, "was changed while it was put into a bag", path: file.source)
    }
    return (before.size, digest)
  }

  private func identity(of descriptor: FileDescriptor) throws(Failure) -> FileIdentity {
    try BagWriter.writing(file.source) { () throws(Errno) in
      let status = try FileStatus(of: descriptor.rawValue)
      try status.requireFile()
      return FileIdentity(status)
    }
  }

  /// Reads all of the file, and writes it to the target, if there is one.
  ///
  /// - Returns: Its digest.
  private func pass(_ source: FileDescriptor) throws -> [UInt8] {
    let copy = try target.map { target in
      try BagWriter.writing(target) { () throws(Errno) in
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try PathCalls.openFile(target, flags)
      }
    }
    defer { try? copy?.close() }
    var hash = try SHA256()
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { block.deallocate() }
    while true {
      if cancellation.isCancelled { throw CancellationError() }
      let count = try Self.call(file.source) { try source.read(into: block) }
      if count == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
      hash.update(bytes)
      if let copy, let target { try Self.call(target) { _ = try copy.writeAll(bytes) } }
    }
    if let copy, let target { try finish(copy, at: target, like: source) }
    return hash.finish()
  }

  /// Gives the copy the time of its file, by which a later run knows it, and flushes it.
  private func finish(
    _ copy: FileDescriptor, at target: FilePath, like source: FileDescriptor
  ) throws(Failure) {
    try BagWriter.writing(target) { () throws(Errno) in
      let (seconds, attoseconds) = try FileStatus(of: source.rawValue).modificationTime.components
      let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
      let times = [timespec(tv_sec: 0, tv_nsec: Int((1 << 30) - 2)), time]
      guard futimens(copy.rawValue, times) == 0, fsync(copy.rawValue) == 0 else {
        throw Errno(rawValue: errno)
      }
    }
  }

  private static func call<Result>(
    _ path: FilePath, _ body: () throws -> Result
  ) throws(Failure) -> Result {
    try BagWriter.writing(path) { () throws(Errno) in
      do {
        return try body()
      } catch {
        throw error as? Errno ?? .ioError
      }
    }
  }
}
