/// The address of a medium on a server: `http` or `https`, as RFC 3986 has it and no looser.
///
/// Its text may hold secrets, in the user's part and in the query, so "\(url)" leaves both out; what
/// is sent to the server is `absoluteText`, which stands in no message.
public struct MediaURL: Sendable, Hashable {
  /// How the server is talked to.
  public enum Scheme: String, Sendable, Hashable {
    /// TCP, for everyone on the way to read.
    case http
    /// TLS.
    case https

    /// The port where an address names none.
    public var port: Int { self == .http ? 80 : 443 }
  }

  /// How the server is talked to.
  public let scheme: Scheme
  /// `user` or `user:password`, as written, percent-encoded; nil where the address has none.
  public let userinfo: String?
  /// The server's name in small letters, or its IPv4 address, or its IPv6 address in brackets.
  public let host: String
  /// The port, where it is not the scheme's own.
  public let port: Int?
  /// From the first `/` on, at least that.
  public let path: String
  /// What stands behind the `?`; nil where the address has none.
  public let query: String?

  /// The address that `text` is.
  ///
  /// Letters beyond ASCII in path and query become percent-encoded UTF-8, as browsers do it.
  ///
  /// - Throws: `MediaURLError`.
  /// - Complexity: O(n)
  public init(_ text: String) throws(MediaURLError) {
    guard text.utf8.count <= Self.greatestLength else { throw .tooLong }
    guard let scheme = Self.scheme(of: text) else { throw .noAddress }
    guard let known = Scheme(rawValue: scheme) else { throw .otherScheme(scheme) }
    let rest = text.dropFirst(scheme.count + 3)
    if Self.authority(of: rest).count > rest.prefix(while: Self.isAuthority).count {
      throw .userinfo
    }
    if rest.contains("#") { throw .fragment }
    let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
    let authority = try Self.authority(rest[..<end])
    let question = rest[end...].firstIndex(of: "?") ?? rest.endIndex
    self.scheme = known
    (userinfo, host) = (authority.userinfo, authority.host)
    port = authority.port == known.port ? nil : authority.port
    path = try Self.encoded(end == question ? "/" : rest[end..<question])
    query = question == rest.endIndex ? nil : try Self.encoded(rest[rest.index(after: question)...])
  }

  /// Longer addresses servers refuse (nginx: 8 KiB for the whole line).
  private static let greatestLength = 8000

