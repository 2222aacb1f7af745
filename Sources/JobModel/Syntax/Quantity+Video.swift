import MediaComposition

/// Notations of encoded pictures.
extension Quantity {
  /// `crf 20`: a constant rate factor of a codec's encoder, the lower the better.
  package static func quality(
    _ text: String, of codec: VideoSettings.Codec
  ) throws(QuantityError) -> Int {
    let words = text.lowercased().split(separator: " ")
    let help = "write 'crf \(codec.usualQuality)'; lower numbers are better"
    guard words.count == 2, words[0] == "crf", let quality = Int(words[1]) else {
      throw QuantityError("'\(text)' is no quality of \(codec.rawValue)", help: help)
    }
    guard codec.qualities.contains(quality) else {
      throw QuantityError(
        "'\(text)' is out of range",
        help: "\(codec.rawValue) has crf 0 (the best) to \(codec.qualities.upperBound)")
    }
    return quality
  }

  /// Pixels that outputs may have across or down.
  private static let pixels = 16...16_384

  /// `1280x720`: pixels across and down, both even.
  package static func pictureSize(_ text: String) throws(QuantityError) -> VideoSettings.Size {
    let numbers = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
      .map { Int($0) }
    guard numbers.count == 2, let width = numbers[0], let height = numbers[1] else {
      throw QuantityError("'\(text)' is no size of a picture", help: "write '1280x720'")
    }
    guard pixels.contains(width), pixels.contains(height), width % 2 == 0, height % 2 == 0 else {
      throw QuantityError(
        "'\(text)' is no size that is encoded", help: "sides are even, from 16 to 16384 pixels")
    }
    return VideoSettings.Size(width: width, height: height)
  }

  /// Rates that are written with decimals, and what they are.
  private static let roundedRates: [String: VideoSettings.FrameRate] = [
    "23.976": .init(24_000, 1001), "23.98": .init(24_000, 1001), "29.97": .init(30_000, 1001),
    "47.95": .init(48_000, 1001), "59.94": .init(60_000, 1001), "119.88": .init(120_000, 1001),
  ]

  /// `25`, `12.5`: exactly that.
  private static func decimal(_ text: String) -> VideoSettings.FrameRate? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int32(parts[0]) else { return nil }
    guard parts.count == 2 else { return VideoSettings.FrameRate(whole) }
    guard parts[1].count <= 3, let rest = Int32(parts[1]), whole < 1000 else { return nil }
    let scale = [1, 10, 100, 1000][parts[1].count]
    return VideoSettings.FrameRate(whole * Int32(scale) + rest, Int32(scale))
  }

  /// `25`, `30000/1001`, `29.97`: pictures a second, 1 to 240.
  package static func frameRate(_ text: String) throws(QuantityError) -> VideoSettings.FrameRate {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int32($0) }
    let rate: VideoSettings.FrameRate?
    switch numbers.count {
    case 1: rate = roundedRates[text] ?? decimal(text)
    case 2: rate = numbers[0].flatMap { top in numbers[1].map { VideoSettings.FrameRate(top, $0) } }
    default: rate = nil
    }
    guard let rate, rate.numerator > 0, rate.denominator > 0 else {
      throw QuantityError(
        "'\(text)' is no rate of pictures", help: "write '25', '30000/1001' or '29.97'")
    }
    guard rate.numerator >= rate.denominator, Int64(rate.numerator) <= 240 * Int64(rate.denominator)
    else {
      throw QuantityError("'\(text)' is out of range", help: "rates go from 1 to 240 a second")
    }
    return rate
  }

  /// `#ffcc00`: red, green and blue in two hexadecimal digits each.
  package static func colour(_ text: String) throws(QuantityError) -> VideoSettings.Colour {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit),
      let number = UInt32(digits, radix: 16)
    else {
      throw QuantityError(
        "'\(text)' is no colour", help: "write \"#ffcc00\", in quotes: red, green and blue")
    }
    return VideoSettings.Colour(
      red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xFF), blue: UInt8(number & 0xFF))
  }
}
