/// A moment or a length of time as an exact rational: `value / timescale` seconds.
///
/// The counterpart of CoreMedia's `CMTime`: a 64-bit value over a 32-bit timescale. Arithmetic is
/// exact while the result fits; where it does not, the result is rescaled with rounding and
/// `hasBeenRounded` is set. Nothing traps.
public struct Time: Sendable {
  /// The numerator, in units of `1 / timescale` seconds.
  public let value: Int64
  /// Units per second; positive for every numeric time.
  public let timescale: Int32
  /// What kind of time this is.
  public let flags: Flags

  /// The kinds of time, as `CMTimeFlags` has them.
  public struct Flags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let valid = Flags(rawValue: 1)
    public static let hasBeenRounded = Flags(rawValue: 2)
    public static let positiveInfinity = Flags(rawValue: 4)
    public static let negativeInfinity = Flags(rawValue: 8)
    public static let indefinite = Flags(rawValue: 16)
  }

  init(value: Int64, timescale: Int32, flags: Flags) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
  }

  /// `value / timescale` seconds; invalid where `timescale` is not positive (`CMTimeMake`).
  public init(value: Int64, timescale: Int32) {
    self.init(value: value, timescale: timescale, flags: timescale > 0 ? .valid : [])
  }

  /// The time at which frame `frames` starts at `rate` frames a second.
  public init(frames: Int64, rate: Int) {
    self.init(value: frames, timescale: Int32(clamping: rate))
  }

  public static let zero = Time(value: 0, timescale: 1)
  public static let invalid = Time(value: 0, timescale: 0, flags: [])
  public static let indefinite = Time(value: 0, timescale: 0, flags: [.valid, .indefinite])
  public static let positiveInfinity = Time(
    value: 0, timescale: 0, flags: [.valid, .positiveInfinity])
  public static let negativeInfinity = Time(
    value: 0, timescale: 0, flags: [.valid, .negativeInfinity])

  /// Whether this is a number, and not invalid, indefinite or infinite (`CMTIME_IS_NUMERIC`).
  public var isNumeric: Bool {
    flags.contains(.valid)
      && flags.isDisjoint(with: [.positiveInfinity, .negativeInfinity, .indefinite])
  }

  /// Seconds as a Double, for display and for estimates only (`CMTimeGetSeconds`).
  public var seconds: Double { Double(value) / Double(timescale) }
}

/// How a time that falls between two ticks finds one of them (`CMTimeRoundingMethod`).
public enum RoundingMethod: Sendable, Hashable, CaseIterable {
  case halfAwayFromZero
  case towardZero
  case awayFromZero
  /// Away from zero where the target timescale is coarser, toward zero where it is finer.
  case quickTime
  case towardPositiveInfinity
  case towardNegativeInfinity
}

extension Time {
  /// The index of the frame that this time falls on at `rate` frames a second.
  ///
  /// This is the one place where time becomes samples. The default rounds half away from zero.
  public func frames(atRate rate: Int, rounding: RoundingMethod = .halfAwayFromZero) -> Int64 {
    guard isNumeric else { return 0 }
    let numerator = Int128(value) * Int128(rate)
    let denominator = Int128(timescale)
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    guard remainder != 0 else { return Int64(clamping: quotient) }
    let away: Int128 = numerator < 0 ? -1 : 1
    let step: Int128 =
      switch rounding {
      case .halfAwayFromZero: remainder.magnitude * 2 >= denominator.magnitude ? away : 0
      case .towardZero: 0
      case .awayFromZero: away
      case .quickTime: rate < Int(timescale) ? away : 0
      case .towardPositiveInfinity: numerator > 0 ? 1 : 0
      case .towardNegativeInfinity: numerator < 0 ? -1 : 0
      }
    return Int64(clamping: quotient + step)
  }
}

extension Time: Comparable, Hashable {
  public static func == (a: Time, b: Time) -> Bool {
    guard a.isNumeric, b.isNumeric else {
      return a.flags.subtracting(.hasBeenRounded) == b.flags.subtracting(.hasBeenRounded)
    }
    return Int128(a.value) * Int128(b.timescale) == Int128(b.value) * Int128(a.timescale)
  }

  public static func < (a: Time, b: Time) -> Bool {
    Int128(a.value) * Int128(b.timescale) < Int128(b.value) * Int128(a.timescale)
  }

  public func hash(into hasher: inout Hasher) {
    let divisor = Time.greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude))
    hasher.combine(divisor == 0 ? value : Int64(clamping: Int128(value) / Int128(divisor)))
    hasher.combine(divisor == 0 ? 0 : UInt64(timescale.magnitude) / divisor)
  }

  static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}

extension Time {
  public static func + (a: Time, b: Time) -> Time {
    let divisor = Int64(
      greatestCommonDivisor(UInt64(a.timescale.magnitude), UInt64(b.timescale.magnitude)))
    let scale = Int64(a.timescale) / divisor * Int64(b.timescale)
    let sum =
      Int128(a.value) * Int128(scale / Int64(a.timescale))
      + Int128(b.value) * Int128(scale / Int64(b.timescale))
    return Time(value: Int64(clamping: sum), timescale: Int32(clamping: scale))
  }
  public static prefix func - (a: Time) -> Time {
    Time(value: -a.value, timescale: a.timescale, flags: a.flags)
  }
  public static func - (a: Time, b: Time) -> Time { a + (-b) }
}
