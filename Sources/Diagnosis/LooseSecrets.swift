/// Finds what looks like a secret in a text of which nothing else is known: a user, a query or a token
/// of an address whose form is broken, so that no parser takes it for one.
///
/// Each rule looks at a stretch between blanks and quotes once, so that all of them take O(n).
struct LooseSecrets {
  private let scalars: [Unicode.Scalar]
  /// Of addresses that were recognised, whose secrets are known; in order.
  private let known: [Range<Int>]
  /// In no order; they may overlap.
  private(set) var found: [Range<Int>] = []

  /// - Parameters:
  ///   - scalars: The text.
  ///   - known: What is an address of a right form in it, in order.
  ///   - isSource: Whether the text is a line of a job file: there, a secret goes on behind a blank
  ///     within it, and a key may name one.
  init(in scalars: [Unicode.Scalar], besides known: [Range<Int>], isSource: Bool) {
    self.scalars = scalars
    self.known = known
    var next = 0
    var index = 0
    while index < scalars.count {
      let address = next < known.count ? known[next] : nil
      if let address, index >= address.lowerBound {
        next += 1
        lookAtPath(of: address)
        lookAtValues(in: address)
        lookAtEncoded(in: address)
        index = max(index, address.upperBound)
        continue
      }
      let wordEnd = wordEnd(from: index)
      let end = min(address?.lowerBound ?? scalars.count, wordEnd)
      if end > index {
        let count = found.count
        look(at: index..<end)
        // What reaches an address that begins within the word goes on.
        for place in count..<found.count where found[place].upperBound == end {
          found[place] = found[place].lowerBound..<wordEnd
        }
      }
      index = max(end, index + 1)
    }
    lookAtHeaders()
    guard isSource else { return }
    lookAtKeys()
    lookBeyondBlanks()
  }

  private func wordEnd(from start: Int) -> Int {
    scalars[start...].firstIndex { $0.endsWord } ?? scalars.count
  }

  /// A stretch without blanks and quotes.
  private mutating func look(at word: Range<Int>) {
    if let user = user(in: word) { found.append(user) }
    let question = scalars[word].firstIndex(of: "?")
    if let question, isQuery(scalars[(question + 1)..<word.upperBound]) {
      found.append((question + 1)..<word.upperBound)
    }
    lookAtValues(in: word)
    lookAtEncoded(in: word)
  }

  // MARK: Users

  /// A user whose address has lost its form, and is the path of another: `https://a://ann:secret@h`.
  private mutating func lookAtPath(of address: Range<Int>) {
    let path = scalars[MediaURL.authorityEnd(in: scalars[address])..<address.upperBound]
    let end = path.firstIndex(of: "?") ?? path.endIndex
    if let user = user(in: path.startIndex..<end) { found.append(user) }
  }

  /// `ann:secret` before the last `@` of a word, whatever stands before it, and all between `//` and
  /// the `@` where a `:` is missing.
  private func user(in word: Range<Int>) -> Range<Int>? {
    guard let at = scalars[word].lastIndex(of: "@") else { return nil }
    var start = word.lowerBound
    var index = word.lowerBound
    while index < at {
      let scalar = scalars[index]
      if "/{[(,=".unicodeScalars.contains(scalar) { start = index + 1 }
      index += 1
      guard scalar == ":", index < at, scalars[index] != "/", !isPort(from: index, to: at) else {
        continue
      }
      // The rest of an IPv6 address is no password, nor is one of the ends of a range of times.
      guard !scalars[index..<at].contains("]"), !isTime(start..<at) else { return nil }
      return start..<at
    }
    let isBehindSlashes = scalars[word.lowerBound..<start].suffix(2).elementsEqual(["/", "/"])
    return isBehindSlashes && start < at ? start..<at : nil
  }

  /// Whether digits and a slash follow.
  private func isPort(from start: Int, to end: Int) -> Bool {
    let digits = scalars[start..<end].prefix { ("0"..."9").contains($0) }
    return !digits.isEmpty && digits.endIndex < end && scalars[digits.endIndex] == "/"
  }

  private func isTime(_ stretch: Range<Int>) -> Bool {
    scalars[stretch].allSatisfy { ("0"..."9").contains($0) || $0 == ":" || $0 == "." }
  }

  // MARK: Queries and tokens

  /// Whether what follows a `?` is a query, and no pattern of names (`take?.wav`).
  private func isQuery(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
    if let equals = rest.firstIndex(of: "="), equals > rest.startIndex,
      equals + 1 < rest.endIndex
    {
      return true
    }
    return rest.count >= 8 && !rest.contains { ".*?/[]{}…".unicodeScalars.contains($0) }
  }

