import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage

extension TimeList {
  /// Reads a list file: a CUE sheet where the name ends in `.cue` or the first word is one of a
  /// sheet's commands, Audacity's labels where a line holds two numbers and a tab between them,
  /// else lines of a time and a title.
  ///
  /// - Returns: The list, and its messages; its entries mean nothing beside an error.
  /// - Complexity: O(length of `bytes`)
  package static func read(
    _ bytes: [UInt8], path: FilePath, named: Origin, isQuoted: Bool = true, in map: SourceMap
  ) -> (list: TimeList, sink: DiagnosticSink) {
    var text = ListText(bytes, path: path, named: named, isQuoted: isQuoted, in: map)
    var list = TimeList()
    if !text.isRefused {
      if path.extension?.lowercased() == "cue" || CueReader.isSheet(text) {
        var reader = CueReader(text)
        list = reader.read()
        text = reader.text
      } else if LabelReader.isLabels(text) {
        list.entries = LabelReader.entries(in: &text)
      } else {
        list.entries = TitleReader.entries(in: &text)
      }
    }
    var sink = text.sink
    if list.entries.isEmpty, !text.isRefused {
      sink.error(
        "'\(path)' holds no times", at: named,
        help: "a list is a CUE sheet, a file of Audacity's labels, or lines as '14:05 School'")
    }
    list.path = path
    return (list, sink)
  }
}

/// Entries as they are read: so many and no more, and none before the one before it.
struct ListEntries {
  private(set) var all: [TimeList.Entry] = []
  private var last: Time?
  private(set) var isFull = false

  /// Adds `entry`, whose time stands at `place`. `isOrdered`: that it is not before the last one is
  /// known, or has been reported.
  mutating func append(
    _ entry: TimeList.Entry, _ line: ListText.Line, _ place: Range<Int>, isOrdered: Bool = false,
    in text: inout ListText
  ) {
    guard all.count < TimeList.countLimit else {
      if !isFull { text.error("more than 100,000 entries", line, place, help: "part the list") }
      isFull = true
      return
    }
    if !isOrdered, let time = entry.start.value.timeFromStart {
      if let last, time < last {
        text.error(
          "'\(line.text(place))' is before the time of the entry above it", line, place,
          help: "a list is in order of time",
          notes: all.last.map { [.init("that one is here", at: $0.start.origin)] } ?? [])
      }
      last = time
    }
    all.append(entry)
  }
}

extension Moment {
  /// The time that it is, where that needs neither a length nor a rate.
  var timeFromStart: Time? {
    guard anchor == .start, case .time(let time) = offset else { return nil }
    return time
  }
}

// MARK: - Times and titles

/// Lines of a time and a title: `14:05 School: the end`.
enum TitleReader {
  static func entries(in text: inout ListText) -> [TimeList.Entry] {
    var entries = ListEntries()
    for line in text.lines where !entries.isFull {
      guard let word = line.words.first, line.scalars[word.lowerBound] != "#" else { continue }
      guard let entry = entry(line, word, in: &text) else { continue }
      entries.append(entry, line, word, in: &text)
    }
    return entries.all
  }

  private static func entry(
    _ line: ListText.Line, _ word: Range<Int>, in text: inout ListText
  ) -> TimeList.Entry? {
    var title = line.rest(after: word)
    // `0:00 - Childhood`, as people write under their videos.
    if let dash = title.first, title.count > 2, "-–—".unicodeScalars.contains(line.scalars[dash]),
      line.scalars[dash + 1] == " "
    {
      title = line.trimmed((dash + 1)..<title.upperBound)
      if let end = line.words.first(where: { $0.lowerBound == title.lowerBound }),
        isTime(line.text(word)), isTime(line.text(end))
      {
        text.error(
          "a range with a dash", line, word.lowerBound..<end.upperBound,
          help: "write '\(line.text(word))..\(line.text(end))'")
        return nil
      }
    }
    let name = title.isEmpty ? nil : line.text(title)
    do throws(ClipText.MalformedRange) {
      if let range = try ClipText.range(line.text(word)[...], from: word.lowerBound) {
        let start = range.from.map { Located($0.moment, at: text.origin(line, $0.range)) }
        let end: ItemRange.End =
          switch range.end {
          case .moment(let moment, let place):
            .moment(Located(moment, at: text.origin(line, place)))
          case .duration(let time, let place):
            .duration(Located(time, at: text.origin(line, place)))
          case nil: .moment(Located(.end, at: text.origin(line, word)))
          }
        return TimeList.Entry(
          name, from: start ?? Located(.start, at: text.origin(line, word)), to: end)
      }
    } catch {
      text.error(error.error.message, line, error.range, help: error.error.help)
      return nil
    }
    do throws(QuantityError) {
      let moment = try Moment(parsing: line.text(word))
      if case .item = moment.anchor {
        throw QuantityError(
          "'\(line.text(word))' is a time of another item", help: "write a time, as 14:05")
      }
      return TimeList.Entry(name, from: Located(moment, at: text.origin(line, word)))
    } catch {
      text.error(error.message, line, word, help: help(line, word) ?? error.help)
      return nil
    }
  }

