import JSON
import JobModel
import MediaComposition
import YAML

/// An AAC setting, while the keys of its long form are read.
private struct AACDraft {
  var isByFDK = false
  var rateControl: FDKAACSettings.RateControl?
  var profile = FDKAACSettings.Profile.lc

  var format: Output.Format? {
    guard let rateControl else { return nil }
    if isByFDK { return .fdkAAC(FDKAACSettings(rateControl, profile: profile)) }
    guard case .bitRate(let bitRate) = rateControl else { return nil }
    return .m4a(bitRate: bitRate)
  }
}

extension Values {
  static let aac: NodeNotation<FormatChoice> = NodeNotation(
    "aac", "'128k', 'fdk he 48k' or 'copy'", text: aacText, convert: { $0.value },
    map: MapNotation(
      "an AAC setting", AACDraft(), example: "{ encoder: fdk, profile: he, bit_rate: 48k }",
      rules: [
        .one(
          of: ["bit_rate", "vbr"], missing: "one of 'bit_rate', 'vbr' is missing",
          help: "add one, as 'bit_rate: 128k'"),
        .key(
          "vbr", needs: ["encoder"], "'vbr' belongs to 'encoder: fdk'",
          help: "add 'encoder: fdk', or write 'bit_rate: 128k': FFmpeg's AAC has no 'vbr'"),
        .key(
          "profile", needs: ["encoder"], "'profile' belongs to 'encoder: fdk'",
          help: "add 'encoder: fdk': FFmpeg's encoder makes AAC-LC alone"),
      ],
      [
        Key("encoder", aacEncoder, "'fdk': libfdk-aac, if it is installed; else FFmpeg's") {
          $0.isByFDK = $1.value
        },
        Key("bit_rate", bitRate, "a mean bit rate, of all channels together") {
          $0.rateControl = .bitRate($1.value)
        },
        Key("vbr", fdkQuality, "a variable bit rate of libfdk-aac, 1 (smallest) to 5") {
          $0.rateControl = .vbr(quality: $1.value)
        },
        Key("profile", fdkProfile, "HE-AAC for 24 to 64 kbps, v2 for less; else 'lc'") {
          $0.profile = $1.value
        },
      ]),
    finish: { draft, _, _ in draft.format.map { FormatChoice(request: .exactly($0)) } })

  /// `128k`, `fdk he 48k`, `fdk vbr 4`, `copy`.
  static let aacText = TextNotation(
    "aac_text", "'128k', 'fdk he 48k' or 'copy'",
    Pattern.whole(
      Pattern.one(
        of: Pattern.bitRateBody, Pattern.copying,
        fdkWord + "( +" + Pattern.one(of: FDKAACSettings.Profile.allCases.map(\.rawValue)) + ")? +"
          + Pattern.one(of: Pattern.bitRateBody, "vbr *0*[1-5]")))
  ) { text throws(QuantityError) in
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.first.map(String.init) == fdkWord else {
      if words.count > 1, let first = words.first,
        first == "vbr" || FDKAACSettings.Profile(rawValue: String(first)) != nil
      {
        throw QuantityError(
          "'\(first)' is of libfdk-aac alone", help: "write '\(fdkWord) \(text)'")
      }
      return try Quantity.request(.aac, text)
    }
    return FormatChoice(request: .exactly(.fdkAAC(try Quantity.fdkSettings(words.dropFirst()))))
  }

  fileprivate static let fdkWord = "fdk"

  private static let aacEncoder = TextNotation(
    "aac_encoder", [(fdkWord, true)], refusal: "is no encoder of AAC",
    help: "write 'fdk', or leave 'encoder' out for FFmpeg's")

  private static let fdkProfile = TextNotation(
    "fdk_profile", FDKAACSettings.Profile.allCases.map { ($0.rawValue, $0) },
    refusal: "is no profile of AAC")

  private static let fdkQuality = TextNotation(
    "fdk_quality", "'1' (smallest) to '5'", Pattern.whole("0*[1-5]"),
    or: ["type": "integer", "minimum": 1, "maximum": 5], parse: Quantity.fdkQuality)
}

extension Quantity {
  /// 1 to 5.
  fileprivate static func fdkQuality(_ text: String) throws(QuantityError) -> Int {
    guard let quality = count(text), FDKAACSettings.qualities.contains(quality) else {
      throw QuantityError(
        "'\(text)' is no quality of libfdk-aac", help: "write 1 (smallest) to 5")
    }
    return quality
  }

  /// `48k`, `he 48k`, `vbr 4`, `he vbr 3`: what follows `fdk`.
  fileprivate static func fdkSettings(
    _ words: ArraySlice<Substring>
  ) throws(QuantityError) -> FDKAACSettings {
    let profile = words.first.flatMap { FDKAACSettings.Profile(rawValue: String($0)) }
    let rest = (profile == nil ? words : words.dropFirst()).joined(separator: " ")
    guard rest.hasPrefix("vbr") || rest.first?.isNumber == true else {
      throw QuantityError(
        "'\(rest)' is no setting of libfdk-aac",
        help: "write 'fdk 128k', 'fdk he 48k' or 'fdk vbr 4'")
    }
    let rateControl: FDKAACSettings.RateControl =
      rest.hasPrefix("vbr")
      ? .vbr(quality: try fdkQuality(String(rest.dropFirst(3).drop { $0 == " " })))
      : .bitRate(try bitRate(rest))
    return FDKAACSettings(rateControl, profile: profile ?? .lc)
  }
}
