import Glibc

/// What a sample would be by those before it: a filter that a sound's own statistics give, whose
/// error is the part of the sound that is new (Makhoul, "Linear Prediction: A Tutorial Review", 1975).
struct LinearPrediction {
  /// How many samples it looks back.
  static let order = 16
  /// Of the samples before, the nearest first.
  private let weights: [Double]

  /// The prediction that has the least error over some pieces of sound (the autocorrelation method).
  init(over pieces: [[Double]]) {
    var correlation = [Double](repeating: 0, count: Self.order + 1)
    for piece in pieces {
      let faded = piece.hannWindowed
      for lag in 0...Self.order where lag < faded.count {
        var sum = 0.0
        for index in lag..<faded.count { sum += faded[index] * faded[index - lag] }
        correlation[lag] += sum
      }
    }
    // Noise 40 dB below the sound, so that pure tones have a prediction, too.
    correlation[0] = correlation[0] * 1.0001 + 1e-9
    weights = Self.levinson(correlation)
  }

  /// The weights by Levinson's recursion.
  private static func levinson(_ correlation: [Double]) -> [Double] {
    var weights = [Double](repeating: 0, count: order)
    var error = correlation[0]
    for step in 0..<order {
      var sum = correlation[step + 1]
      for index in 0..<step { sum -= weights[index] * correlation[step - index] }
      let reflection = sum / error
      let before = weights
      weights[step] = reflection
      for index in 0..<step { weights[index] -= reflection * before[step - 1 - index] }
      error *= 1 - reflection * reflection
      guard error > 0 else { break }
    }
    return weights
  }

  /// The magnitude of the error for each sample but the first ones, which have none before them.
  func errors(in sound: [Double]) -> [Double] {
    guard sound.count > Self.order else { return [] }
    return (Self.order..<sound.count).map { index in
      var expected = 0.0
      for (back, weight) in weights.enumerated() { expected += weight * sound[index - 1 - back] }
      return abs(sound[index] - expected)
    }
  }
}

extension [Double] {
  /// Faded in and out by a raised cosine.
  fileprivate var hannWindowed: [Double] {
    let step = 2 * Double.pi / Double(Swift.max(1, count - 1))
    return enumerated().map { $1 * 0.5 * (1 - cos(step * Double($0))) }
  }
}
