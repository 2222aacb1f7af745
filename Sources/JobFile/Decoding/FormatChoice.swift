import JobModel
import MediaComposition

/// What the key of a format says.
struct FormatChoice: Hashable {
  var request: Output.Request
  var copying: Output.Copying?
}

extension Quantity {
  /// The settings of a format that has a single one, or how it is copied.
  static func request(
    _ kind: Output.Kind, _ text: String
  ) throws(QuantityError) -> FormatChoice {
    guard let copying = copying(text) else {
      return FormatChoice(request: .exactly(try format(kind, text)))
    }
    let held = kind.capabilities
    guard held.copiedUnit != .nothing else {
      throw QuantityError(
        "\(held.codecName) is encoded, and not copied", help: "write '\(held.exampleSetting)'")
    }
    return FormatChoice(request: .copied(kind), copying: copying)
  }

  /// `copy` or `copy strict`; nil for other words.
  static func copying(_ text: String) -> Output.Copying? {
    switch text.lowercased().split(separator: " ") {
    case ["copy"]: Output.Copying()
    case ["copy", "strict"]: Output.Copying(isStrict: true)
    default: nil
    }
  }

  private static func format(
    _ kind: Output.Kind, _ text: String
  ) throws(QuantityError) -> Output.Format {
    let usual = kind.usualFormat(isDeep: false, sampleRate: 48_000, channelCount: 2)
    switch usual.setting {
    case .mp3, .fdkAAC: return usual
    case .samples: return usual.with(.samples(try sampleFormat(text, of: kind)))
    case .bitDepth: return usual.with(.bitDepth(try bitDepth(text, of: kind)))
    case .bitRate: return usual.with(.bitRate(try bitRate(text, of: kind)))
    case .quality: return .vorbis(try vorbis(text))
    }
  }

  /// `16 bit`, `24 bit`
  private static func bitDepth(
    _ text: String, of kind: Output.Kind
  ) throws(QuantityError) -> Int {
    switch text.lowercased().filter({ $0 != " " && $0 != "-" }) {
    case "16bit": return 16
    case "24bit": return 24
    default:
      throw QuantityError(
        "'\(text)' is no depth of \(kind.capabilities.codecName)",
        help: "write '16 bit' or '24 bit'")
    }
  }

  /// A bit rate that the codec has at some rate, with some number of channels.
  private static func bitRate(
    _ text: String, of kind: Output.Kind
  ) throws(QuantityError) -> Int {
    let rate = try bitRate(text)
    if let modes = kind.bitRateModes {
      guard !modes.contains(rate) else { return rate }
      let names = modes.map { "\(Double($0) / 1000)k" }
      throw QuantityError(
        "'\(text)' is no bit rate of \(kind.capabilities.codecName)",
        help: "write one of " + names.joined(separator: ", "))
    }
    func rates(_ channelCount: Int) -> ClosedRange<Int>? {
      kind.bitRates(
        sampleRate: kind.capabilities.sampleRates.examples.last ?? 0, channelCount: channelCount)
    }
    // Vorbis has none at its highest rates.
    let range = (rates(1)?.lowerBound ?? 6_000)...(rates(8)?.upperBound ?? 1_920_000)
    guard range.contains(rate) else {
      let stereo = kind.bitRates(sampleRate: 48_000, channelCount: 2) ?? range
      throw QuantityError(
        "'\(text)' is out of range",
        help: "\(kind.capabilities.codecName) takes \(stereo.lowerBound / 1000)k to "
          + "\(stereo.upperBound / 1000)k in stereo")
    }
    return rate
  }

  /// `q5`, `q-1`, `q4.5`; `160k`
  private static func vorbis(_ text: String) throws(QuantityError) -> VorbisSettings {
    guard text.first == "q" || text.first == "Q" else {
      if let number = Quantity(text).double, -1...10 ~= number, Quantity(text).unit.isEmpty {
        throw QuantityError("'\(text)' has no unit", help: "write 'q\(text)'")
      }
      return .bitRate(try bitRate(text, of: .vorbis))
    }
    let number = Quantity(String(text.dropFirst()))
    guard number.unit.isEmpty, let quality = number.double, -1...10 ~= quality else {
      throw QuantityError(
        "'\(text)' is no quality of Vorbis",
        help: "write q-1 (smallest) to q10, or a bit rate, as '160k'")
    }
    return .quality(quality)
  }
}