  /// Names, in small letters, whose values are secrets wherever they stand.
  private static let names = [
    "sig", "signature", "token", "secret", "password", "passwd", "pwd", "credential", "credentials",
    "apikey", "api_key", "api-key", "accesskey", "access_key", "auth", "authorization", "hmac",
  ]

  /// `name=value` in a word: of a name that says so, behind `&`, and at the end of a path, where a
  /// query has lost its `?`.
  private mutating func lookAtValues(in word: Range<Int>) {
    var nameStart = word.lowerBound
    var isPath = false
    var isBehindAmpersand = false
    var index = word.lowerBound
    while index < word.upperBound {
      let scalar = scalars[index]
      index += 1
      switch scalar {
      case "/": (isPath, isBehindAmpersand, nameStart) = (true, false, index)
      case "&", ";": (isBehindAmpersand, nameStart) = (true, index)
      case "=":
        let end = scalars[index..<word.upperBound].firstIndex(of: "&") ?? word.upperBound
        let isSecret =
          isBehindAmpersand || Self.isSecret(scalars[nameStart..<(index - 1)])
          || isPath && isToken(index..<end)
        if isSecret {
          // And all that follows it in the word.
          if index < word.upperBound { found.append(index..<word.upperBound) }
          return
        }
        index = end
      default: break
      }
    }
  }

  /// A query whose `?` is percent-encoded, once or more often, and a secret behind such a `=`.
  private mutating func lookAtEncoded(in word: Range<Int>) {
    var query: Int?
    var index = word.lowerBound
    while index < word.upperBound {
      let encoded = encoded(at: index, before: word.upperBound)
      let (scalar, end) = encoded ?? (scalars[index], index + 1)
      if scalar == "?", encoded != nil { query = query ?? end }
      if scalar == "=" {
        let isNamed = encoded != nil && Self.isSecret(scalars[word.lowerBound..<index])
        if let start = query ?? (isNamed ? end : nil), start < word.upperBound {
          found.append(start..<word.upperBound)
          return
        }
      }
      index = end
    }
  }

  /// The `?` or `=` that `%3F` or `%253D` at a place stands for, and where that ends.
  private func encoded(at place: Int, before end: Int) -> (Unicode.Scalar, Int)? {
    guard scalars[place] == "%" else { return nil }
    var index = place + 1
    while index + 1 < end, scalars[index] == "2", scalars[index + 1] == "5" { index += 2 }
    guard index + 1 < end, scalars[index] == "3" else { return nil }
    return switch scalars[index + 1] {
    case "F", "f": ("?", index + 2)
    case "D", "d": ("=", index + 2)
    default: nil
    }
  }

  // MARK: Headers

  /// The word behind `Bearer`, and behind `Authorization:` with or without the name of a scheme.
  private mutating func lookAtHeaders() {
    var isBehindName = false
    var isBehindScheme = false
    var isBareScheme = false
    var index = scalars.startIndex
    while let start = scalars[index...].firstIndex(where: { !$0.endsWord }) {
      index = wordEnd(from: start)
      let text = String(String.UnicodeScalarView(scalars[start..<index].suffix(24))).lowercased()
      let scheme = text.split(separator: ":").last ?? ""
      let isHeader = text.hasSuffix("authorization:")
      let isScheme =
        scheme == "bearer"
        || ["basic", "digest", "token"].contains(scheme)
          && (isBehindName || text.hasPrefix("authorization:"))
      // Behind the word alone, which stands in names of files too, a short one is none, nor a name.
      let suffix = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last
      let isSecret = !isBareScheme || index - start >= 16 && (suffix?.count ?? 5) > 4
      if isBehindScheme && isSecret || isBehindName && !isScheme { found.append(start..<index) }
      isBareScheme = isScheme && !isBehindName && !text.hasPrefix("authorization:")
      (isBehindName, isBehindScheme) = (isHeader, isScheme && !isBehindScheme)
    }
  }

  /// Whether a name ends in one of a secret, as `X-Amz-Signature` does, and `x.wavsig`.
  private static func isSecret(_ name: ArraySlice<Unicode.Scalar>) -> Bool {
    let text = String(String.UnicodeScalarView(name.suffix(20))).lowercased()
    return names.contains(where: text.hasSuffix)
  }

  private func isToken(_ value: Range<Int>) -> Bool {
    value.count >= 6
      && scalars[value].allSatisfy { scalar in
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
          || "%+_~-".unicodeScalars.contains(scalar)
      }
  }

  // MARK: Lines of job files

