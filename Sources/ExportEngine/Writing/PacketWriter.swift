import Diagnosis
import LibAV

/// Puts encoded packets into a file: a muxer of libavformat's, or avjob's own writer of chunks.
protocol PacketWriter: AnyObject {
  /// Puts the next packet behind the last one.
  func write(_ packet: Packet) throws

  /// Puts all packets so far into the file.
  func flush() throws

  /// Completes the file. To be called once, last.
  func finish() throws
}

extension Muxer: PacketWriter {}

/// Writes packets of PCM and G.711 between chunks, whose head fits the file's bytes after each `flush`.
///
/// avjob writes WAV itself, and AIFF that keeps the chunks of another: libavformat has no place for most
/// of them.
final class ChunkFileWriter: PacketWriter {
  private let file: OutputFile
  private let layout: any ChunkFile
  /// Packets that are not in the file yet.
  private var pending: [UInt8] = []
  /// Bytes of sound in the file.
  private(set) var soundSize: Int64 = 0
  /// The chunks behind the sound: those of the file, unless others take their place.
  var trailing: [WaveFile.Chunk]

  /// Bytes of packets that are written at once.
  private static let longestPending = 1 << 16

  /// Writes the head.
  init(_ file: OutputFile, _ layout: any ChunkFile) throws(Failure) {
    (self.file, self.layout, trailing) = (file, layout, layout.trailing)
    pending.reserveCapacity(Self.longestPending)
    try putHead()
  }

  private func putHead() throws(Failure) {
    try file.put(layout.head(soundSize: soundSize, isComplete: false), at: 0)
  }

  func write(_ packet: Packet) throws(Failure) {
    packet.withBytes { pending += $0 }
    if pending.count >= Self.longestPending { try putPending() }
  }

  private func putPending() throws(Failure) {
    try file.put(pending, at: layout.soundStart + soundSize)
    soundSize += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  func flush() throws(Failure) {
    try putPending()
    try putHead()
  }

  func finish() throws(Failure) {
    try putPending()
    var whole = layout
    whole.trailing = trailing
    try file.put(whole.tail(soundSize: soundSize), at: whole.soundEnd(soundSize: soundSize))
    try file.put(whole.head(soundSize: soundSize, isComplete: true), at: 0)
  }

  /// Goes back to a sound of so many bytes, as of an earlier `flush`, as far as the disk lets it.
  func cut(toSound size: Int64) {
    soundSize = size
    file.cut(to: layout.soundStart + size)
    try? putHead()
  }
}
