import Glibc

/// The filter of ITU-R BS.1770-4, annex 1, for one channel: a shelf for the head and a high-pass.
/// Its coefficients at other rates than 48 kHz are those of libebur128 (`ebur128_init_filter`).
struct KWeighting {
  private let shelf: Biquad
  private let highpass: Biquad
  private var first = State()
  private var second = State()

  private struct Biquad {
    var b0: Double = 1
    var b1: Double = -2
    var b2: Double = 1
    var a1: Double
    var a2: Double
  }

  /// The last two values (transposed direct form II).
  private struct State {
    var (a, b) = (0.0, 0.0)

    mutating func next(_ x: Double, _ f: Biquad) -> Double {
      let y = f.b0 * x + a
      a = f.b1 * x - f.a1 * y + b
      b = f.b2 * x - f.a2 * y
      return y
    }
  }

  /// After silence.
  init(sampleRate: Int) {
    let high: Double = pow(10, 3.999843853973347 / 20)
    let band: Double = pow(high, 0.4996667741545416)
    let (k, kk, scale) = Self.pole(1681.974450955533, q: 0.7071752369554196, sampleRate)
    let sum: Double = high + kk
    let (b0, b2) = ((sum + band * k) / scale, (sum - band * k) / scale)
    shelf = Biquad(
      b0: b0, b1: 2 * (kk - high) / scale, b2: b2, a1: 2 * (kk - 1) / scale,
      a2: (1 - k + kk) / scale)
    let (l, ll, whole) = Self.pole(38.13547087602444, q: 0.5003270373238773, sampleRate)
    highpass = Biquad(a1: 2 * (ll - 1) / whole, a2: (1 - l + ll) / whole)
  }

  /// The bilinear transform's terms of a frequency in hertz, which a low rate may not have.
  private static func pole(
    _ frequency: Double, q: Double, _ sampleRate: Int
  ) -> (linear: Double, square: Double, scale: Double) {
    let k: Double = tan(.pi * min(0.45, frequency / Double(sampleRate)))
    return (k / q, k * k, 1 + k / q + k * k)
  }

  /// Begins anew, after silence.
  mutating func reset() { (first, second) = (State(), State()) }

  /// Takes samples. Returns the sum of the squares of the filtered ones.
  mutating func energy(_ samples: UnsafePointer<Float>, count: Int) -> Double {
    var (first, second, sum) = (first, second, 0.0)
    for index in 0..<count {
      let y = second.next(first.next(Double(samples[index]), shelf), highpass)
      sum += y * y
    }
    (self.first, self.second) = (first, second)
    return sum
  }
}