  /// What to write instead of a first word that is no time.
  private static func help(_ line: ListText.Line, _ word: Range<Int>) -> String? {
    let first = line.text(word)
    let parts = first.split(separator: "-", maxSplits: 1).map(String.init)
    if parts.count == 2, parts.allSatisfy(isTime) { return "write '\(parts[0])..\(parts[1])'" }
    if let time = line.words.dropFirst().map(line.text).first(where: isTime) {
      return "the time comes first: '\(time) Title'"
    }
    let inner = first.trimmingBrackets
    if isTime(inner) { return "write '\(inner)'" }
    return line.scalars[word.lowerBound].isASCIIDigit
      ? nil : "a line is a time and a title, as '14:05 School'"
  }

  private static func isTime(_ text: String) -> Bool { (try? TimeText(parsing: text)) != nil }
}

extension String {
  /// Without brackets around it: `[0:00]`.
  fileprivate var trimmingBrackets: String {
    guard let first, let last, "[(<".contains(first), "])>".contains(last) else { return self }
    return String(dropFirst().dropLast())
  }
}

// MARK: - Audacity

/// Audacity's labels: start, end and text, separated by tabs; a label at a point ends where it starts.
///
/// The format of Audacity's manual, "Importing and Exporting Labels". Lines that begin with a
/// backslash give the frequencies of a spectral selection, which have no meaning here.
enum LabelReader {
  /// Whether the first line that counts is a label.
  static func isLabels(_ text: ListText) -> Bool {
    guard let line = text.lines.first(where: { $0.scalars.first != "\\" }) else {
      return !text.lines.isEmpty
    }
    let fields = fields(line)
    return fields.count >= 2 && fields.prefix(2).allSatisfy { isNumber(line.scalars[$0]) }
  }

  static func entries(in text: inout ListText) -> [TimeList.Entry] {
    var entries = ListEntries()
    for line in text.lines where line.scalars.first != "\\" && !entries.isFull {
      let fields = fields(line)
      guard fields.count >= 2 else {
        text.error(
          "a label is a start, an end and a text, separated by tabs", line, line.trimmed(line.all),
          help: "start and end are seconds, as '12.5', with a tab behind each")
        continue
      }
      guard let start = time(line, fields[0], in: &text), let end = time(line, fields[1], in: &text)
      else { continue }
      let place = Located(Moment(.start, .time(start)), at: text.origin(line, fields[0]))
      var entry = TimeList.Entry(from: place)
      if fields.count > 2 {
        let title = line.trimmed(fields[2].lowerBound..<line.scalars.count)
        if !title.isEmpty { entry.title = line.text(title) }
      }
      if end < start {
        text.error(
          "the label ends before it starts", line, fields[1],
          help: "the start comes first, then the end")
      } else if end > start {
        entry.end = .moment(
          Located(Moment(.start, .time(end)), at: text.origin(line, fields[1])))
      }
      entries.append(entry, line, fields[0], in: &text)
    }
    return entries.all
  }

  private static func fields(_ line: ListText.Line) -> [Range<Int>] {
    line.scalars.split(separator: "\t", omittingEmptySubsequences: false)
      .map { line.trimmed($0.startIndex..<$0.endIndex) }
  }

  private static func isNumber(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
    !scalars.isEmpty && scalars.contains { $0.isASCIIDigit }
      && scalars.allSatisfy { $0.isASCIIDigit || ".,-+".unicodeScalars.contains($0) }
  }

  private static func time(
    _ line: ListText.Line, _ field: Range<Int>, in text: inout ListText
  ) -> Time? {
    let number = line.text(field)
    guard isNumber(line.scalars[field]) else {
      text.error("'\(number)' is no number of seconds", line, field, help: "write it as 12.5")
      return nil
    }
    guard !number.contains(",") else {
      text.error(
        "'\(number)' has a comma for its decimals", line, field,
        help: "write '\(String(number.map { $0 == "," ? "." : $0 }))'")
      return nil
    }
    guard !number.hasPrefix("-") else {
      text.error(
        "'\(number)' is before the start of the sound", line, field, help: "labels begin at 0")
      return nil
    }
    do throws(TimeTextError) {
      return try Time(parsing: number + "s")
    } catch {
      text.error(error.message, line, field, help: "write seconds, as '12.5'")
      return nil
    }
  }
}
