import Diagnosis
import LibAV
import SystemPackage
import Threads

/// The file that copied packets go to, and are read back from. One thread at a time.
final class CopyOutput {
  private let file: OutputFile
  private let muxer: Muxer
  /// Of an M4A of sound alone.
  private let packed: PackedMovie?
  /// Of all packets of another file, in order.
  private var written = Hasher()
  private var packetCount = 0

  /// Writes into `file` by a muxer of `container`; `isAlone` says whether that is AAC, with no streams
  /// beside it.
  init(_ file: OutputFile, _ muxer: Muxer, _ container: Muxer.Container?, isAlone: Bool) {
    (self.file, self.muxer) = (file, muxer)
    packed = container == .m4a && isAlone ? PackedMovie(file, muxer) : nil
  }

  /// Whether packets can be written in blocks.
  var takesBlocks: Bool { packed != nil }

  /// Writes a packet with its place in frames.
  func write(_ packet: Packet) throws {
    if let packed { return try packed.write(packet) }
    packetCount += 1
    packet.hash(into: &written)
    try muxer.write(packet)
  }

  /// Writes a block of packets, where the file takes them.
  func write(_ block: PacketBlock) throws {
    guard let packed else {
      throw Failure(.reportBug, "takes no packets in blocks", path: file.path)
    }
    try packed.write(block)
  }

  /// Completes the file.
  func finish(_ recipe: LibAVRecipe, unless cancellation: CancellationFlag) throws {
    if let packed { try packed.finish() } else { try muxer.finish() }
    try recipe.complete(file, unless: cancellation)
  }

  /// Reads what was written, and decodes it. To be called once, when the file is complete but for the
  /// tables of its packets.
  ///
  /// - Parameters:
  ///   - rate: In which places of refused packets are counted.
  ///   - packetLength: Frames of a packet of AAC.
  ///   - cancellation: Once set, reading throws.
  /// - Returns: What is in it; nil where that are other packets.
  /// - Throws: `mendMachine` where it cannot be read, `tryAgain` once cancelled.
  /// - Complexity: O(frames), a second or two for an hour that no other is like
  func readBack(
    atRate rate: Int, packetLength: Int64, unless cancellation: CancellationFlag
  ) throws(Failure) -> CopiedPackets? {
    guard let packed else {
      let (found, digest) = try CopiedPackets.read(
        file.currentPath, named: file.path, atRate: rate, cancellation)
      return digest == written.finalize() && found.count == packetCount ? found : nil
    }
    let reading = try PackedReading(
      file.currentPath, named: file.path, packetLength: packetLength)
    try packed.putTables()
    return try reading.packets(packed.batches, unless: cancellation)
  }
}
