extension MediaURL {
  /// A text with the secrets of all addresses in it replaced by `*`, one for each scalar, so that
  /// columns stay what they are: lines of job files and command lines are quoted in messages.
  ///
  /// An address begins with a scheme and `://`, and ends with a blank, a double quote, or the single
  /// quote that stands before it. Its user, its password and its query are secrets.
  ///
  /// - Complexity: O(n)
  package static func masked(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: ":")), text.contains("://") else { return text }
    var scalars = Array(text.unicodeScalars)
    var index = 0
    while let start = authority(in: scalars, from: index) {
      index = mask(&scalars, from: start)
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: scalars)
    return String(result)
  }

  /// Where the next authority begins: behind `://` with a letter or digit before it.
  private static func authority(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    var index = max(start, 1)
    while index + 2 < scalars.count {
      if scalars[index] == ":", scalars[index + 1] == "/", scalars[index + 2] == "/",
        scalars[index - 1].properties.isAlphabetic
          || scalars[index - 1].properties.numericType != nil
      {
        return index + 3
      }
      index += 1
    }
    return nil
  }

  /// Masks the address whose authority begins at `start`; gives its end.
  private static func mask(_ scalars: inout [Unicode.Scalar], from start: Int) -> Int {
    var first = start - 3
    while first > 0, !scalars[first - 1].isEnd, scalars[first - 1] != "'" { first -= 1 }
    let isQuoted = first > 0 && scalars[first - 1] == "'"
    let end =
      scalars[start...].firstIndex { $0.isEnd || isQuoted && $0 == "'" } ?? scalars.count
    let path = scalars[start..<end].firstIndex { "/?#".unicodeScalars.contains($0) } ?? end
    if let at = userEnd(in: scalars[start..<end], beforePath: path) {
      for index in start..<at { scalars[index] = "*" }
    }
    if let question = scalars[path..<end].firstIndex(of: "?") {
      // What a message has shortened itself holds no secret, whatever stop stands behind it.
      let query = scalars[question + 1..<end]
      let isShortened =
        query.first == "…" && query.dropFirst().allSatisfy { ":;,.)".unicodeScalars.contains($0) }
      for index in question + 1..<end where !isShortened { scalars[index] = "*" }
    }
    return end
  }
}

extension MediaURL {
  /// Where user and password of an address end; nil where it has none. As in `shown`, a password may
  /// hold what ends an authority.
  private static func userEnd(in address: ArraySlice<Unicode.Scalar>, beforePath path: Int) -> Int?
  {
    let plain = address[..<path]
    if let at = plain.lastIndex(of: "@") { return at }
    guard let colon = plain.lastIndex(of: ":"),
      !plain[(colon + 1)...].allSatisfy({ ("0"..."9").contains($0) }),
      !plain[colon...].contains("]")
    else { return nil }
    return address.lastIndex(of: "@")
  }
}

extension Unicode.Scalar {
  fileprivate var isEnd: Bool { self == "\"" || properties.isWhitespace }
}
