/// The address of a medium on a server: an `http` or `https` URL that RFC 3986 allows.
///
/// Credentials and query may be secrets, so "\(url)" leaves both out. The server is asked for
/// `absoluteText`, which no message may contain.
public struct MediaURL: Sendable, Hashable {
  /// The protocol of an address.
  package enum Scheme: String, Sendable, Hashable {
    /// HTTP over TCP, without encryption.
    case http
    /// HTTP over TLS.
    case https

    /// The port of an address that has none.
    package var port: Int { self == .http ? 80 : 443 }
  }

  /// The protocol.
  package let scheme: Scheme
  /// `user` or `user:password`, percent-encoded as written; nil if the address has neither.
  package let userinfo: String?
  /// The server's name in small letters, or its IPv4 address, or its IPv6 address in brackets.
  package let host: String
  /// The port; nil if it is the port of the scheme.
  package let port: Int?
  /// The path with its first `/`.
  package let path: String
  /// The text behind the `?`; nil if the address has no `?`.
  package let query: String?

  /// Parses an address.
  ///
  /// Letters beyond ASCII in path and query become percent-encoded UTF-8, as in browsers.
  ///
  /// - Throws: `MediaURLError`.
  /// - Complexity: O(n)
  package init(_ text: String) throws(MediaURLError) {
    guard text.utf8.count <= Self.greatestLength else { throw .tooLong }
    guard let scheme = Self.scheme(of: text) else { throw .noAddress }
    guard let known = Scheme(rawValue: scheme) else { throw .otherScheme(scheme) }
    // By scalars: an accent that follows a '?' makes one character with it.
    let rest = text.unicodeScalars.dropFirst(scheme.utf8.count + 3)
    let end = Self.authorityEnd(in: rest)
    if let at = Self.userEnd(in: rest, before: end), at >= end { throw .userinfo }
    if rest.contains("#") { throw .fragment }
    let authority = try Self.authority(rest[..<end])
    let question = rest[end...].firstIndex(of: "?") ?? rest.endIndex
    self.scheme = known
    (userinfo, host) = (authority.userinfo, authority.host)
    port = authority.port == known.port ? nil : authority.port
    path = end == question ? "/" : try Self.encoded(rest[end..<question], isQuery: false)
    query =
      question == rest.endIndex
      ? nil : try Self.encoded(rest[rest.index(after: question)...], isQuery: true)
    guard absoluteText.utf8.count <= Self.greatestLength else { throw .tooLong }
  }

  /// Servers refuse longer addresses (nginx: 8 KiB for the request line).
  private static let greatestLength = 8000

  /// The scheme of an address: the letters before `://`, in small letters; nil for any other text.
  /// A path that begins like an address has one slash too many.
  package static func scheme(of text: String) -> String? { scheme(of: text, before: "://") }

  /// The scheme of at most 32 letters before a separator (RFC 3986, 3.1); nil for any other text.
  package static func scheme(of text: String, before separator: String) -> String? {
    var name: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.first, byte != UInt8(ascii: ":") {
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      guard isLetter || !name.isEmpty && (byte.isDigit || "+-.".utf8.contains(byte)),
        name.count < 32
      else { return nil }
      name.append(isLetter ? byte | 0x20 : byte)
      rest.removeFirst()
    }
    guard !name.isEmpty, rest.starts(with: separator.utf8) else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// An address without its credentials, and with `…` for its query, though it may be malformed;
  /// any other text unchanged.
  package static func shown(_ text: String) -> String {
    guard let scheme = scheme(of: text) else { return text }
    let start = text.unicodeScalars.prefix(scheme.utf8.count + 3)
    let rest = text.unicodeScalars[start.endIndex...]
    let end = authorityEnd(in: rest)
    let at = userEnd(in: rest, before: end)
    let address = at.map { rest[rest.index(after: $0)...] } ?? rest
    if at == nil, let colon = rest[..<end].lastIndex(of: ":"), !isPort(rest[..<end], behind: colon)
    {
      // The start of a password, of which something has cut off the end.
      return String(start) + String(rest[...colon]) + "…"
    }
    let part = address.prefix { $0 != "?" }
    return String(start) + String(part) + (part.endIndex == address.endIndex ? "" : "?…")
  }

  private static func authority(
    _ text: Substring.UnicodeScalarView
  ) throws(MediaURLError) -> (userinfo: String?, host: String, port: Int?) {
    var rest = text
    var userinfo: String?
    if let at = text.lastIndex(of: "@") {
      let user = String(text[..<at])
      guard user.utf8.allSatisfy(\.isUserinfo), hasWholeEscapes(user) else { throw .userinfo }
      userinfo = user
      rest = text[text.index(after: at)...]
    }
    var port: Int?
    if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
      let digits = String(rest[rest.index(after: colon)...])
      guard digits.utf8.count <= 5, digits.utf8.allSatisfy(\.isDigit), let number = Int(digits),
        (1...65535).contains(number)
      else { throw .port }
      port = number
      rest = rest[..<colon]
    }
    if rest.isEmpty { throw .noHost }
    guard let host = HostSyntax.host(String(rest)) else { throw .host }
    return (userinfo, host, port)
  }

