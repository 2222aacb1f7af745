/// How a stream is cut into chunks that are encoded side by side, in packets.
///
/// It depends on settings, sample rate and channels alone, and it is used with one core as with many:
/// that is why the bytes are the same.
package struct ChunkGrid: Sendable, Hashable {
  /// Packets of a chunk.
  package var length: Int
  /// Packets before a chunk with whose sound its encoder starts, to find the state that the encoder
  /// of the chunk before has by then.
  package var warmUp: Int
  /// Packets in a row in which two encoders must agree before one takes over from the other.
  package var agreement: Int
  /// The last chunk is encoded with the one before it where it is shorter than this.
  package var shortest: Int

  /// A grid.
  package init(length: Int, warmUp: Int, agreement: Int, shortest: Int) {
    self.length = length
    self.warmUp = warmUp
    self.agreement = agreement
    self.shortest = shortest
  }
}
