import Diagnosis
import LibAV
import Tagging

/// What a CAF's packet table says of its sound (Apple Core Audio Format specification 1.0, "Packet
/// Table Chunk"), which libavformat reads for places alone.
struct CAFPacketTable: Sendable, Hashable {
  /// Frames a second that the numbers count, by the description.
  var sampleRate: Int
  /// Frames of sound.
  var validFrames: Int64
  /// Frames before and behind it.
  var priming, remainder: Int64

  /// What a CAF has of that: the table, nil where it is missing or contradicts itself, and the size of
  /// its data, where the file has left that open (-1: all to its end).
  static func read(
    in medium: MediumBytes
  ) throws(Failure) -> (table: CAFPacketTable?, patches: [BytePatch]) {
    let size = try medium.size()
    var (rate, table): (Int?, CAFPacketTable?) = (nil, nil)
    var patches: [BytePatch] = []
    for chunk in try ContainerFacts.chunks(of: "caf", wave: nil, medium) {
      let start = chunk.body.lowerBound
      switch chunk.name {
      case "desc":
        let bits = AtomHead.number(try medium.bytes(at: start, count: 8))
        rate = Int(exactly: Double(bitPattern: bits).rounded())
      case "pakt":
        let bytes = try medium.bytes(at: start, count: 24)
        guard bytes.count == 24, let rate, 1...768_000 ~= rate else { break }
        table = CAFPacketTable(
          sampleRate: rate, validFrames: Int64(bitPattern: AtomHead.number(bytes[8..<16])),
          priming: Int64(AtomHead.number(bytes[16..<20])),
          remainder: Int64(AtomHead.number(bytes[20..<24])))
      case "data":
        // -1, where its size is left open.
        let isOpen = try medium.bytes(at: start - 8, count: 8).allSatisfy { $0 == 0xFF }
        guard isOpen else { break }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: (size - start) >> (56 - 8 * $0)) }
        patches.append(BytePatch(offset: start - 8, bytes: bytes))
      default: break
      }
    }
    if let found = table, !(1..<1 << 48 ~= found.validFrames) { table = nil }
    return (table, patches)
  }
}
