/// Which frame a tag belongs into.
enum ID3Slot: Hashable {
  /// A text frame of its own.
  case text(String)
  /// The date of the recording in 2.3, in up to three frames.
  case year
  /// `TXXX` with a description.
  case userText(String)
  /// `COMM`; a description and a code of three letters.
  case comment(String, language: String?)
  /// `USLT`; a description and a code of three letters: `lyrics-eng`, as FFmpeg names it.
  case lyrics(String, language: String?)
  /// A link's frame.
  case link(String)
  /// `WXXX` with a description.
  case userLink(String)
  /// Apple's `PCST`, whose being there is all that it says.
  case podcast
  /// `UFID` of an owner.
  case identifier(String)

  /// Where a frame needs a form that the value does not have, its key becomes a `TXXX` frame, so
  /// that nothing is lost; nil where the value means no frame.
  init?(_ item: ID3Tag.Item, version: ID3Version) {
    let own = Self.described(item.key)
    switch own.name.lowercased() {
    case "comment", "lyrics":
      let told = item.language.flatMap {
        $0 == ID3Languages.unknown ? $0 : ID3Languages.code($0)
      }
      let language = own.language ?? told
      let isComment = own.name.lowercased() == "comment"
      self =
        isComment
        ? .comment(own.description, language: language)
        : .lyrics(own.description, language: language)
    case "txxx": self = .userText(own.description)
    case "url" where Self.isLink(item.value): self = .userLink(own.description)
    case "musicbrainz_trackid" where item.value.utf8.allSatisfy({ 0x20...0x7E ~= $0 }):
      self = .identifier(ID3Keys.musicBrainz)
    default:
      guard let frame = ID3Keys.frame(for: item.key),
        version == .v24 || !ID3Keys.newFrames.contains(frame)
      else {
        self = .userText(ID3Keys.description(for: item.key))
        return
      }
      switch frame {
      case "PCST":
        guard let isPodcast = Self.boolean(item.value) else {
          self = .userText(item.key)
          return
        }
        guard isPodcast else { return nil }
        self = .podcast
      case _ where frame.hasPrefix("W"):
        self = Self.isLink(item.value) ? .link(frame) : .userText(item.key)
      case _ where !Self.holds(item.value, in: frame): self = .userText(item.key)
      case "TIPL" where version == .v23, "TMCL" where version == .v23: self = .text("IPLS")
      case "TDRC" where version == .v23: self = .year
      case "TDOR" where version == .v23: self = .text("TORY")
      default: self = .text(frame)
      }
    }
  }

  /// Whether its values are functions and names in turns.
  var holdsPeople: Bool {
    if case .text(let identifier) = self { ID3Keys.people.contains(identifier) } else { false }
  }

  /// `value` in the form of the frame.
  func normalized(_ value: String) -> String {
    switch self {
    case .year: Self.timeStamp(value) ?? value
    case .text("TORY"): String((Self.timeStamp(value) ?? value).prefix(4))
    case .text("TLAN"): ID3Languages.code(value) ?? value
    case .text("TCMP"): Self.boolean(value).map { $0 ? "1" : "0" } ?? value
    case .text(let identifier) where ID3Keys.timeStamps.contains(identifier):
      Self.timeStamp(value) ?? value
    default: value
    }
  }

  private static func holds(_ value: String, in identifier: String) -> Bool {
    if ID3Keys.timeStamps.contains(identifier) { return timeStamp(value) != nil }
    return identifier == "TLAN" ? ID3Languages.code(value) != nil : true
  }

  /// The parts of `comment`, of `comment:description` as TagLib names it, of `comment-eng` as
  /// FFmpeg does; of `lyrics` in the same three forms, of `url:description`, and of `TXXX:description`.
  private static func described(
    _ key: String
  ) -> (name: String, description: String, language: String?) {
    if let colon = key.unicodeScalars.firstIndex(of: ":") {
      let description = String(key.unicodeScalars[colon...].dropFirst())
      return (String(key[..<colon]), description, nil)
    }
    let parts = key.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, ["comment", "lyrics"].contains(parts[0].lowercased()),
      parts[1].utf8.count == 3,
      let code = ID3Languages.code(String(parts[1]))
    else { return (key, "", nil) }
    return (String(parts[0]), "", code)
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes": true
    case "0", "false", "no": false
    default: nil
    }
  }

  /// Whether a text can be a link of ID3: an address, in plain ASCII (RFC 3986 §2).
  static func isLink(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
  }

  /// `yyyy[-MM[-dd[THH[:mm[:ss]]]]]`; what others add behind the seconds is dropped.
  static func timeStamp(_ text: String) -> String? {
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

extension ID3Tag {
  /// Whether a text is a time of a tag, from its year to its second (ID3v2.4.0, main structure, 4).
  package static func isTimeStamp(_ text: String) -> Bool { ID3Slot.timeStamp(text) != nil }

  /// The keys of tags that have a frame of their own whose form their values do not have, such as a
  /// date that is none: they become `TXXX` frames, which few players show. O(n)
  package static func misfits(among items: [Item]) -> [String] {
    items.filter { item in
      guard !item.value.isEmpty, case .userText? = ID3Slot(item, version: .v24) else {
        return false
      }
      return ID3Keys.frame(for: item.key) != nil || item.key.lowercased() == "url"
    }
    .map(\.key)
  }
}
