import Glibc

/// Sound made of numbers, the same at each run.
public enum Signal {
  /// A tone from phase zero.
  public static func sine(
    frequency: Double, sampleRate: Int, count: Int, amplitude: Float = 0.5
  ) -> [Float] {
    (0..<count).map {
      amplitude * Float(sin(2 * .pi * frequency * Double($0) / Double(sampleRate)))
    }
  }

  /// White noise, evenly spread over ±amplitude (SplitMix64 of the index).
  public static func noise(seed: UInt64, count: Int, amplitude: Float = 0.5) -> [Float] {
    (0..<count).map { index in
      var z = (seed &+ UInt64(index)) &* 0x9E37_79B9_7F4A_7C15
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return amplitude * (Float((z ^ (z >> 31)) >> 40) / 8_388_608 - 1)
    }
  }

  /// Eight harmonics that glide upwards from 1/400 of the sample rate, half as high again after
  /// a second: energy where codecs keep it, and never the same two frames.
  public static func glide(sampleRate: Int, count: Int) -> [Float] {
    (0..<count).map { index in
      let seconds = Double(index) / Double(sampleRate)
      let turns = Double(sampleRate) / 400 * seconds * (1 + seconds / 4)
      return (1...8).reduce(Float(0)) { sum, harmonic in
        let k = Double(harmonic)
        return sum + 0.2 * Float(sin(2 * .pi * k * turns + k * k) / k)
      }
    }
  }

  /// By how many decibels `output` is louder than `input`: the ratio of their energies.
  public static func gain(of output: some Collection<Float>, over input: some Collection<Float>)
    -> Double
  {
    func energy(_ samples: some Collection<Float>) -> Double {
      samples.reduce(0) { $0 + Double($1) * Double($1) }
    }
    return 10 * log10(energy(output) / energy(input))
  }

  /// How alike two sounds are, sample by sample: 1 where one is a multiple of the other.
  public static func correlation(_ a: some Collection<Float>, _ b: some Collection<Float>)
    -> Double
  {
    var (product, powerA, powerB) = (0.0, 0.0, 0.0)
    for (x, y) in zip(a, b) {
      product += Double(x) * Double(y)
      powerA += Double(x) * Double(x)
      powerB += Double(y) * Double(y)
    }
    return product / (powerA * powerB).squareRoot()
  }
}
