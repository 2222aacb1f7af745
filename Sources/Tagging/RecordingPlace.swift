/// Where something was recorded, as ISO 6709 writes a point (annex H), and as FFmpeg's tag `location` and
/// QuickTime's `©xyz` have it: `+48.8577+002.2950/`, with metres of height `+48.8577+002.2950+035.000/`.
package struct RecordingPlace: Sendable, Hashable {
  /// The tag's key.
  package static let key = "location"

  /// Degrees north and east.
  private let north: Double
  private let east: Double

  /// nil for what is no point, such as the name of a town.
  ///
  /// - Parameter text: Degrees, or degrees and minutes, or these and seconds, each with a sign. What
  ///   stands behind the slash, as FFmpeg has the name of a place there, is not looked at.
  /// - Complexity: O(length)
  package init?(_ text: String) {
    var rest = Substring(text)
    guard let north = Self.degrees(&rest, digits: 2), abs(north) <= 90,
      let east = Self.degrees(&rest, digits: 3), abs(east) <= 180
    else { return nil }
    if let sign = rest.first, "+-".contains(sign) {
      guard Self.number(&rest) != nil else { return nil }
    }
    guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("CRS") else { return nil }
    (self.north, self.east) = (north, east)
  }

  /// Whether two are within some 20 metres: programs round them.
  package func isNear(_ other: RecordingPlace) -> Bool {
    abs(north - other.north) < 0.0002 && abs(east - other.east) < 0.0002
  }

  /// Whether a tag says where something was recorded, by any of the keys that sources have it under: in
  /// several languages (`location-eng`), as Apple's keys with its accuracy and its name, and as
  /// Matroska's. O(length)
  package static func isTold(by key: String) -> Bool {
    let name = key.lowercased()
    return ["location", "recording_location", "©xyz"].contains(name)
      || name.hasPrefix("location-") || name.hasPrefix("com.apple.quicktime.location.")
  }

  /// A sign and digits, in degrees, by how many there are before the decimal point.
  private static func degrees(_ text: inout Substring, digits count: Int) -> Double? {
    guard let (value, digits, sign) = number(&text) else { return nil }
    switch digits {
    case count: return sign * value
    case count + 2:
      let whole = (value / 100).rounded(.down)
      return sign * (whole + (value - 100 * whole) / 60)
    case count + 4:
      let whole = (value / 10_000).rounded(.down)
      let minutes = ((value - 10_000 * whole) / 100).rounded(.down)
      return sign * (whole + minutes / 60 + (value - 10_000 * whole - 100 * minutes) / 3600)
    default: return nil
    }
  }

  /// A sign and a decimal number, with how many digits it has before its point.
  private static func number(
    _ text: inout Substring
  ) -> (value: Double, digits: Int, sign: Double)? {
    guard let sign = text.first, "+-".contains(sign) else { return nil }
    let digits = text.dropFirst().prefix { $0.isASCII && $0.isNumber }
    var end = digits.endIndex
    if text[end...].hasPrefix(".") {
      end = text[text.index(after: end)...].prefix { $0.isASCII && $0.isNumber }.endIndex
    }
    guard (1...12).contains(digits.count),
      let value = Double(text[text.index(after: text.startIndex)..<end])
    else { return nil }
    text = text[end...]
    return (value, digits.count, sign == "-" ? -1 : 1)
  }
}
