import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Splicing
import Threads

/// The packets of a stream whose timestamps count frames, to be put into another file. One thread at
/// a time.
final class SourcePackets {
  /// A packet and its place among the stream's raw frames.
  typealias Placed = Splicing.Placed<Packet>

  var stream: LibAV.Stream { packets.stream }
  /// As `Asset.packetSetup`.
  var setup: String? { facts.packetSetup(of: stream) }
  /// The header of a bare stream.
  var header: [UInt8]? { facts.bareHeader }
  let facts: StreamFacts
  let cancellation: CancellationFlag
  let watch: MediaLibrary.Watch?
  let packets: PacketReader
  /// Read ahead: a packet ends where the next one begins.
  private(set) var following: Following?
  /// Of a stream that is read in blocks, once one was.
  var blockBytes: MediumBytes?
  /// Behind the last block, where packets go on that are read one by one; nil where none was read.
  var blockRun: IndexRun?
  /// Frames from the last packet but one to the last that was read.
  private var spacing: Int64 = 0
  private var hasRead = false
  /// The raw frame of the next packet of a stream that is counted: a bare one, one in CAF, one in MP4 whose
  /// timestamps do not count frames, HE-AAC, whose timestamps may count those of the core, or Vorbis, whose
  /// timestamps are not exact.
  private var counted: Int64 = 0
  /// Of Vorbis.
  private let blocks: VorbisBlocks?

  /// A packet, its raw frame, and how long it is where that does not follow from the next one.
  struct Following {
    var packet: Packet
    var start: Int64
    var length: Int64?
  }

  private init(
    _ facts: StreamFacts, _ cancellation: CancellationFlag, _ watch: MediaLibrary.Watch?
  ) throws(LibAVError) {
    (self.facts, self.cancellation, self.watch) = (facts, cancellation, watch)
    packets = try PacketReader(facts, unless: cancellation)
    blocks = packets.stream.codecName == "vorbis" ? try VorbisBlocks(packets.stream) : nil
    if isCountedFromStart { counted = facts.firstRaw }
  }

  private var isCountedFromStart: Bool { blocks != nil || facts.countedLength != nil }

  /// Opens a stream.
  ///
  /// - Parameters:
  ///   - facts: What probing found of it.
  ///   - cancellation: Once set, reading throws.
  ///   - watch: Is told of each call that reads the file.
  /// - Returns: The packets, at their first.
  /// - Throws: The failure of a file that cannot be read, or whose packets cannot be cut.
  static func open(
    _ facts: StreamFacts, unless cancellation: CancellationFlag, watching watch: MediaLibrary.Watch?
  ) throws(Failure) -> SourcePackets {
    watch?(facts.location)
    defer { watch?(nil) }
    let packets = try reading(facts.location) { () throws(LibAVError) in
      try SourcePackets(facts, cancellation, watch)
    }
    // An output of an earlier job may be other than was predicted.
    guard
      facts.hasExactPackets(of: packets.stream) || facts.hasWholePackets(of: packets.stream)
    else {
      throw Failure(
        .mendInput,
        "has packets that cannot be cut exactly; write a bit rate, as '128k', to encode it",
        location: facts.location)
    }
    return packets
  }

  /// How many frames before a place decoding must begin for its samples to be those of the whole.
  ///
  /// Blocks of AAC overlap with the one before. CELT's decoder forgets its past within some packets;
  /// SILK's takes longer, and gets as many as a pre-skip of 16 bits holds (RFC 7845, 5.1), but for
  /// three packets of 120 ms.
  private var preRoll: Int64 {
    // Of HE-AAC all packets are copied.
    if facts.hasBandReplication { return facts.origin - facts.firstRaw }
    guard stream.codecName == "opus" else { return 0 }
    switch facts.access {
    case .anchors(_, let preRoll): return preRoll
    case .converging: return 48_000
    case .packets: return 0
    }
  }

