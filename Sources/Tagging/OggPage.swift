/// The head of a page of Ogg (RFC 3533 §6).
package struct OggPage: Sendable, Hashable {
  /// The frame at which its last packet ends; -1, here without a sign, where none does.
  package let granule: UInt64
  package let serial: UInt32
  /// Its number among the pages of its stream, by which a lost one shows.
  package let sequence: UInt32
  /// Whether a stream begins with it.
  package let isFirst: Bool
  /// Whether a stream ends with it.
  package let isLast: Bool
  /// Whether its first packet began on an earlier page.
  package let isContinued: Bool
  /// Bytes of its segments.
  package let lacing: [UInt8]

  /// The most bytes that a head has.
  package static let longestHead = 27 + 255

  /// The head that `bytes` begin with; nil where they begin with none, or it is incomplete.
  package init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(Self.longestHead))
    // One version, and three flags.
    guard head.count >= 27, head.starts(with: Array("OggS".utf8) + [0]), head[5] < 8,
      head.count >= 27 + Int(head[26])
    else { return nil }
    granule = AtomHead.number(head[6..<14].reversed())
    serial = UInt32(truncatingIfNeeded: AtomHead.number(head[14..<18].reversed()))
    sequence = UInt32(truncatingIfNeeded: AtomHead.number(head[18..<22].reversed()))
    isFirst = head[5] & 2 != 0
    isLast = head[5] & 4 != 0
    isContinued = head[5] & 1 != 0
    lacing = Array(head[27..<27 + Int(head[26])])
  }

  /// Whether a packet begins on it.
  package var beginsPacket: Bool {
    isContinued ? lacing.dropLast().contains { $0 < 255 } : !lacing.isEmpty
  }

  package var headSize: Int { 27 + lacing.count }
  package var bodySize: Int { lacing.reduce(0) { $0 + Int($1) } }
  package var size: Int { headSize + bodySize }

  /// A page with its checksum (RFC 3533 §6, field 7), of which the old one does not matter. O(n)
  package static func checked(_ page: [UInt8]) -> [UInt8] {
    var page = page
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    let sum = page.reduce(UInt32(0)) { $0 << 8 ^ table[Int($0 >> 24 ^ UInt32($1))] }
    for index in 0..<4 { page[22 + index] = UInt8(sum >> (8 * UInt32(index)) & 0xFF) }
    return page
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index) << 24) { value, _ in
      value >> 31 == 0 ? value << 1 : value << 1 ^ 0x04C1_1DB7
    }
  }
}

/// Finds the bytes of a stream's second packet, which has its comments, page by page; and those of packets
/// behind it, of which FLAC has one for each other block of its metadata.
package struct OggCommentFinder: Sendable {
  private let serial: UInt32
  private let otherCount: Int
  private var packet = 0
  /// Where the bytes of a packet lie that is not whole yet.
  private var begun: [Range<Int64>] = []
  /// Where in the file the packet's bytes lie, in order; none before it is whole.
  package private(set) var ranges: [Range<Int64>] = []
  /// The same of packets behind it.
  package private(set) var others: [[Range<Int64>]] = []

  /// Looks for the comments and as many packets behind them.
  package init(serial: UInt32, others otherCount: Int = 0) {
    (self.serial, self.otherCount) = (serial, otherCount)
  }

  /// Whether the comments are found.
  package var isComplete: Bool { packet > 1 }

  /// Whether all packets are found that are looked for.
  package var isAtEnd: Bool { packet > 1 + otherCount }

  /// Takes the next page of the file.
  package mutating func add(_ page: OggPage, at offset: Int64) {
    guard page.serial == serial, !isAtEnd else { return }
    var start = offset + Int64(page.headSize)
    var end = start
    for size in page.lacing {
      end += Int64(size)
      guard size < 255 else { continue }
      finish(start..<end)
      start = end
      if isAtEnd { return }
    }
    if end > start { begun.append(start..<end) }
  }

  private mutating func finish(_ range: Range<Int64>) {
    begun.append(range)
    switch packet {
    case 0: break
    case 1: ranges = begun
    default: others.append(begun)
    }
    begun = []
    packet += 1
  }
}
