import LibAV

/// Which codecs of pictures there are: those of this FFmpeg, unless tests take some away.
struct PictureCodecs: Sendable {
  /// Whether pictures of a stream can be decoded (`avcodec_find_decoder`). Called from any thread.
  var decodes: @Sendable (LibAV.Stream) -> Bool = { Decoder.exists(for: $0) }
  /// Whether pictures of a codec, by FFmpeg's name, can be encoded (`avcodec_find_encoder_by_name`). Called
  /// from any thread.
  var encodes: @Sendable (String) -> Bool = { PictureEncoder.exists(for: $0) }
}
