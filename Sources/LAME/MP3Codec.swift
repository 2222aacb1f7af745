internal import MPEGAudio
internal import Splicing

/// LAME with some settings, as a codec of which several encoders make one stream.
struct MP3Codec: SplicedCodec {
  typealias Stream = MP3Stream

  let setup: EncoderSetup

  var channelCount: Int { setup.channelCount }
  var framesPerPacket: Int { setup.samplesPerFrame }

  func open(at frame: Int64) throws(LAMEError) -> FrameMaker {
    FrameMaker(try setup.open(), at: frame)
  }

  func agree(_ one: UnpackedFrame, _ other: UnpackedFrame) -> Bool { one.hasSameSound(as: other) }

  /// The grid for all streams of these settings.
  ///
  /// In a constant or mean bit rate the phase of the padding is part of LAME's state. Its period is
  /// 49 frames at 44.1 kHz and its halves, and one frame at the other rates; chunks and warm-ups
  /// are multiples of it. In a constant one, frames may be alike for a while although the reservoirs
  /// of two encoders, which they spend from, still differ: it takes more of them to tell, and most
  /// where bits are few.
  ///
  /// The sound of a chunk of stereo is 8.2 MiB.
  var grid: ChunkGrid {
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

extension LAMEError: EncodingProblem {}

/// One run of LAME, and the frames that its bytes hold.
final class FrameMaker: PartEncoder {
  private var encoder: MP3Encoder
  private let samplesPerFrame: Int
  private var unpacker: FrameUnpacker
  private var bytes: [UInt8] = []
  private var frames: [UnpackedFrame] = []
  /// Where the next MP3 frame lies.
  private var position: Int64

  /// A run whose first sound, and whose first MP3 frame, are at PCM frame `frame` of the stream.
  init(_ encoder: consuming MP3Encoder, at frame: Int64) {
    samplesPerFrame = encoder.samplesPerFrame
    unpacker = FrameUnpacker(freeFormatBitRate: encoder.freeFormatBitRate)
    self.encoder = encoder
    position = frame
  }

  /// The samples were found encodable before.
  func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, count: Int,
    into packets: inout [Placed<UnpackedFrame>]
  ) throws(LAMEError) {
    try encoder.encode(planes, from: start, count: count, into: &bytes)
    try unpack(into: &packets)
  }

  func finish(into packets: inout [Placed<UnpackedFrame>]) throws(LAMEError) {
    try encoder.flush(into: &bytes)
    try unpack(into: &packets)
  }

  private func unpack(into packets: inout [Placed<UnpackedFrame>]) throws(LAMEError) {
    try unpacker.drain(&bytes, into: &frames)
    for frame in frames {
      let end = position + Int64(samplesPerFrame)
      packets.append(Placed(position..<end, frame))
      position = end
    }
    frames.removeAll(keepingCapacity: true)
  }

  /// What an Info frame says of its settings.
  var encoding: InfoFrame.Encoding { encoder.encoding }

  /// See `MP3Encoder`.
  var delay: Int { encoder.delay }

  /// See `MP3Encoder`; known after `finish`.
  var padding: Int { encoder.padding }
}
