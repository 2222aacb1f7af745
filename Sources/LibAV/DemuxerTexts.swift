internal import CFFmpeg

/// Streams of texts.
extension Stream {
  /// The name of an MP4's sample entry, such as `wvtt`, or another container's number for the codec;
  /// empty where that is no name of four letters.
  package var sampleEntry: String {
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: parameters.codec_tag >> (8 * $0)) }
    return letters.allSatisfy { 0x20...0x7E ~= $0 } ? String(decoding: letters, as: UTF8.self) : ""
  }

  /// Whether it is one that players show without being asked (`AV_DISPOSITION_DEFAULT`).
  package var isDefault: Bool { pointer.pointee.disposition & AV_DISPOSITION_DEFAULT != 0 }

  /// Whether its texts are not what is said: parts in another language than that of the sound,
  /// descriptions of the picture, data for programs.
  package var isBesideSpeech: Bool {
    let others =
      AV_DISPOSITION_FORCED | AV_DISPOSITION_DESCRIPTIONS | AV_DISPOSITION_METADATA
    return pointer.pointee.disposition & others != 0
  }
}

extension Packet {
  /// The name of a text of WebVTT (`AV_PKT_DATA_WEBVTT_IDENTIFIER`); empty where it has none.
  package var textIdentifier: [UInt8] { sideData(AV_PKT_DATA_WEBVTT_IDENTIFIER) }

  /// What a block of Matroska has beside its data (RFC 9559, `BlockAdditional`) under number 1; empty
  /// where there is nothing.
  package var blockAddition: [UInt8] {
    let data = sideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)
    guard data.count >= 8, data.prefix(8).elementsEqual([0, 0, 0, 0, 0, 0, 0, 1]) else { return [] }
    return Array(data.dropFirst(8))
  }
}
