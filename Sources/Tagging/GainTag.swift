extension LevelTag {
  /// What a gain is for.
  package enum Scope: String, Sendable, Hashable, CaseIterable, Encodable {
    /// One file.
    case track
    /// Several files, heard as one.
    case album
  }

  /// What gains follow from.
  package struct Level: Sendable, Hashable {
    /// Integrated loudness in LUFS.
    package var loudness: Double
    /// The true peak, 1 being full scale.
    package var peak: Double

    package init(loudness: Double, peak: Double) { (self.loudness, self.peak) = (loudness, peak) }
  }

  /// The tags of a scope: two of ReplayGain 2.0, one of Opus. All levels give as many characters
  /// together, so that a file may be given them when it is complete.
  ///
  /// ReplayGain's gain counts from −18 LUFS, and has two decimals. Its peak has as many as are left of 17
  /// characters for both, six at least below 10. Opus counts from −23 LUFS in 1/256 dB: a sign and five
  /// digits, since leading zeros are permitted and no more than six characters are (RFC 7845, 5.2.1).
  ///
  /// - Parameters:
  ///   - scope: What the gain is for.
  ///   - level: nil: a place for them.
  ///   - isOpus: Whether they are those of Opus.
  /// - Returns: Their names and texts.
  package static func tags(
    _ scope: Scope, of level: Level?, asOpus isOpus: Bool
  ) -> [(key: String, value: String)] {
    let level = level ?? Level(loudness: isOpus ? -23 : -18, peak: 0)
    let name = scope.rawValue.uppercased()
    guard !isOpus else {
      return [("R128_\(name)_GAIN", signed((-23 - level.loudness) * 256, digits: 5, most: 32_767))]
    }
    let hundredths = signed((-18 - level.loudness) * 100, digits: 3, most: 9999)
    let gain = "\(hundredths.dropLast(2)).\(hundredths.suffix(2)) dB"
    return [
      ("REPLAYGAIN_\(name)_GAIN", gain),
      ("REPLAYGAIN_\(name)_PEAK", decimal(level.peak, width: 17 - gain.count)),
    ]
  }

  /// A rounded number with its sign, and zeros before it.
  private static func signed(_ number: Double, digits: Int, most: Int) -> String {
    let rounded = Int(max(-Double(most), min(Double(most), number)).rounded())
    let text = "\(rounded.magnitude)"
    return (rounded < 0 ? "-" : "+") + String(repeating: "0", count: max(0, digits - text.count))
      + text
  }

  /// A number of 0 or more in exactly `width` characters, six or more.
  private static func decimal(_ number: Double, width: Int) -> String {
    let number = max(0, min(999, number))
    let decimals = width - 1 - "\(Int(number))".count
    let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
    let (whole, rest) = Int((number * Double(scale)).rounded()).quotientAndRemainder(
      dividingBy: scale)
    let digits = "\(rest)"
    // 9.9999999 becomes 10.000000.
    return String(
      ("\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits).prefix(width))
  }
}
