/// A factor on amplitude: 1 is unity, 0 is silence.
public struct Gain: Sendable, Hashable {
  /// The factor that samples are multiplied with; never negative, never NaN.
  public let factor: Double

  /// A linear factor; negative and NaN become 0.
  public init(factor: Double) { self.factor = factor > 0 ? factor : 0 }

  public static let unity = Gain(factor: 1)
  public static let silence = Gain(factor: 0)

  public static func * (a: Gain, b: Gain) -> Gain { Gain(factor: a.factor * b.factor) }
}
