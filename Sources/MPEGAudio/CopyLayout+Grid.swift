extension CopyLayout {
  /// How the frames of a codec lie in its streams, and how far they depend on one another.
  package struct Grid: Sendable, Hashable, Codable {
    /// PCM frames of each frame; of Opus, whose packets differ in length, from one place to the next at
    /// which copied ones and encoded ones may meet.
    package let samplesPerFrame: Int
    /// How many decoded samples a frame's last block reaches beyond the frame.
    let reach: Int64
    /// How many samples of its sound a copy leaves to the encoder before it, so that a decoder's state
    /// is near that of the copy's own stream.
    let lead: Int64
    /// PCM frames between an encoder's input and the same sound in its decoded stream.
    package let encoderSkip: Int
    /// How many frames before the first one that is heard decoding begins with.
    let preRoll: Int
    /// The first frame of a stream that may follow an encoded one: those before it are not complete.
    let firstWhole: Int
    /// Fewer frames in a row are encoded: their seams would cost more.
    let shortestCopy: Int
    /// Of fewer samples nothing is copied: decoders would not cut off both ends.
    let shortestStream: Int64
    /// Whether frames reach back to main data in those before them.
    let hasReservoir: Bool

    /// Layer III. Its windows are 1152 + 480 samples long (ISO 11172-3 §2.4.3.4: overlapping blocks of
    /// 36 samples in 32 subbands, and a filter bank of 512 taps). LAME's delay is 576, and the
    /// decoder's 529 (`lame_get_encoder_delay`).
    package static func mp3(samplesPerFrame: Int) -> Grid {
      // Of one frame alone FFmpeg 5.1 cuts off both ends wrongly. Decoding begins so early that blocks
      // overlap and the filter bank is full.
      Grid(
        samplesPerFrame: samplesPerFrame, reach: 576 + 480, lead: 0,
        encoderSkip: 576 + FrameIndex.decoderDelay, preRoll: 1152 / samplesPerFrame,
        firstWhole: 0, shortestCopy: 4, shortestStream: Int64(samplesPerFrame) + 1,
        hasReservoir: true)
    }

    /// AAC-LC: windows of two frames (ISO 14496-3, 4.6.11). FFmpeg's encoder begins with one of silence.
    /// Some decoders leave out what they make of the first packet.
    package static let aac = Grid(
      samplesPerFrame: 1024, reach: 1024, lead: 0, encoderSkip: 1024, preRoll: 2,
      firstWhole: 1, shortestCopy: 4, shortestStream: 0, hasReservoir: false)

    /// HE-AAC, of which all packets are copied: each gives 2048 frames (ISO 14496-3, 4.6.18).
    package static let wholeHighEfficiencyAAC = Grid(
      samplesPerFrame: 2048, reach: 0, lead: 0, encoderSkip: 0, preRoll: .max, firstWhole: 0,
      shortestCopy: 1, shortestStream: 0, hasReservoir: false)

    /// Opus: packets of 2.5 to 120 ms (RFC 6716, 2), whose windows overlap by 2.5 ms (its section 4.3.7).
    /// What is left between two copies is encoded by packets of 20 ms, the usual length: shorter ones
    /// bring no decoder near to the state of longer ones. CELT predicts the level of each band from the
    /// packet before; 80 ms bring two decoders near one another (RFC 7845, 4.6). libopus' look-ahead is
    /// 6.5 ms. A copy of 0.25 s has a packet whatever their lengths are.
    package static let opus = Grid(
      samplesPerFrame: 960, reach: 120, lead: 3840, encoderSkip: 312, preRoll: 4, firstWhole: 0,
      shortestCopy: 13, shortestStream: 0, hasReservoir: false)

    /// Vorbis, of which one clip alone is copied: its blocks have two lengths of 64 to 8192, and each
    /// packet gives a quarter of its own and of the one before (Vorbis I, 4.3.8), hence at most 4096
    /// samples. A decoder leaves out samples of the first packet that gives any, or of the last one, but
    /// not of one that is both (libvorbis' `vorbis_synthesis_blockin`).
    package static let vorbis = Grid(
      samplesPerFrame: 1024, reach: 0, lead: 0, encoderSkip: 0, preRoll: 1, firstWhole: 0,
      shortestCopy: 1, shortestStream: 4097, hasReservoir: false)
  }
}
