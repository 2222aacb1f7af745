import LibAV
import Testing

@testable import ExportEngine

@Suite("Packets that are made ahead of those that are given")
struct PacketsAheadTests {
  /// Of a picture that is shown for 40 ticks.
  private func packet(_ shown: Int64, _ decoded: Int64) throws -> Packet {
    let packet = try [UInt8](repeating: 0, count: 4).withUnsafeBytes { bytes throws(LibAVError) in
      try Packet(copying: bytes, timestamp: shown)
    }
    packet.place(shown: shown, decoded: decoded, lasting: 40)
    return packet
  }

  /// How long each packet lasts in order of decoding, where the last picture is shown until `end`.
  private func durations(_ times: [(Int64, Int64)], until end: Int64) throws -> [Int64] {
    var packets = try times.map { try packet($0.0, $0.1) }[...]
    var ahead = PacketsAhead()
    var durations: [Int64] = []
    while let packet = try ahead.next({ packets.popFirst() }, finish: { $0.extend(to: end) }) {
      durations.append(packet.duration)
    }
    return durations
  }

  @Test("the picture that is shown last lasts to the end, wherever it stands in order of decoding")
  func shownLast() throws {
    #expect(
      try durations([(0, 0), (40, 40), (80, 80)], until: 120) == [40, 40, 40])
    #expect(try durations([(0, 0), (40, 40), (80, 80)], until: 300) == [40, 40, 220])
    let reordered: [(Int64, Int64)] = [(0, -80), (160, -40), (80, 0), (40, 40), (120, 80)]
    #expect(try durations(reordered, until: 200) == [40, 40, 40, 40, 40])
    // By times of decoding all lasts as long: 80 ticks and 140 from -80 on.
    #expect(try durations(reordered, until: 300) == [40, 140, 40, 40, 140])
  }

  @Test("all packets are given in their order, also of a stream that ends at once")
  func order() throws {
    #expect(try durations([], until: 100) == [])
    #expect(try durations([(0, 0)], until: 100) == [100])
    // More than are held follow the one that is shown last.
    let many = (0..<200).map { (number: Int64) -> (Int64, Int64) in
      let decoded = number * 40
      return (number == 0 ? 9000 : decoded, decoded)
    }
    #expect(try durations(many, until: 9000).count == 200)
  }
}
