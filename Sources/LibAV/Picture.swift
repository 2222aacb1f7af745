internal import CFFmpeg

/// A JPEG or PNG as it lies in its file, with the facts that containers need.
///
/// Only headers are read: nothing is decoded, whatever size a picture says it has.
package struct Picture: Sendable, Hashable {
  package enum Format: Sendable, Hashable {
    case jpeg, png
  }

  package let format: Format
  /// Pixels.
  package let width: Int
  package let height: Int
  package private(set) var bytes: [UInt8]

  /// nil where `bytes` are neither a JPEG nor a PNG with a size.
  package init?(_ bytes: [UInt8]) {
    let found: (Format, (Int, Int)?)
    if bytes.starts(with: Self.pngSignature) {
      found = (.png, Self.pngSize(bytes))
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      found = (.jpeg, Self.jpegSize(bytes))
    } else {
      return nil
    }
    guard case (let format, let (width, height)?) = found, width > 0, height > 0 else { return nil }
    self.format = format
    self.width = width
    self.height = height
    self.bytes = bytes
  }

  /// The same picture with headers only: for questions about a file that is not written yet.
  package var head: Picture {
    var head = self
    head.bytes = Array(bytes.prefix(Self.pngSignature.count))
    return head
  }

  /// PNG, section 5.2.
  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// IHDR is the first chunk: length, type, width, height (PNG, section 11.2.2).
  private static func pngSize(_ bytes: [UInt8]) -> (Int, Int)? {
    guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
    func word(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (width, height) = (word(16), word(20))
    return max(width, height) <= Int(Int32.max) ? (width, height) : nil
  }

  /// A frame header, SOF0 … SOF15 without DHT, JPG and DAC (ITU-T T.81, table B.1 and section B.2.2).
  private static func jpegSize(_ bytes: [UInt8]) -> (Int, Int)? {
    jpegSegment(in: bytes) { marker, content in
      guard 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker), content.count >= 5 else {
        return nil
      }
      let at = content.startIndex
      func half(_ at: Int) -> Int { Int(content[at]) << 8 | Int(content[at + 1]) }
      return (half(at + 3), half(at + 1))
    }
  }

  /// What `value` gives for the first segment of a JPEG for which it is not nil: of its marker, and of what
  /// stands behind its length (ITU-T T.81, section B.1.1.4). Segments end with the first scan.
  static func jpegSegment<Value>(
    in bytes: [UInt8], _ value: (UInt8, ArraySlice<UInt8>) -> Value?
  ) -> Value? {
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xFF {
      let marker = bytes[at + 1]
      if marker == 0xFF {
        at += 1
        continue
      }
      let end = at + 2 + max(2, Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
      if let found = value(marker, bytes[at + 4..<max(at + 4, min(end, bytes.count))]) {
        return found
      }
      guard marker != 0xDA else { return nil }
      at = end
    }
    return nil
  }
}

extension Picture {
  /// The picture as FLAC has it, a front cover (RFC 9639 §8.8).
  var flacBlock: [UInt8] {
    func word(_ number: Int) -> [UInt8] {
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    let type = Array((format == .png ? "image/png" : "image/jpeg").utf8)
    // Type 3 is a front cover; no description; 24 bits a pixel; no palette.
    let head = word(3) + word(type.count) + type + word(0) + word(width) + word(height)
    return head + word(24) + word(0) + word(bytes.count) + bytes
  }

  var codec: AVCodecID { format == .png ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG }
}
