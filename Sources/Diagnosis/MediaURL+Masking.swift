extension MediaURL {
  /// Replaces the secrets of all addresses in a text by `*`, one for each scalar, so that columns
  /// stay the same: messages quote lines of job files and command lines.
  ///
  /// An address begins with a scheme and `://`. It ends at a blank, at a double quote, or, if a
  /// single quote precedes it, at the next one that YAML or a shell does not take for a part of the
  /// text (`''`, `'\''`). Its user, its password and its query are secrets. Where one of these ends
  /// it in its password, the secret reaches up to the line's last `@`. What looks like a user, a
  /// query or a token is one beyond addresses, too (`LooseSecrets`): their form may be broken.
  ///
  /// - Complexity: O(n log n)
  package static func masked(_ text: String) -> String {
    // Without what was masked, something else may look like a secret; hardly ever twice.
    var masked = text
    for _ in 0..<8 {
      let next = replacingSecrets(of: masked, with: stars)
      if next == masked { break }
      masked = next
    }
    return masked
  }

  static func stars(for secret: Secret) -> [Unicode.Scalar] {
    let stars = [Unicode.Scalar](repeating: "*", count: secret.range.count)
    return secret.isQuery ? stars : stars.dropLast() + ["@"]
  }

  /// A name without the secrets of all addresses in it, which are those of `masked`: without users,
  /// and with `…` for each query, as `shown` has it. Nothing of it depends on a secret.
  ///
  /// - Complexity: O(n)
  package static func named(_ text: String) -> String {
    replacingSecrets(of: shown(text)) { $0.isQuery ? ["…"] : [] }
  }

  /// A part of an address that is not shown.
  struct Secret {
    /// Its scalars: a query or the like, or user and password with the `@` behind them.
    var range: Range<Int>
    var isQuery: Bool
  }

  static func replacingSecrets(
    of text: String, isSource: Bool = false, with replacement: (Secret) -> [Unicode.Scalar]
  ) -> String {
    guard text.utf8.contains(where: { [0x25, 0x3A, 0x3D, 0x3F].contains($0) }) else {
      return text
    }
    let scalars = Array(text.unicodeScalars)
    let secrets = secrets(in: scalars, isSource: isSource)
    if secrets.isEmpty { return text }
    // Appending to a text takes its length each time.
    var result: [Unicode.Scalar] = []
    result.reserveCapacity(scalars.count)
    var start = 0
    for secret in secrets {
      result.append(contentsOf: scalars[start..<secret.range.lowerBound])
      result.append(contentsOf: replacement(secret))
      start = secret.range.upperBound
    }
    result.append(contentsOf: scalars[start...])
    return String(String.UnicodeScalarView(result))
  }

  /// The secrets of all addresses, and what else looks like one, in order; none overlap.
  private static func secrets(in scalars: [Unicode.Scalar], isSource: Bool) -> [Secret] {
    var secrets: [Secret] = []
    var addresses: [Range<Int>] = []
    var ends = UserEnds()
    var index = 0
    while let start = authority(in: scalars, from: index) {
      // An address without a host is none: `http:///ann:secret@host`.
      guard start < scalars.count, scalars[start] != "/" else {
        index = start
        continue
      }
      index = note(&secrets, of: scalars, from: start, &ends)
      addresses.append(start..<index)
    }
    let loose = LooseSecrets(in: scalars, besides: addresses, isSource: isSource).found
    guard !loose.isEmpty else { return secrets }
    let all = secrets + loose.map { Secret(range: $0, isQuery: true) }
    return all.sorted { $0.range.lowerBound < $1.range.lowerBound }.reduce(into: []) {
      merged, next in
      guard let last = merged.last, next.range.lowerBound < last.range.upperBound else {
        return merged.append(next)
      }
      guard next.range.upperBound > last.range.upperBound else { return }
      let whole = last.range.lowerBound..<next.range.upperBound
      merged[merged.count - 1] = Secret(range: whole, isQuery: next.isQuery)
    }
  }

  /// The start of the next authority: behind `://` and a scheme, of which the last scalar is looked
  /// at.
  private static func authority(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    var index = max(start, 1)
    while index + 2 < scalars.count {
      if scalars[index] == ":", scalars[index + 1] == "/", scalars[index + 2] == "/",
        scalars[index - 1].mayEndScheme
      {
        return index + 3
      }
      index += 1
    }
    return nil
  }

  /// Notes the secrets of the address whose authority begins at `start`; returns the end of the
  /// address.
  private static func note(
    _ secrets: inout [Secret], of scalars: [Unicode.Scalar], from start: Int, _ ends: inout UserEnds
  ) -> Int {
    var first = start - 3
    while first > 0, !scalars[first - 1].isEnd, scalars[first - 1] != "'" { first -= 1 }
    let isQuoted = first > 0 && scalars[first - 1] == "'"
    var end = end(of: scalars, from: start, isQuoted: isQuoted)
    var path = authorityEnd(in: scalars[start..<end])
    if let at = userEnd(in: scalars[start..<end], before: path)
      ?? ends.behind(end, authority: start..<path, in: scalars)
    {
      secrets.append(Secret(range: start..<at + 1, isQuery: false))
      end = Self.end(of: scalars, from: at, isQuoted: isQuoted)
      path = max(path, authorityEnd(in: scalars[at..<end]))
    } else if let colon = scalars[(scalars[start..<path].lastIndex(of: "]") ?? start)..<path]
      .firstIndex(of: ":"),
      !isPort(scalars[start..<max(colon, portEnd(scalars, path, end))], behind: colon),
      !["…", "$"].contains(scalars[colon + 1])
    {
      // The start of a password that has lost its '@'.
      secrets.append(Secret(range: colon + 1..<end, isQuery: true))
      return end
    }
    if let question = scalars[path..<end].firstIndex(of: "?") {
      // An ellipsis, which a message has put there itself, is no secret. Punctuation may follow it.
      let query = scalars[question + 1..<end]
      let isShortened =
        query.first == "…" && query.dropFirst().allSatisfy { ":;,.)'".unicodeScalars.contains($0) }
      if !isShortened { secrets.append(Secret(range: question + 1..<end, isQuery: true)) }
    }
    return end
  }

  /// The end of an authority without the punctuation of a message, if nothing else follows it.
  private static func portEnd(_ scalars: [Unicode.Scalar], _ path: Int, _ end: Int) -> Int {
    guard path == end else { return path }
    return scalars[..<path].lastIndex { !":;,.)".unicodeScalars.contains($0) }.map { $0 + 1 }
      ?? path
  }

  /// The end of an address that is quoted, or not, from a place within it.
  private static func end(
    of scalars: [Unicode.Scalar], from start: Int, isQuoted: Bool
  ) -> Int {
    var index = start
    while index < scalars.count, !scalars[index].isEnd {
      if isQuoted, scalars[index] == "'" {
        let rest = scalars[index...]
        guard let quote = [["'", "'"], ["'", "\\", "'", "'"]].first(where: rest.starts) else {
          break
        }
        index += quote.count
      } else {
        index += 1
      }
    }
    return index
  }
}

