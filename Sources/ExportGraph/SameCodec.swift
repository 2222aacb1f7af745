import Diagnosis
import MPEGAudio
import MediaComposition

extension Asset {
  /// Bits a second of the sound: the container's number, else by the size of a file that holds
  /// little besides sound.
  package var meanBitRate: Int? {
    if let bitRate, bitRate > 0 { return bitRate }
    guard container == "ogg", frameCount > 0 else { return nil }
    let bits = Int128(identity.size) * 8 * Int128(sampleRate) / Int128(frameCount)
    return Int(clamping: bits)
  }
}

extension Asset {
  /// The storage of samples of 8 bits, by codecs of telephony, and as IMA4; nil for others.
  fileprivate var sampleFormat: Output.SampleFormat? {
    switch codec {
    case "pcm_u8", "pcm_s8", "pcm_s8_planar": .uint8
    case "pcm_mulaw": .muLaw
    case "pcm_alaw": .aLaw
    case "adpcm_g722": .g722
    case "gsm", "gsm_ms": .gsm
    case "adpcm_ima_qt": .ima4
    default: nil
    }
  }
}

extension Output.Kind {
  /// Bits a second of a file of AMR at one of its rates: every 20 ms whole bytes, and one before them
  /// (RFC 4867, 5.3).
  package static func fileBitRate(ofAMR mode: Int) -> Int { ((mode / 50 + 7) / 8 + 1) * 400 }

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
    case .fdkAAC: return usual
    case .bitRate, .quality:
      guard let mean = clip.meanBitRate,
        let rates = bitRates(sampleRate: sampleRate, channelCount: layout.count)
      else { return usual }
      if let modes = bitRateModes {
        let nearest = modes.min {
          abs(Self.fileBitRate(ofAMR: $0) - mean) < abs(Self.fileBitRate(ofAMR: $1) - mean)
        }
        return nearest.map { usual.with(.bitRate($0)) } ?? usual
      }
      // Whole kbps, inward: a clip's mean is not a round number.
      let (least, most) = ((rates.lowerBound + 999) / 1000, rates.upperBound / 1000)
      return usual.with(.bitRate(max(least, min(most, (mean + 500) / 1000)) * 1000))
    }
  }
}

extension Output.Kind {
  /// The settings that keep the quality of the best of `parts`, in an output of this kind: of lossless
  /// formats the greatest depth, of lossy ones the most bits a second. nil without parts that say it.
  func format(likeAll parts: [Asset], sampleRate: Int, layout: ChannelLayout) -> Output.Format? {
    let formats = parts.filter { $0.decides(self) }.map {
      format(like: $0, sampleRate: sampleRate, layout: layout)
    }
    let best = model(among: parts, sampleRate: sampleRate, layout: layout).map {
      format(like: $0, sampleRate: sampleRate, layout: layout)
    }
    // Two storages of 8 bits do not hold each other's samples.
    guard let best, case .samples = best.setting, best.worth == 8,
      formats.contains(where: { $0 != best })
    else { return best }
    return best.with(.samples(.int16))
  }

  /// The part whose quality an output of this kind keeps; nil where none decides on it.
  func model(among parts: [Asset], sampleRate: Int, layout: ChannelLayout) -> Asset? {
    parts.filter { $0.decides(self) }.max { one, other in
      format(like: one, sampleRate: sampleRate, layout: layout).worth
        < format(like: other, sampleRate: sampleRate, layout: layout).worth
    }
  }

  /// A note on the parts of `sources` that are not as the output that keeps their codec; nil where all
  /// are. One source alone is the output's measure. Where `keepProfile` has a note on HE-AAC, this has
  /// none on it.
  func differenceNote(on sources: SourceFacts, _ output: SettledOutput) -> Diagnostic? {
    let parts = sources.sounding
    let others = parts.count < 2 ? [] : parts.filter { !$0.isAlike(output, self) }
    guard !others.isEmpty else { return nil }
    let mostNamed = 3
    var named = others.prefix(mostNamed).map { "'\($0.location)' is \($0.formatText)" }
    if others.count > mostNamed { named.append("\(others.count - mostNamed) more differ") }
    let sound = output.sound
    let format = output.format.description(
      sampleRate: sound.sampleRate, channelCount: sound.channelLayout.count)
    return Diagnostic(
      .note,
      "'\(output.output.path)' becomes \(format), and not all of its sources are: "
        + named.joined(separator: ", "), at: output.output.origin,
      help: "for another format, name it, as '\(rawValue): \(capabilities.exampleSetting)'")
  }
}

