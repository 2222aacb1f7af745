import Diagnosis
import LibAV
import Tagging

/// The packets of the first track of sound in an MP4, by the tables of its index, of which a part at a
/// time is in memory (`stsz`, `stsc`, `stco`, `co64`; ISO/IEC 14496-12, 8.7). One thread at a time.
struct SampleTableReader {
  /// Packets that lie in the file one behind the other.
  struct Chunk {
    let place: Int64
    let sizes: [UInt32]
  }

  private var lengths: NumberTable
  /// Those of its entries that were read and belong to later chunks.
  private var sizes: ArraySlice<UInt32> = []
  private var places: NumberTable
  private var counts: NumberTable
  /// Of `stsc`: how many packets a chunk has, and the chunk from which on that is another number.
  private var packetsOfChunk = 0
  private var nextRun: (first: UInt64, count: UInt64)?
  /// From 1 on.
  private var chunk: UInt64 = 0

  /// Finds the tables; nil where a file does not have them.
  ///
  /// - Throws: `Failure` where it cannot be read.
  init?(_ medium: MediumBytes) throws(Failure) {
    var reader = AtomReader(medium: medium)
    guard let movie = try reader.atom("moov", in: 0..<(try medium.size())) else { return nil }
    var found: Range<Int64>?
    for track in try reader.atoms(in: movie) where track.name == "trak" && found == nil {
      guard let media = try reader.atom("mdia", in: track.body),
        let handler = try reader.atom("hdlr", in: media),
        try reader.bytes(of: handler, count: 12).suffix(4).elementsEqual("soun".utf8)
      else { continue }
      found = try reader.atom(path: ["minf", "stbl"], in: media)
    }
    guard let found else { return nil }
    let tables = try reader.atoms(in: found)
    func table(_ name: String, width: Int, head: Int64 = 8) throws(Failure) -> NumberTable? {
      guard let body = tables.first(where: { $0.name == name })?.body else { return nil }
      return try NumberTable(body, width: width, head: head, in: medium)
    }
    var places = try table("co64", width: 8)
    if places == nil { places = try table("stco", width: 4) }
    guard let lengths = try table("stsz", width: 4, head: 12),
      let counts = try table("stsc", width: 12), let places
    else { return nil }
    (self.lengths, self.counts, self.places) = (lengths, counts, places)
    nextRun = try readRun()
  }

  /// The packets of the whole track.
  var packetCount: Int64 { lengths.count }

  private mutating func readRun() throws(Failure) -> (first: UInt64, count: UInt64)? {
    guard let entry = try counts.next() else { return nil }
    return (AtomHead.number(entry.prefix(4)), AtomHead.number(entry.dropFirst(4).prefix(4)))
  }

  /// Packets of a chunk, of which more would be damage.
  private static let mostPackets: UInt64 = 1 << 20

  /// The next chunk; nil behind the last one, and where the tables do not fit one another.
  ///
  /// - Throws: `Failure` where the file cannot be read.
  mutating func next() throws(Failure) -> Chunk? {
    guard let place = try places.next() else { return nil }
    chunk += 1
    if let run = nextRun, run.first <= chunk {
      packetsOfChunk = Int(min(run.count, Self.mostPackets))
      nextRun = try readRun()
    }
    var found: [UInt32] = []
    found.reserveCapacity(packetsOfChunk)
    while found.count < packetsOfChunk {
      if sizes.isEmpty { sizes = try lengths.block()[...] }
      guard !sizes.isEmpty else { return nil }
      let part = sizes.prefix(packetsOfChunk - found.count)
      found += part
      sizes = sizes.dropFirst(part.count)
    }
    return Chunk(place: Int64(clamping: AtomHead.number(place)), sizes: found)
  }
}

/// Entries of as many bytes each behind a head that ends with their number.
private struct NumberTable {
  private let medium: MediumBytes
  private let width: Int
  /// What is not in memory yet.
  private var rest: Range<Int64>
  private var read: ArraySlice<UInt8> = []
  let count: Int64

  /// Entries that are read at once.
  private static let most = 1 << 14

  init?(_ body: Range<Int64>, width: Int, head: Int64, in medium: MediumBytes) throws(Failure) {
    let first = try medium.bytes(at: body.lowerBound, count: Int(head))
    guard Int64(first.count) == head, Int64(body.count) >= head else { return nil }
    count = Int64(AtomHead.number(first.suffix(4)))
    guard Int64(body.count) - head == count * Int64(width) else { return nil }
    rest = body.lowerBound + head..<body.upperBound
    (self.medium, self.width) = (medium, width)
  }

  /// The next entry; nil behind the last one.
  mutating func next() throws(Failure) -> ArraySlice<UInt8>? {
    if read.isEmpty { read = try bytes()[...] }
    guard read.count >= width else { return nil }
    defer { read = read.dropFirst(width) }
    return read.prefix(width)
  }

  /// The next entries of four bytes, some thousand; none behind the last one.
  mutating func block() throws(Failure) -> [UInt32] {
    let bytes = try bytes()
    return bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count - 3, by: 4).map {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
      }
    }
  }

  private mutating func bytes() throws(Failure) -> [UInt8] {
    let size = min(rest.count, Self.most * width)
    defer { rest = rest.lowerBound + Int64(size)..<rest.upperBound }
    return try medium.bytes(at: rest.lowerBound, count: size)
  }
}
