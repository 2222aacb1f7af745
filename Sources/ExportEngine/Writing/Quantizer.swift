/// Turns float samples into integers: full scale is 2^(bits − 1), rounded to nearest, ties to
/// even, clamped.
///
/// An integer of 8, 16 or 24 bits that was scaled to float comes back unchanged. With dither, TPDF
/// noise of ±1 step is added first; it is a function of the sample's frame and channel alone, so
/// that a slice equals its part of the whole, on any machine.
package struct Quantizer: Sendable {
  package let isDithered: Bool

  /// A quantizer that dithers 16 bits, or not.
  package init(isDithered: Bool) { self.isDithered = isDithered }

  /// Writes 16-bit samples of one channel, `stride` apart.
  package func convert(
    _ source: UnsafePointer<Float>, count: Int, frame: Int64, channel: Int,
    to destination: UnsafeMutablePointer<Int16>, stride: Int
  ) {
    quantize(source, count, frame, channel, bits: 16) {
      destination[$0 * stride] = Int16(truncatingIfNeeded: $1)
    }
  }

  /// Writes 8-bit samples of one channel, `stride` apart: silence is 128.
  package func convert(
    _ source: UnsafePointer<Float>, count: Int, frame: Int64, channel: Int,
    to destination: UnsafeMutablePointer<UInt8>, stride: Int
  ) {
    quantize(source, count, frame, channel, bits: 8) {
      destination[$0 * stride] = UInt8(truncatingIfNeeded: $1 &+ 0x80)
    }
  }

  /// Writes the steps of one channel's samples, of 16 or 24 bits; the latter are never dithered.
  func round(
    _ source: UnsafePointer<Float>, count: Int, frame: Int64, channel: Int, bits: Int,
    to steps: UnsafeMutablePointer<Int32>
  ) {
    let quantizer = Quantizer(isDithered: isDithered && bits == 16)
    quantizer.quantize(source, count, frame, channel, bits: bits) {
      steps[$0] = Int32(truncatingIfNeeded: $1)
    }
  }

  /// Gives the step of each sample, in two's complement.
  @inline(__always)
  private func quantize(
    _ source: UnsafePointer<Float>, _ count: Int, _ frame: Int64, _ channel: Int, bits: Int,
    _ store: (_ index: Int, _ step: UInt64) -> Void
  ) {
    let scale = Double(1 << (bits - 1))
    guard isDithered else {
      for index in 0..<count {
        store(index, Self.nearest(Double(source[index]) * scale, -scale, scale - 1))
      }
      return
    }
    let key = Self.mixed(UInt32(truncatingIfNeeded: channel) &* 0x9E37_79B9 &+ 0x7F4A_7C15)
    let first = UInt32(truncatingIfNeeded: frame)
    for index in 0..<count {
      let noise = Self.triangular(first &+ UInt32(truncatingIfNeeded: index), key)
      store(index, Self.nearest(Double(source[index]) * scale + noise, -scale, scale - 1))
    }
  }

  /// Writes 24-bit samples of one channel at the top of 32 bits, `stride` apart; never dithered.
  package func convert(
    _ source: UnsafePointer<Float>, count: Int,
    to destination: UnsafeMutablePointer<Int32>, stride: Int
  ) {
    Quantizer(isDithered: false).quantize(source, count, 0, 0, bits: 24) {
      destination[$0 * stride] = Int32(truncatingIfNeeded: $1) &<< 8
    }
  }

  /// The nearest integer, in the low bits of the sum with 1.5 × 2^52, where a Double's unit is 1:
  /// unlike a conversion it needs no check, and vectorises on any CPU.
  @inline(__always)
  private static func nearest(_ value: Double, _ least: Double, _ most: Double) -> UInt64 {
    (max(least, min(most, value)) + 0x1.8p52).bitPattern
  }

  /// Triangular noise in (−1, 1), mean 0: the sum of two even ones, the halves of one hash.
  /// It repeats after 2^32 frames: a day at 48 kHz.
  @inline(__always)
  static func triangular(_ frame: UInt32, _ key: UInt32) -> Double {
    let hash = mixed(frame ^ key)
    let sum = Int32(truncatingIfNeeded: hash & 0xFFFF) &+ Int32(truncatingIfNeeded: hash &>> 16)
    return Double(sum &- 0xFFFF) * 0x1p-16
  }

  /// A bijective 32-bit hash: Chris Wellons' `lowbias32` (nullprogram.com/blog/2018/07/31),
  /// in the public domain.
  @inline(__always)
  static func mixed(_ value: UInt32) -> UInt32 {
    var x = value
    x = (x ^ (x &>> 16)) &* 0x7FEB_352D
    x = (x ^ (x &>> 15)) &* 0x846C_A68B
    return x ^ (x &>> 16)
  }
}
