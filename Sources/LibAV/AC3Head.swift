internal import CFFmpeg

/// The head of a frame of AC-3 or E-AC-3 (ETSI TS 102 366, 4.3 and E.1.2).
package enum AC3Head {
  /// Bytes of the frame that some begin with (`av_ac3_parse_header`); nil where they begin with none.
  package static func frameSize(startOf bytes: UnsafeRawBufferPointer) -> Int? {
    var (version, size): (UInt8, UInt16) = (0, 0)
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard av_ac3_parse_header(start, bytes.count, &version, &size) >= 0, size > 0 else {
      return nil
    }
    return Int(size)
  }
}
