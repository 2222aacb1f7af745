internal import CFFmpeg

/// AAC that no encoder of FFmpeg's makes, as a container has to describe it.
package struct AACStream: Sendable, Hashable {
  /// The AudioSpecificConfig (ISO 14496-3, 1.6.2.1).
  package var configuration: [UInt8]
  /// Frames a second of what it decodes to.
  package var sampleRate: Int
  /// Frames a second that are coded: of HE-AAC half. It is the clock of an MP4's track, in which FFmpeg's
  /// decoder takes the edit list (`skip_samples_multiplier`), and iTunes writes it.
  package var coreRate: Int
  /// A bit for each channel of what it decodes to (`AV_CH_…`).
  package var channelMask: UInt64
  /// Frames of a packet, of what it decodes to.
  package var frameLength: Int
  /// Frames of what it decodes to before the first of the sound.
  package var delay: Int
  /// Bits a second in the mean; 0 where that is not known.
  package var bitRate: Int

  /// A description.
  package init(
    configuration: [UInt8], sampleRate: Int, coreRate: Int, channelMask: UInt64, frameLength: Int,
    delay: Int, bitRate: Int
  ) {
    (self.configuration, self.channelMask) = (configuration, channelMask)
    (self.sampleRate, self.coreRate) = (sampleRate, coreRate)
    (self.frameLength, self.delay, self.bitRate) = (frameLength, delay, bitRate)
  }

  /// Describes it in the parameters of a new stream.
  func fill(_ parameters: UnsafeMutablePointer<AVCodecParameters>) throws(LibAVError) {
    parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    parameters.pointee.codec_id = AV_CODEC_ID_AAC
    parameters.pointee.sample_rate = Int32(clamping: coreRate)
    parameters.pointee.frame_size = Int32(clamping: frameLength * coreRate / sampleRate)
    parameters.pointee.initial_padding = Int32(clamping: delay * coreRate / sampleRate)
    parameters.pointee.bit_rate = Int64(bitRate)
    try check(
      av_channel_layout_from_mask(&parameters.pointee.ch_layout, channelMask),
      "av_channel_layout_from_mask")
    // Readers go over the end by as many bytes.
    let memory = try checkAllocated(
      av_mallocz(configuration.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)), "av_mallocz")
    memory.copyMemory(from: configuration, byteCount: configuration.count)
    parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    parameters.pointee.extradata_size = Int32(clamping: configuration.count)
  }
}

/// The clock of a track of HE-AAC, which counts frames of the core (ISO 14496-3, 4.6.18).
///
/// FFmpeg's decoder doubles what an edit list leaves out (`skip_samples_multiplier`): of a track at the
/// doubled rate, players by FFmpeg leave out as much of the sound as lies before it.
struct CoreClock {
  /// Frames a second of what is heard.
  private let sampleRate: Int
  /// Ticks a second.
  private let coreRate: Int
  /// Frames of what is heard before the first of the sound.
  private let delay: Int

  /// The clock for a source; nil of one without band replication, and where the sound begins between
  /// two ticks.
  init?(_ source: Muxer.Source) {
    switch source {
    case .encoder, .stream(_, _, _, nil): return nil
    case .stream(let stream, let padding, _, let coreRate?):
      (sampleRate, self.coreRate, delay) = (stream.sampleRate, coreRate, padding)
    case .aac(let stream):
      (sampleRate, coreRate, delay) = (stream.sampleRate, stream.coreRate, stream.delay)
    }
    guard coreRate * 2 == sampleRate, delay.isMultiple(of: 2) else { return nil }
  }

  /// Frames of what is heard in a tick.
  fileprivate var framesPerTick: Int64 { 2 }

  /// Describes the track of packets that are copied.
  func describe(_ parameters: inout AVCodecParameters) {
    parameters.sample_rate = Int32(clamping: coreRate)
    parameters.frame_size = min(parameters.frame_size, 1024)
    parameters.initial_padding = Int32(clamping: delay / 2)
  }
}

extension Muxer {
  /// Frames of sound in a tick of its track: 2 of HE-AAC in MP4, and else 1.
  package var framesPerTick: Int64 { core?.framesPerTick ?? 1 }
}
