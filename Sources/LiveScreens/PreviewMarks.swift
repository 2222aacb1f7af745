import MediaTime
import Playback
import Transcripts

/// A place, or a range, of an entry that the listener has marked.
package struct PreviewMark: Sendable, Hashable {
  /// The identity of its entry.
  package var entry: Int
  /// In the time of the entry; of no length for a place.
  package var range: TimeRange
  /// What a label shows.
  package var name: String
  /// The picture that is shown there, as `frame 307`, or those of both ends; nil where none is known.
  package var pictures: String?
  /// Who says what there, in some words; nil where nothing is said, and where the name has it.
  package var words: String?

  /// What is shown and said there, for a person.
  var notes: [String] { [pictures, words].compactMap(\.self) }
}

/// The marks of a preview.
package struct PreviewMarks: Sendable, Equatable {
  /// In the order in which they were set.
  private(set) var all: [PreviewMark] = []
  /// The number of the last name that was given.
  private var number = 0

  /// No marks.
  package init() {}

  /// The marks of an entry, in order of time. O(n log n).
  func marks(of entry: Int) -> [PreviewMark] {
    all.filter { $0.entry == entry }
      .sorted { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }
  }

  /// Sets a mark.
  ///
  /// - Parameters:
  ///   - range: In the time of the entry.
  ///   - entry: Its identity.
  ///   - name: What a label shows; nil: `mark` and a number.
  ///   - pictures: The pictures that are shown there.
  ///   - words: What is said there.
  /// - Returns: The mark; nil if it is there already.
  mutating func add(
    _ range: TimeRange, of entry: Int, named name: String? = nil,
    showing pictures: String? = nil, saying words: String? = nil
  ) -> PreviewMark? {
    guard !all.contains(where: { $0.entry == entry && $0.range == range }) else { return nil }
    number += 1
    let mark = PreviewMark(
      entry: entry, range: range, name: name ?? "mark \(number)", pictures: pictures,
      words: words)
    all.append(mark)
    return mark
  }

  /// Removes the mark that was set last; nil without marks.
  mutating func removeLast() -> PreviewMark? { all.popLast() }

  /// Removes a mark.
  mutating func remove(_ mark: PreviewMark) { all.removeAll { $0 == mark } }

  /// Gives the mark that was set last a name.
  ///
  /// - Returns: Its former name; nil without marks.
  mutating func nameLast(_ name: String) -> String? {
    guard let last = all.indices.last else { return nil }
    defer { all[last].name = name }
    return all[last].name
  }

  /// Puts each mark in the place that `place` gives; nil removes it.
  mutating func move(_ place: (PreviewMark) -> PreviewMark?) { all = all.compactMap(place) }

  // MARK: Texts

  /// The marks of an entry as Audacity's labels.
  ///
  /// - Parameters:
  ///   - entry: The entry's identity.
  ///   - hasNotes: Whether the names say what is shown and said there, for a person.
  /// - Returns: A line for each mark.
  func labels(of entry: Int, withNotes hasNotes: Bool = false) -> String {
    marks(of: entry).map { mark in
      let notes = hasNotes ? mark.notes.joined(separator: ", ") : ""
      let name = notes.isEmpty ? mark.name : "\(mark.name) (\(notes))"
      return AudacityLabel(from: mark.range.start, to: mark.range.end, name).line
    }
    .joined()
  }

  /// The marks of an entry for a job file: places as its `chapters`, ranges as its `cut`.
  func snippet(of entry: Int, named name: String) -> String {
    let marks = marks(of: entry)
    var lines = ["# Marks of \(Self.quoted(name)), in its time as 'avjob preview' plays it."]
    // A chapter has its time for itself.
    var last: Time?
    let places = marks.filter { mark in
      guard mark.range.duration == .zero else { return false }
      let isNew = Self.text(mark.range.start) != last.map(Self.text)
      last = mark.range.start
      return isNew
    }
    if !places.isEmpty { lines.append("chapters:") }
    for mark in places {
      let notes = mark.notes.isEmpty ? "" : "  # " + mark.notes.joined(separator: ", ")
      lines.append("  \(Self.text(mark.range.start)): \(Self.quoted(mark.name))\(notes)")
    }
    let ranges = marks.filter { $0.range.duration > .zero }
    if !ranges.isEmpty { lines.append("cut:") }
    for mark in ranges {
      let range = "\(Self.text(mark.range.start))..\(Self.text(mark.range.end))"
      let notes = ([Self.quoted(mark.name)] + mark.notes).joined(separator: ", ")
      lines.append("  - \(range)  # \(notes)")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// As a job file writes it: where millionths of a second are not exact, they are near enough for
  /// the same frame.
  private static func text(_ time: Time) -> String { time.readableText }

  /// A text in YAML's double quotes (YAML 1.2, 7.3.1).
  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _
      where scalar.properties.generalCategory == .control || scalar.value == 0x2028
        || scalar.value == 0x2029 || scalar.value == 0xFEFF:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }
}
