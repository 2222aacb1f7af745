internal import CFFmpeg

/// MurmurHash3's lower 64 bits (libavutil's `av_murmur3`): tells damaged blocks from whole ones, at
/// some GB a second, and keeps out nobody.
package enum BlockDigest {
  /// The digest of some bytes.
  ///
  /// - Throws: `LibAVError` where there is no memory.
  /// - Complexity: O(n)
  package static func digest(_ bytes: UnsafeRawBufferPointer) throws(LibAVError) -> UInt64 {
    let context = try checkAllocated(av_murmur3_alloc(), "av_murmur3_alloc")
    defer { av_free(UnsafeMutableRawPointer(context)) }
    av_murmur3_init(context)
    av_murmur3_update(
      context, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { digest in
      av_murmur3_final(context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self))
      return digest.loadUnaligned(as: UInt64.self).littleEndian
    }
  }
}
