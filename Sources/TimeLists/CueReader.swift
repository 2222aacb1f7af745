import Diagnosis
import JobModel
import MediaComposition
import MediaTime

/// A CUE sheet: the tracks of one file, with the tags of the disc.
///
/// The commands of the CDRWIN User's Guide, appendix "Cuesheet Commands", and those of CD-Text and
/// of `REM` that programs write beside them. Times are minutes, seconds and frames of 1/75 s.
///
/// A track begins at its INDEX 01 and lasts to that of the next, so what lies between INDEX 00 and
/// INDEX 01 of a track sounds at the end of the one before, as it does when a disc is played.
struct CueReader {
  private(set) var text: ListText
  private var tags = Metadata()
  private var entries = ListEntries()
  private var track: Track?
  private var lastIndex: (time: Time, word: String)?
  private var hasFile = false
  private var disc: (number: String?, total: String?)
  private var performer: String?
  private var warnsOfGap = true

  /// A track whose commands are being read.
  private struct Track {
    var line: ListText.Line
    var place: Range<Int>
    var number: Int
    var entry: TimeList.Entry?
    var title: String?
    var tags = Metadata()
    var index = -1
    /// Whether one of its indices was refused.
    var isRefused = false
  }

  init(_ text: ListText) { self.text = text }

  private static let commands: Set<String> = [
    "FILE", "TRACK", "INDEX", "TITLE", "PERFORMER", "SONGWRITER", "COMPOSER", "ARRANGER", "ISRC",
    "GENRE", "REM", "PREGAP", "POSTGAP",
  ]

  /// They say nothing that a file of sound could hold.
  private static let ignored: Set<String> = [
    "FLAGS", "CATALOG", "CDTEXTFILE", "MESSAGE", "DISC_ID", "TOC_INFO", "TOC_INFO1", "TOC_INFO2",
    "UPC_EAN", "SIZE_INFO",
  ]

  /// Whether a file without the extension is a sheet by its first word.
  static func isSheet(_ text: ListText) -> Bool {
    guard let line = text.lines.first, let word = line.words.first else { return false }
    let first = line.text(word)
    return first == first.uppercased() && (commands.contains(first) || ignored.contains(first))
  }

  mutating func read() -> TimeList {
    for line in text.lines where !entries.isFull {
      guard let word = line.words.first else { continue }
      guard read(line, command: word) else { break }
    }
    closeTrack()
    if let number = disc.number {
      tags["disc"] = disc.total.map { "\(number)/\($0)" } ?? number
    }
    if let performer { tags["album_artist"] = performer }
    return TimeList(entries.all, tags: tags)
  }

  /// Reads one line; false where nothing behind it can be understood.
  private mutating func read(_ line: ListText.Line, command word: Range<Int>) -> Bool {
    let command = line.text(word).uppercased()
    switch command {
    case "FILE": return file(line, word)
    case "TRACK": startTrack(line)
    case "INDEX": index(line)
    case "TITLE", "PERFORMER", "SONGWRITER", "COMPOSER", "ARRANGER", "ISRC", "GENRE":
      if let value = value(line, after: word) { set(command, value) }
    case "REM": remark(line)
    case "PREGAP", "POSTGAP":
      guard warnsOfGap else { break }
      warnsOfGap = false
      text.warn(
        "\(command) is a silence that a CD burner adds: the file has none, and so have the parts",
        line, word, help: "take the line out to read the sheet without this message")
    case _ where Self.ignored.contains(command): break
    default:
      let help =
        text.sink.isSuggesting ? Spelling.help(for: command, among: Self.commands.sorted()) : nil
      text.error(
        "'\(line.text(word))' is no command of a CUE sheet", line, word,
        help: help ?? "take the line out, or write 'REM' before it")
    }
    return true
  }

  private mutating func file(_ line: ListText.Line, _ word: Range<Int>) -> Bool {
    if hasFile {
      text.error(
        "a sheet of several files, each of which begins at 0", line, word,
        help: "join the files, and write a sheet of the whole")
      return false
    }
    hasFile = true
    return true
  }

  /// What follows a command: in quotes, or to the end of the line.
  private mutating func value(_ line: ListText.Line, after word: Range<Int>) -> String? {
    let rest = line.rest(after: word)
    guard let first = rest.first, line.scalars[first] == "\"" else {
      return rest.isEmpty ? nil : line.text(rest)
    }
    // To the last quotation mark: a title may hold some.
    guard let last = line.scalars[rest].lastIndex(of: "\""), last > first else {
      text.error(
        "the quotation mark is never closed", line, rest, help: "end the text with another one")
      return nil
    }
    let inner = line.trimmed((first + 1)..<last)
    return inner.isEmpty ? nil : line.text(inner)
  }

