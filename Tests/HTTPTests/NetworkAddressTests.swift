import TestSupport
import Testing

@testable import HTTP

@Suite("Network addresses")
struct NetworkAddressTests {
  /// First and last addresses of blocks, and what they are for; what lies beside them is in the
  /// test.
  private static let blocks: [(first: String, last: String, scope: NetworkAddress.Scope)] = [
    ("0.0.0.0", "0.255.255.255", .unspecified), ("10.0.0.0", "10.255.255.255", .private),
    ("100.64.0.0", "100.127.255.255", .shared), ("127.0.0.0", "127.255.255.255", .loopback),
    ("169.254.0.0", "169.254.255.255", .linkLocal), ("172.16.0.0", "172.31.255.255", .private),
    ("192.0.0.0", "192.0.0.255", .reserved), ("192.0.2.0", "192.0.2.255", .documentation),
    ("192.88.99.0", "192.88.99.255", .reserved), ("192.168.0.0", "192.168.255.255", .private),
    ("198.18.0.0", "198.19.255.255", .reserved),
    ("198.51.100.0", "198.51.100.255", .documentation),
    ("203.0.113.0", "203.0.113.255", .documentation),
    ("224.0.0.0", "239.255.255.255", .multicast), ("240.0.0.0", "255.255.255.255", .reserved),
  ]

  private static func value(_ text: String) throws -> UInt32 {
    try #require(NetworkAddress(host: text)).bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  @Test("of IPv4 are what their block is for, at its edges, inside and beside it")
  func blocks() throws {
    let ranges = try Self.blocks.map {
      (try Self.value($0.first)...(try Self.value($0.last)), $0.scope)
    }
    var dice = Dice(6890)
    var values: [UInt32] = (0..<5000).map { _ in UInt32.random(in: 0...UInt32.max, using: &dice) }
    for (range, _) in ranges {
      values += [range.lowerBound, range.upperBound, range.lowerBound &- 1, range.upperBound &+ 1]
      values.append(.random(in: range, using: &dice))
    }
    for value in values {
      let expected = ranges.first { $0.0.contains(value) }?.1 ?? .global
      let inner = Self.bytes(value)
      #expect(NetworkAddress(bytes: inner)?.scope == expected, "\(inner)")
      // Inside of addresses of IPv6: mapped, translated, NAT64, 6to4.
      let zeros = [UInt8](repeating: 0, count: 10)
      for prefix in [
        zeros + [0xFF, 0xFF], zeros.dropLast(2) + [0xFF, 0xFF, 0, 0],
        [0, 0x64, 0xFF, 0x9B] + zeros.dropLast(2),
      ] {
        #expect(NetworkAddress(bytes: prefix + inner)?.scope == expected, "\(prefix + inner)")
      }
      #expect(NetworkAddress(bytes: [0x20, 0x02] + inner + zeros)?.scope == expected)
      #expect(NetworkAddress(bytes: zeros + [0, 0] + inner)?.scope != .global)
    }
  }

  @Test(
    "of IPv6 are what their block is for",
    arguments: [
      ("::", NetworkAddress.Scope.unspecified), ("::1", .loopback), ("::2", .unspecified),
      ("::7f00:1", .loopback), ("::808:808", .reserved), ("2606:4700:4700::1111", .global),
      ("2001:4860:4860::8888", .global), ("64:ff9b:1::1", .private), ("100::1", .reserved),
      ("2001::1", .reserved), ("2001:1ff::1", .reserved), ("2001:200::1", .global),
      ("2001:db8::1", .documentation), ("3fff::1", .documentation), ("3fff:1000::1", .global),
      ("4000::1", .reserved), ("5f00::1", .reserved), ("fbff::1", .reserved), ("fc00::1", .private),
      ("fdff::1", .private), ("fe00::1", .reserved), ("fe80::1", .linkLocal),
      ("febf::1", .linkLocal), ("fec0::1", .private), ("ff02::1", .multicast),
      ("64:ff9b::a9fe:a9fe", .linkLocal), ("::ffff:1.1.1.1", .global),
    ])
  func v6(text: String, scope: NetworkAddress.Scope) throws {
    #expect(try #require(NetworkAddress(host: "[\(text)]")).scope == scope)
  }

  @Test(
    "of IPv4 are read in every form",
    arguments: [
      "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7F000001", "2130706433", "0177.0.0.1",
      "017700000001", "0x7f.0.0x0.01", "127.0.0.1.",
    ])
  func forms(text: String) {
    #expect(NetworkAddress(host: text)?.bytes == [127, 0, 0, 1])
  }

  @Test(
    "are not seen in names and in what is none",
    arguments: [
      "h", "1.2.3.4.5", "256.0.0.1", "1.2.3.256", "1.256.3", "4294967296", "08", "0xg", "1..2",
      "", ".", "a.1", "1.a", "+1", "-1", "0x+1", "[]", "[:]", "[:::]", "[1::2::3]", "[12345::]",
      "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[::1.2.3]", "[::1.2.3.4.5]", "[1.2.3.4]", "::1",
      "[1:2:3:4:5:6:7::8]", "[::+1]", "[1.2.3.4::]",
    ])
  func names(text: String) {
    #expect(NetworkAddress(host: text) == nil)
  }

  @Test("of a wrong size are none")
  func sizes() {
    #expect(NetworkAddress(bytes: []) == nil && NetworkAddress(bytes: [1, 2, 3]) == nil)
  }
}
