internal import CFFmpeg
import Glibc

/// Opus' channel mappings (RFC 7845, 5.1.1; RFC 8486), of which libavcodec's wrapper of libopus knows
/// the first two alone.
extension Stream {
  /// The head of an Opus stream, as Ogg, Matroska and libavformat's MP4 have it.
  private var opusHead: [UInt8]? {
    guard parameters.codec_id == AV_CODEC_ID_OPUS, parameters.extradata_size >= 19,
      let data = parameters.extradata
    else { return nil }
    return Array(UnsafeBufferPointer(start: data, count: Int(parameters.extradata_size)))
  }

  /// The channel mapping family of an Opus stream: 0 is mono or stereo, 1 Vorbis' order of speakers;
  /// 2 and 3 are Ambisonics, and 255 channels without positions.
  package var opusMappingFamily: Int? { opusHead.map { Int($0[18]) } }

  /// Whether the positions that the decoder gives to the channels are those of the stream.
  package var hasPositions: Bool { (opusMappingFamily ?? 0) <= 1 }

  /// What a decoder is set up with, besides the pre-skip: channels, gain and mapping. Nil where libopus
  /// encodes no stream of this mapping.
  package var opusSetup: String? {
    guard let head = opusHead, head[18] == 0 || Self.encodedMappings.contains(Array(head[18...]))
    else { return nil }
    // Of one stream the header ends there; what follows is none of it (RFC 7845, 5.1).
    return ([head[9]] + head[16..<(head[18] == 0 ? 19 : head.count)]).hexadecimal
  }

  /// That of mono or stereo as it is encoded, without gain.
  package static func opusSetup(channelCount: Int) -> String {
    [UInt8(clamping: channelCount), 0, 0, 0].hexadecimal
  }

  /// The gain that a decoder applies to all samples, as a factor (RFC 7845, 5.1: dB in Q7.8).
  package var opusGain: Double {
    guard let head = opusHead else { return 1 }
    let gain = Int16(bitPattern: UInt16(head[17]) << 8 | UInt16(head[16]))
    return gain == 0 ? 1 : pow(10, Double(gain) / 5120)
  }

  /// Family, streams, coupled streams and mapping of three to eight channels (RFC 7845, 5.1.1.2;
  /// `vorbis_mappings` in libopus' opus_multistream_encoder.c).
  private static let encodedMappings: [[UInt8]] = [
    [1, 2, 1, 0, 2, 1], [1, 2, 2, 0, 1, 2, 3], [1, 3, 2, 0, 4, 1, 2, 3],
    [1, 4, 2, 0, 4, 1, 2, 3, 5],
    [1, 4, 3, 0, 4, 1, 2, 3, 5, 6], [1, 5, 3, 0, 6, 1, 2, 3, 4, 5, 7],
  ]

  /// The header for libavcodec's wrapper, if it is to be another than the stream's own: the wrapper puts
  /// channels of any family into the order of FFmpeg's surrounds. The mapping is in the
  /// opposite order, so that each channel ends where it began.
  ///
  /// - Throws: Where the channels are no channels of the stream, but made of them by a matrix.
  func opusHeaderInOrder() throws(LibAVError) -> [UInt8]? {
    guard var head = opusHead, let family = opusMappingFamily, family > 1 else { return nil }
    guard family != 3 else {
      throw LibAVError.refused(
        "is Opus of channel mapping family 3 (Ambisonics with a matrix), which is not decoded; encode "
          + "it again with family 2 or 255")
    }
    let count = Int(head[9])
    guard (3...8).contains(count), head.count >= 21 + count else { return nil }
    let order = Self.vorbisOrder[count - 3]
    let mapping = head[21..<21 + count]
    for (channel, source) in order.enumerated() {
      head[21 + source] = mapping[21 + channel]
    }
    return head
  }

  /// Which of Vorbis' channels is each of FFmpeg's, for three channels and more
  /// (`ff_vorbis_channel_layout_offsets` in libavcodec's vorbis_data.c).
  private static let vorbisOrder = [
    [0, 2, 1], [0, 1, 2, 3], [0, 2, 1, 3, 4], [0, 2, 1, 5, 3, 4], [0, 2, 1, 6, 5, 3, 4],
    [0, 2, 1, 7, 5, 6, 3, 4],
  ]
}
