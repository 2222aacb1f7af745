extension JSONValue {
  /// Bytes as text, four characters for three of them (RFC 4648, §4).
  package static func base64(_ bytes: [UInt8]) -> JSONValue {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let some = bytes[start..<min(start + 3, bytes.count)]
      let word = some.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - some.count))
      for place in 0..<4 {
        text.append(
          place <= some.count ? digits[word >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return .text(String(decoding: text, as: UTF8.self))
  }

  /// The bytes of a text in Base64; nil for any other value. O(length).
  package var base64Bytes: [UInt8]? {
    guard let text else { return nil }
    var (bytes, word, bits) = ([UInt8](), UInt32(0), 0)
    for character in text.utf8 {
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): word = word << 6 | UInt32(character - 65)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): word = word << 6 | UInt32(character - 71)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): word = word << 6 | UInt32(character + 4)
      case UInt8(ascii: "+"): word = word << 6 | 62
      case UInt8(ascii: "/"): word = word << 6 | 63
      case UInt8(ascii: "="): continue
      default: return nil
      }
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
    }
    return bytes
  }
}
