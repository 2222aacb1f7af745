import Glibc

/// A factor on amplitude: 1 is unity, 0 is silence.
public struct Gain: Sendable, Hashable, Codable {
  /// The factor that samples are multiplied with; never negative, never NaN.
  public let factor: Double

  /// A linear factor; negative and NaN become 0, and 200 dB are the most.
  public init(factor: Double) { self.factor = factor > 0 ? min(factor, 1e10) : 0 }

  /// 20 dB are a factor of ten; −∞ dB is silence.
  public init(decibels: Double) { self.init(factor: pow(10, decibels / 20)) }

  /// As it came.
  public static let unity = Gain(factor: 1)
  /// Nothing.
  public static let silence = Gain(factor: 0)

  /// −∞ for silence.
  public var decibels: Double { 20 * log10(factor) }

  /// One gain after the other.
  public static func * (a: Gain, b: Gain) -> Gain { Gain(factor: a.factor * b.factor) }
}

extension Gain {
  /// Reads what `encode(to:)` wrote; what is no gain becomes one as in `init(factor:)`.
  public init(from decoder: any Decoder) throws {
    self.init(factor: try decoder.singleValueContainer().decode(Double.self))
  }

  /// Writes the factor.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(factor)
  }
}
