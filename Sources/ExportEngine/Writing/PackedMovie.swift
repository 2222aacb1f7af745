import Diagnosis
import LibAV
import Tagging

/// Writes an M4A of which libavformat holds an entry for some hundred packets each, and not for every
/// one: of days of sound its index would take hundreds of megabytes.
///
/// libavformat gets batches as one packet each, and writes tags, chapters and cover. At the end the
/// tables of its index give way to those of the packets. One thread at a time.
final class PackedMovie: PacketWriter {
  /// Packets that lie in the file one after the other.
  struct Batch: Sendable, Hashable {
    /// Bytes from the file's start on.
    let place: Int64
    /// The frame that its first packet begins with, as the muxer counts.
    let start: Int64
    let packetCount: Int
    let content: PacketDigest
  }

  private let file: OutputFile
  private let muxer: Muxer
  private let lengths: PacketLengths
  private var tables = SampleTables()
  private(set) var batches: [Batch] = []

  /// Packets that are not in the file yet.
  private var bytes: [UInt8] = []
  private var sizes: [UInt32] = []
  private var start: Int64 = 0
  /// The last packet's first frame, and its duration, which the next one's start decides.
  private var last: (start: Int64, duration: Int64)?

  /// Packets and bytes of a batch, but for a block that is written at once.
  private static let (mostPackets, mostBytes) = (1024, 1 << 18)

  /// Writes into `file`, through its muxer of M4A.
  init(_ file: OutputFile, _ muxer: Muxer) {
    (self.file, self.muxer, lengths) = (file, muxer, PacketLengths(of: file))
  }

  var packetCount: Int { lengths.count + sizes.count }

  /// Takes a packet with its place in frames.
  func write(_ packet: Packet) throws {
    let frame = packet.timestamp ?? 0
    try begin(at: frame)
    if sizes.isEmpty { start = frame }
    packet.withBytes { bytes += $0 }
    sizes.append(UInt32(clamping: packet.size))
    last = (frame, packet.duration)
    if sizes.count >= Self.mostPackets || bytes.count >= Self.mostBytes { try flush() }
  }

  /// Takes a block of packets, whose frames are those of the file.
  func write(_ block: PacketBlock) throws {
    try flush()
    try begin(at: block.start)
    tables.append(block.sizes.count - 1, frames: ticks(block.packetLength))
    last = (block.end - block.packetLength, block.packetLength)
    block.joined.retime(to: block.start, lasting: block.end - block.start)
    try put(block.joined, block.sizes, at: block.start)
  }

  /// The last packet lasts until a frame, with which the next one begins.
  private func begin(at frame: Int64) throws {
    guard let last else { return }
    guard frame > last.start else {
      throw Failure(.reportBug, "gets packets that go back in time", path: file.path)
    }
    tables.append(frames: ticks(frame - last.start))
    self.last = nil
  }

  /// Frames in ticks of the track. Only the last packet may end between two; where that is, the edit list
  /// says.
  private func ticks(_ frames: Int64) -> Int64 {
    (frames + muxer.framesPerTick - 1) / muxer.framesPerTick
  }

  /// Puts what there is into the file.
  func flush() throws {
    guard !sizes.isEmpty else { return }
    let packet = try bytes.withUnsafeBytes { try Packet(copying: $0, timestamp: start) }
    packet.retime(to: start, lasting: last.map { $0.start + $0.duration - start } ?? 0)
    try put(packet, sizes, at: start)
    bytes.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
  }

  private func put(_ packet: Packet, _ sizes: [UInt32], at start: Int64) throws {
    let content = try packet.withBytes { try PacketDigest($0, sizes) }
    let batch = Batch(
      place: muxer.position, start: start, packetCount: sizes.count, content: content)
    batches.append(batch)
    tables.endChunk(of: sizes.count, at: batch.place)
    try lengths.append(sizes)
    packet.isKey = true
    try muxer.write(packet)
  }

  /// Ends the file as libavformat has it: with an index of batches.
  func finish() throws {
    try flush()
    if let last { tables.append(frames: ticks(last.duration)) }
    last = nil
    try muxer.finish()
  }

  /// Puts the tables of packets in place of those of batches. To be called once, when all else of the
  /// index is complete.
  ///
  /// - Throws: The disk's error, and `reportBug` where the file does not end with such an index.
  /// - Complexity: O(packets)
  func putTables() throws(Failure) {
    let index = try file.movieIndex().index
    let movie = try file.bytes(at: index.lowerBound, count: index.count)
    guard
      let new = MovieTables(
        replacing: [
          "stts": tables.times, "stsc": tables.chunks, "stco": tables.offsets,
          "sbgp": tables.rollGroups,
        ], lengths: lengths.count, in: movie)
    else {
      throw Failure(.reportBug, "the file's index cannot be completed", path: file.path)
    }
    let place = index.lowerBound + Int64(new.front.count)
    // Any crash leaves a temporary file.
    try file.put(new.front, at: index.lowerBound)
    try lengths.write(at: place)
    try file.put(new.behind, at: place + 4 * Int64(lengths.count))
  }
}

/// Tells packets from others: of their bytes one behind the other, and of their lengths.
struct PacketDigest: Sendable, Hashable {
  private let bytes: UInt64
  private let sizes: UInt64

  /// The digest of packets that lie one behind the other in `bytes`.
  ///
  /// - Throws: `LibAVError` where there is no memory.
  /// - Complexity: O(n)
  init(_ bytes: UnsafeRawBufferPointer, _ sizes: [UInt32]) throws(LibAVError) {
    self.bytes = try BlockDigest.digest(bytes)
    self.sizes = try sizes.withUnsafeBytes { bytes in
      Result { () throws(LibAVError) in try BlockDigest.digest(bytes) }
    }.get()
  }
}