  // MARK: Tags

  private mutating func set(_ command: String, _ value: String) {
    switch command {
    case "TITLE" where track == nil: tags["album"] = value
    case "TITLE": track?.title = value
    case "PERFORMER" where track == nil: performer = value
    case "PERFORMER": tag("artist", value)
    case "SONGWRITER": tag("composer", value)
    default: tag(command.lowercased(), value)
    }
  }

  private mutating func tag(_ key: String, _ value: String) {
    if track == nil { tags[key] = value } else { track?.tags[key] = value }
  }

  private mutating func remark(_ line: ListText.Line) {
    let words = line.words
    guard words.count > 2 else { return }
    let key = line.text(words[1]).uppercased()
    let isTag = ["DATE", "GENRE", "COMMENT", "COMPOSER", "DISCNUMBER", "TOTALDISCS"].contains(key)
    guard isTag, let value = value(line, after: words[1]) else { return }
    switch key {
    case "DISCNUMBER": disc.number = value
    case "TOTALDISCS": disc.total = value
    default: tag(key.lowercased(), value)
    }
  }

  // MARK: Tracks

  private mutating func startTrack(_ line: ListText.Line) {
    closeTrack()
    let words = line.words
    guard words.count > 1, let number = Quantity.count(line.text(words[1])), number <= 999 else {
      text.error(
        "a track needs its number", line, words.count > 1 ? words[1] : words[0],
        help: "write 'TRACK 01 AUDIO'")
      return
    }
    if let last = entries.all.last?.number, number <= last {
      text.error(
        "track \(number) behind track \(last)", line, words[1],
        help: "the numbers of tracks go up")
    }
    let mode = words.count > 2 ? line.text(words[2]).uppercased() : "AUDIO"
    if mode != "AUDIO" {
      text.error(
        "track \(number) holds data, not sound", line, words[2],
        help: "a sheet for splitting has tracks of 'AUDIO' only")
    }
    track = Track(line: line, place: words[1], number: number)
  }

  private mutating func closeTrack() {
    guard let track else { return }
    self.track = nil
    guard var entry = track.entry else {
      if !track.isRefused {
        text.error(
          "track \(track.number) has no INDEX 01", track.line, track.place,
          help: "write 'INDEX 01 00:00:00' below it, with the time at which it begins")
      }
      return
    }
    entry.title = track.title
    entry.tags = track.tags
    if entry.tags["artist"] == nil, let performer { entry.tags["artist"] = performer }
    entries.append(entry, track.line, track.place, isOrdered: true, in: &text)
  }

  private mutating func index(_ line: ListText.Line) {
    guard var track else {
      text.error(
        "an INDEX before the first TRACK", line, line.words[0],
        help: "it stands below its 'TRACK 01 AUDIO'")
      return
    }
    guard let (number, time) = numberAndTime(line) else {
      self.track?.isRefused = true
      return
    }
    let words = line.words
    if number <= track.index {
      text.error(
        "INDEX \(number) behind INDEX \(track.index)", line, words[1],
        help: "the numbers within a track go up")
    } else if let lastIndex, time < lastIndex.time {
      text.error(
        "'\(line.text(words[2]))' is before the index above it, \(lastIndex.word)", line, words[2],
        help: "a list is in order of time")
    }
    lastIndex = (time, line.text(words[2]))
    track.index = number
    if number == 1 {
      track.entry = TimeList.Entry(
        from: Located(Moment(.start, .time(time)), at: text.origin(line, words[2])),
        number: track.number)
    }
    self.track = track
  }

  private mutating func numberAndTime(_ line: ListText.Line) -> (Int, Time)? {
    let words = line.words
    guard words.count == 3, let number = Quantity.count(line.text(words[1])), number <= 99 else {
      text.error(
        "an INDEX needs its number and its time", line, words[0], help: "write 'INDEX 01 00:00:00'")
      return nil
    }
    guard let time = Self.time(line.text(words[2])) else {
      text.error(
        "'\(line.text(words[2]))' is no time of a CUE sheet", line, words[2],
        help: "minutes, seconds below 60 and frames below 75, as '04:10:74'")
      return nil
    }
    return (number, time)
  }

  /// `MM:SS:FF`
  private static func time(_ word: String) -> Time? {
    let fields = word.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count == 3, fields.allSatisfy({ (1...6).contains($0.utf8.count) }) else {
      return nil
    }
    let numbers = fields.compactMap { Quantity.count(String($0)) }
    guard numbers.count == 3, numbers[1] < 60, numbers[2] < 75 else { return nil }
    return Time(value: Int64((numbers[0] * 60 + numbers[1]) * 75 + numbers[2]), timescale: 75)
  }
}
