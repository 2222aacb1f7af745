import Diagnosis
import MediaTime

/// Figures as people read them: the same in every locale.
package enum Figures {
  /// `0:04`, `1:02:03`: work to come in whole seconds, rounded up, so that "0:00 left" means now.
  package static func clock(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return clock(seconds: max(0, seconds + (attoseconds > 0 ? 1 : 0)))
  }

  /// `0.24 s`, `43.6 s`, `1:02`: work that is over, rounded to the nearest, with as many digits as let a
  /// speed beside it fit.
  package static func elapsed(_ duration: Duration) -> String {
    let seconds = max(0, duration.seconds)
    let (hundredths, tenths) = (Int64((seconds * 100).rounded()), Int64((seconds * 10).rounded()))
    if hundredths < 1000 {
      return "\(hundredths / 100)." + (hundredths % 100).digits(2) + " s"
    }
    if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
    return clock(seconds: Int64(seconds.rounded()))
  }

  /// `0:04.500`, `1:02:03.250`: to the millisecond, rounded half away from zero.
  package static func clock(_ time: Time) -> String {
    time.isNumeric ? time.clockText(decimals: 3) : "?"
  }

  private static func clock(seconds: Int64) -> String {
    Time(value: seconds, timescale: 1).clockText(decimals: 0)
  }

  /// `812 B`, `8.4 MB`, `58 MB`: powers of 1000, two significant digits or the whole number.
  package static func size(bytes: Int64) -> String {
    // Unsigned, so that rounding up has room above the largest Int64.
    let bytes = UInt64(max(0, bytes))
    guard bytes >= 1000 else { return "\(bytes) B" }
    var unit: UInt64 = 1000
    var names = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
    // 999.5 of a unit and more are 1.0 of the next one.
    while names.count > 1, bytes + unit / 2 >= 1000 * unit {
      unit *= 1000
      names.removeFirst()
    }
    let name = names.first ?? ""
    let tenths = (bytes + unit / 20) / (unit / 10)
    return tenths < 100
      ? "\(tenths / 10).\(tenths % 10) \(name)" : "\((bytes + unit / 2) / unit) \(name)"
  }

  /// `0.8×`, `84.2×`, `253×`: how many seconds of sound a second of work gives; nil before
  /// anything is known.
  package static func speed(_ sound: Time, in elapsed: Duration) -> String? {
    let seconds = elapsed.seconds
    guard seconds > 0, sound.isNumeric, sound.seconds > 0 else { return nil }
    let tenths = Int64(min(sound.seconds / seconds, 999_999) * 10 + 0.5)
    return tenths < 1000 ? "\(tenths / 10).\(tenths % 10)×" : "\((tenths + 5) / 10)×"
  }

  /// `-12.0`: decibels, to the tenth; at most 1000 to either side.
  package static func decibels(_ value: Double) -> String {
    let tenths = Int((max(-1000, min(1000, value)) * 10).rounded())
    return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }
}

extension Duration {
  /// Seconds as a Double: for rates and estimates.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