extension Output.Kind {
  /// A note that sounds of the output's own codec are decoded and encoded again, since packets of that codec
  /// are not copied, or not as a part, and lose some of the sound each time; nil where `parts` have none of
  /// it.
  func encodedNote(on parts: [Asset], _ output: SettledOutput) -> Diagnostic? {
    let isOfCodec: (Asset) -> Bool
    var isCopiedWhole = false
    switch output.format.setting {
    case .samples(let samples) where samples.isEncodedAnew:
      isOfCodec = { $0.sampleFormat == samples }
      isCopiedWhole = true
    case _ where capabilities.copiedUnit == .nothing: isOfCodec = { $0.outputKind == self }
    default: return nil
    }
    guard let part = parts.first(where: isOfCodec) else { return nil }
    return Diagnostic(
      .note,
      "'\(output.output.path)' is encoded again, which loses some of the sound: packets of "
        + "\(part.codec) are "
        + (isCopiedWhole ? "copied where one whole file, unchanged, is the output" : "not copied"),
      at: output.output.origin,
      help: isCopiedWhole
        ? nil : "if nothing of '\(part.location)' is changed, copy the file itself")
  }
}

extension Output.SampleFormat {
  /// Whether sound that was decoded from it is another one each time that it is encoded again.
  var isEncodedAnew: Bool { self == .g722 || self == .gsm }
}

extension Asset {
  /// Whether the settings of an output of `kind` are to keep its quality: of a lossless one's sources
  /// those that lose nothing, of others those of the same codec.
  fileprivate func decides(_ kind: Output.Kind) -> Bool {
    kind.capabilities.isLossless
      ? outputKind?.capabilities.isLossless == true : outputKind == kind
  }

  /// Whether an output of `kind` is as it is, as far as its own facts say.
  fileprivate func isAlike(_ output: SettledOutput, _ kind: Output.Kind) -> Bool {
    let sound = output.sound
    guard outputKind == kind, sampleRate == sound.sampleRate,
      channelLayout.count == sound.channelLayout.count
    else { return false }
    // A note on the loss of a profile is one on all parts that have it.
    if kind == .aac, !output.losesProfile, (profile != nil) != output.format.isHighEfficiency {
      return false
    }
    let own = kind.format(like: self, sampleRate: sampleRate, layout: channelLayout)
    // Bit rates are means of the sound, unless its encoder says what was asked of it.
    guard !kind.capabilities.isLossless, mp3Settings == nil else { return own == output.format }
    return own.worth * 10 >= output.format.worth * 9
  }

  /// Its codec, settings and sound, for messages.
  var formatText: String {
    let own = outputKind?.format(like: self, sampleRate: sampleRate, layout: channelLayout)
    let text = own?.description(sampleRate: sampleRate, channelCount: channelLayout.count) ?? codec
    guard let profile, let kind = outputKind else { return text }
    return profile + text.dropFirst(kind.capabilities.codecName.count)
  }
}

extension Output.Format {
  /// What compares settings of one kind: bits a sample, or bits a second.
  fileprivate var worth: Int {
    switch setting {
    case .samples(.uint8), .samples(.muLaw), .samples(.aLaw): 8
    case .samples(.g722), .samples(.ima4): 4
    case .samples(.gsm): 2
    case .samples(.int16): 16
    case .samples(.int24): 24
    case .samples(.float32): 32
    case .bitDepth(let depth): depth
    case .bitRate(let bitRate): bitRate
    case .fdkAAC(let settings): settings.bitRate ?? 0
    case .quality: 0
    case .mp3(let settings):
      switch settings.rateControl {
      case .abr(let bitRate), .cbr(let bitRate): bitRate
      case .vbr(let quality):
        MP3Settings.usualMeans[max(0, min(MP3Settings.usualMeans.count - 1, Int(quality)))]
      }
    }
  }
}

extension MP3Settings {
  /// LAME's mean bits a second for V0 … V9 on music, in stereo at 44.1 kHz.
  fileprivate static let usualMeans =
    [245, 225, 190, 175, 165, 130, 115, 100, 85, 65].map { $0 * 1000 }

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
      let quality = Self.usualMeans.lastIndex { $0 >= alike - alike / 20 } ?? 0
      self.init(.vbr(quality: Double(quality)))
    }
  }
}