  /// `password: value`, as a key of a job file or of variables.
  private mutating func lookAtKeys() {
    var index = scalars.startIndex
    while let colon = scalars[index...].firstIndex(of: ":") {
      index = colon + 1
      let name = scalars[..<colon].suffix(20)
      let start = name.lastIndex { $0.endsWord || "{,".unicodeScalars.contains($0) }
      let bounded = name[(start.map { $0 + 1 } ?? name.startIndex)...]
      guard !bounded.isEmpty, Self.isSecret(bounded) else { continue }
      let first = scalars[index...].firstIndex { !$0.properties.isWhitespace } ?? scalars.count
      guard first > index || first < scalars.count && !scalars[first].endsWord else { continue }
      var end = first
      if end < scalars.count, scalars[end].isQuote { end += 1 }
      end = scalars[end...].firstIndex { $0.endsWord || ",}".unicodeScalars.contains($0) } ?? end
      if end == first || end == first + 1 { end = scalars.count }
      if end > first { found.append(first..<end) }
      index = max(index, end)
    }
  }

  /// A secret in which a blank or a quote stands goes on to the last `@` of the line, or, in a query,
  /// over words that are nothing else.
  private mutating func lookBeyondBlanks() {
    if let slashes = firstSlashes(), let at = scalars.lastIndex(of: "@"), slashes < at {
      let stretch = scalars[slashes..<at]
      if stretch.contains(where: { $0.endsWord }) { found.append(slashes..<at) }
    }
    var index = 0
    let secrets = (found + known.compactMap(query)).sorted { $0.upperBound < $1.upperBound }
    for secret in secrets where secret.upperBound >= index {
      index = secret.upperBound
      while index < scalars.count, scalars[index].endsWord {
        let start = scalars[index...].firstIndex { !$0.endsWord } ?? scalars.count
        let end = wordEnd(from: start)
        guard start < end, !isSyntax(scalars[start..<end]) else { break }
        found.append(start..<end)
        index = end
      }
    }
  }

  /// Where what follows the first `//`, or `:/`, begins.
  private func firstSlashes() -> Int? {
    var last: Unicode.Scalar?
    for (index, scalar) in scalars.enumerated() {
      if scalar == "/", last == ":" || last == "/" {
        return scalars[index...].firstIndex { $0 != "/" }
      }
      last = scalar
    }
    return nil
  }

  private func query(of address: Range<Int>) -> Range<Int>? {
    scalars[address].firstIndex(of: "?").map { $0 + 1..<address.upperBound }
  }

  /// Whether a word is one of the language, and no rest of a secret: a key, a range, an option, a
  /// bracket, a comma, a comment.
  private func isSyntax(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = word.first, let last = word.last else { return true }
    if last == ":" || "-#{}[]*+|>".unicodeScalars.contains(first) { return true }
    if word.elementsEqual([","]) { return true }
    if word.contains("}") || word.contains("]") { return true }
    return zip(word, word.dropFirst()).contains { $0 == "." && $1 == "." }
  }
}

extension Unicode.Scalar {
  fileprivate var isQuote: Bool { self == "'" || self == "\"" }
  fileprivate var endsWord: Bool { isQuote || properties.isWhitespace }
}

extension MediaURL {
  /// A line of a job file, as a message quotes it: `masked`, and beyond that what looks like a secret
  /// where the form of an address, or of the file, is broken. Nothing else of it need be known.
  ///
  /// - Parameters:
  ///   - line: Without its end.
  ///   - previous: The line before it, in which a secret may have begun; empty without one.
  /// - Returns: As many scalars.
  /// - Complexity: O(n)
  package static func maskedLine(_ line: String, after previous: String = "") -> String {
    let masked = replacingSecrets(of: line, isSource: true, with: stars)
    guard isOpen(previous) else { return masked }
    var scalars = Array(masked.unicodeScalars)
    let start = scalars.firstIndex { !$0.properties.isWhitespace } ?? scalars.count
    let end = scalars[start...].firstIndex { $0.properties.isWhitespace } ?? scalars.count
    guard start < end, scalars[end - 1] != ":", scalars[start] != "-" else { return masked }
    for index in start..<end { scalars[index] = "*" }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Whether a secret begins in a line and may go on in the next one.
  private static func isOpen(_ line: String) -> Bool {
    guard line.containsScalars("/"), let last = line.unicodeScalars.last(where: { !$0.isBlank })
    else {
      return false
    }
    let isCut = last != ":" || line.containsScalars("//")
    if isCut, "?&=:".unicodeScalars.contains(last) { return true }
    let masked = replacingSecrets(of: line, isSource: true, with: stars)
    return last != "*" && masked.unicodeScalars.last { !$0.isBlank } == "*"
  }
}

extension Diagnostic {
  /// This message without secrets, for a document.
  package var masked: Diagnostic {
    var copy = self
    copy.message = MediaURL.masked(message)
    copy.help = help.map(MediaURL.masked)
    copy.file = file.map(MediaURL.masked)
    copy.notes = notes.map { Note(MediaURL.masked($0.message), at: $0.origin) }
    return copy
  }
}

extension Unicode.Scalar {
  fileprivate var isBlank: Bool { properties.isWhitespace }
}
