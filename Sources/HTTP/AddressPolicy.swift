import Diagnosis

/// Which servers may be asked.
package struct AddressPolicy: Sendable, Hashable {
  /// Empty: every host that has a public address. Else the hosts that match a pattern; an address
  /// that is not public is allowed to those alone that a pattern names exactly.
  package var allowedHosts: [HostPattern]

  /// A policy; by default, every host that has a public address is allowed.
  package init(allowedHosts: [HostPattern] = []) { self.allowedHosts = allowedHosts }

  /// Holds the host of a URL to the list.
  ///
  /// - Throws: `HTTPError.forbiddenHost`
  package func check(_ url: MediaURL) throws(HTTPError) {
    guard allowedHosts.isEmpty || allowedHosts.contains(where: { $0.matches(url) }) else {
      throw .forbiddenHost(url.authority)
    }
  }

  /// Whether the list names the host of a URL exactly, so that its address may be any.
  func allowsAnyAddress(of url: MediaURL) -> Bool {
    allowedHosts.contains { $0.isExact && $0.matches(url) }
  }

  /// Holds the address to which a URL's host leads, or is about to be connected to, to the policy.
  ///
  /// - Throws: `HTTPError.forbiddenAddress`
  func check(_ address: NetworkAddress, of url: MediaURL) throws(HTTPError) {
    guard address.scope == .global || allowsAnyAddress(of: url) else {
      throw .forbiddenAddress(url.authority, address.scope)
    }
  }

  /// Holds a URL to the policy by its text, where a proxy connects: an address in any form, and the
  /// names of the machine itself (RFC 6761, 6.3).
  ///
  /// - Throws: `HTTPError.forbiddenAddress`
  func checkByName(_ url: MediaURL) throws(HTTPError) {
    if let address = NetworkAddress(host: url.host) { return try check(address, of: url) }
    let host = url.host.hasSuffix(".") ? url.host.dropLast() : url.host[...]
    let isLocal = Self.localNames.contains(String(host)) || host.hasSuffix(".localhost")
    guard !isLocal || allowsAnyAddress(of: url) else {
      throw .forbiddenAddress(url.authority, .loopback)
    }
  }

  /// The last three as Debian's and Red Hat's hosts(5) have them.
  private static let localNames: Set = [
    "localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback",
  ]
}
