/// The chapters in the comments of a FLAC, Vorbis or Opus stream: `CHAPTER001=00:01:02.500`,
/// `CHAPTER001NAME=News` and `CHAPTER001URL=https://…` (Xiph's "Chapter Extension"). The older form of OGM
/// has numbers of two digits; libavformat takes both (`ogm_chapter`).
package struct VorbisChapters: Sendable, Hashable {
  /// A chapter.
  package struct Chapter: Sendable, Hashable {
    /// When it begins, in nanoseconds.
    package var start: Int64
    /// Empty where it has none.
    package var title: String
    /// A page about it, as it is written.
    package var url: String?
  }

  /// In the order of their numbers.
  package private(set) var chapters: [Chapter] = []
  /// Names of fields that are part of no chapter, since none with their number has a time.
  package private(set) var timeless: [String] = []
  /// Names of fields that give a number another time: the last one counts, as in libavformat. A name stands
  /// once where its fields follow one another.
  package private(set) var repeated: [String] = []

  /// The part of a chapter that a field has.
  private enum Part: String {
    case start = ""
    case title = "NAME"
    case url = "URL"
  }

  /// Reads the fields that have the names of a chapter's, in any order.
  ///
  /// - Returns: nil without such fields.
  /// - Complexity: O(n log n)
  package init?(_ fields: [VorbisComment.Field]) {
    var entries: [Int: (start: Int64?, title: String?, url: String?, names: [String])] = [:]
    for field in fields {
      guard let (number, part) = Self.place(of: field.name) else { continue }
      let name = field.name.uppercased()
      entries[number, default: (nil, nil, nil, [])].names.append(name)
      switch part {
      case .start:
        guard let start = Self.nanoseconds(field.value) else { continue }
        let old = entries[number]?.start
        if old != nil, old != start, repeated.last != name { repeated.append(name) }
        entries[number]?.start = start
      case .title: entries[number]?.title = field.value
      case .url: entries[number]?.url = field.value.isEmpty ? nil : field.value
      }
    }
    guard !entries.isEmpty else { return nil }
    for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
      if let start = entry.start {
        chapters.append(Chapter(start: start, title: entry.title ?? "", url: entry.url))
      } else {
        timeless += entry.names
      }
    }
  }

  /// Whether a field of this name is one of a chapter, and no tag.
  package static func isPart(_ name: String) -> Bool { place(of: name) != nil }

  /// The number of a chapter, of two to six digits, and what of it a field of this name has.
  private static func place(of name: String) -> (number: Int, part: Part)? {
    let name = name.uppercased()
    guard name.hasPrefix("CHAPTER") else { return nil }
    let rest = name.dropFirst("CHAPTER".count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard 2...6 ~= digits.count, let number = Int(digits),
      let part = Part(rawValue: String(rest.dropFirst(digits.count)))
    else { return nil }
    return (number, part)
  }

  /// A time as `hours:minutes:seconds.fraction`, of up to nine digits behind a point or a comma.
  ///
  /// - Returns: Nanoseconds; nil of another text.
  private static func nanoseconds(_ text: String) -> Int64? {
    func number(_ digits: Substring, _ counts: ClosedRange<Int>) -> Int64? {
      let isNumber = digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      return isNumber && counts ~= digits.utf8.count ? Int64(digits) : nil
    }
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let last = parts[2].split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard last.count <= 2, let hours = number(parts[0], 1...5),
      let minutes = number(parts[1], 1...2), let seconds = number(last[0], 1...2)
    else { return nil }
    var fraction: Int64 = 0
    if last.count == 2 {
      guard let digits = number(last[1], 1...9) else { return nil }
      fraction = (last[1].utf8.count..<9).reduce(digits) { value, _ in value * 10 }
    }
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + fraction
  }
}