  /// How many of some frames of the sound a decoder of the packets that `begin` gave for them makes
  /// otherwise than one of the whole stream: SILK's, until both have come together.
  ///
  /// - Throws: As reading.
  func divergence(in frames: Range<Int64>, feeding begun: [Placed]) throws(Failure) -> Int64 {
    guard let feedFrom = begun.first?.frames.lowerBound else { return 0 }
    let range = raw(frames.lowerBound)..<raw(frames.upperBound)
    var count: Int64 = 0
    try watched { () throws(LibAVError) in
      count = try facts.divergence(in: range, feeding: feedFrom, unless: cancellation)
    }
    return count
  }

  /// Goes to the packets of some frames of the sound: gives those before the first that is read next,
  /// with which decoding begins.
  ///
  /// - Throws: `mendInput` also where there is none.
  func begin(_ frames: Range<Int64>) throws(Failure) -> [Placed] {
    let first = raw(frames.lowerBound)
    var before: [Placed] = []
    try watched { () throws(LibAVError) in
      // The packet, and the one before it.
      try jump(toRaw: first - preRoll - 2 * StreamFacts.longestPacket)
      while let placed = try read() {
        before.append(placed)
        guard placed.frames.upperBound <= first else { break }
        // One more than the pre-roll: blocks overlap.
        while before.count > 2, before[1].frames.upperBound <= first - preRoll {
          before.removeFirst()
        }
      }
    }
    guard let last = before.last, last.frames.upperBound > first else {
      throw missing(at: frames.lowerBound)
    }
    return blocks == nil ? before : Self.beginning(before)
  }

  /// The two packets that a stream of Vorbis begins with: a decoder makes no sound of the first one, and
  /// leaves out samples of the second one alone.
  private static func beginning(_ packets: [Placed]) -> [Placed] {
    let ends = packets.suffix(2)
    guard let first = ends.first, let second = ends.last, ends.count == 2 else { return packets }
    let start = second.frames.lowerBound
    return [Placed(start..<start, first.packet), second]
  }

  /// Goes to the first packet that begins at a raw frame or behind it: gives that one, behind the one
  /// before it.
  ///
  /// - Throws: `mendInput` also where one of them is missing.
  func begin(fromRaw first: Int64) throws(Failure) -> [Placed] {
    var found: [Placed] = []
    try watched { () throws(LibAVError) in
      try jump(toRaw: first - 2 * StreamFacts.longestPacket)
      while let placed = try read() {
        found = found.suffix(1) + [placed]
        guard placed.frames.lowerBound < first else { break }
      }
    }
    guard found.count == 2, found[1].frames.lowerBound >= first else {
      throw missing(at: first - facts.origin)
    }
    return found
  }

  /// The failure of packets that do not lie where they are looked for.
  var broken: Failure {
    unreadable("has packets that lie on no grid, and cannot be joined with others")
  }

  /// The raw frame of a frame of the sound.
  func raw(_ frame: Int64) -> Int64 { frame + facts.origin }

  /// The next packet; nil at the end, or where the file is damaged too much.
  func next() throws(Failure) -> Placed? {
    if let run = blockRun { try goOn(at: run.start) }
    var placed: Placed?
    try watched { () throws(LibAVError) in placed = try read() }
    return placed
  }

  /// The failure of packets that end before a raw frame.
  func ending(at raw: Int64) -> Failure { missing(at: raw - facts.origin) }

  /// The failure of packets that were copied and cannot be used.
  func unreadable(_ what: String) -> Failure {
    Failure(
      .mendInput,
      "\(what); copy or download it again, or write a bit rate, as '128k', to "
        + "encode what can be decoded",
      location: facts.location)
  }

  private func missing(at frame: Int64) -> Failure {
    let place = Time(frames: max(0, frame), rate: facts.sampleRate).clockText(decimals: 3)
    return Failure(
      .mendInput,
      "has no packets to copy from \(place) on; write a bit rate, as '128k', to encode its sound",
      location: facts.location)
  }

