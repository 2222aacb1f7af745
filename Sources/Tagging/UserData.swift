/// Texts that stand in an MP4's or a QuickTime film's `udta` itself, beside an item list or without one:
/// QuickTime's (QuickTime File Format, "User data text strings"), and 3GPP's (TS 26.244, 8).
package struct UserData: Sendable, Hashable {
  package private(set) var items: [ItemList.Item] = []
  /// Names of atoms that hold tags and are not read.
  package private(set) var unread: [String] = []
  /// Keys whose texts are not in the encoding that they name, and are taken for Windows-1252.
  package private(set) var guessed: [String] = []
  /// More texts than any honest film has.
  private static let most = 1000
  /// Whether the atom that is added has any text.
  private var isRead = false

  package init() {}

  /// FFmpeg's names of QuickTime's texts that have no item of iTunes (`mov_read_udta_string`).
  private static let quickTime = [
    "\u{A9}aut": "author", "\u{A9}com": "composer", "\u{A9}cpy": "copyright",
    "\u{A9}des": "description", "\u{A9}dir": "director", "\u{A9}enc": "encoder",
    "\u{A9}fmt": "original_format", "\u{A9}inf": "comment", "\u{A9}key": "keywords",
    "\u{A9}mak": "make", "\u{A9}mod": "model", "\u{A9}prd": "producer",
    "\u{A9}prf": "performers", "\u{A9}src": "original_source", "\u{A9}swr": "encoder",
    "\u{A9}trk": "track", "\u{A9}url": "url", "\u{A9}xyz": "location",
  ]

  private static let mobile = [
    "titl": "title", "perf": "artist", "auth": "author", "albm": "album", "gnre": "genre",
    "dscp": "description", "cprt": "copyright", "yrrc": "date",
  ]

  /// 3GPP's keywords, classifications, ratings and collections, Adobe's XMP, and Windows' own tags.
  private static let others: Set = ["kywd", "clsf", "rtng", "coll", "XMP_", "Xtra"]

  /// Whether `udta`'s atom of this name holds a tag.
  package static func isTag(_ name: String) -> Bool {
    name.hasPrefix("\u{A9}") || mobile[name] != nil || others.contains(name)
  }

  /// Adds an atom of `udta`. O(n)
  package mutating func add(_ name: String, _ body: ArraySlice<UInt8>) {
    isRead = false
    guard items.count < Self.most else { return leaveOut(name) }
    if name.hasPrefix("\u{A9}") {
      addTexts(of: Self.quickTime[name] ?? TagNames.row(ofAtom: name)?.key ?? name, body)
    } else if name == "yrrc", body.count >= 6 {
      isRead = true
      items.append(ItemList.Item("date", ["\(AtomHead.number(body.dropFirst(4).prefix(2)))"]))
    } else if let key = Self.mobile[name], body.count > 6 {
      // A version and a language come first, and an album's track may follow.
      add(body.dropFirst(6), language: 0x7FFE, to: key)
    }
    if !isRead, body.dropFirst(4).contains(where: { $0 != 0 }) { leaveOut(name) }
  }

  /// Notes an atom that is not read.
  package mutating func leaveOut(_ name: String) {
    if !unread.contains(name) { unread.append(name) }
  }

  /// Texts in several languages, each behind its length and its language.
  private mutating func addTexts(of key: String, _ body: ArraySlice<UInt8>) {
    var rest = body
    var isFirst = true
    while rest.count > 4, items.count < Self.most {
      let numbers = [0, 2].map { Int(AtomHead.number(rest.dropFirst($0).prefix(2))) }
      let (size, language) = (numbers[0], numbers[1])
      guard size > 0, size <= rest.count - 4 else { return }
      let suffix = isFirst ? "" : "-" + Self.name(ofLanguage: language)
      add(rest.dropFirst(4).prefix(size), language: language, to: key + suffix)
      isFirst = false
      rest = rest.dropFirst(4 + size)
    }
  }

  /// The name of a track (QuickTime File Format, "User data atoms": `name`): UTF-8, or Mac Roman where it is
  /// none; nil where it is empty. O(n)
  package static func trackName(_ bytes: [UInt8]) -> String? {
    let plain = bytes.prefix { $0 != 0 }
    let (text, isGuessed) = EightBitText.decoded(plain)
    guard !text.isEmpty else { return nil }
    return isGuessed ? EightBitText.macRoman(plain) : text
  }

  /// The texts that are written here: readers of cameras' movies look for them nowhere else.
  private static let written = [
    "location": "\u{A9}xyz", "make": "\u{A9}mak", "model": "\u{A9}mod",
  ]

  /// An atom of a tag of where or with what something was recorded; nil for another tag, and for a text
  /// that has no place there: one of several values, or too long, and no point of the earth.
  static func encoded(_ tag: ItemList.Item) -> [UInt8]? {
    let key = tag.key.lowercased()
    guard let name = written[key], tag.values.count == 1, let text = tag.values.first,
      key != RecordingPlace.key || RecordingPlace(text) != nil, !text.isEmpty,
      !text.utf8.contains(0), let count = UInt16(exactly: text.utf8.count)
    else { return nil }
    // Of no language, and so UTF-8.
    let head = [UInt8(count >> 8), UInt8(count & 0xFF), 0x55, 0xC4]
    return AtomHead.encoded(name, head + Array(text.utf8))
  }

  /// Macintosh's languages are numbers; others have three letters of five bits (ISO 14496-12, 8.4.2).
  private static func name(ofLanguage code: Int) -> String {
    guard code >= 0x400, code < 0x7FFF else { return "\(code)" }
    return String(
      decoding: [10, 5, 0].map { UInt8(0x60 + (code >> $0 & 0x1F)) }, as: UTF8.self)
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, language: Int, to key: String) {
    var text: String
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      let isLittle = bytes.first == 0xFF
      let pairs = Array(bytes.dropFirst(2))
      let units = stride(from: 0, to: pairs.count - 1, by: 2).map { index in
        let pair = (UInt16(pairs[index]), UInt16(pairs[index + 1]))
        return isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1
      }
      text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
    } else {
      let plain = bytes.prefix { $0 != 0 }
      let isMacintosh = language < 0x400 || language == 0x7FFF
      var isGuessed: Bool
      (text, isGuessed) = EightBitText.decoded(plain)
      // Many writers of UTF-8 leave the language at Macintosh's first, English.
      if isGuessed, isMacintosh { (text, isGuessed) = (EightBitText.macRoman(plain), false) }
      if isGuessed { guessed.append(key) }
    }
    isRead = isRead || !text.isEmpty
    if !text.isEmpty, !items.contains(ItemList.Item(key, [text])) {
      items.append(ItemList.Item(key, [text]))
    }
  }
}
