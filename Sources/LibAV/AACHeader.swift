internal import CFFmpeg

/// AAC's header (`AudioSpecificConfig`; ISO 14496-3, 1.6.2.1).
extension Stream {
  /// The audio object type of AAC, by its header (ISO 14496-3, 1.6.2.1): 2 is LC, 5 and 29 are HE, 42
  /// is xHE-AAC (USAC). nil without a header.
  package var audioObjectType: Int? {
    parameters.codec_id == AV_CODEC_ID_AAC ? Self.audioObjectType(header) : nil
  }

  /// That of some header.
  package static func audioObjectType(_ header: [UInt8]) -> Int? {
    guard header.count > 1 else { return nil }
    let type = Int(header[0] >> 3)
    // An escape; six bits follow.
    return type == 31 ? 32 + Int(header[0] & 7) << 3 + Int(header[1] >> 5) : type
  }

  /// What a decoder of AAC-LC in mono or stereo and in frames of 1024 is set up with: the two bytes of a
  /// header that say all of it (`GASpecificConfig`; ISO 14496-3, 1.6.2.1 and 4.4.1). Nil for others.
  package static func aacSetup(_ header: [UInt8]) -> String? {
    guard audioObjectType(header) == 2 else { return nil }
    let bits = UInt16(header[0]) << 8 | UInt16(header[1])
    // A rate by its index, one or two channels; frames of 1024 without a core coder or an extension.
    let (rate, channels, rest) = (bits >> 7 & 15, bits >> 3 & 15, bits & 7)
    return rate != 15 && 1...2 ~= channels && rest == 0 ? String(bits, radix: 16) : nil
  }

  /// That of mono or stereo as it is encoded; nil for a rate without an index (ISO 14496-3, table 1.18).
  package static func aacSetup(_ sampleRate: Int, channelCount: Int) -> String? {
    let rates = [
      96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
      7350,
    ]
    return rates.firstIndex(of: sampleRate).map {
      String(2 << 11 | $0 << 7 | channelCount << 3, radix: 16)
    }
  }
}
