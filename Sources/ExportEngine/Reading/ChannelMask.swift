import LibAV
import MediaComposition

extension ChannelLayout {
  /// The layout of decoded sound: of one channel mono, wherever the file puts it, and of two stereo,
  /// where the file gives them no positions, or Dolby's `DL` and `DR`. Three channels and more are then
  /// without: which of them a writer meant for the low frequencies is anyone's guess.
  init(mask: UInt64, count: Int) {
    let bits = (0..<64).filter { mask & 1 << $0 != 0 }
    let placed = ChannelLayout(bits.map { Channel(rawValue: $0) ?? .unplaced })
    guard count > 1, bits.count == count, !placed.isUnplaced else {
      self = .counted(count)
      return
    }
    self = placed
  }
}

extension Prober {
  /// The name of a FLAC's tag for positions other than those of its own order (RFC 9639, 8.6.2).
  static let channelMaskTag = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK"

  /// A bit for each channel (`AV_CH_…`), as far as the positions that a decoder gives are the file's;
  /// else 0.
  func channelMask(
    of first: FirstFrame, _ stream: LibAV.Stream, _ demuxer: Demuxer
  ) -> UInt64 {
    switch stream.codecName {
    // They have no word for positions: libavcodec guesses them by the number of channels.
    case "tta", "s302m", "pcm_dvd": return 0
    case "opus": return stream.hasPositions ? first.channelMask : 0
    case "flac":
      let masks = (demuxer.metadata + stream.metadata)
        .filter { $0.key.uppercased() == Self.channelMaskTag }
        .compactMap { Self.number($0.value) }
      // libavformat heeds the tag in a FLAC of its own and in Matroska, and not in Ogg.
      return masks.first { $0 == 0 || $0.nonzeroBitCount == first.channelCount }
        ?? first.channelMask
    default: return first.channelMask
    }
  }

  /// The number that a text begins with, as `0x3F` or `63`.
  private static func number(_ text: String) -> UInt64? {
    let text = text.trimmingPrefix(while: \.isWhitespace)
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    let digits = text.dropFirst(isHexadecimal ? 2 : 0)
      .prefix { isHexadecimal ? $0.isHexDigit : $0.isWholeNumber }
    return UInt64(digits, radix: isHexadecimal ? 16 : 10)
  }
}
