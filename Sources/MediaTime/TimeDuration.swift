/// Times by name, and Swift's own `Duration`.
extension Time {
  /// A whole number of seconds: `.seconds(5)`. Infinite where they are too many.
  public static func seconds(_ seconds: some BinaryInteger) -> Time {
    Time(count: seconds, timescale: 1)
  }

  /// Seconds to the nearest nanosecond, as the simplest fraction: 2.5 is 5/2, and 0.1 is 1/10. For
  /// another timescale see `init(seconds:preferredTimescale:rounding:)`.
  ///
  /// Infinite where seconds are too many, or infinite themselves; invalid where they are NaN.
  public static func seconds(_ seconds: Double) -> Time {
    Time(seconds: seconds, preferredTimescale: nanosecondsInSecond).simplest
  }

  /// A whole number of milliseconds: `.milliseconds(20)`. Infinite where they are too many.
  public static func milliseconds(_ milliseconds: some BinaryInteger) -> Time {
    Time(count: milliseconds, timescale: 1000).simplest
  }

  /// The same length of time as the simplest fraction. Where no timescale can hold it, it is rounded
  /// to the nearest nanosecond and `hasBeenRounded` is set; where the seconds do not fit either, to
  /// the finest timescale that does. Never infinite.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let scale = Int128(attosecondsInSecond)
    let total = Int128(seconds) * scale + Int128(attoseconds)
    let divisor = Int128(
      greatestCommonDivisor(attoseconds.magnitude, UInt64(attosecondsInSecond)))
    if let value = Int64(exactly: total / divisor),
      let timescale = Int32(exactly: scale / divisor)
    {
      self = Time(value: value, timescale: timescale)
      return
    }
    var timescale = Time.nanosecondsInSecond
    while true {
      let unit = scale / Int128(timescale)
      let (quotient, rest) = total.quotientAndRemainder(dividingBy: unit)
      let isAway = rest.magnitude * 2 >= unit.magnitude
      let rounded = quotient + (isAway ? (total < 0 ? -1 : 1) : 0)
      // At one second each every duration fits, but for half a second at most.
      if let value = timescale == 1 ? Int64(clamping: rounded) : Int64(exactly: rounded) {
        let time = Time(value: value, timescale: timescale).simplest
        self = Time(
          value: time.value, timescale: time.timescale, flags: [.valid, .hasBeenRounded])
        return
      }
      timescale /= 10
    }
  }

  private init(count: some BinaryInteger, timescale: Int32) {
    self =
      Int64(exactly: count).map { Time(value: $0, timescale: timescale) }
      ?? (count < 0 ? .negativeInfinity : .positiveInfinity)
  }

  private static let nanosecondsInSecond: Int32 = 1_000_000_000

  /// The same number over the smallest timescale.
  private var simplest: Time {
    guard isNumeric else { return self }
    let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude))
    guard divisor > 1, let value = Int64(exactly: Int128(value) / Int128(divisor)) else {
      return self
    }
    return Time(
      value: value, timescale: Int32(UInt64(timescale.magnitude) / divisor), flags: flags)
  }
}

extension Duration {
  /// The same length of time, rounded half away from zero to the nearest attosecond; nil for a time
  /// that is no number.
  public init?(_ time: Time) {
    guard time.isNumeric else { return nil }
    let timescale = Int128(time.timescale)
    let total = Int128(time.value) * Int128(attosecondsInSecond)
    let (quotient, rest) = total.quotientAndRemainder(dividingBy: timescale)
    let isAway = rest.magnitude * 2 >= timescale.magnitude
    let rounded = quotient + (isAway ? (total < 0 ? -1 : 1) : 0)
    let (seconds, attoseconds) = rounded.quotientAndRemainder(
      dividingBy: Int128(attosecondsInSecond))
    // No more seconds than the time has.
    self.init(
      secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds))
  }
}

private let attosecondsInSecond: Int64 = 1_000_000_000_000_000_000
