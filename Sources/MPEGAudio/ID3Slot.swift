/// Which frame a tag's key belongs into.
enum ID3Slot: Hashable {
  /// A text frame of its own.
  case text(String)
  /// The date of the recording in 2.3, in up to three frames.
  case year
  /// `TXXX` with a description.
  case userText(String)
  case comment
  /// In a language of its own, as FFmpeg names it: `lyrics-eng`.
  case lyrics(language: String?)

  /// FFmpeg's generic names (`ff_id3v2_34_metadata_conv`, `ff_id3v2_4_metadata_conv`), and `isrc`.
  private static let identifiers = [
    "album": "TALB", "album_artist": "TPE2", "album-sort": "TSOA", "artist": "TPE1",
    "artist-sort": "TSOP", "compilation": "TCMP", "composer": "TCOM", "copyright": "TCOP",
    "creation_time": "TDEN", "date": "TDRC", "disc": "TPOS", "encoded_by": "TENC",
    "encoder": "TSSE", "genre": "TCON", "grouping": "TIT1", "language": "TLAN",
    "performer": "TPE3", "publisher": "TPUB", "title": "TIT2", "title-sort": "TSOT",
    "isrc": "TSRC", "track": "TRCK",
  ]

  /// The text frames of ID3v2.4 (native frames §4.2), and what Apple added to them.
  private static let textFrames: Set<String> = [
    "TALB", "TBPM", "TCOM", "TCON", "TCOP", "TDEN", "TDLY", "TDOR", "TDRC", "TDRL", "TDTG", "TENC",
    "TEXT", "TFLT", "TIPL", "TIT1", "TIT2", "TIT3", "TKEY", "TLAN", "TLEN", "TMCL", "TMED", "TMOO",
    "TOAL", "TOFN", "TOLY", "TOPE", "TOWN", "TPE1", "TPE2", "TPE3", "TPE4", "TPOS", "TPRO", "TPUB",
    "TRCK", "TRSN", "TRSO", "TSOA", "TSOP", "TSOT", "TSRC", "TSSE", "TSST",
    "TCAT", "TCMP", "TDES", "TGID", "TKWD", "TSO2", "TSOC",
  ]

  /// Those of them that 2.3 does not have; the sort orders are read in both all the same.
  private static let newFrames: Set<String> = [
    "TDEN", "TDOR", "TDRL", "TDTG", "TIPL", "TMCL", "TMOO", "TPRO", "TSST",
  ]

  /// Frames that hold a time stamp (main structure §4).
  private static let timeStamps: Set<String> = ["TDEN", "TDOR", "TDRC", "TDRL", "TDTG"]

  /// Where a frame asks for a form that `value` does not have, its key becomes a `TXXX` frame, so
  /// that nothing is lost.
  init(key: String, value: String, version: ID3Version) {
    let name = key.lowercased()
    if name == "comment" {
      self = .comment
    } else if name == "lyrics" {
      self = .lyrics(language: nil)
    } else if name.hasPrefix("lyrics-"), let code = Self.languageCode(String(name.dropFirst(7))) {
      self = .lyrics(language: code)
    } else if let identifier = Self.identifiers[name]
      ?? (Self.textFrames.contains(key) ? key : nil),
      Self.holds(value, in: identifier),
      version == .v24 || !Self.newFrames.contains(identifier)
    {
      self = version == .v23 && identifier == "TDRC" ? .year : .text(identifier)
    } else {
      self = .userText(key)
    }
  }

  /// `value` in the form that the frame asks for.
  func normalized(_ value: String) -> String {
    if self == .year { return Self.timeStamp(value) ?? value }
    guard case .text(let identifier) = self else { return value }
    if Self.timeStamps.contains(identifier) { return Self.timeStamp(value) ?? value }
    return identifier == "TLAN" ? Self.languageCode(value) ?? value : value
  }

  private static func holds(_ value: String, in identifier: String) -> Bool {
    if timeStamps.contains(identifier) { return timeStamp(value) != nil }
    return identifier == "TLAN" ? languageCode(value) != nil : true
  }

  /// A code of three letters (ISO 639-2), in small ones.
  static func languageCode(_ text: String) -> String? {
    let code = text.lowercased()
    return code.utf8.count == 3 && code.allSatisfy { "a"..."z" ~= $0 } ? code : nil
  }

  /// `yyyy[-MM[-dd[THH[:mm[:ss]]]]]`; what others add behind the seconds is dropped.
  private static func timeStamp(_ text: String) -> String? {
    let pattern = Array("dddd-dd-ddTdd:dd:dd")
    var stamp = ""
    for (character, expected) in zip(text, pattern) {
      let isDigit = "0"..."9" ~= character && character.isASCII
      switch expected {
      case "d" where isDigit: stamp.append(character)
      case "T" where character == "T" || character == " ": stamp.append("T")
      case character where expected != "d": stamp.append(character)
      default: return nil
      }
    }
    let rest = text.dropFirst(stamp.count)
    guard [4, 7, 10, 13, 16, 19].contains(stamp.count),
      rest.isEmpty || rest == "Z" || (stamp.count == 19 && rest.first == ".")
    else { return nil }
    return stamp
  }
}
