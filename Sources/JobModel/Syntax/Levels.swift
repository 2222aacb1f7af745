/// A unit of a level in decibels.
package enum LevelUnit: String, Sendable, CaseIterable {
  /// Loudness from full scale; ATSC and Apple call it LKFS.
  case lufs = "LUFS"
  /// A difference of loudness.
  case lu = "LU"
  /// Of a peak between samples, from full scale.
  case dbtp = "dBTP"
  /// Of a sample, from full scale.
  case dbfs = "dBFS"
  /// Of a mean power, from full scale, or a difference.
  case db = "dB"

  /// All its names.
  package var names: [String] { self == .lufs ? [rawValue, "LKFS"] : [rawValue] }
}

extension Quantity {
  /// `-16 LUFS`, `-1 dBTP`, `-3 dBFS`, `12 dB`: the number, within bounds.
  package static func level(
    _ text: String, in unit: LevelUnit, from range: ClosedRange<Double>, example: String
  ) throws(QuantityError) -> Double {
    let number = try level(text, in: unit, example: example)
    guard range.contains(number) else {
      throw QuantityError(
        "'\(text)' is out of range",
        help: "\(range.lowerBound.plain) to \(range.upperBound.plain) \(unit.rawValue) are possible"
      )
    }
    return number
  }

  /// `-16 LUFS`, `-1 dBTP`, `-3 dBFS`, `12 dB`: the number.
  package static func level(
    _ text: String, in unit: LevelUnit, example: String
  ) throws(QuantityError) -> Double {
    try refuseTypographicMinus(text)
    let quantity = Quantity(text)
    guard let number = quantity.double else {
      throw QuantityError("'\(text)' is no level", help: "write '\(example)'")
    }
    let corrected = "\(quantity.number) \(unit.rawValue)"
    guard !quantity.unit.isEmpty else {
      throw QuantityError("'\(text)' has no unit", help: "write '\(corrected)'")
    }
    guard unit.names.contains(where: { $0.lowercased() == quantity.unit.lowercased() }) else {
      throw QuantityError("'\(text)' is not in \(unit.rawValue)", help: "write '\(corrected)'")
    }
    return number
  }
}

extension Double {
  fileprivate var plain: String { self == rounded() ? "\(Int(self))" : "\(self)" }
}
