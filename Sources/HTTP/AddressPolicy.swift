import Diagnosis

/// The servers that may be asked: by the names of hosts, and by the addresses that are connected
/// to.
///
/// DNS tells where a name leads, and its owner can change that at any time. So a name that is
/// allowed does not make all addresses allowed.
package struct AddressPolicy: Sendable, Hashable {
  /// The hosts that may be asked. If the list is empty, all hosts with public addresses may be
  /// asked. Only a host that a pattern names exactly may have an address that is not public.
  package var allowedHosts: [HostPattern]

  /// Whether a name that a pattern names exactly may lead to this machine or to a private network.
  /// If false, as for jobs of strangers, only an address as host, and `localhost`, may do so.
  ///
  /// A name never leads to a link-local address, since metadata services of clouds have such ones.
  package var trustsNames: Bool

  /// A policy; by default, all hosts with public addresses may be asked.
  package init(allowedHosts: [HostPattern] = [], trustsNames: Bool = true) {
    (self.allowedHosts, self.trustsNames) = (allowedHosts, trustsNames)
  }

  /// Checks the host of a URL against the list.
  ///
  /// - Throws: `HTTPError.forbiddenHost`
  package func check(_ url: MediaURL) throws(HTTPError) {
    guard allowedHosts.isEmpty || allowedHosts.contains(where: { $0.matches(url) }) else {
      throw .forbiddenHost(url.authority)
    }
  }

  /// Checks an address that is about to be connected to for the host of a URL.
  ///
  /// - Throws: `HTTPError.forbiddenAddress`, `HTTPError.forbiddenAddressOfName`
  func check(_ address: NetworkAddress, of url: MediaURL) throws(HTTPError) {
    let scope = address.scope
    if scope == .global { return }
    guard allowedHosts.contains(where: { $0.isExact && $0.matches(url) }) else {
      throw .forbiddenAddress(url.authority, scope)
    }
    if NetworkAddress(host: url.host) == address { return }
    let isAllowed =
      Self.isLocalName(url.host) ? scope == .loopback : trustsNames && scope != .linkLocal
    guard isAllowed else { throw .forbiddenAddressOfName(url.authority, scope) }
  }

  /// Checks the host of a URL by its text alone, where a proxy connects to it: addresses in any
  /// form, and the names of this machine.
  ///
  /// - Throws: `HTTPError.forbiddenAddress`
  func checkByName(_ url: MediaURL) throws(HTTPError) {
    if let address = NetworkAddress(host: url.host) ?? Self.loopback(named: url.host) {
      try check(address, of: url)
    }
  }

  private static func loopback(named host: String) -> NetworkAddress? {
    isLocalName(host) ? NetworkAddress(bytes: [127, 0, 0, 1]) : nil
  }

  /// Whether a name is one of this machine (RFC 6761, 6.3).
  private static func isLocalName(_ host: String) -> Bool {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return localNames.contains(name) || name.hasSuffix(".localhost")
  }

  /// The last three are those of hosts(5) on Debian and Red Hat.
  private static let localNames: Set = [
    "localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback",
  ]
}
