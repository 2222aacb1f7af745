internal import CFFmpeg

/// An MD5 under way (RFC 1321; libavutil's `av_md5_init`), which a FLAC file has of its sound.
///
/// The owner of an `AVMD5`: one thread at a time, which may be another one from call to call.
package struct MD5: ~Copyable {
  private let context: OpaquePointer

  /// A digest of nothing yet.
  ///
  /// - Throws: `LibAVError` where there is no memory.
  package init() throws(LibAVError) {
    context = try checkAllocated(av_md5_alloc(), "av_md5_alloc")
    av_md5_init(context)
  }

  deinit { av_free(UnsafeMutableRawPointer(context)) }

  /// Takes in more bytes; cutting them differently makes no difference. O(n).
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    av_md5_update(context, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The digest of all that was taken in: 16 bytes.
  package consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { digest, count in
      guard let start = digest.baseAddress else { return }
      av_md5_final(context, start)
      count = 16
    }
  }
}
