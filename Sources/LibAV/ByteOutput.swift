internal import CFFmpeg

/// Where a muxer's bytes go: a file, or a fake of one.
///
/// Called by the thread that uses the muxer, in no order of offsets: headers are written again at
/// the end. The bytes are lent for the call.
package protocol ByteOutput: AnyObject {
  /// Puts all of `bytes` at `offset` bytes from the output's start, over what is there; a gap
  /// reads as zeros.
  ///
  /// - Returns: 0, or the errno of what failed. After a failure it is not called again.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32
}

/// An `AVIOContext` over a `ByteOutput`: the only way in which a muxer reaches anything.
final class OutputContext {
  let pointer: UnsafeMutablePointer<AVIOContext>
  /// The errno that the output failed with, or 0: libavformat does not always hand it on.
  private(set) var failure: Int32 = 0
  /// The first bytes that were written, 64 at most.
  private(set) var head: [UInt8] = []

  private let output: any ByteOutput
  private var position: Int64 = 0
  private var size: Int64 = 0
  /// What was written from a place on since `hold`; nil: nothing is held back.
  private var held: (start: Int64, bytes: [UInt8])?

  /// Bytes that libavformat collects before it calls.
  private static let bufferSize = 1 << 16

  private init(_ pointer: UnsafeMutablePointer<AVIOContext>, _ output: any ByteOutput) {
    self.pointer = pointer
    self.output = output
    // Unretained: the context dies with this object and calls nothing by itself.
    pointer.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    av_freep(&pointer.pointee.buffer)
    var pointer: UnsafeMutablePointer<AVIOContext>? = self.pointer
    avio_context_free(&pointer)
  }

  static func open(_ output: any ByteOutput) throws(LibAVError) -> OutputContext {
    let buffer = try checkAllocated(av_malloc(bufferSize), "av_malloc")
    guard
      let pointer = avjob_alloc_output(
        buffer.assumingMemoryBound(to: UInt8.self), Int32(bufferSize), nil, writePacket, seekTo)
    else {
      av_free(buffer)
      throw LibAVError(code: avjob_averror(ENOMEM), operation: "avio_alloc_context")
    }
    return OutputContext(pointer, output)
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard failure == 0 else { return avjob_averror(failure) }
    if head.isEmpty, position == 0 { head = Array(bytes.prefix(64)) }
    if let start = held?.start, position >= start {
      hold(bytes, at: Int(position - start))
    } else {
      failure = output.write(bytes, at: position)
    }
    guard failure == 0 else { return avjob_averror(failure) }
    position += Int64(bytes.count)
    size = max(size, position)
    return Int32(bytes.count)
  }

  /// Keeps back what is written from the present end on, until `release`; before that, all that was
  /// written must have been flushed.
  func hold() { held = (size, []) }

  private func hold(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard var kept = held?.bytes else { return }
    // The only reference, so that nothing is copied.
    held?.bytes = []
    let end = offset + bytes.count
    if kept.count < end { kept += [UInt8](repeating: 0, count: end - kept.count) }
    kept.replaceSubrange(offset..<end, with: bytes)
    held?.bytes = kept
  }

  /// Writes what was kept back, as `change` makes it, and keeps nothing any more; nothing is written where
  /// `change` gives nil.
  ///
  /// - Returns: Whether it gave something.
  func release(_ change: ([UInt8]) -> [UInt8]?) -> Bool {
    guard let (start, bytes) = held, failure == 0 else { return failure != 0 }
    held = nil
    guard let changed = change(bytes) else { return false }
    failure = changed.withUnsafeBytes { output.write($0, at: start) }
    return true
  }

  fileprivate func seek(to offset: Int64, whence: Int32) -> Int64 {
    switch whence {
    case AVSEEK_SIZE: return size
    case SEEK_SET where offset >= 0: position = offset
    default: return Int64(avjob_averror(EINVAL))
    }
    return position
  }
}

// Formed at file scope: C calls them without Swift's isolation.

private func writePacket(
  _ opaque: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ count: Int32
) -> Int32 {
  guard let opaque, let bytes else { return avjob_averror(EINVAL) }
  return Unmanaged<OutputContext>.fromOpaque(opaque).takeUnretainedValue()
    .write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
}

private func seekTo(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
  guard let opaque else { return Int64(avjob_averror(EINVAL)) }
  return Unmanaged<OutputContext>.fromOpaque(opaque).takeUnretainedValue()
    .seek(to: offset, whence: whence)
}