  /// The scheme of a text that reads as an address: letters before `://`; nil for any other text. A
  /// path that begins so would have two slashes for one.
  public static func scheme(of text: String) -> String? {
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
    guard !name.isEmpty, rest.starts(with: "://".utf8) else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// A text that may be no address, as far as it can be shown: without credentials, and without what
  /// stands behind a `?`.
  public static func shown(_ text: String) -> String {
    guard let scheme = scheme(of: text) else { return text }
    let rest = text.dropFirst(scheme.count + 3)
    let authority = authority(of: rest)
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
    let path = rest.dropFirst(authority.count)
    let part = path.prefix { $0 != "?" }
    return text.prefix(scheme.count + 3) + host + part + (part == path ? "" : "?…")
  }

  /// What stands before an address's path. A password may hold what must be encoded there, as
  /// `ann:se/cret@host`: no port has letters.
  private static func authority(of rest: Substring) -> Substring {
    let plain = rest.prefix(while: isAuthority)
    guard !plain.contains("@"), let colon = plain.lastIndex(of: ":"),
      !plain[colon...].dropFirst().utf8.allSatisfy(\.isDigit), !plain[colon...].contains("]"),
      let at = rest.lastIndex(of: "@")
    else { return plain }
    let host = rest[at...].dropFirst().prefix(while: isAuthority)
    return rest[..<host.endIndex]
  }

  private static func isAuthority(_ character: Character) -> Bool { !"/?#".contains(character) }

  private static func authority(
    _ text: Substring
  ) throws(MediaURLError) -> (userinfo: String?, host: String, port: Int?) {
    var rest = text
    var userinfo: String?
    if let at = text.lastIndex(of: "@") {
      guard text[..<at].utf8.allSatisfy({ $0.isUserinfo }), hasWholeEscapes(text[..<at]) else {
        throw .userinfo
      }
      userinfo = String(text[..<at])
      rest = text[text.index(after: at)...]
    }
    var port: Int?
    let colon = rest.lastIndex(of: ":")
    if let colon, !rest[colon...].contains("]") {
      let digits = rest[rest.index(after: colon)...]
      guard digits.utf8.count <= 5, digits.utf8.allSatisfy(\.isDigit), let number = Int(digits),
        (1...65535).contains(number)
      else { throw .port(String(digits)) }
      port = number
      rest = rest[..<colon]
    }
    let host = rest.lowercased()
    guard isHost(host) else { throw host.isEmpty ? .noHost : .host }
    return (userinfo, host, port)
  }

  /// RFC 3986, 3.2.2, without percent-encoding, which no name in DNS has.
  private static func isHost(_ text: String) -> Bool {
    if text.hasPrefix("[") {
      return text.hasSuffix("]") && text.utf8.count > 3
        && text.utf8.dropFirst().dropLast().allSatisfy { $0.isHex || ":.".utf8.contains($0) }
    }
    return !text.isEmpty && text.utf8.count <= 253
      && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
      && !text.hasPrefix(".") && !text.contains("..")
  }

  private static func encoded(_ text: Substring) throws(MediaURLError) -> String {
    guard hasWholeEscapes(text) else { throw .escape }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte >= 0x80 {
        bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      } else if byte.isPathOrQuery {
        bytes.append(byte)
      } else {
        throw .byte(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let hexadecimal = Array("0123456789ABCDEF".utf8)

  private static func hasWholeEscapes(_ text: Substring) -> Bool {
    var bytes = text.utf8[...]
    while let percent = bytes.firstIndex(of: UInt8(ascii: "%")) {
      bytes = bytes[bytes.index(after: percent)...]
      let digits = bytes.prefix(2)
      // %00 is the end of a text in the C libraries on the way.
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

  /// The same address without credentials, and with `…` for its query.
  var redacted: MediaURL {
    MediaURL(self, userinfo: nil, query: query == nil ? nil : "%E2%80%A6")
  }

  /// The same address without `userinfo`.
  public var withoutCredentials: MediaURL { MediaURL(self, userinfo: nil, query: query) }

  /// The address as the server is asked for it. May hold secrets: for no message, report or record.
  public var absoluteText: String {
    scheme.rawValue + "://" + (userinfo.map { $0 + "@" } ?? "") + authority + path
      + (query.map { "?" + $0 } ?? "")
  }

  /// The server's name, with its port where that is not the scheme's own.
  public var authority: String { host + (port.map { ":\($0)" } ?? "") }

  /// The last part of the path, decoded, without slashes: a file's name to show, and to know a format
  /// by. Empty where the path ends in a slash.
  public var lastComponent: String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = String(decoding: Self.decoded(path[start...].utf8), as: UTF8.self)
    return String(name.map { $0 == "/" ? "_" : $0 })
  }

  /// User and password, decoded; nil where the address has none.
  public var credentials: (user: String, password: String)? {
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
  /// The address to show: without credentials, and `…` for a query, in which stores sign requests.
  public var description: String {
    scheme.rawValue + "://" + authority + path + (query == nil ? "" : "?…")
  }
}

extension MediaURL: Comparable {
  /// By the text that the server sees.
  public static func < (left: MediaURL, right: MediaURL) -> Bool {
    left.absoluteText < right.absoluteText
  }
}

/// Why a text is no address of a medium.
public enum MediaURLError: Error, Sendable, Hashable {
  /// It does not begin with a scheme and `://`.
  case noAddress
  /// Neither `http` nor `https`.
  case otherScheme(String)
  /// Nothing stands between `://` and the path.
  case noHost
  /// The host's name has letters that no name has.
  case host
  /// What stands behind the host's colon.
  case port(String)
  /// User or password hold letters that must be percent-encoded.
  case userinfo
  /// A `%` without two hexadecimal digits, or `%00`.
  case escape
  /// A byte that must be percent-encoded.
  case byte(UInt8)
  /// A part behind `#`.
  case fragment
  /// More than 8,000 bytes.
  case tooLong

  /// What is wrong, without the address.
  public var fault: String {
    switch self {
    case .noAddress: "this is no address"
    case .otherScheme(let scheme): "what '\(scheme)://' leads to is not read"
    case .noHost: "the address names no server"
    case .host: "no server has such a name"
    case .port(let text): "'\(text)' is no port"
    case .userinfo: "user and password hold letters that must be percent-encoded"
    case .escape: "a '%' stands before something else than two hexadecimal digits"
    case .byte(let byte): "an address holds no \(Self.name(of: byte))"
    case .fragment: "what follows '#' is never sent to a server"
    case .tooLong: "an address has at most 8,000 bytes"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .noAddress, .otherScheme: "write an address that begins with https:// or http://"
    case .noHost: "write https://SERVER/PATH"
    case .host:
      "write ASCII letters, digits, '-', '.' and '_', and any others in Punycode, as xn--…"
    case .port: "write a number from 1 to 65535, or leave it out with its colon"
    case .userinfo: "write '@' as %40, '/' as %2F, ':' in a name as %3A"
    case .escape: "write '%' itself as %25"
    case .byte(let byte): "write it as %\(Self.digits(of: byte))"
    case .fragment: "leave it out, or write '#' in a name as %23"
    case .tooLong: "shorten it"
    }
  }

  private static func digits(of byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func name(of byte: UInt8) -> String {
    switch byte {
    case 0x20: "space"
    case 0x21...0x7E: "'\(UnicodeScalar(byte))'"
    default: "U+00\(digits(of: byte))"
    }
  }
}

// RFC 3986, section 2 and appendix A.
extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }

  fileprivate var isHex: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }

  fileprivate var isUserinfo: Bool {
    isLetter || isDigit || "-._~!$&'()*+,;=:%".utf8.contains(self)
  }

  /// Brackets and bars are beyond the RFC, and stores use them.
  fileprivate var isPathOrQuery: Bool { isUserinfo || "/@?[]|".utf8.contains(self) }
}
