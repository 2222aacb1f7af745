internal import CFFmpeg
import Files
import Glibc
import SystemPackage

/// An `AVIOContext` over an open file: the only way in which a demuxer reaches anything. libavformat
/// opens no path by itself, so whatever `PathCalls` refuses is out of a medium's reach.
///
/// Owns its descriptor. One thread at a time.
final class InputContext {
  let pointer: UnsafeMutablePointer<AVIOContext>

  private let descriptor: Int32
  private var position: Int64 = 0

  /// Bytes that libavformat asks for at once, as it does of its own files.
  private static let bufferSize = 1 << 15

  private init(_ pointer: UnsafeMutablePointer<AVIOContext>, _ descriptor: Int32) {
    self.pointer = pointer
    self.descriptor = descriptor
    // Unretained: the context dies with this object and calls nothing by itself.
    pointer.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    av_freep(&pointer.pointee.buffer)
    var pointer: UnsafeMutablePointer<AVIOContext>? = self.pointer
    avio_context_free(&pointer)
    close(descriptor)
  }

  /// - Throws: The system's error where the file cannot be opened.
  static func open(_ path: FilePath) throws(LibAVError) -> InputContext {
    let descriptor = PathCalls.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw LibAVError(code: avjob_averror(errno), operation: "open")
    }
    do throws(LibAVError) {
      return InputContext(try makeContext(), descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func makeContext() throws(LibAVError) -> UnsafeMutablePointer<AVIOContext> {
    let buffer = try checkAllocated(av_malloc(bufferSize), "av_malloc")
    guard
      let pointer = avio_alloc_context(
        buffer.assumingMemoryBound(to: UInt8.self), Int32(bufferSize), 0, nil, readPacket, nil,
        seekTo)
    else {
      av_free(buffer)
      throw LibAVError(code: avjob_averror(ENOMEM), operation: "avio_alloc_context")
    }
    return pointer
  }

  fileprivate func read(into bytes: UnsafeMutableRawBufferPointer) -> Int32 {
    while true {
      let count = pread(descriptor, bytes.baseAddress, bytes.count, off_t(position))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return avjob_averror(errno) }
      position += Int64(count)
      return count == 0 ? avjob_averror_eof() : Int32(count)
    }
  }

  func seek(to offset: Int64, whence: Int32) -> Int64 {
    switch whence {
    case AVSEEK_SIZE:
      var facts = stat()
      guard fstat(descriptor, &facts) == 0 else { return Int64(avjob_averror(errno)) }
      return Int64(facts.st_size)
    case SEEK_SET where offset >= 0: position = offset
    default: return Int64(avjob_averror(EINVAL))
    }
    return position
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
