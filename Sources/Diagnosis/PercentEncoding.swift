extension Sequence<UInt8> {
  /// These bytes as a part of an address: `%XX` for each but those that stay (RFC 3986, section 2.1).
  package func percentEncoded(unless stays: (UInt8) -> Bool = \.isUnreserved) -> String {
    reduce(into: "") { text, byte in
      if stays(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + byte.digits(2, radix: 16)
      }
    }
  }
}

extension UInt8 {
  /// Whether an address has it with no other meaning (RFC 3986, section 2.3).
  package var isUnreserved: Bool { isLetter || isDigit || "-._~".utf8.contains(self) }
}
