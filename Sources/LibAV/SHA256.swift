internal import CFFmpeg

/// A SHA-256 under way (FIPS 180-4; libavutil's `av_sha_init` with 256 bits).
///
/// The owner of an `AVSHA`: one thread at a time, which may be another one from call to call.
package struct SHA256: ~Copyable {
  private let context: OpaquePointer

  /// How many bytes a digest has.
  package static let byteCount = 32

  /// A digest of nothing yet.
  ///
  /// - Throws: `LibAVError` where there is no memory.
  package init() throws(LibAVError) {
    context = try checkAllocated(av_sha_alloc(), "av_sha_alloc")
    // 256 is a number of bits that FFmpeg has; any other would be refused here.
    av_sha_init(context, 256)
  }

  deinit { av_free(UnsafeMutableRawPointer(context)) }

  /// Takes in more bytes; cutting them differently makes no difference. O(n).
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    av_sha_update(context, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The digest of all that was taken in: 32 bytes.
  package consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
      guard let start = digest.baseAddress else { return }
      av_sha_final(context, start)
      count = Self.byteCount
    }
  }
}

extension SHA256 {
  /// The digest of all of `bytes`.
  ///
  /// - Throws: `LibAVError` where there is no memory.
  package static func digest(_ bytes: UnsafeRawBufferPointer) throws(LibAVError) -> [UInt8] {
    var hash = try SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// The digest of a source's content, read from its start in blocks of 256 KiB.
  ///
  /// - Parameters:
  ///   - source: The bytes.
  ///   - isCancelled: Polled before each block.
  /// - Returns: nil where `isCancelled`.
  /// - Throws: The source's error; `LibAVError` where there is no memory.
  /// - Complexity: O(n) in the source's size; some 0.3 s for 100 MB
  package static func digest(
    of source: any ByteSource, unless isCancelled: () -> Bool = { false }
  ) throws -> [UInt8]? {
    var hash = try SHA256()
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { block.deallocate() }
    var offset: Int64 = 0
    while true {
      if isCancelled() { return nil }
      let count = try source.read(at: offset, into: block)
      if count == 0 { return hash.finish() }
      hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
      offset += Int64(count)
    }
  }
}
