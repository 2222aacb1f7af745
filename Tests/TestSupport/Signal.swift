import Glibc

/// Sound made of numbers, the same at each run.
///
/// With plain loops over pointers: in a build for debugging a closure and a range cost a hundred times
/// as much as what they hold, and tests make millions of samples.
public enum Signal {
  /// A tone from phase zero.
  public static func sine(
    frequency: Double, sampleRate: Int, count: Int, amplitude: Float = 0.5
  ) -> [Float] {
    made(count) { samples in
      var index = 0
      while index < count {
        samples[index] =
          amplitude * Float(sin(2 * .pi * frequency * Double(index) / Double(sampleRate)))
        index += 1
      }
    }
  }

  /// White noise, evenly spread over ±amplitude (SplitMix64 of the index).
  public static func noise(seed: UInt64, count: Int, amplitude: Float = 0.5) -> [Float] {
    made(count) { samples in
      var index = 0
      while index < count {
        var z = (seed &+ UInt64(index)) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        samples[index] = amplitude * (Float((z ^ (z >> 31)) >> 40) / 8_388_608 - 1)
        index += 1
      }
    }
  }

  /// Eight harmonics that glide upwards from 1/400 of the sample rate, half as high again after
  /// a second: energy where codecs keep it, and never the same two frames.
  public static func glide(sampleRate: Int, count: Int) -> [Float] {
    made(count) { samples in
      var index = 0
      while index < count {
        let seconds = Double(index) / Double(sampleRate)
        let turns = Double(sampleRate) / 400 * seconds * (1 + seconds / 4)
        var sum: Float = 0
        var k = 1.0
        while k <= 8 {
          sum += 0.2 * Float(sin(2 * .pi * k * turns + k * k) / k)
          k += 1
        }
        samples[index] = sum
        index += 1
      }
    }
  }

  /// By how many decibels `output` is louder than `input`: the ratio of their energies.
  public static func gain(of output: some Collection<Float>, over input: some Collection<Float>)
    -> Double
  {
    10 * log10(product(output, output) / product(input, input))
  }

  /// How alike two sounds are, sample by sample: 1 where one is a multiple of the other.
  public static func correlation(_ a: some Collection<Float>, _ b: some Collection<Float>)
    -> Double
  {
    let count = min(a.count, b.count)
    let (a, b) = (a.prefix(count), b.prefix(count))
    return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
  }

  /// The sum of the squares of samples.
  public static func energy(of sound: ArraySlice<Float>) -> Double { product(sound, sound) }

  /// The energy of the difference of two sounds that are equally long.
  public static func energy(of sound: ArraySlice<Float>, without other: ArraySlice<Float>) -> Double
  {
    zip(sound, other).reduce(0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
  }

  /// The sum of the products of samples.
  private static func product(_ a: some Collection<Float>, _ b: some Collection<Float>) -> Double {
    let (a, b) = (ContiguousArray(a), ContiguousArray(b))
    return a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        var sum = 0.0
        var index = 0
        while index < a.count {
          sum += Double(a[index]) * Double(b[index])
          index += 1
        }
        return sum
      }
    }
  }

  private static func made(
    _ count: Int, _ fill: (UnsafeMutableBufferPointer<Float>) -> Void
  ) -> [Float] {
    [Float](unsafeUninitializedCapacity: count) { samples, initialized in
      fill(samples)
      initialized = count
    }
  }
}
