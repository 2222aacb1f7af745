import Glibc

/// The forms that the host of a URL may have (RFC 3986, 3.2.2). Names are not percent-encoded: no
/// name in DNS has other bytes.
package enum HostSyntax {
  /// The host in small letters: a name, an IPv4 address, or an IPv6 address in brackets; nil for
  /// any other text.
  static func host(_ text: String) -> String? {
    guard text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") else {
      return name(text.utf8)
    }
    return ipv6(String(text.dropFirst().dropLast())) == nil ? nil : text.lowercased()
  }

  /// A name or an IPv4 address in small letters; nil for a text that is neither.
  ///
  /// A name has 1 to 253 letters of ASCII, digits, hyphens, underscores and dots. No dot stands
  /// first, or behind another one.
  package static func name(_ text: some Collection<UInt8>) -> String? {
    let dot = UInt8(ascii: ".")
    var last = dot
    for byte in text {
      guard byte.isLetter || byte.isDigit || "-._".utf8.contains(byte), byte != dot || last != dot
      else { return nil }
      last = byte
    }
    guard (1...253).contains(text.count) else { return nil }
    return String(decoding: text.map { $0.isLetter ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// The 16 bytes of an IPv6 address, which stands here without brackets (RFC 4291, 2.2); nil for
  /// any other text (inet_pton(3)).
  package static func ipv6(_ text: String) -> [UInt8]? {
    // The end of a text for the C library.
    guard !text.utf8.contains(0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
  }
}

extension UInt8 {
  /// Whether the byte is a digit of ASCII.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Whether the byte is a letter of ASCII.
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
