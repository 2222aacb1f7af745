/// A moment or a length of time as an exact rational: `value / timescale` seconds.
///
/// The counterpart of CoreMedia's `CMTime`: a 64-bit value over a 32-bit timescale, without an
/// epoch. Arithmetic is exact if any timescale can hold the result; where none can, the result is
/// rescaled with rounding and `hasBeenRounded` is set. Nothing traps: what is too large becomes an
/// infinity.
public struct Time: Sendable {
  /// The numerator, in units of `1 / timescale` seconds (`CMTimeValue`); 0 for every time that is
  /// no number.
  public let value: Int64
  /// Units per second (`CMTimeScale`); positive for every numeric time, 0 for every other.
  public let timescale: Int32
  /// What kind of time this is.
  public let flags: Flags

  /// The kinds of time (`CMTimeFlags`).
  public struct Flags: OptionSet, Sendable, Hashable {
    /// The bits, as CoreMedia numbers them.
    public let rawValue: UInt32

    /// Flags of the given bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Set on everything but an invalid time (`kCMTimeFlags_Valid`).
    public static let valid = Flags(rawValue: 1)
    /// Set where the time, or one that it was computed from, had to be rounded
    /// (`kCMTimeFlags_HasBeenRounded`); never on a time that is no number.
    public static let hasBeenRounded = Flags(rawValue: 2)
    /// Later than every number (`kCMTimeFlags_PositiveInfinity`).
    public static let positiveInfinity = Flags(rawValue: 4)
    /// Earlier than every number (`kCMTimeFlags_NegativeInfinity`).
    public static let negativeInfinity = Flags(rawValue: 8)
    /// Valid, but not known: the duration of a live stream (`kCMTimeFlags_Indefinite`).
    public static let indefinite = Flags(rawValue: 16)

    /// All but the mark of being rounded: the valid flag, and those that make it another kind than
    /// a number (`kCMTimeFlags_ImpliedValueFlagsMask`).
    static let kind: UInt32 = 1 | 4 | 8 | 16
  }

  init(value: Int64, timescale: Int32, flags: Flags) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
  }

  /// `value / timescale` seconds; invalid where `timescale` is not positive (`CMTimeMake`).
  public init(value: Int64, timescale: Int32) {
    self = timescale > 0 ? Time(value: value, timescale: timescale, flags: .valid) : .invalid
  }

  /// The time at which frame `frames` starts at `rate` frames a second; invalid where no timescale
  /// can hold `rate`.
  public init(frames: Int64, rate: Int) {
    self.init(value: frames, timescale: Int32(exactly: rate) ?? 0)
  }

  /// 0 seconds (`kCMTimeZero`).
  public static let zero = Time(value: 0, timescale: 1)
  /// Not a time; every computation with it is invalid too (`kCMTimeInvalid`).
  public static let invalid = Time(value: 0, timescale: 0, flags: [])
  /// A time that is not known (`kCMTimeIndefinite`).
  public static let indefinite = Time(value: 0, timescale: 0, flags: [.valid, .indefinite])
  /// Later than every number (`kCMTimePositiveInfinity`).
  public static let positiveInfinity = Time(
    value: 0, timescale: 0, flags: [.valid, .positiveInfinity])
  /// Earlier than every number (`kCMTimeNegativeInfinity`).
  public static let negativeInfinity = Time(
    value: 0, timescale: 0, flags: [.valid, .negativeInfinity])

  /// The finest timescale (`kCMTimeMaxTimescale`).
  public static let maximumTimescale = Int32.max
}

extension Time {
  /// Kinds in the order in which `CMTimeCompare` sorts them.
  enum Kind: Int {
    case negativeInfinity, number, indefinite, positiveInfinity, invalid
  }

  var kind: Kind {
    if isNumeric { return .number }
    if !flags.contains(.valid) { return .invalid }
    if flags.contains(.positiveInfinity) { return .positiveInfinity }
    if flags.contains(.negativeInfinity) { return .negativeInfinity }
    return .indefinite
  }

  /// Whether this is a time at all: a number, an infinity, or indefinite (`CMTIME_IS_VALID`).
  public var isValid: Bool { flags.contains(.valid) }

  /// Whether this is a number, and not invalid, indefinite or infinite (`CMTIME_IS_NUMERIC`).
  public var isNumeric: Bool { flags.rawValue & Flags.kind == Flags.valid.rawValue }

  /// Whether this is valid but not known (`CMTIME_IS_INDEFINITE`).
  public var isIndefinite: Bool { kind == .indefinite }

  /// Whether this is one of the infinities (`CMTIME_IS_POSITIVE_INFINITY`,
  /// `CMTIME_IS_NEGATIVE_INFINITY`).
  public var isInfinite: Bool { kind == .positiveInfinity || kind == .negativeInfinity }

  /// Whether this is not the exact result of how it was computed (`CMTIME_HAS_BEEN_ROUNDED`).
  public var hasBeenRounded: Bool { flags.contains(.hasBeenRounded) }

  /// Seconds as a Double, for display and for estimates only (`CMTimeGetSeconds`): the quotient of
  /// both numbers as Doubles, an infinity for an infinity, NaN for an invalid or indefinite time.
  public var seconds: Double {
    switch kind {
    case .number: Double(value) / Double(timescale)
    case .positiveInfinity: .infinity
    case .negativeInfinity: -.infinity
    case .indefinite, .invalid: .nan
    }
  }

  /// -1, 0 or 1: before, at or after zero.
  var sign: Int {
    switch kind {
    case .number: Int(value.signum())
    case .positiveInfinity: 1
    case .negativeInfinity: -1
    case .indefinite, .invalid: 0
    }
  }
}

extension Time: Comparable, Hashable {
  /// Whether both are the same moment, whatever their timescales. Two times that are no numbers
  /// are equal where they are of one kind.
  public static func == (a: Time, b: Time) -> Bool {
    guard a.isNumeric, b.isNumeric else { return a.kind == b.kind }
    return Int128(a.value) * Int128(b.timescale) == Int128(b.value) * Int128(a.timescale)
  }

  /// The order of `CMTimeCompare`, total so that times can be sorted:
  /// -infinity, then the numbers, then indefinite, then +infinity, then invalid.
  public static func < (a: Time, b: Time) -> Bool {
    guard a.isNumeric, b.isNumeric else { return a.kind.rawValue < b.kind.rawValue }
    return Int128(a.value) * Int128(b.timescale) < Int128(b.value) * Int128(a.timescale)
  }

  /// Equal times hash alike, whatever their timescales.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    guard isNumeric else { return }
    let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude))
    hasher.combine(value < 0)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(UInt64(timescale.magnitude) / divisor)
  }
}
