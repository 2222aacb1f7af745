import MPEGAudio
import MediaComposition

extension Asset {
  /// Bits a second of the sound: the container's number, else by the size of a file that holds
  /// little besides sound.
  fileprivate var meanBitRate: Int? {
    if let bitRate, bitRate > 0 { return bitRate }
    guard container == "ogg", frameCount > 0 else { return nil }
    let bits = Int128(identity.size) * 8 * Int128(sampleRate) / Int128(frameCount)
    return Int(clamping: bits)
  }
}

extension Asset {
  /// The storage of samples of 8 bits, and by codecs of telephony; nil for others.
  fileprivate var sampleFormat: Output.SampleFormat? {
    switch codec {
    case "pcm_u8", "pcm_s8", "pcm_s8_planar": .uint8
    case "pcm_mulaw": .muLaw
    case "pcm_alaw": .aLaw
    case "adpcm_g722": .g722
    case "gsm", "gsm_ms": .gsm
    default: nil
    }
  }
}

extension Output.Kind {
  /// The settings that keep the quality of `clip`, in an output of this kind.
  ///
  /// Lossless formats keep the depth. Lossy ones get the clip's bit rate, as far as the format has
  /// it: more bits would not restore lost sound.
  func format(like clip: Asset, sampleRate: Int, layout: ChannelLayout) -> Output.Format {
    let depth: Output.SampleFormat = (clip.bitDepth ?? 32) <= 16 ? .int16 : .int24
    let offered = capabilities.sampleFormats
    let samples =
      clip.sampleFormat.flatMap { offered.contains($0) ? $0 : nil }
      ?? (clip.bitDepth == nil ? .float32 : depth)
    let usual = usualFormat(
      isDeep: depth == .int24, sampleRate: sampleRate, channelCount: layout.count)
    switch usual.setting {
    case .samples: return usual.with(.samples(samples))
    case .bitDepth: return usual
    case .mp3: return .mp3(MP3Settings(like: clip, sampleRate: sampleRate))
    case .bitRate, .quality:
      guard let mean = clip.meanBitRate,
        let rates = bitRates(sampleRate: sampleRate, channelCount: layout.count)
      else { return usual }
      // Whole kbps, inward: a clip's mean is not a round number.
      let (least, most) = ((rates.lowerBound + 999) / 1000, rates.upperBound / 1000)
      return usual.with(.bitRate(max(least, min(most, (mean + 500) / 1000)) * 1000))
    }
  }
}

extension MP3Settings {
  /// Settings that keep the quality of an MP3: its own, where known, as far as the output's sample
  /// rate has them; else the VBR quality whose mean is next to the clip's, not far below it.
  fileprivate init(like clip: Asset, sampleRate: Int) {
    switch clip.mp3Settings?.rateControl {
    case .vbr(let quality)?: self.init(.vbr(quality: quality))
    case .abr(let bitRate)?:
      let range = Self.meanBitRates(forSampleRate: sampleRate) ?? bitRate...bitRate
      self.init(.abr(bitRate: max(range.lowerBound, min(range.upperBound, bitRate))))
    case .cbr(let bitRate)?:
      let rates = Self.bitRates(forSampleRate: sampleRate)
      self.init(.cbr(bitRate: rates.last { $0 <= bitRate } ?? rates.first ?? bitRate))
    case nil:
      let channels = max(1, clip.channelLayout.count)
      // The equivalent for stereo at 44.1 kHz.
      let alike = (clip.bitRate ?? 190_000) * 2 / channels * 44_100 / max(1, clip.sampleRate)
      // LAME's means for V0 … V9 on music.
      let means = [245, 225, 190, 175, 165, 130, 115, 100, 85, 65].map { $0 * 1000 }
      let quality = means.lastIndex { $0 >= alike - alike / 20 } ?? 0
      self.init(.vbr(quality: Double(quality)))
    }
  }
}
