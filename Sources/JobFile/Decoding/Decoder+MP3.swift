import MPEGAudio
import MediaComposition

/// MP3 settings as an output says them.
struct MP3Choice: Hashable {
  var settings: MP3Settings
  /// LAME mixes down to one channel under some of its names.
  var isMono = false
}

extension Decoder {
  /// `V2`, `abr 96k`, one of LAME's names, or a map.
  func mp3(_ node: YAMLNode, _ scope: Scope) -> MP3Choice? {
    guard case .mapping = node.kind else {
      return value(node, scope) { text throws(QuantityError) in
        guard text != "copy", text != "copy strict" else {
          throw QuantityError(
            "'\(text)' is not built yet", help: "encode with 'V0', which loses least")
        }
        let preset = MP3Preset(rawValue: text.lowercased())
        return MP3Choice(settings: try Self.mp3(text), isMono: preset?.isMono ?? false)
      }?.value
    }
    guard let fields = fields(of: node, as: .mp3) else { return nil }
    let rates = fields.present("vbr", "abr", "cbr")
    if let first = rates.first, let second = rates.dropFirst().first {
      sink.error(
        "'\(second.key)' beside '\(first.key)'", at: second.keyOrigin, help: "keep one of them",
        notes: [.init("the other one is here", at: first.keyOrigin)])
    }
    let quality = value(fields["quality"]?.value, scope) { text throws(QuantityError) in
      guard let quality = Quantity.count(text), (0...9).contains(quality) else {
        throw QuantityError("'\(text)' is no quality of LAME's", help: "write 0 (slowest) to 9")
      }
      return quality
    }
    let rate = rates.first.flatMap { entry in
      value(entry.value, scope) { text throws(QuantityError) in
        let isNumber = text.utf8.first.map { (0x30...0x39).contains($0) } ?? false
        let prefix = entry.key == "vbr" ? (isNumber ? "V" : "") : entry.key + " "
        return try Self.mp3(prefix + text)
      }
    }
    guard !rates.isEmpty || fields.isIncomplete else {
      sink.error("one of 'vbr', 'abr', 'cbr' is missing", at: node.origin)
      return nil
    }
    guard var settings = rate?.value else { return nil }
    settings.quality = quality?.value
    return MP3Choice(settings: settings)
  }

  private static func mp3(_ text: String) throws(QuantityError) -> MP3Settings {
    do throws(MP3SettingsError) {
      return try MP3Settings(parsing: text)
    } catch {
      throw QuantityError(error.message)
    }
  }

  /// Refuses an output whose format cannot be had at a rate that is known, or at any.
  ///
  /// - Parameters:
  ///   - output: The output, whole.
  ///   - rate: The output's own.
  ///   - mixRate: The job's own; an output without a rate takes the nearest that its codec has.
  ///   - channels: The output's, or else the mix's, where they are known.
  ///   - place: The settings of the output, where it has some.
  func checkRate(
    of output: JobOutput, _ rate: Located<Int>?, mixRate: Located<Int>?,
    channels: ChannelLayout?, settings place: Origin?
  ) {
    let count = channels?.count ?? 2
    func problem(_ rate: Int) -> String? {
      output.format.problem(sampleRate: rate, channelCount: count)
    }
    if let rate {
      guard let problem = problem(rate.value) else { return }
      sink.error(problem, at: rate.origin)
    } else if let mixRate {
      guard let problem = problem(output.format.sampleRate(nearest: mixRate.value)) else { return }
      sink.error(
        problem, at: place ?? output.origin,
        notes: [.init("the rate is given here", at: mixRate.origin)])
    } else if case .mp3 = output.format,
      MP3Settings.sampleRates.allSatisfy({ problem($0) != nil }), let problem = problem(44_100)
    {
      sink.error(problem, at: place ?? output.origin)
    }
  }
}

extension JobOutput.Format {
  /// The sample rates of AAC in Hz (ISO 14496-3, table 1.18).
  private static let aacRates = [
    7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
  ]
  /// The highest of FLAC in Hz, which a frame header can hold in tens (RFC 9639 §9.1.2).
  private static let flacRateLimit = 655_350

  /// The rate that an output without one of its own takes where the mix has `rate`.
  func sampleRate(nearest rate: Int) -> Int {
    switch self {
    case .mp3: MP3Settings.nearestLegalSampleRate(for: rate)
    case .m4a: Self.aacRates.first { $0 >= rate } ?? 96_000
    case .wav, .flac: rate
    }
  }

  /// Why a file in this format cannot have so many frames a second and so many channels; nil where
  /// it can.
  func problem(sampleRate: Int, channelCount: Int) -> String? {
    switch self {
    case .mp3(let settings):
      settings.problem(sampleRate: sampleRate, channelCount: channelCount)
    case .wav: nil
    case .flac:
      sampleRate <= Self.flacRateLimit
        ? nil : "FLAC has no sample rate of \(sampleRate) Hz: it ends at \(Self.flacRateLimit) Hz"
    case .m4a:
      Self.aacRates.contains(sampleRate)
        ? nil
        : "AAC has no sample rate of \(sampleRate) Hz: it has "
          + Self.aacRates.map(String.init).joined(separator: ", ")
    }
  }
}
