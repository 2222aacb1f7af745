import LibAV
import Threads

/// The packets of one stream of a file, through a demuxer that reads no other. One thread at a time.
final class PacketReader {
  private(set) var demuxer: Demuxer
  private(set) var stream: LibAV.Stream
  private let facts: StreamFacts
  private let cancellation: CancellationFlag

  /// Opens the stream, at its first packet. Once `cancellation` is set, a file that gives nothing is not
  /// asked again.
  init(
    _ facts: StreamFacts, unless cancellation: CancellationFlag = CancellationFlag()
  ) throws(LibAVError) {
    (self.facts, self.cancellation) = (facts, cancellation)
    (demuxer, stream) = try facts.open()
  }

  /// Opens the stream anew, at its first packet, where the demuxer cannot go back to it.
  func reopen() throws(LibAVError) { (demuxer, stream) = try facts.open() }

  /// The next packet; nil at the end, or where damage leaves no way on.
  func next() throws(LibAVError) -> Packet? {
    while let packet = try demuxer.readWhatIsThere(unless: { cancellation.isCancelled }) {
      if packet.streamIndex == facts.streamIndex { return packet }
    }
    return nil
  }

  /// Goes to a packet at or before a raw frame.
  ///
  /// - Returns: The packet and its raw frame; nil where the demuxer finds none.
  func jump(toRaw raw: Int64) throws(LibAVError) -> (packet: Packet, start: Int64)? {
    var margin: Int64 = 0
    try facts.notePlaces(near: raw, of: stream, in: demuxer)
    for _ in 0..<4 {
      do throws(LibAVError) {
        try demuxer.seek(stream: facts.streamIndex, to: facts.timestamp(ofRaw: raw - margin))
      } catch {
        return nil
      }
      guard let packet = try next(), let landed = packet.timestamp.flatMap(facts.rawFrame) else {
        return nil
      }
      if landed <= raw { return (packet, landed) }
      margin += Int64(facts.sampleRate) << 2
    }
    return nil
  }
}
