import Diagnosis

/// Which servers a job may ask, as `--allow-host` names them.
package struct HostPattern: Sendable, Hashable {
  /// The hosts.
  package enum Hosts: Sendable, Hashable {
    /// `*`
    case any
    /// `*.example.com`: the hosts below this domain, and not the domain itself.
    case below(String)
    /// A name, or an address of IPv4, without a dot at its end and in small letters.
    case name(String)
    /// An address of IPv6.
    case address(NetworkAddress)
  }

  /// The hosts.
  package let hosts: Hosts
  /// The port; nil for all.
  package let port: Int?

  /// The pattern that a text is: `HOST`, `*.DOMAIN` or `*`, and a port behind a colon. Capital
  /// letters are small ones.
  ///
  /// - Throws: `HostPatternError`
  package init(_ text: String) throws(HostPatternError) {
    if text.isEmpty { throw .empty }
    if text.contains("/") { throw .address }
    if text.contains("@") { throw .credentials }
    let (host, port) = try Self.parts(text)
    self.port = port
    if host == "*" {
      hosts = .any
    } else if host.hasPrefix("*.") {
      let domain = try Self.name(host.dropFirst(2))
      // No name ends in a number, but addresses do (RFC 3696, 2).
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
      hosts = .name(try Self.name(host[...]))
    }
  }

  private static func parts(
    _ text: String
  ) throws(HostPatternError) -> (host: String, port: Int?) {
    let host = text.lowercased()
    let bracket = host.lastIndex(of: "]") ?? host.startIndex
    guard let colon = host[bracket...].firstIndex(of: ":") else { return (host, nil) }
    let digits = host[host.index(after: colon)...]
    if digits.contains(":") { throw .brackets }
    guard (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
      (1...65535).contains(port)
    else { throw .port(HTTPText.printable(digits.utf8)) }
    return (String(host[..<colon]), port)
  }

  /// What `MediaURL` takes for a name.
  private static func name(_ text: Substring) throws(HostPatternError) -> String {
    let name = text.hasSuffix(".") ? text.dropLast() : text
    let allowed: (UInt8) -> Bool = {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || "-._".utf8.contains($0)
    }
    guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy(allowed),
      !name.hasPrefix("."), !name.hasSuffix("."), !name.contains("..")
    else { throw .host }
    return String(name)
  }

  /// Whether the pattern holds for a URL.
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

  /// Whether the pattern names one host, and no group of them.
  package var isExact: Bool {
    switch hosts {
    case .any, .below: false
    case .name, .address: true
    }
  }
}

/// Why a text is no `HostPattern`.
package enum HostPatternError: Error, Sendable, Hashable {
  /// The text is empty.
  case empty
  /// It is a URL, or has a path.
  case address
  /// It has a user.
  case credentials
  /// No host has such a name.
  case host
  /// An address of IPv6 without brackets.
  case brackets
  /// What stands behind the colon.
  case port(String)
  /// A `*` elsewhere than alone or in front of a domain.
  case wildcard

  /// What is wrong.
  package var fault: String {
    switch self {
    case .empty: "the host is empty"
    case .address: "this is a URL or a path, not a host"
    case .credentials: "a host has no user"
    case .host: "no host has such a name"
    case .brackets: "the IPv6 address has no brackets"
    case .port(let text): "'\(text)' is no port"
    case .wildcard: "'*' stands neither alone nor in front of a domain"
    }
  }

  /// What to do about it.
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
