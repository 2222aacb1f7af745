internal import CFFmpeg
import Glibc
import SystemPackage

/// An `AVIOContext` over a source of bytes: the only way in which a demuxer reaches anything.
/// libavformat opens no path and no address by itself, so what a source does not give is out of a
/// medium's reach.
///
/// One thread at a time.
final class InputContext {
  let pointer: UnsafeMutablePointer<AVIOContext>
  /// Why the source could not be read, if it could not: libavformat passes on a number at best, and
  /// some demuxers take any error for the file's end.
  private(set) var failure: (any Error)?

  private let source: any ByteSource
  private var position: Int64 = 0
  /// Bytes in all, once asked for: some demuxers ask before each of millions of chunks.
  private var size: Int64?
  /// Bytes that the call under way may still read; nil: as many as it likes.
  private var allowance: Int64?

  /// Bytes that libavformat asks for at once, as it does of its own files.
  private static let bufferSize = 1 << 15

  /// - Throws: `LibAVError` where there is no memory.
  init(_ source: any ByteSource) throws(LibAVError) {
    let buffer = try checkAllocated(av_malloc(Self.bufferSize), "av_malloc")
    guard
      let pointer = avio_alloc_context(
        buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0, nil, readPacket, nil,
        seekTo)
    else {
      av_free(buffer)
      throw LibAVError(code: avjob_averror(ENOMEM), operation: "avio_alloc_context")
    }
    self.source = source
    self.pointer = pointer
    // Unretained: the context dies with this object and calls nothing by itself.
    pointer.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    av_freep(&pointer.pointee.buffer)
    var pointer: UnsafeMutablePointer<AVIOContext>? = self.pointer
    avio_context_free(&pointer)
  }

  fileprivate func read(into bytes: UnsafeMutableRawBufferPointer) -> Int32 {
    // What is read behind bytes that are missing is no part of what comes before them.
    if let failure { return note(failure) }
    do {
      if let allowance, allowance <= 0 { throw LibAVError.unrecognizable }
      let count = try source.read(at: position, into: bytes)
      position += Int64(count)
      allowance = allowance.map { $0 - Int64(count) }
      return count == 0 ? avjob_averror_eof() : Int32(count)
    } catch {
      return note(error)
    }
  }

  func seek(to offset: Int64, whence: Int32) -> Int64 {
    switch whence {
    case AVSEEK_SIZE:
      do {
        let count = try size ?? source.size()
        size = count
        return count
      } catch {
        return Int64(note(error))
      }
    case SEEK_SET where offset >= 0: position = offset
    default: return Int64(avjob_averror(EINVAL))
    }
    return position
  }

  /// Runs one call, which is to find out what a medium is, within 512 MiB of it: more than any header
  /// with its pictures takes. In zeros some demuxers would look for a beginning without end.
  ///
  /// - Throws: `LibAVError.unrecognizable`, by `requireRead`.
  func recognizing(_ body: () -> Int32) -> Int32 {
    allowance = 512 << 20
    defer { allowance = nil }
    return body()
  }

  /// Keeps the first failure, from which the others follow.
  private func note(_ error: any Error) -> Int32 {
    if failure == nil { failure = error }
    return LibAVError(reading: error).code
  }

  /// The status of a call; EIO where the source has failed, whatever the call made of it.
  func status(of call: Int32) -> Int32 { failure == nil ? call : avjob_averror(EIO) }

  /// Throws what the source said, if it has failed.
  func requireRead() throws(LibAVError) {
    if let failure { throw failure as? LibAVError ?? LibAVError(reading: failure) }
  }
}

extension LibAVError {
  /// The error of a call that could not read its source for this reason.
  package init(reading error: any Error) {
    self.init(
      code: avjob_averror((error as? Errno)?.rawValue ?? EIO), operation: "read", cause: error)
  }
}

// Formed at file scope: C calls them without Swift's isolation.

private func readPacket(
  _ opaque: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32
) -> Int32 {
  guard let opaque, let bytes else { return avjob_averror(EINVAL) }
  return Unmanaged<InputContext>.fromOpaque(opaque).takeUnretainedValue()
    .read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
}

private func seekTo(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
  guard let opaque else { return Int64(avjob_averror(EINVAL)) }
  return Unmanaged<InputContext>.fromOpaque(opaque).takeUnretainedValue()
    .seek(to: offset, whence: whence)
}