/// The last `@` of each line, which is looked for once: a line may have any number of addresses.
private struct UserEnds {
  private var line = 0..<0
  private var last: Int?

  /// The `@` behind a password that ends the address too early, as a blank in it does; nil where the
  /// authority has no password, or a path follows it.
  mutating func behind(
    _ end: Int, authority: Range<Int>, in scalars: [Unicode.Scalar]
  ) -> Int? {
    guard authority.upperBound == end, let colon = scalars[authority].lastIndex(of: ":"),
      !scalars[colon..<end].contains("]")
    else { return nil }
    if !line.contains(end) {
      line = end..<(scalars[end...].firstIndex { Character($0).isNewline } ?? scalars.count)
      last = scalars[line].lastIndex(of: "@")
    }
    return last.flatMap { $0 >= end ? $0 : nil }
  }
}

extension MediaURL {
  /// The end of the authority in an address without its scheme.
  static func authorityEnd<Scalars>(
    in address: Scalars
  ) -> Scalars.Index where Scalars: Collection<Unicode.Scalar> {
    address.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? address.endIndex
  }

  /// The `@` behind user and password in an address without its scheme; nil if it has neither.
  ///
  /// It may stand behind the end of the authority: a password that is not percent-encoded may
  /// contain the delimiters, as in `ann:se/cret@host`. No port has letters.
  static func userEnd<Scalars>(
    in address: Scalars, before end: Scalars.Index
  ) -> Scalars.Index? where Scalars: BidirectionalCollection<Unicode.Scalar> {
    let plain = address[..<end]
    if let at = plain.lastIndex(of: "@") { return at }
    guard let colon = plain.lastIndex(of: ":"), !isPort(plain, behind: colon) else { return nil }
    return address.lastIndex(of: "@")
  }

  /// Whether what stands behind a colon is a port, or the rest of an IPv6 address.
  static func isPort<Scalars>(
    _ authority: Scalars, behind colon: Scalars.Index
  ) -> Bool where Scalars: Collection<Unicode.Scalar> {
    let text = authority[colon...].dropFirst()
    return text.contains("]") || text.allSatisfy { ("0"..."9").contains($0) }
  }
}

extension Unicode.Scalar {
  fileprivate var isEnd: Bool { self == "\"" || properties.isWhitespace }

  fileprivate var mayEndScheme: Bool {
    properties.isAlphabetic || properties.numericType != nil || "+-.".unicodeScalars.contains(self)
  }
}
