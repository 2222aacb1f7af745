import Diagnosis

/// Hosts that may be asked, as `--allow-host` names them.
package struct HostPattern: Sendable, Hashable {
  /// The hosts.
  package enum Hosts: Sendable, Hashable {
    /// `*`
    case any
    /// `*.example.com`: the hosts below this domain, and not the domain itself.
    case below(String)
    /// A name or an IPv4 address, in small letters, without a dot at its end.
    case name(String)
    /// An IPv6 address.
    case address(NetworkAddress)
  }

  /// The hosts.
  package let hosts: Hosts
  /// The port; nil for all.
  package let port: Int?

  /// Parses a pattern: `HOST`, `*.DOMAIN` or `*`, and perhaps a colon and a port. Capital letters
  /// count as small ones.
  ///
  /// - Throws: `HostPatternError`
  package init(_ text: String) throws(HostPatternError) {
    if text.isEmpty { throw .empty }
    if text.containsScalars("/") { throw .address }
    if text.containsScalars("@") { throw .credentials }
    let (host, port) = try Self.parts(text)
    self.port = port
    if host == "*" {
      hosts = .any
    } else if host.hasPrefix("*.") {
      let domain = try Self.name(String(host.dropFirst(2)))
      // Addresses end in a number; names do not (RFC 3696, 2).
      guard domain.split(separator: ".").last?.contains(where: \.isLetter) == true else {
        throw .wildcard
      }
      hosts = .below(domain)
    } else if host.contains("*") {
      throw .wildcard
    } else if host.hasPrefix("[") {
      guard let address = NetworkAddress(host: host) else { throw .host }
      hosts = .address(address)
    } else {
      hosts = .name(try Self.name(host))
    }
  }

  private static func parts(
    _ text: String
  ) throws(HostPatternError) -> (host: String, port: Int?) {
    let bracket = text.lastIndex(of: "]") ?? text.startIndex
    guard let colon = text[bracket...].firstIndex(of: ":") else { return (text, nil) }
    let digits = text[text.index(after: colon)...]
    if digits.contains(":") { throw .brackets }
    guard (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
      (1...65535).contains(port)
    else { throw .port(HTTPText.printable(digits.utf8)) }
    return (String(text[..<colon]), port)
  }

  private static func name(_ text: String) throws(HostPatternError) -> String {
    guard let name = HostSyntax.name(text.utf8) else { throw .host }
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }

  /// Whether the pattern matches a URL.
  package func matches(_ url: MediaURL) -> Bool {
    if let port, port != url.port ?? url.scheme.port { return false }
    let host = url.host.hasSuffix(".") ? String(url.host.dropLast()) : url.host
    switch hosts {
    case .any: return true
    case .below(let domain): return host.hasSuffix("." + domain)
    case .name(let name): return host == name
    case .address(let address):
      return host.hasPrefix("[") && NetworkAddress(host: host) == address
    }
  }

  /// Whether the pattern names a single host.
  package var isExact: Bool {
    switch hosts {
    case .any, .below: false
    case .name, .address: true
    }
  }
}

/// Why a text is not a `HostPattern`.
package enum HostPatternError: Error, Sendable, Hashable {
  /// The text is empty.
  case empty
  /// The text is a URL, or has a path.
  case address
  /// The text has a user.
  case credentials
  /// The host is neither a name nor an address.
  case host
  /// The host is an IPv6 address without brackets.
  case brackets
  /// The text behind the colon is not a port.
  case port(String)
  /// A `*` stands neither alone nor in front of a domain.
  case wildcard

  /// The fault.
  package var fault: String {
    switch self {
    case .empty: "the host is empty"
    case .address: "this is a URL or a path, not a host"
    case .credentials: "a host has no user"
    case .host: "the host name is not valid"
    case .brackets: "the IPv6 address has no brackets"
    case .port(let text): "'\(text)' is no port"
    case .wildcard: "'*' is allowed only alone or as '*.DOMAIN'"
    }
  }

  /// The remedy.
  package var remedy: String {
    switch self {
    case .empty, .address, .credentials: "write HOST or HOST:PORT, such as media.example.com"
    case .host:
      "write ASCII letters, digits, '-', '.' and '_', and any others in Punycode, as xn--…"
    case .brackets: "write [ADDRESS] or [ADDRESS]:PORT, such as [::1]:8080"
    case .port: "write a number from 1 to 65535, or leave it out with its colon"
    case .wildcard: "write *.DOMAIN, such as *.example.com, or * for all public hosts"
    }
  }
}
