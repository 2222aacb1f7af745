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
    /// padding only behind names that begin with LAME or Lavc.
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
