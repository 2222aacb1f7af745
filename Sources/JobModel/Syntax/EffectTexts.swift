import MediaComposition
import MediaTime

/// The texts of effects' settings.
extension Quantity {
  /// `80 Hz`, `12 kHz`, in hertz.
  package static func frequency(_ text: String) throws(QuantityError) -> Double {
    let hertz = try hertz(text)
    guard (1...384_000).contains(hertz) else {
      throw QuantityError(
        "'\(text)' is out of range", help: "frequencies go from 1 Hz to 384 kHz")
    }
    return hertz
  }

  /// A number of a setting, in its unit: `12 dB`, `80 Hz`, `25 %` or `3`.
  package static func setting<Settings>(
    _ text: String, of parameter: EffectParameter<Settings>
  ) throws(QuantityError) -> Double {
    let value =
      switch parameter.unit {
      case .decibels: try decibels(text)
      case .truePeak: try level(text, in: .dbtp, example: "-1 dBTP")
      case .loudness: try level(text, in: .lufs, example: "-23 LUFS")
      case .hertz: try hertz(text)
      case .percent: try percent(text)
      case .milliseconds: try settingTime(text).seconds * 1000
      case .number: try plainNumber(text)
      case .count: Double(try wholeNumber(text))
      }
    guard parameter.range.contains(value) else {
      throw QuantityError(
        "'\(text)' is out of range", help: "'\(parameter.name)' goes from \(parameter.rangeText)")
    }
    return value
  }

  /// A time of a setting: no file would give the rate of samples.
  package static func settingTime(_ text: String) throws(QuantityError) -> Time {
    if let number = Quantity(text).double, Quantity(text).unit.isEmpty {
      throw QuantityError(
        "'\(text)' has no unit", help: "write '\(EffectUnit.number.text(number))ms'")
    }
    guard case .time(let time) = try Quantity.time(text) else {
      throw QuantityError("'\(text)' is no time on a clock", help: "write a time, as '10ms'")
    }
    return time
  }

  private static func hertz(_ text: String) throws(QuantityError) -> Double {
    let quantity = Quantity(text)
    let factor: Double
    switch quantity.unit.lowercased() {
    case "hz": factor = 1
    case "khz": factor = 1000
    case "" where quantity.double != nil:
      throw QuantityError("'\(text)' has no unit", help: "write '\(text) Hz'")
    default:
      throw QuantityError("'\(text)' is no frequency", help: "write '80 Hz' or '12 kHz'")
    }
    guard let number = quantity.double, number >= 0 else {
      throw QuantityError("'\(text)' is no frequency", help: "write '80 Hz' or '12 kHz'")
    }
    return number * factor
  }

  static func decibels(_ text: String) throws(QuantityError) -> Double {
    try refuseTypographicMinus(text)
    let quantity = Quantity(text)
    guard let number = quantity.double, quantity.unit.isEmpty || quantity.unit.lowercased() == "db"
    else {
      throw QuantityError("'\(text)' is no number of decibels", help: "write '12 dB'")
    }
    guard !quantity.unit.isEmpty else {
      throw QuantityError("'\(text)' has no unit", help: "write '\(text) dB'")
    }
    return number
  }

  private static func percent(_ text: String) throws(QuantityError) -> Double {
    let quantity = Quantity(text)
    guard let number = quantity.double, number >= 0, quantity.unit.isEmpty || quantity.unit == "%"
    else {
      throw QuantityError("'\(text)' is no percentage", help: "write '25 %'")
    }
    guard !quantity.unit.isEmpty else {
      let percent = EffectUnit.percent.text(number <= 1 ? number : number / 100)
      throw QuantityError("'\(text)' has no unit", help: "write '\(percent)'")
    }
    return number / 100
  }

  private static func plainNumber(_ text: String) throws(QuantityError) -> Double {
    let quantity = Quantity(text)
    if quantity.number == text, let number = quantity.double { return number }
    let isRatio = text.hasSuffix(":1") && Quantity(String(text.dropLast(2))).double != nil
    throw QuantityError(
      "'\(text)' is no plain number", help: "write '\(isRatio ? text.dropLast(2) : "3")'")
  }

  private static func wholeNumber(_ text: String) throws(QuantityError) -> Int {
    guard let number = count(text) else {
      throw QuantityError("'\(text)' is no whole number", help: "write '10'")
    }
    return number
  }
}
