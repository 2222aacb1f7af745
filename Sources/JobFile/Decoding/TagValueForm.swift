import JobModel
import MPEGAudio
import MediaComposition

/// The form of a tag's value that formats hold as more than a text.
enum TagValueForm {
  /// `3` or `3/12` (`trkn`, `disk`; ID3v2.4.0, 4.2.1, "TRCK").
  case pair
  case number
  /// ISO 8601, as far as it is known: `2026`, `2026-11-29` (ID3v2.4.0, 4).
  case day
  /// A day, or a date and a time in a zone, as headers of movies have it (`Metadata.isHeaderDate`).
  case moment
  /// A number that files hold as one, and no text: any other value is refused.
  case frames

  private static let forms: [String: TagValueForm] = [
    "track": .pair, "disc": .pair,
    "date": .day, "release_date": .day, "original_date": .day, "creation_time": .moment,
    "bpm": .number, "movement_number": .number, "movement_count": .number,
    "season_number": .number, "episode_sort": .number, "time_reference": .frames,
  ]

  /// That of a tag by its name, also another program's; nil where its value is any text.
  init?(of key: String) {
    let name = ID3Tag.key(ofTag: key) ?? key.lowercased()
    guard let form = Self.forms[name] else { return nil }
    self = form
  }

  /// The name under which a tag is written: `track` of `tracknumber`. A name that other formats have for a
  /// tag of its own stays, as `label` and `version` in Vorbis comments.
  static func name(of key: String) -> String {
    guard let name = ID3Tag.key(ofTag: key) else { return key }
    return isSpelling(key, of: name) ? name : key
  }

  /// The name that all keys of one tag share: of a frame's identifier, and of one of Apple's names, the
  /// tag's own.
  static func identity(of key: String) -> String {
    let isFrame = key.utf8.count == 4 && key.allSatisfy { $0.isUppercase || $0.isNumber }
    let own = isFrame ? ID3Tag.key(ofTag: key) ?? key : Metadata.key(ofApple: key)
    return (own ?? name(of: key)).lowercased()
  }

  private static func isSpelling(_ key: String, of name: String) -> Bool {
    func letters(_ text: String) -> String { text.lowercased().filter { !"_- ".contains($0) } }
    let others = ["tracknumber": "track", "discnumber": "disc", "year": "date"]
    return letters(key) == letters(name) || others[key.lowercased()] == name
  }

  /// Whether a value has the form.
  func holds(_ value: String) -> Bool {
    switch self {
    case .pair:
      let parts = value.split(separator: "/", omittingEmptySubsequences: false)
      return 1...2 ~= parts.count && parts.allSatisfy { UInt16($0) != nil }
    case .number: return Double(value) != nil
    case .day: return ID3Tag.isTimeStamp(value)
    case .moment: return ID3Tag.isTimeStamp(value) || Metadata.isHeaderDate(value)
    case .frames: return Metadata.isTimeReference(value)
    }
  }

  /// What it is, with an example.
  var description: String {
    switch self {
    case .pair: "a number, as '3', or two, as '3/12'"
    case .number: "a number, as '3'"
    case .day: "year, month and day, as '2026-11-29', or the first of these"
    case .moment: "a day, as '2026-11-29', or a date and a time, as '2026-11-29T07:08:09Z'"
    case .frames: "a number of frames since midnight, as '172800000'"
    }
  }

  /// The value that was meant, in its form; nil where that is not plain.
  func meant(by value: String) -> String? {
    let numbers = value.split { !("0"..."9" ~= $0) }
    guard numbers.count <= 3, numbers.allSatisfy({ $0.utf8.count <= 8 }) else { return nil }
    let values = numbers.compactMap { Int($0) }
    let meant: String?
    switch (self, values.count) {
    case (.pair, 1), (.pair, 2): meant = values.map { "\($0)" }.joined(separator: "/")
    case (.frames, 1):
      // A sign or a point is no slip.
      meant = value.split(separator: " ") == numbers ? String(numbers[0]) : nil
    case (.number, 1): meant = "\(values[0])"
    case (.day, 3), (.moment, 3): meant = Self.day(numbers.map(\.utf8.count), values)?.text
    case (.day, 1) where numbers[0].utf8.count == 8,
      (.moment, 1) where numbers[0].utf8.count == 8:
      meant = CalendarDay(values[0] / 10000, values[0] / 100 % 100, values[0] % 100)?.text
    default: meant = nil
    }
    return meant.flatMap { holds($0) ? $0 : nil }
  }

  /// The day of three numbers, of which one has four digits; nil where the month may be either of the others.
  private static func day(_ digits: [Int], _ values: [Int]) -> CalendarDay? {
    if digits[0] == 4 { return CalendarDay(values[0], values[1], values[2]) }
    guard digits[2] == 4 else { return nil }
    let (a, b) = (values[0], values[1])
    if a == b || a > 12 { return CalendarDay(values[2], b, a) }
    return b > 12 ? CalendarDay(values[2], a, b) : nil
  }
}
