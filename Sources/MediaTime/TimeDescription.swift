extension Time: LosslessStringConvertible {
  /// The canonical text of this time: equal times have equal texts, and the text read gives an
  /// equal time back. The timescale and the mark of being rounded are not in it; they are in what
  /// is encoded, and in `debugDescription`.
  ///
  /// `5.25s` below a minute, `1:02:03.25` above, or `1001/30000s` where six decimals do not
  /// suffice. A time that is no number is named: `invalid`, `indefinite`, `+infinity`,
  /// `-infinity`.
  public var description: String {
    switch kind {
    case .number: break
    case .indefinite: return "indefinite"
    case .invalid: return "invalid"
    case .positiveInfinity: return "+infinity"
    case .negativeInfinity: return "-infinity"
    }
    let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude))
    let (numerator, denominator) = (
      value.magnitude / divisor, UInt64(timescale.magnitude) / divisor
    )
    let sign = value < 0 ? "-" : ""
    guard 1_000_000 % denominator == 0 else { return "\(sign)\(numerator)/\(denominator)s" }
    let (seconds, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    var decimals = paddedDigits(rest * (1_000_000 / denominator), count: 6)
    while decimals.last == "0" { decimals.removeLast() }
    let fraction = decimals.isEmpty ? "" : "." + decimals
    return seconds < 60
      ? "\(sign)\(seconds)\(fraction)s" : sign + clockDigits(seconds: seconds) + fraction
  }

  /// Reads every text of ``description``, and what ``init(parsing:allowingNegative:)`` reads; nil
  /// where that throws.
  public init?(_ description: String) {
    let others: [Time] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
    if let other = others.first(where: { $0.description == description }) {
      self = other
    } else if let time = try? Time(parsing: description, allowingNegative: true) {
      self = time
    } else {
      return nil
    }
  }

  /// This time for a reader's eyes, rounded half away from zero to `decimals` (at most nine):
  /// `0:05.250`, `1:02:03.250`. A time that is no number is named.
  public func clockText(decimals: Int) -> String {
    guard isNumeric else { return description }
    let decimals = max(0, min(9, decimals))
    let unit = (0..<decimals).reduce(Int128(1)) { unit, _ in unit * 10 }
    let doubled = Int128(value.magnitude) * unit * 2 + Int128(timescale)
    let (seconds, rest) = (doubled / (2 * Int128(timescale))).quotientAndRemainder(dividingBy: unit)
    let isNegative = value < 0 && (seconds, rest) != (0, 0)
    return (isNegative ? "-" : "") + clockDigits(seconds: UInt64(seconds))
      + (decimals == 0 ? "" : "." + paddedDigits(UInt64(rest), count: decimals))
  }
}

extension Time {
  /// For messages: the ``description``, or where that would be a fraction, clock text rounded to
  /// millionths, which are less than half a frame of any sample rate.
  package var readableText: String {
    let text = description
    return text.contains("/") ? clockText(decimals: 6) : text
  }
}

extension Time: CustomDebugStringConvertible {
  /// The numbers as they are, as CoreMedia shows them (`CMTimeCopyDescription`, `CMTimeShow`):
  /// `{1001/30000 = 0.033}`, with `, rounded` where that is so; `{INVALID}`, `{INDEFINITE}`,
  /// `{+INFINITY}`, `{-INFINITY}`.
  public var debugDescription: String {
    guard isNumeric else { return "{\(description.uppercased())}" }
    let thousandths = converted(toTimescale: 1000)
    // Where thousandths do not fit, whole seconds are near enough.
    let shown = thousandths.isNumeric ? thousandths : converted(toTimescale: 1)
    let (whole, rest) = shown.value.magnitude.quotientAndRemainder(
      dividingBy: UInt64(shown.timescale.magnitude))
    let seconds = "\(shown.value < 0 ? "-" : "")\(whole).\(paddedDigits(rest, count: 3))"
    return "{\(value)/\(timescale) = \(seconds)\(hasBeenRounded ? ", rounded" : "")}"
  }
}

extension TimeRange: CustomStringConvertible, CustomDebugStringConvertible {
  /// As a job file writes it: `1:00..2:30.5`.
  public var description: String { "\(start)..\(end)" }

  /// Start and duration, as CoreMedia shows them (`CMTimeRangeCopyDescription`,
  /// `CMTimeRangeShow`): `{{60/1 = 60.000}, {181/2 = 90.500}}`.
  public var debugDescription: String {
    "{\(start.debugDescription), \(duration.debugDescription)}"
  }
}

extension TimeMapping: CustomStringConvertible, CustomDebugStringConvertible {
  /// Source and target, as in `1:00..2:30 -> 0s..1:30`; `empty -> 0s..1:30` without a source.
  public var description: String { "\(isEmpty ? "empty" : source.description) -> \(target)" }

  /// Source and target as `TimeRange` shows them (`CMTimeMappingCopyDescription`,
  /// `CMTimeMappingShow`).
  public var debugDescription: String {
    "{\(source.debugDescription), \(target.debugDescription)}"
  }
}

/// `M:SS`, or `H:MM:SS` from an hour on.
func clockDigits(seconds: UInt64) -> String {
  let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
  let (hours, minute) = minutes.quotientAndRemainder(dividingBy: 60)
  let tail = paddedDigits(second, count: 2)
  return hours == 0 ? "\(minutes):\(tail)" : "\(hours):\(paddedDigits(minute, count: 2)):\(tail)"
}

/// A number, not negative, in so many digits at least.
package func paddedDigits(_ number: some BinaryInteger, count: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, count - digits.count)) + digits
}
