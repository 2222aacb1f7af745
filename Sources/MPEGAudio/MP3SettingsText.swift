extension MP3Settings {
  /// Reads `V2`, `V2.5`, `abr 96k`, `cbr 128 kbps` or one of LAME's names, in any case.
  ///
  /// A name stands for its settings only; see `MP3Preset.isMono`.
  public init(parsing text: some StringProtocol) throws(MP3SettingsError) {
    let lower = text.lowercased()
    if let preset = MP3Preset(rawValue: lower) {
      self = preset.settings
      return
    }
    if lower.first == "v", lower.dropFirst().first?.isNumber == true {
      self.init(.vbr(quality: try Self.quality(lower.dropFirst(), in: String(text))))
      return
    }
    let words = lower.split(separator: " ", maxSplits: 1)
    switch words.first {
    case "abr" where words.count == 2:
      self.init(.abr(bitRate: try Self.bitRate(words[1], after: "abr", in: String(text))))
    case "cbr" where words.count == 2:
      self.init(.cbr(bitRate: try Self.bitRate(words[1], after: "cbr", in: String(text))))
    case let word? where word.first?.isNumber == true:
      let rate = lower.filter { $0 != " " }.prefix { $0.isNumber }
      throw MP3SettingsError(
        "'\(text)' may be a constant or a mean bit rate: write cbr \(rate)k or abr \(rate)k")
    default:
      let names = MP3Preset.allCases.map(\.rawValue).joined(separator: ", ")
      throw MP3SettingsError(
        "'\(text)' is no MP3 setting: write V0 … V9, abr 96k, cbr 128k, or one of \(names)")
    }
  }

  private static func quality(
    _ digits: Substring, in text: String
  ) throws(MP3SettingsError) -> Double {
    guard digits.allSatisfy({ "0"..."9" ~= $0 || $0 == "." }), digits.last != ".",
      let quality = Double(digits), quality <= 9.999
    else {
      throw MP3SettingsError("'\(text)' is no VBR quality: they go from V0 (best) to V9.999")
    }
    return quality
  }

  /// Reads `128k`, `128 kbps`, `128 kbit/s`; a k is 1000.
  private static func bitRate(
    _ words: Substring, after mode: String, in text: String
  ) throws(MP3SettingsError) -> Int {
    let digits = words.prefix { "0"..."9" ~= $0 }
    let unit = words[digits.endIndex...].drop { $0 == " " }
    guard let number = Int(digits), 1...1_000_000 ~= number else {
      throw MP3SettingsError("'\(text)' has no bit rate in whole kbps: write \(mode) 128k")
    }
    switch unit {
    case "k", "kbps", "kbit/s", "kb/s": return number * 1000
    case "": throw MP3SettingsError("'\(text)' has no unit: write \(mode) \(number)k")
    default:
      throw MP3SettingsError("'\(text)' has no bit rate in whole kbps: write \(mode) 128k")
    }
  }
}

extension MP3Settings: CustomStringConvertible {
  /// The rate control, which reads back as the same, and in brackets what else is set, by the names
  /// of the job language: `V2`, `ABR 96 kbps (quality 2, simple stereo, lowpass 16 kHz)`.
  public var description: String {
    var notes: [String] = []
    if let quality {
      let same = quality == workingQuality ? "" : ", the same as \(workingQuality)"
      notes.append("quality \(quality)" + same)
    }
    if stereoMode != .joint { notes.append("\(stereoMode)") }
    switch lowpass {
    case .automatic: break
    case .hertz(let frequency): notes.append("lowpass \(hertz(frequency))")
    case .off: notes.append("lowpass off")
    }
    if let highpass { notes.append("highpass \(hertz(highpass))") }
    if let minimumBitRate { notes.append("min \(kilobits(minimumBitRate))") }
    if let maximumBitRate { notes.append("max \(kilobits(maximumBitRate))") }
    return "\(rateControl)" + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
  }
}

extension MP3Settings.RateControl: CustomStringConvertible {
  /// `V2`, `ABR 96 kbps`, `CBR 128 kbps`.
  public var description: String {
    switch self {
    case .vbr(let quality):
      let isWhole = quality.magnitude < 100 && quality == quality.rounded()
      return "V\(isWhole ? "\(Int(quality))" : "\(quality)")"
    case .abr(let bitRate): return "ABR \(kilobits(bitRate))"
    case .cbr(let bitRate): return "CBR \(kilobits(bitRate))"
    }
  }
}

extension MP3Settings.StereoMode: CustomStringConvertible {
  /// `joint stereo`, `forced joint stereo`, `simple stereo`.
  public var description: String {
    switch self {
    case .joint: "joint stereo"
    case .forced: "forced joint stereo"
    case .simple: "simple stereo"
    }
  }
}

/// For example `128 kbps`, or in bits a second where these are no whole thousands.
func kilobits(_ bitRate: Int) -> String {
  bitRate % 1000 == 0 ? "\(bitRate / 1000) kbps" : "\(bitRate) bps"
}

/// For example `16 kHz` or `700 Hz`.
private func hertz(_ frequency: Int) -> String {
  guard frequency % 100 == 0, frequency >= 1000 else { return "\(frequency) Hz" }
  let tenths = frequency / 100 % 10
  return "\(frequency / 1000)\(tenths == 0 ? "" : ".\(tenths)") kHz"
}

/// Why a text is no MP3 setting.
public struct MP3SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One line for the user, to stand after `file:line:column: error: `.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}
