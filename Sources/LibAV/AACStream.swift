internal import CFFmpeg

/// AAC that no encoder of FFmpeg's makes, as a container has to describe it.
package struct AACStream: Sendable, Hashable {
  /// The AudioSpecificConfig (ISO 14496-3, 1.6.2.1).
  package var configuration: [UInt8]
  /// Frames a second of what it decodes to.
  package var sampleRate: Int
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
    configuration: [UInt8], sampleRate: Int, channelMask: UInt64, frameLength: Int, delay: Int,
    bitRate: Int
  ) {
    (self.configuration, self.sampleRate, self.channelMask) =
      (configuration, sampleRate, channelMask)
    (self.frameLength, self.delay, self.bitRate) = (frameLength, delay, bitRate)
  }

  /// Describes it in the parameters of a new stream.
  func fill(_ parameters: UnsafeMutablePointer<AVCodecParameters>) throws(LibAVError) {
    parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    parameters.pointee.codec_id = AV_CODEC_ID_AAC
    parameters.pointee.sample_rate = Int32(clamping: sampleRate)
    parameters.pointee.frame_size = Int32(clamping: frameLength)
    parameters.pointee.initial_padding = Int32(clamping: delay)
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
