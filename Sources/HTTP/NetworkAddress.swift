import Diagnosis
import Glibc

/// An IPv4 or IPv6 address, in network order.
package struct NetworkAddress: Sendable, Hashable {
  /// The 4 or 16 bytes.
  package let bytes: [UInt8]

  /// The address of 4 or 16 bytes; nil for another count.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// The use of an address.
  package enum Scope: String, Sendable, Hashable {
    /// Servers of the internet.
    case global
    /// This machine.
    case loopback
    /// The network that the machine is attached to, without routers. Metadata services of clouds
    /// have such addresses.
    case linkLocal = "link-local"
    /// Private networks.
    case `private`
    /// Networks of a provider, behind one address (RFC 6598).
    case shared
    /// `0.0.0.0` and `::`, "no address", which the system takes for this machine.
    case unspecified
    /// Groups of machines.
    case multicast
    /// Examples in documents.
    case documentation
    /// All others that are not public: for benchmarks, broadcast, tunnels, or the future.
    case reserved
  }

  /// The use of the address, by the registries of IANA for special-purpose addresses (RFC 6890). An
  /// IPv6 address that contains an IPv4 address has the use of that one.
  package var scope: Scope {
    bytes.count == 4 ? Self.scope(v4: bytes[...]) : Self.scope(v6: bytes)
  }

  private static func scope(v4 bytes: ArraySlice<UInt8>) -> Scope {
    let value = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return blocks.first { value >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }?.scope ?? .global
  }

  /// https://www.iana.org/assignments/iana-ipv4-special-registry
  private static let blocks: [(prefix: UInt32, bits: UInt32, scope: Scope)] = [
    (0x0000_0000, 8, .unspecified),  // 0.0.0.0/8, RFC 791
    (0x0A00_0000, 8, .private),  // 10.0.0.0/8, RFC 1918
    (0x6440_0000, 10, .shared),  // 100.64.0.0/10, RFC 6598
    (0x7F00_0000, 8, .loopback),  // 127.0.0.0/8, RFC 1122
    (0xA9FE_0000, 16, .linkLocal),  // 169.254.0.0/16, RFC 3927
    (0xAC10_0000, 12, .private),  // 172.16.0.0/12, RFC 1918
    (0xC000_0000, 24, .reserved),  // 192.0.0.0/24, RFC 6890
    (0xC000_0200, 24, .documentation),  // 192.0.2.0/24, RFC 5737
    (0xC058_6300, 24, .reserved),  // 192.88.99.0/24, RFC 7526
    (0xC0A8_0000, 16, .private),  // 192.168.0.0/16, RFC 1918
    (0xC612_0000, 15, .reserved),  // 198.18.0.0/15, RFC 2544
    (0xC633_6400, 24, .documentation),  // 198.51.100.0/24, RFC 5737
    (0xCB00_7100, 24, .documentation),  // 203.0.113.0/24, RFC 5737
    (0xE000_0000, 4, .multicast),  // 224.0.0.0/4, RFC 1112
    (0xF000_0000, 4, .reserved),  // 240.0.0.0/4, RFC 1112, with 255.255.255.255
  ]

  /// https://www.iana.org/assignments/iana-ipv6-special-registry
  private static func scope(v6 bytes: [UInt8]) -> Scope {
    func starts(_ prefix: UInt8...) -> Bool { bytes.starts(with: prefix) }
    if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] < 2 {
      return bytes[15] == 0 ? .unspecified : .loopback  // ::, ::1, RFC 4291
    }
    let zeros = bytes.prefix { $0 == 0 }.count
    let isMapped = zeros == 10 && bytes[10] == 0xFF && bytes[11] == 0xFF  // ::ffff:0:0/96, RFC 4291
    let isTranslated =  // ::ffff:0:0:0/96, RFC 2765
      zeros == 8 && bytes[8...11].elementsEqual([0xFF, 0xFF, 0, 0])
    let isNAT64 =  // 64:ff9b::/96, RFC 6052
      starts(0, 0x64, 0xFF, 0x9B) && bytes[4..<12].allSatisfy { $0 == 0 }
    if isMapped || isTranslated || isNAT64 { return scope(v4: bytes[12...]) }
    if zeros >= 12 {  // ::/96, RFC 4291, deprecated
      let inner = scope(v4: bytes[12...])
      return inner == .global ? .reserved : inner
    }
    if starts(0, 0x64, 0xFF, 0x9B, 0, 1) { return .private }  // 64:ff9b:1::/48, RFC 8215
    if starts(0x20, 0x02) { return scope(v4: bytes[2..<6]) }  // 2002::/16, RFC 3056
    // Teredo and other protocols, 2001::/23, RFC 2928
    if starts(0x20, 0x01), bytes[2] < 2 { return .reserved }
    if starts(0x20, 0x01, 0x0D, 0xB8) { return .documentation }  // 2001:db8::/32, RFC 3849
    if starts(0x3F, 0xFF), bytes[2] < 0x10 { return .documentation }  // 3fff::/20, RFC 9637
    if bytes[0] & 0xFE == 0xFC { return .private }  // fc00::/7, RFC 4193
    if starts(0xFE), bytes[1] & 0xC0 == 0x80 { return .linkLocal }  // fe80::/10, RFC 4291
    if starts(0xFE), bytes[1] & 0xC0 == 0xC0 { return .private }  // fec0::/10, RFC 3879
    if bytes[0] == 0xFF { return .multicast }  // ff00::/8, RFC 4291
    // Only 2000::/3 is assigned to public servers.
    return bytes[0] & 0xE0 == 0x20 ? .global : .reserved
  }
}

extension NetworkAddress {
  /// Parses the host of a URL; nil for a name.
  ///
  /// - Parameter host: An IPv6 address in brackets, or an IPv4 address in any form that
  ///   inet_aton(3) reads: `127.0.0.1`, `127.1`, `0x7f.1`, `017700000001`, `2130706433`.
  package init?(host: String) {
    let text = host.hasSuffix(".") ? host.dropLast() : host[...]
    if text.hasPrefix("["), text.hasSuffix("]") {
      guard let found = HostSyntax.ipv6(String(text.dropFirst().dropLast())) else { return nil }
      bytes = found
    } else {
      var address = in_addr()
      guard inet_aton(String(text), &address) != 0 else { return nil }
      bytes = withUnsafeBytes(of: address.s_addr) { Array($0) }
    }
  }
}
