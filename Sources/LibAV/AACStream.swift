internal import CFFmpeg
import Tagging

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

extension Muxer {
  /// The sound's edit where its end lies between two ticks of its track, which counts core frames.
  var soundList: TrackEdits? {
    guard let source = coded, source.coreRate != source.sampleRate else { return nil }
    let (start, end) = (companions?.streams.setting.delay ?? 0, soundEnd)
    guard !(end - start).isMultiple(of: 2), end > start else { return nil }
    let media = Int64(source.delay * source.coreRate / source.sampleRate)
    return TrackEdits(
      list: EditList([.init(shown: start..<end, media: media)]), handler: "soun",
      timescale: UInt32(clamping: source.coreRate), clock: UInt32(clamping: source.sampleRate),
      isOptional: true)
  }
}