  private static func encoded(
    _ part: Substring.UnicodeScalarView, isQuery: Bool
  ) throws(MediaURLError) -> String {
    let text = String(part)
    guard hasWholeEscapes(text) else { throw .escape }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte >= 0x80 {
        bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      } else if byte.isPath || isQuery && byte == UInt8(ascii: "?") {
        bytes.append(byte)
      } else {
        throw .byte(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let hexadecimal = Array("0123456789ABCDEF".utf8)

  private static func hasWholeEscapes(_ text: String) -> Bool {
    var bytes = text.utf8[...]
    while let percent = bytes.firstIndex(of: UInt8(ascii: "%")) {
      bytes = bytes[bytes.index(after: percent)...]
      let digits = bytes.prefix(2)
      // %00 would end the text in C libraries.
      guard digits.count == 2, digits.allSatisfy(\.isHex), !digits.elementsEqual("00".utf8) else {
        return false
      }
    }
    return true
  }

  private init(_ other: MediaURL, userinfo: String?, query: String?) {
    (scheme, host, port, path) = (other.scheme, other.host, other.port, other.path)
    (self.userinfo, self.query) = (userinfo, query)
  }

  /// The address without credentials, and with an empty query if it has one.
  var redacted: MediaURL { MediaURL(self, userinfo: nil, query: query.map { _ in "" }) }

  /// The address without `userinfo`.
  package var withoutCredentials: MediaURL { MediaURL(self, userinfo: nil, query: query) }

  /// The address that the server is asked for. It may contain secrets: messages, reports and
  /// records must not contain it.
  public var absoluteText: String {
    scheme.rawValue + "://" + (userinfo.map { $0 + "@" } ?? "") + authority + path
      + (query.map { "?" + $0 } ?? "")
  }

  /// The host, and the port if it is not the port of the scheme.
  package var authority: String { host + (port.map { ":\($0)" } ?? "") }

  /// The last part of the path, decoded, with `_` for slashes: a file name to print, and to guess a
  /// format from. Empty if the path ends in a slash.
  package var lastComponent: String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = String(decoding: Self.decoded(path[start...].utf8), as: UTF8.self)
    return name.replacingScalars("/", with: "_")
  }

  /// User and password, decoded; nil if the address has neither.
  package var credentials: (user: String, password: String)? {
    guard let userinfo else { return nil }
    let parts = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return (
      String(decoding: Self.decoded(parts[0].utf8), as: UTF8.self),
      parts.count == 1 ? "" : String(decoding: Self.decoded(parts[1].utf8), as: UTF8.self)
    )
  }

  private static func decoded(_ text: Substring.UTF8View) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}

extension MediaURL: CustomStringConvertible {
  /// The address for messages: without credentials, and with `…` for the query, which may contain a
  /// signature.
  public var description: String {
    scheme.rawValue + "://" + authority + path + (query == nil ? "" : "?…")
  }
}

extension MediaURL: Comparable {
  /// Orders addresses by `absoluteText`.
  public static func < (left: MediaURL, right: MediaURL) -> Bool {
    left.absoluteText < right.absoluteText
  }
}

/// Why a text is not the address of a medium.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
package enum MediaURLError: Error, Sendable, Hashable {
  /// The text does not begin with a scheme and `://`.
  case noAddress
  /// The scheme is neither `http` nor `https`.
  case otherScheme(String)
  /// The authority has no host.
  case noHost
  /// The host is neither a name nor an address.
  case host
  /// The text behind the host's colon is not a port. It may be the start of a password.
  case port
  /// User or password contain characters that must be percent-encoded.
  case userinfo
  /// A `%` precedes something else than two hexadecimal digits, or the escape is `%00`.
  case escape
  /// A byte must be percent-encoded.
  case byte(UInt8)
  /// The address has a fragment, behind a `#`.
  case fragment
  /// The address has more than 8,000 bytes, percent-encoded.
  case tooLong

  /// The fault, without the address.
  package var fault: String {
    switch self {
    case .noAddress: "this is not an address"
    case .otherScheme(let scheme): "'\(scheme)://' is not supported"
    case .noHost: "the address has no host"
    case .host: "the host name is not valid"
    case .port: "the text behind ':' is no port"
    case .userinfo: "user and password contain characters that must be percent-encoded"
    case .escape: "a '%' must be followed by two hexadecimal digits"
    case .byte(let byte): "an address cannot contain \(Self.name(of: byte))"
    case .fragment: "what follows '#' is never sent to a server"
    case .tooLong: "an address has at most 8,000 bytes"
    }
  }

  /// The remedy.
  package var remedy: String {
    switch self {
    case .noAddress, .otherScheme: "write an address that begins with https:// or http://"
    case .noHost: "write https://SERVER/PATH"
    case .host:
      "write ASCII letters, digits, '-', '.' and '_', and any others in Punycode, as xn--…"
    case .port: "write a number from 1 to 65535, or leave it out with its colon"
    case .userinfo: "write '@' as %40, '/' as %2F, ':' in a name as %3A"
    case .escape: "write '%' itself as %25"
    case .byte(let byte): "write it as %\(byte.digits(2, radix: 16))"
    case .fragment: "leave it out, or write '#' in a name as %23"
    case .tooLong: "shorten it"
    }
  }

  private static func name(of byte: UInt8) -> String {
    switch byte {
    case 0x20: "a space"
    case 0x21...0x7E: "'\(UnicodeScalar(byte))'"
    default: "U+00\(byte.digits(2, radix: 16))"
    }
  }
}

// RFC 3986, section 2 and appendix A.
extension UInt8 {
  fileprivate var isHex: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }

  fileprivate var isUserinfo: Bool {
    isUnreserved || "!$&'()*+,;=:%".utf8.contains(self)
  }

  /// Stores also use brackets and bars, which the RFC does not allow.
  fileprivate var isPath: Bool { isUserinfo || "/@[]|".utf8.contains(self) }
}
