import Diagnosis
import LibAV

/// Packets of a stream that lie in its file one behind the other, and follow one another in time.
struct PacketBlock {
  /// The bytes of all of them.
  let joined: Packet
  /// Bytes of each.
  let sizes: [UInt32]
  /// Where the first one begins: a raw frame, or a frame of an output.
  var start: Int64
  /// Frames of each packet.
  let packetLength: Int64

  /// Behind the last one.
  var end: Int64 { start + Int64(sizes.count) * packetLength }

  /// The block so many frames later.
  func moved(by offset: Int64) -> PacketBlock {
    var moved = self
    moved.start += offset
    return moved
  }
}

extension SourcePackets {
  /// Packets of a block: it ends where their number in the stream is a multiple of this, so that the same
  /// packets make the same blocks wherever a copy begins.
  static let blockLength = 1024
  /// Fewer packets are read one by one.
  static let shortestBlock = 64

  /// Whether packets can be read in blocks: of AAC in a local MP4, whose index lists all packets with
  /// their places before any is read, and with times that count frames.
  var hasBlocks: Bool {
    stream.codecName == "aac" && facts.bareHeader == nil && facts.countedLength == nil
      && facts.location.file != nil && packets.demuxer.formatName.hasPrefix("mov,")
  }

  /// Reads packets that end before a raw frame, or there, in blocks, as far as they lie one behind the
  /// other in time: `next` gives the one behind them.
  ///
  /// Reading a packet by libavformat and writing it costs microseconds; in a block it costs some
  /// nanoseconds.
  ///
  /// - Parameters:
  ///   - end: A raw frame.
  ///   - areWhole: Whether packets that are not all of a block's are left for the next call.
  ///   - take: Gets the blocks in order.
  /// - Throws: As reading packets, and what `take` throws.
  /// - Complexity: O(bytes)
  func readBlocks(
    to end: Int64, whole areWhole: Bool = false, _ take: (PacketBlock) throws -> Void
  ) throws {
    guard var run = try blockRun ?? beginBlocks() else { return }
    let bytes = try blockBytes ?? facts.bytes()
    blockBytes = bytes
    while let found = run.next(to: end, whole: areWhole) {
      watch?(facts.location)
      defer { watch?(nil) }
      let joined = try Packet(byteCount: found.byteCount, timestamp: found.start) { buffer in
        try bytes.fill(buffer, from: found.position)
      }
      if cancellation.isCancelled { throw Failure.cancelled(at: facts.location) }
      // Reading by packets reports how the file ends.
      guard joined.size == found.byteCount else { break }
      try take(
        PacketBlock(
          joined: joined, sizes: found.sizes, start: found.start, packetLength: run.packetLength))
      run.advance(found.sizes.count)
      blockRun = run
    }
  }

  private func beginBlocks() throws -> IndexRun? {
    guard hasBlocks, let read = following, let first = stream.indexNumber(of: read.packet),
      let step = facts.ticks(of: Self.bareLength, from: read.start)
    else { return nil }
    return IndexRun(
      stream: stream, packetLength: Self.bareLength, step: step, number: first, start: read.start)
  }
}

extension StreamFacts {
  /// How many ticks packets of so many frames last, where that is a whole number; nil otherwise.
  fileprivate func ticks(of length: Int64, from raw: Int64) -> Int64? {
    let (start, end) = (timestamp(ofRaw: raw), timestamp(ofRaw: raw + length))
    guard rawFrame(start) == raw, rawFrame(end) == raw + length else { return nil }
    return end - start
  }
}

/// Goes through a container's index, from one packet on.
struct IndexRun {
  let stream: LibAV.Stream
  /// Frames of each packet, and the ticks that they last.
  let (packetLength, step): (Int64, Int64)
  /// The next packet.
  var number: Int
  /// Its raw frame.
  var start: Int64

  /// Packets that lie one behind the other.
  struct Found {
    let position: Int64
    let start: Int64
    var byteCount = 0
    var sizes: [UInt32] = []
  }

  init(stream: LibAV.Stream, packetLength: Int64, step: Int64, number: Int, start: Int64) {
    (self.stream, self.packetLength, self.step) = (stream, packetLength, step)
    (self.number, self.start) = (number, start)
  }

  /// The next packets of a block that lie in the file one behind the other, and follow one another in
  /// time, up to a raw frame.
  ///
  /// - Returns: nil where there are none; and where `end` comes before the block's, if it is to be whole.
  func next(to end: Int64, whole isWhole: Bool) -> Found? {
    guard var packet = stream.indexedPacket(number) else { return nil }
    let most = SourcePackets.blockLength
    let (rest, count) = (Int64(most - number % most), (end - start) / packetLength)
    guard !isWhole || count >= rest else { return nil }
    var found = Found(position: packet.position, start: start)
    found.sizes.reserveCapacity(most)
    while found.sizes.count < min(rest, count), packet.size > 0,
      packet.position == found.position + Int64(found.byteCount),
      let behind = stream.indexedPacket(number + found.sizes.count + 1),
      behind.timestamp == packet.timestamp + step
    {
      found.byteCount += packet.size
      found.sizes.append(UInt32(clamping: packet.size))
      packet = behind
    }
    return found.sizes.isEmpty ? nil : found
  }

  mutating func advance(_ count: Int) {
    number += count
    start += Int64(count) * packetLength
  }
}
