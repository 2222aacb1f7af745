import Glibc

/// A day of the Gregorian calendar, also before its time (ISO 8601).
package struct CalendarDay: Sendable, Hashable {
  /// 0 … 9999.
  package let year: Int
  /// 1 … 12.
  package let month: Int
  /// From 1.
  package let day: Int

  /// nil: there is no such day.
  package init?(_ year: Int, _ month: Int, _ day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    guard day >= 1, day <= length(of: month) else { return nil }
  }

  /// `2026-11-29`, as `text`; nil for any other text.
  package init?(_ text: String) {
    guard let day = DayFormat.standard.day(in: text) else { return nil }
    self = day
  }

  /// The day of a moment, in seconds since 1970 (POSIX `time`): by the machine's time zone (`TZ`), or
  /// in UTC.
  package init?(seconds: Int64, isUTC: Bool = false) {
    var seconds = time_t(seconds)
    var parts = tm()
    guard (isUTC ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)) != nil else {
      return nil
    }
    self.init(Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
  }

  /// Today, by the machine's time zone; where `SOURCE_DATE_EPOCH` is set, the day of that moment in UTC
  /// (reproducible-builds.org, "SOURCE_DATE_EPOCH").
  package static var today: CalendarDay? {
    let fixed = getenv("SOURCE_DATE_EPOCH").flatMap { Int64(String(cString: $0)) }
    return fixed.map { CalendarDay(seconds: $0, isUTC: true) }
      ?? CalendarDay(seconds: Int64(time(nil)))
  }

  /// `2026-11-29` (ISO 8601, 4.1.2.2).
  package var text: String { DayFormat.standard.text(of: self) }

  private var isLeap: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private func length(of month: Int) -> Int {
    month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// The number of the day in its year, from 1.
  var ordinal: Int { (1..<month).reduce(day) { $0 + length(of: $1) } }

  /// The week, and the year of which it is one: that of its Thursday (ISO 8601, 3.1.1.23).
  var week: (year: Int, number: Int) {
    let number = (ordinal - weekday + 10) / 7
    if number < 1 { return (year - 1, Self.weeks(in: year - 1)) }
    return number > Self.weeks(in: year) ? (year + 1, 1) : (year, number)
  }

  /// Monday is 1.
  private var weekday: Int { (Self.weekday(endOf: year - 1) + ordinal - 1) % 7 + 1 }

  /// The day of the week of 31 December; Sunday is 0.
  private static func weekday(endOf year: Int) -> Int {
    // 400 years are whole weeks; so none of the terms is negative.
    let year = year + 400
    return (year + year / 4 - year / 100 + year / 400) % 7
  }

  /// A year has 53 weeks if it ends on a Thursday, or begins on one.
  private static func weeks(in year: Int) -> Int {
    weekday(endOf: year) == 4 || weekday(endOf: year - 1) == 3 ? 53 : 52
  }
}

/// How a day is written: `%d.%m.%Y`, by the letters of strftime(3) that are numbers of a day.
package struct DayFormat: Sendable, Hashable {
  /// A number of a day.
  private enum Field: Character {
    case year = "Y"
    case shortYear = "y"
    case month = "m"
    case day = "d"
    case ordinal = "j"
    case week = "V"
    case weekYear = "G"

    var digits: Int {
      switch self {
      case .year, .weekYear: 4
      case .ordinal: 3
      case .shortYear, .month, .day, .week: 2
      }
    }

    func number(of day: CalendarDay) -> Int {
      switch self {
      case .year: day.year
      case .shortYear: day.year % 100
      case .month: day.month
      case .day: day.day
      case .ordinal: day.ordinal
      case .week: day.week.number
      case .weekYear: day.week.year
      }
    }
  }

  private enum Piece: Hashable {
    case literal(Character)
    case field(Field)
  }

  /// The letters that may follow a `%`, for messages.
  package static let letters =
    "%Y, %y, %m, %d, %j (the day of the year), %G and %V (the week's year and number)"

  /// `%Y-%m-%d`
  static let standard = DayFormat(
    pieces: [
      .field(.year), .literal("-"), .field(.month), .literal("-"), .field(.day),
    ], source: "%Y-%m-%d")

  private let pieces: [Piece]
  /// As it was written.
  package let source: String

  private init(pieces: [Piece], source: String) { (self.pieces, self.source) = (pieces, source) }

  /// nil: a letter after a `%` is no number of a day, such as one of the time.
  package init?(_ source: String) {
    var pieces: [Piece] = []
    var isField = false
    for character in source {
      if isField {
        guard character != "%" else {
          pieces.append(.literal("%"))
          isField = false
          continue
        }
        guard let field = Field(rawValue: character) else { return nil }
        pieces.append(.field(field))
        isField = false
      } else if character == "%" {
        isField = true
      } else {
        pieces.append(.literal(character))
      }
    }
    guard !isField else { return nil }
    self.init(pieces: pieces, source: source)
  }

  /// Whether a day can be read by it: it has a year, a month and a day.
  package var isReadable: Bool {
    let fields = Set(pieces.compactMap { if case .field(let field) = $0 { field } else { nil } })
    return fields.isDisjoint(with: [.ordinal, .week, .weekYear])
      && fields.isSuperset(of: [.month, .day])
      && fields.contains(.year) != fields.contains(.shortYear)
  }

  /// `day` as this says.
  package func text(of day: CalendarDay) -> String {
    var text = ""
    for piece in pieces {
      switch piece {
      case .literal(let character): text.append(character)
      case .field(let field):
        let digits = String(field.number(of: day))
        text += String(repeating: "0", count: max(0, field.digits - digits.count)) + digits
      }
    }
    return text
  }

  /// The day that `text` is by this format; nil where it is none, or the format is not readable. A year
  /// of two digits is one of this century.
  package func day(in text: String) -> CalendarDay? {
    guard isReadable else { return nil }
    var numbers: [Field: Int] = [:]
    var rest = text[...]
    for piece in pieces {
      switch piece {
      case .literal(let character): guard rest.popFirst() == character else { return nil }
      case .field(let field):
        let digits = rest.prefix(field.digits)
        guard digits.utf8.count == field.digits, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
          let number = Int(digits), numbers[field] == nil || numbers[field] == number
        else { return nil }
        numbers[field] = number
        rest = rest.dropFirst(field.digits)
      }
    }
    guard rest.isEmpty, let month = numbers[.month], let day = numbers[.day],
      let year = numbers[.year] ?? numbers[.shortYear].map({ 2000 + $0 })
    else { return nil }
    return CalendarDay(year, month, day)
  }
}
