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
      let quality = Double(digits), quality < 10
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
  /// `V2`, `ABR 96 kbps`, `CBR 128 kbps`, which read back as the same rate control; LAME's own
  /// quality stands behind it, as `V2 (-q 3)`.
  public var description: String {
    let suffix = quality.map { " (-q \($0))" } ?? ""
    switch rateControl {
    case .vbr(let quality):
      let isWhole = quality.magnitude < 100 && quality == quality.rounded()
      return "V\(isWhole ? "\(Int(quality))" : "\(quality)")" + suffix
    case .abr(let bitRate): return "ABR \(bitRate / 1000) kbps" + suffix
    case .cbr(let bitRate):
      return bitRate % 1000 == 0
        ? "CBR \(bitRate / 1000) kbps" + suffix : "CBR \(bitRate) bps" + suffix
    }
  }
}

/// Why a text is no MP3 setting.
public struct MP3SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One line for the user, to stand after `file:line:column: error: `.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}
