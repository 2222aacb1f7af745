internal import MPEGAudio

/// How a stream is cut into chunks that are encoded side by side, in MP3 frames.
///
/// It depends on settings, sample rate and channels alone, and it is used with one core as with many: that is why the
/// bytes are the same.
package struct ChunkGrid: Sendable, Hashable {
  /// Frames of a chunk.
  package var length: Int
  /// Frames before a chunk with which its encoder starts, to find the state that the encoder of
  /// the chunk before has by then.
  package var warmUp: Int
  /// Frames in a row that two encoders must make alike before one takes over from the other.
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

  /// The grid for all streams that `setup` encodes.
  ///
  /// In a constant or mean bit rate the phase of the padding is part of LAME's state. Its period is
  /// 49 frames at 44.1 kHz and its halves, and one frame at the other rates; chunks and warm-ups
  /// are multiples of it. In a constant one, frames may be alike for a while although the reservoirs
  /// of two encoders, which they spend from, still differ: it takes more of them to tell, and most
  /// where bits are few.
  ///
  /// The sound of a chunk of stereo is 8.2 MiB.
  static func standard(for setup: EncoderSetup) -> ChunkGrid {
    switch setup.settings.rateControl {
    case .vbr: return ChunkGrid(length: 882, warmUp: 16, agreement: 8, shortest: 98)
    case .abr: return ChunkGrid(length: 882, warmUp: 49, agreement: 8, shortest: 98)
    case .cbr(let bitRate):
      let areBitsFew = bitRate * 5 < 6 * setup.sampleRate * setup.channelCount
      return areBitsFew
        ? ChunkGrid(length: 882, warmUp: 98, agreement: 64, shortest: 98)
        : ChunkGrid(length: 882, warmUp: 49, agreement: 32, shortest: 98)
    }
  }
}
