import Glibc
import LibAV

/// How the first element of an AAC packet is cut into blocks (ISO 14496-3, 4.4.2.1 and 4.4.2.7).
///
/// FFmpeg chooses the blocks of all elements by their sound alone (`psy_lame_window`), so two encoders
/// that agree in the first element for some packets agree in all.
struct AACWindows: Hashable, Sendable {
  /// Long, start, eight short, stop (`window_sequence`).
  let sequence: UInt32
  /// Sine, or Kaiser-Bessel derived (`window_shape`).
  let shape: UInt32

  /// The windows of a packet (`raw_data_block`); nil where its first element is no channel, or a pair
  /// whose channels have blocks of their own.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 4 else { return nil }
    let bits = bytes.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    /// `count` bits from bit `start` on.
    func field(_ start: UInt32, _ count: UInt32) -> UInt32 {
      bits >> (32 - start - count) & ((1 << count) - 1)
    }
    // `id_syn_ele` and `element_instance_tag`; then a pair's `common_window`, or a channel's
    // `global_gain`; then `ics_reserved_bit`.
    switch field(0, 3) {
    case 0: (sequence, shape) = (field(16, 2), field(18, 1))
    case 1 where field(7, 1) == 1: (sequence, shape) = (field(9, 2), field(11, 1))
    default: return nil
    }
  }

  /// Whether the first half of the packet's window is that of a long block (`ONLY_LONG_SEQUENCE`,
  /// `LONG_START_SEQUENCE`).
  var beginsLong: Bool { sequence < 2 }

  /// Whether the second half is (`ONLY_LONG_SEQUENCE`, `LONG_STOP_SEQUENCE`).
  var endsLong: Bool { sequence == 0 || sequence == 3 }

  /// The windows of a packet.
  init?(_ packet: Packet) {
    guard let windows = packet.withBytes({ AACWindows($0) }) else { return nil }
    self = windows
  }

  /// A packet whose first element has another shape of its second half, and of the first half of the
  /// packet behind it.
  static func packet(_ packet: Packet, withShape shape: UInt32) throws(LibAVError) -> Packet {
    var bytes = packet.withBytes { Array($0) }
    // The places of `init`.
    let bit = bytes[0] >> 5 == 0 ? 18 : 11
    let mask = UInt8(0x80) >> UInt8(bit % 8)
    if shape == 1 { bytes[bit / 8] |= mask } else { bytes[bit / 8] &= ~mask }
    return try bytes.packet(like: packet)
  }
}

/// The first halves of AAC's long windows (ISO 14496-3, 4.6.11.3.2), and sound that is to be windowed by
/// one of them and is windowed by the other.
struct AACWindowShapes {
  /// By `window_shape`: sine, and Kaiser-Bessel derived with α = 4.
  private let rising: [[Float]]

  init() {
    let count = 1024
    let sine = (0..<count).map { Float(sin(.pi / Double(4 * count) * Double(2 * $0 + 1))) }
    let kernel = (0...count).map { index -> Double in
      let place = 2 * Double(index) / Double(count) - 1
      return Self.bessel(.pi * 4 * max(0, 1 - place * place).squareRoot())
    }
    let total = kernel.reduce(0, +)
    var sum = 0.0
    let derived = (0..<count).map { index -> Float in
      sum += kernel[index]
      return Float((sum / total).squareRoot())
    }
    rising = [sine, derived]
  }

  /// The modified Bessel function of order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-16 {
      term *= (x / 2 / index) * (x / 2 / index)
      sum += term
      index += 1
    }
    return sum
  }

  /// Changes a frame of sound so that an encoder whose window over it has one shape makes the
  /// coefficients that a window of another shape gives for the sound as it was.
  ///
  /// A block's transform has of the sound under each half of its window only what the two ends of the
  /// half fold onto one another: `w(p)·x(p) ∓ w(q)·x(q)` with q = 1023 − p, minus for the first half
  /// (Princen and Bradley's aliasing). So two samples have to give one number, and the smallest
  /// change is along `(w(p), ∓w(q))`, whose length is 1.
  ///
  /// - Parameters:
  ///   - sound: 1024 samples.
  ///   - shape: The encoder's.
  ///   - wanted: The decoder's.
  ///   - isFirstHalf: Whether it lies under the first half of the window.
  func adapt(
    _ sound: UnsafeMutableBufferPointer<Float>, from shape: UInt32, to wanted: UInt32,
    isFirstHalf: Bool
  ) {
    let (own, other) = (rising[Int(shape)], rising[Int(wanted)])
    let last = sound.count - 1
    for one in 0..<sound.count / 2 {
      // `low` is where the window is low.
      let (low, high) = isFirstHalf ? (one, last - one) : (last - one, one)
      let sign: Float = isFirstHalf ? -1 : 1
      let (ownLow, ownHigh) = (own[one], own[last - one])
      let missing =
        (other[one] - ownLow) * sound[low] + sign * (other[last - one] - ownHigh) * sound[high]
      sound[low] += ownLow * missing
      sound[high] += sign * ownHigh * missing
    }
  }
}
