extension InfoFrame {
  /// How a stream is encoded, as LAME's tag repeats it; each field is what `PutLameVBR` in LAME's
  /// VbrTag.c would write.
  package struct Encoding: Sendable, Hashable {
    /// How bits are spent; the raw value is the tag's.
    package enum Method: UInt8, Sendable {
      case constant = 1
      case mean = 2
      /// LAME's `vbr_rh`, the old one.
      case variableRH = 3
      /// LAME's `vbr_mtrh`, its default.
      case variableMTRH = 4
      /// LAME's `vbr_mt`.
      case variableMT = 5
    }

    /// How channels are coded; the raw value is the tag's.
    package enum StereoMode: UInt8, Sendable {
      case mono = 0
      case stereo = 1
      case dualChannel = 2
      case joint = 3
      case forcedMidSide = 4
    }

    package var method: Method
    /// Bits a second: all frames', the mean, or the least that a frame of variable rate has.
    package var bitRate: Int
    /// 0 (best) … 100 in Xing's count: 100 - 10 V - q.
    package var quality: Int
    /// The encoder's name; nine characters, as `LAME3.100`. Players look for delay and
    /// padding only behind names that begin with LAME, Lavf or Lavc.
    package var encoder: String
    /// Where the sound ends, in Hz; 0 or less where nothing is cut.
    package var lowpass: Int
    /// Hz, of what went into the encoder.
    package var sourceSampleRate: Int
    package var stereoMode: StereoMode
    /// LAME's, 0 … 2.
    package var noiseShaping: Int
    /// Whether settings are in force that LAME's tag calls "nasty".
    package var isUnwise: Bool
    /// Which of LAME's thresholds of hearing is used, 0 … 5.
    package var thresholdType: Int
    /// Whether switching between left/right and mid/side is restrained (`--nssafejoint`).
    package var hasSafeJointStereo: Bool
    /// LAME's number of its preset: kbps, or 500 - 10 V.
    package var preset: Int

    /// All of it.
    package init(
      method: Method, bitRate: Int, quality: Int, encoder: String, lowpass: Int,
      sourceSampleRate: Int, stereoMode: StereoMode, noiseShaping: Int, isUnwise: Bool,
      thresholdType: Int, hasSafeJointStereo: Bool, preset: Int
    ) {
      self.method = method
      self.bitRate = bitRate
      self.quality = quality
      self.encoder = encoder
      self.lowpass = lowpass
      self.sourceSampleRate = sourceSampleRate
      self.stereoMode = stereoMode
      self.noiseShaping = noiseShaping
      self.isUnwise = isUnwise
      self.thresholdType = thresholdType
      self.hasSafeJointStereo = hasSafeJointStereo
      self.preset = preset
    }
  }
}

extension InfoFrame.Encoding {
  /// LAME's extension of Xing's header, as far as it is known without the stream: 28 bytes.
  func bytes(delay: Int, padding: Int) -> [UInt8] {
    let name = encoder.utf8.prefix(9)
    var bytes = name + [UInt8](repeating: 0, count: 9 - name.count)
    // Revision 0 of the tag.
    bytes += [method.rawValue, UInt8(clamping: (lowpass + 50) / 100)]
    // No peak, no replay gain: these belong into ID3.
    bytes += [UInt8](repeating: 0, count: 8)
    // 1 << 4 is the psychoacoustic model "nspsytune", the only one that LAME has left.
    bytes.append(UInt8(thresholdType & 0xF) | 1 << 4 | (hasSafeJointStereo ? 1 << 5 : 0))
    bytes.append(UInt8(clamping: bitRate / 1000))
    bytes += UInt32(limited(delay) << 12 | limited(padding)).bigEndianBytes.dropFirst()
    bytes.append(
      sourceRateCode << 6 | (isUnwise ? 1 << 5 : 0) | stereoMode.rawValue << 2
        | UInt8(noiseShaping & 3))
    // No gain was put in with mp3gain.
    bytes.append(0)
    bytes += UInt16(clamping: preset).bigEndianBytes
    return bytes
  }

  private func limited(_ count: Int) -> Int { max(0, min(count, 0xFFF)) }

  private var sourceRateCode: UInt8 {
    switch sourceSampleRate {
    case ...32000: 0
    case 48000: 2
    case 48001...: 3
    default: 1
    }
  }
}

extension InfoFrame.Encoding {
  /// What the first 28 bytes of LAME's extension say; nil where they say nothing that LAME has.
  init?(extension bytes: Slice<UnsafeRawBufferPointer>, quality: Int, encoder: String) {
    let bytes = Array(bytes)
    guard let method = Method(rawValue: bytes[9] & 0xF),
      let stereoMode = StereoMode(rawValue: bytes[24] >> 2 & 7)
    else { return nil }
    self.init(
      method: method, bitRate: Int(bytes[20]) * 1000, quality: quality, encoder: encoder,
      lowpass: Int(bytes[10]) * 100,
      sourceSampleRate: [32_000, 44_100, 48_000, 96_000][Int(bytes[24] >> 6)],
      stereoMode: stereoMode, noiseShaping: Int(bytes[24] & 3), isUnwise: bytes[24] & 0x20 != 0,
      thresholdType: Int(bytes[19] & 0xF), hasSafeJointStereo: bytes[19] & 0x20 != 0,
      preset: Int(bytes[26] & 7) << 8 | Int(bytes[27]))
  }

  /// What can be said of frames that were copied from a stream.
  ///
  /// - Parameters:
  ///   - index: The stream's.
  ///   - isConstant: Whether all frames have one bit rate.
  package init(like index: FrameIndex, isConstant: Bool) {
    let own =
      index.tag?.encoding
      ?? Self(
        method: .variableMTRH, bitRate: index.meanBitRate, quality: index.tag?.quality ?? 0,
        encoder: index.tag?.gaplessEncoder ?? "LAME",
        lowpass: 0, sourceSampleRate: index.sampleRate,
        stereoMode: StereoMode(index.header.channelMode), noiseShaping: 0, isUnwise: false,
        thresholdType: 0, hasSafeJointStereo: false, preset: 0)
    self = own
    if isConstant {
      method = .constant
      // LAME's byte ends at 255 kbps, and a mean of whole bytes lies beside the rate.
      if case .cbr(let bitRate)? = index.settings?.rateControl { self.bitRate = bitRate }
    } else if method == .constant {
      method = .variableMTRH
    }
  }
}

extension InfoFrame.Encoding.StereoMode {
  fileprivate init(_ mode: FrameHeader.ChannelMode) {
    switch mode {
    case .mono: self = .mono
    case .stereo: self = .stereo
    case .dualChannel: self = .dualChannel
    case .jointStereo: self = .joint
    }
  }
}