  private func watched(_ body: () throws(LibAVError) -> Void) throws(Failure) {
    watch?(facts.location)
    defer { watch?(nil) }
    try reading(facts.location, body)
    if cancellation.isCancelled {
      throw Failure.cancelled(at: facts.location)
    }
  }

  private func read() throws(LibAVError) -> Placed? {
    if following == nil { following = try readStart() }
    guard let read = following else { return nil }
    following = try readStart()
    let (packet, start) = (read.packet, read.start)
    if let next = following?.start { spacing = next - start }
    // The last one may be said to be shorter than its sound: edit lists reach into the rest.
    let end = following?.start ?? start + (read.length ?? max(packet.duration, spacing, 1))
    return Placed(start..<max(start, end), packet)
  }

  private func readStart() throws(LibAVError) -> Following? {
    hasRead = true
    while !cancellation.isCancelled, let packet = try packets.next() {
      if let header = facts.bareHeader { return try count(packet, header) }
      if let blocks {
        let length = blocks.frameCount(of: packet)
        defer { counted += length }
        return Following(packet: packet, start: counted, length: length)
      }
      if let length = facts.countedLength {
        defer { counted += length }
        return Following(packet: packet, start: counted, length: length)
      }
      if let start = packet.timestamp.flatMap(facts.rawFrame) {
        return Following(packet: packet, start: start)
      }
    }
    return nil
  }

  /// The next packet of a bare stream, which is all of one kind.
  private func count(
    _ packet: Packet, _ header: [UInt8]
  ) throws(LibAVError) -> Following {
    guard let head = packet.withBytes({ ADTSHead($0) }), head.header == header else {
      throw LibAVError.refused("has packets of several kinds; encode it again")
    }
    defer { counted += Self.bareLength }
    return Following(packet: try head.data(of: packet), start: counted)
  }

  /// Frames of a packet of AAC-LC, by which those of a bare stream are counted.
  static let bareLength: Int64 = 1024

  /// Goes to the packet that begins at a raw frame.
  ///
  /// - Throws: `mendInput` also where none begins there.
  private func goOn(at raw: Int64) throws(Failure) {
    try watched { () throws(LibAVError) in
      try jump(toRaw: raw)
      if following == nil { following = try readStart() }
      while let start = following?.start, start < raw { following = try readStart() }
    }
    guard following?.start == raw else { throw missing(at: raw - facts.origin) }
  }

  /// Goes to a packet of a bare stream at or before a raw frame, by reading all before it.
  private func count(toRaw raw: Int64) throws(LibAVError) {
    if (following?.start ?? counted) > max(0, raw) {
      try packets.reopen()
      (following, counted) = (nil, 0)
    }
    spacing = 0
    while (following?.start ?? counted) + Self.bareLength <= raw, !cancellation.isCancelled {
      if following != nil {
        following = nil
      } else {
        guard try packets.next() != nil else { return }
        counted += Self.bareLength
      }
    }
  }

  /// Goes to a packet at or before a raw frame; to the first one where the demuxer finds none.
  private func jump(toRaw raw: Int64) throws(LibAVError) {
    blockRun = nil
    if facts.bareHeader != nil { return try count(toRaw: raw) }
    (following, spacing) = (nil, 0)
    if isCountedFromStart {
      guard hasRead else { return }
      try packets.reopen()
      counted = facts.firstRaw
      blocks?.restart()
      return
    }
    if raw > facts.firstRaw, let found = try packets.jump(toRaw: raw) {
      following = Following(packet: found.packet, start: found.start)
    }
    // A stream whose first packet was read is begun anew.
    if following == nil, hasRead || raw > facts.firstRaw { try packets.reopen() }
  }
}

extension SourcePackets.Placed {
  /// The packet, so many frames later.
  func moved(by offset: Int64) -> Self {
    Self(frames.lowerBound + offset..<frames.upperBound + offset, packet)
  }
}
