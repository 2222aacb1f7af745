internal import CFFmpeg

extension Picture {
  /// The damage of the picture's file, to stand after "the cover"; nil where it is whole.
  ///
  /// Segments and chunks are walked, checksums computed, and nothing is decoded. Decoders show half
  /// of a picture that is cut off, and some refuse it.
  ///
  /// - Complexity: O(n) in its bytes
  package var damage: String? {
    bytes.withUnsafeBufferPointer { bytes in
      switch format {
      case .jpeg: Self.jpegDamage(bytes)
      case .png: pngDamage(bytes)
      }
    }
  }

  private static let isCutOff = "is cut off: its file ends before the picture does"

  /// Markers and what follows them (ITU-T T.81, section B.1.1), up to EOI; what cameras put behind
  /// that is theirs.
  private static func jpegDamage(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    var at = 2
    var hasScan = false
    while true {
      // What stands between segments and is none is skipped, as decoders do; in a scan that is all of
      // the picture, where a zero behind 0xFF makes it data.
      while at < bytes.count, bytes[at] != 0xFF { at += 1 }
      while at < bytes.count, bytes[at] == 0xFF { at += 1 }
      guard at < bytes.count else { return isCutOff }
      let marker = bytes[at]
      at += 1
      switch marker {
      // Data, TEM, RST0 … RST7, and SOI of a picture in the picture.
      case 0x00, 0x01, 0xD0...0xD8: continue
      case 0xD9: return hasScan ? nil : "is damaged: it has a frame and no picture in it"
      default:
        guard at + 2 <= bytes.count else { return isCutOff }
        hasScan = hasScan || marker == 0xDA
        at += max(2, Int(bytes[at]) << 8 | Int(bytes[at + 1]))
      }
    }
  }

  /// Chunks (PNG, section 5.3), from IHDR to IEND; checksums of those that a picture needs.
  private func pngDamage(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    func word(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    var at = 8
    var dataCount = 0
    while true {
      guard at + 12 <= bytes.count, word(at) <= bytes.count - at - 12 else { return Self.isCutOff }
      let end = at + 8 + word(at)
      let name = String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
      if at == 8, end - at != 8 + 13 { return "is damaged: its header has a wrong length" }
      // A capital letter: no decoder can do without it (section 5.4).
      if bytes[at + 4] & 0x20 == 0, Self.checksum(bytes[at + 4..<end]) != word(end) {
        return "is damaged: its chunk '\(name)' has a wrong checksum"
      }
      if name == "IDAT" { dataCount += word(at) }
      at = end + 4
      guard name != "IEND" else { break }
    }
    if dataCount == 0 { return "is damaged: it has a header and no picture in it" }
    return isTooSmall(bitDepth: Int(bytes[24]), colorType: bytes[25], dataCount)
      ? "says that it has \(width) × \(height) pixels, and holds fewer" : nil
  }

  /// Whether so many bytes cannot hold the picture: deflate makes at most 258 bytes of two bits
  /// (RFC 1951, section 3.2.5), and a line has a byte more than its pixels (PNG, section 7.2).
  private func isTooSmall(bitDepth: Int, colorType: UInt8, _ dataCount: Int) -> Bool {
    let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(colorType)] ?? 1
    let line = 1 + (Int128(width) * Int128(samples * bitDepth) + 7) / 8
    return line * Int128(height) > Int128(dataCount) * 1032
  }

  /// CRC-32 as PNG has it (section 5.5; `av_crc`).
  private static func checksum(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let part = UnsafeBufferPointer(rebasing: bytes)
    let table = av_crc_get_table(AV_CRC_32_IEEE_LE)
    return Int(av_crc(table, .max, part.baseAddress, part.count) ^ .max)
  }
}
