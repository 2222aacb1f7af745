import MediaTime

/// Reads the frames of a tag, in one pass. Sections are those of 2.4.0's native frames.
struct ID3Reader {
  private var result: StoredID3Tag
  private let window: FileWindow
  private let inflate: StoredID3Tag.Inflater?
  /// Bytes that compressed frames may still become.
  private var inflatedRoom = 1 << 24
  private let frames: ID3Part?
  /// Whether every frame of 2.4 is unsynchronised (structure §3.1).
  private let isUnsynchronised: Bool
  /// Which of the items come from `TXXX` frames.
  private var userTexts: [Int] = []
  /// Which of the items say that their language is not known.
  private var unknownLanguages: [Int] = []
  /// Of a date in 2.3: year, day and month, hours and minutes.
  private var date: [String: String] = [:]
  /// Bytes of text that may still be kept.
  private var room = 1 << 24

  private static let itemLimit = 10_000
  private static let pictureLimit = 1000
  private static let chapterLimit = 255 * 255
  /// Of what stands before a picture's own bytes, and of a chapter's name.
  private static let headLimit = 1 << 12

  /// The header of a tag at `offset` (structure §3.1; 2.3.0 §3.1; 2.2.0 §3.1); nil where there is
  /// none.
  init?(
    _ window: FileWindow, at offset: Int, inflating inflate: StoredID3Tag.Inflater? = nil
  ) {
    let bytes = ID3Bytes.file(window)
    guard offset >= 0, offset <= window.count - 10, window.holds("ID3", at: offset),
      2...4 ~= bytes[offset + 3], bytes[offset + 4] != 0xFF,
      let size = bytes.number(at: offset + 6, count: 4, bits: 7)
    else { return nil }
    self.window = window
    self.inflate = inflate
    let (version, flags) = (bytes[offset + 3], bytes[offset + 5])
    let hasFooter = version == 4 && flags & 0x10 != 0
    let byteCount = min(10 + size + (hasFooter ? 10 : 0), window.count - offset)
    result = StoredID3Tag(version: version, byteCount: byteCount)
    isUnsynchronised = flags & 0x80 != 0
    let body = offset + 10..<min(offset + 10 + size, window.count)
    var part = ID3Part(bytes, body)
    if isUnsynchronised, version < 4 {
      // Here sizes are those of what was before: only all of it can be taken apart.
      part = ID3Part(SynchronisedBytes(bytes.copy(body), at: body.lowerBound))
    }
    frames = Self.skippingExtendedHeader(part, version: version, flags: flags)
  }

  /// What stands behind the extended header (structure §3.2; 2.3.0 §3.2). Some writers announce one
  /// and begin with a frame all the same. 2.2 has a flag there that means a compression which was
  /// never defined.
  private static func skippingExtendedHeader(
    _ part: ID3Part, version: UInt8, flags: UInt8
  ) -> ID3Part? {
    guard flags & 0x40 != 0 else { return part }
    guard version > 2 else { return nil }
    let start = part.range.lowerBound
    if part.bytes[start] >= 0x41 { return part }
    let size =
      version == 3
      ? part.bytes.number(at: start, count: 4, bits: 8).map { $0 + 4 }
      : part.bytes.number(at: start, count: 4, bits: 7)
    guard let size, 4...max(4, part.range.count) ~= size, size <= part.range.count else {
      return nil
    }
    var part = part
    part.range = start + size..<part.range.upperBound
    return part
  }

  mutating func tag() -> StoredID3Tag {
    if let frames {
      for frame in ID3FrameWalk(frames, version: result.version) {
        if let content = content(of: frame, in: frames) { read(frame.identifier, content) }
      }
    }
    addDate()
    setUserTextsApart()
    setUnknownLanguages()
    // A stable sort: chapters of one start stay as they are.
    result.chapters = result.chapters.enumerated().sorted {
      ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset)
    }.map(\.element)
    return result
  }

  /// A frame's content without what its flags add in front of it (structure §4.1; 2.3.0 §3.3.1);
  /// nil where it is encrypted, or compressed and cannot be inflated.
  private mutating func content(of frame: ID3Frame, in part: ID3Part) -> ID3Part? {
    var range = frame.body
    let flags = frame.flags
    var added = 0
    var isUnsynchronised = false
    var (isEncrypted, isCompressed, sizePlace) = (false, false, 0)
    if result.version == 3 {
      (isEncrypted, isCompressed) = (flags & 0x40 != 0, flags & 0x80 != 0)
      added = (flags & 0x20 != 0 ? 1 : 0) + (isCompressed ? 4 : 0)
    } else if result.version == 4 {
      (isEncrypted, isCompressed) = (flags & 0x04 != 0, flags & 0x08 != 0)
      sizePlace = flags & 0x40 != 0 ? 1 : 0
      added = sizePlace + (flags & 0x01 != 0 ? 4 : 0)
      // What is in memory was taken apart with the frame that it is a part of.
      if case .file = part.bytes { isUnsynchronised = self.isUnsynchronised || flags & 0x02 != 0 }
    }
    if isEncrypted {
      leaveOut("\(frame.identifier) (encrypted)")
      return nil
    }
    guard added <= range.count else { return nil }
    let size = part.bytes.number(
      at: range.lowerBound + sizePlace, count: 4, bits: result.version == 3 ? 8 : 7)
    range = range.lowerBound + added..<range.upperBound
    guard isCompressed || isUnsynchronised else { return ID3Part(part.bytes, range) }
    guard isCompressed else {
      return ID3Part(SynchronisedBytes(part.bytes.copy(range), at: range.lowerBound))
    }
    guard let size, size <= inflatedRoom, range.count <= inflatedRoom, added > sizePlace,
      let plain = inflated(part.bytes.copy(range), isUnsynchronised, size)
    else {
      leaveOut("\(frame.identifier) (compressed)")
      return nil
    }
    return ID3Part(SynchronisedBytes(inflated: plain))
  }

  private mutating func inflated(
    _ stored: [UInt8], _ isUnsynchronised: Bool, _ size: Int
  ) -> [UInt8]? {
    inflatedRoom -= size
    return inflate?(isUnsynchronised ? SynchronisedBytes(stored, at: 0).bytes : stored, size)
  }

  /// Notes what is not read.
  private mutating func leaveOut(_ name: String) {
    guard result.unread.count < 100, !result.unread.contains(name) else { return }
    result.unread.append(name)
  }
}

extension ID3Reader {
  private mutating func read(_ identifier: String, _ part: ID3Part) {
    switch identifier {
    case "APIC":
      guard result.pictures.count < Self.pictureLimit, let picture = picture(part) else {
        return leaveOut("APIC")
      }
      result.pictures.append(picture)
    case "CHAP":
      guard result.chapters.count < Self.chapterLimit, let chapter = chapter(part) else {
        return leaveOut("CHAP")
      }
      result.chapters.append(chapter)
    case "PCST": add("podcast", "1")
    case "TYER", "TDAT", "TIME":
      if date[identifier] == nil, let text = texts(part)?.first { date[identifier] = text }
    case "COMM", "USLT", "TXXX", "WXXX", "UFID": readDescribed(identifier, part)
    case _ where identifier.hasPrefix("W"):
      guard let bytes = text(of: part) else { return }
      // Apple writes WFED as a text.
      let isText = bytes.first.map { $0 <= 3 } ?? false
      let link = isText ? texts(part)?.first : ID3Text.latin1(bytes.prefix { $0 != 0 })
      add(ID3Keys.key(ofFrame: identifier) ?? identifier, link ?? "")
    case "TIPL", "TMCL", "IPLS": readPeople(identifier, part)
    case _ where identifier.hasPrefix("T") || ["MVNM", "MVIN", "GRP1"].contains(identifier):
      let values = texts(part) ?? []
      let key = identifier == "TORY" ? "original_date" : ID3Keys.key(ofFrame: identifier)
      for value in identifier == "TCON" ? values.flatMap(genres) : values {
        add(key ?? identifier, value)
      }
    // What lies where, and links to other tags: of no use in another file.
    case "CTOC", "SEEK", "ASPI", "RBUF", "LINK", "MLLT": return
    default: leaveOut(identifier)
    }
  }

  /// Functions and names, or instruments and musicians, in turns (§4.2.2; 2.3.0 §4.4).
  private mutating func readPeople(_ identifier: String, _ part: ID3Part) {
    guard let bytes = text(of: part), let encoding = bytes.first,
      var text = ID3Text(bytes.dropFirst(), encoding: encoding)
    else { return }
    while !text.remainder.isEmpty {
      let (function, name) = (text.next(), text.next())
      guard !name.isEmpty else { continue }
      let key = identifier == "TMCL" ? "TMCL" : "TIPL"
      add(key, function.isEmpty ? "involved" : function)
      add(key, name)
    }
    if text.isGuessed { result.hasGuesses = true }
  }

  /// Frames of a description and a value (§4.1, §4.2.6, §4.3.2, §4.8, §4.10).
  private mutating func readDescribed(_ identifier: String, _ part: ID3Part) {
    guard let bytes = text(of: part), let encoding = bytes.first else { return }
    if identifier == "UFID" {
      let owner = ID3Text.latin1(bytes.prefix { $0 != 0 })
      guard owner == ID3Keys.musicBrainz else { return leaveOut("UFID") }
      return add("musicbrainz_trackid", ID3Text.latin1(bytes.dropFirst(owner.utf8.count + 1)))
    }
    let hasLanguage = identifier == "COMM" || identifier == "USLT"
    let head = hasLanguage ? 4 : 1
    guard bytes.count >= head, var text = ID3Text(bytes[head...], encoding: encoding) else {
      return
    }
    let description = text.next()
    defer { if text.isGuessed { result.hasGuesses = true } }
    func key(_ name: String) -> String { description.isEmpty ? name : name + ":" + description }
    switch identifier {
    case "WXXX": add(key("url"), ID3Text.latin1(text.remainder.prefix { $0 != 0 }))
    case "TXXX":
      for value in text.all() {
        let index = result.items.count
        add(ID3Keys.key(ofDescription: description), value)
        if result.items.count > index { userTexts.append(index) }
      }
    default:
      let code = ID3Languages.code(ID3Text.latin1(bytes[1..<4]))
      let isUnknown = code == ID3Languages.unknown.lowercased()
      let index = result.items.count
      add(
        key(identifier == "COMM" ? "comment" : "lyrics"), text.next(),
        language: isUnknown ? nil : code)
      if isUnknown, result.items.count > index { unknownLanguages.append(index) }
    }
  }

  /// A text of a chapter, where there is room for it.
  private mutating func kept(_ text: String?) -> String? {
    guard let text, text.utf8.count <= room else { return nil }
    room -= text.utf8.count
    return text
  }

  private mutating func add(_ key: String, _ value: String, language: String? = nil) {
    let size = key.utf8.count + value.utf8.count
    guard !value.isEmpty, result.items.count < Self.itemLimit, size <= room else { return }
    room -= size
    result.items.append(ID3Tag.Item(key: key, value: value, language: language))
  }

  /// A copy of a frame that is a text, as far as there is room for it.
  private func text(of part: ID3Part) -> [UInt8]? {
    part.range.count <= room ? part.bytes.copy(part.range) : nil
  }

  private mutating func texts(_ part: ID3Part) -> [String]? {
    guard let bytes = text(of: part), let encoding = bytes.first else { return nil }
    var text = ID3Text(bytes.dropFirst(), encoding: encoding)
    let all = text?.all()
    if text?.isGuessed == true { result.hasGuesses = true }
    return all
  }

  /// Gives texts of `TXXX` frames a name of their own (`TXXX:title`) where the tag has the frame that is
  /// meant for it, which says something else.
  private mutating func setUserTextsApart() {
    guard !userTexts.isEmpty else { return }
    func name(_ key: String) -> String { ID3Keys.frame(for: key) ?? key.lowercased() }
    let users = Set(userTexts)
    var known: [String: Set<String>] = [:]
    for (index, item) in result.items.enumerated() where !users.contains(index) {
      known[name(item.key), default: []].insert(item.value)
    }
    for index in userTexts {
      let item = result.items[index]
      guard let values = known[name(item.key)], !values.contains(item.value) else { continue }
      result.items[index].key = "TXXX:" + item.key
    }
  }

  /// Tells texts whose language is not known from those that have the tag's, where that is known, and from
  /// the same ones in a language that is.
  private mutating func setUnknownLanguages() {
    guard !unknownLanguages.isEmpty else { return }
    let isSaid = result.items.contains { $0.key == "language" }
    let told = Set(result.items.lazy.filter { $0.language != nil }.map { [$0.key, $0.value] })
    for index in unknownLanguages {
      let item = result.items[index]
      guard isSaid || told.contains([item.key, item.value]) else { continue }
      result.items[index].language = ID3Languages.unknown
    }
  }

  /// The parts of a date in 2.3 as 2.4 writes it; 2.4's own comes first.
  private mutating func addDate() {
    func digits(_ name: String) -> String? {
      guard let text = date[name]?.prefix(4), text.utf8.count == 4,
        text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
      else { return nil }
      return String(text)
    }
    guard !result.items.contains(where: { $0.key == "date" }), let year = digits("TYER") else {
      return
    }
    var stamp = year
    if let day = digits("TDAT") {
      stamp += "-\(day.suffix(2))-\(day.prefix(2))"
      if let time = digits("TIME") { stamp += "T\(time.prefix(2)):\(time.suffix(2))" }
    }
    add("date", stamp)
  }

  /// The names of genres: `Rock`; `17`, `RX`, `CR` (§4.2.3, TCON); `(17)`, `(4)Eurodisco`,
  /// `((bracket` (2.3.0 §4.2.1).
  private func genres(_ text: String) -> [String] {
    func name(_ reference: Substring) -> String? {
      switch reference {
      case "RX": "Remix"
      case "CR": "Cover"
      default: Int(reference).flatMap(ID3Genres.name)
      }
    }
    if let name = name(text[...]) { return [name] }
    var names: [String] = []
    var rest = text[...]
    while rest.first == "(", let close = rest.firstIndex(of: ")"),
      let name = name(rest[..<close].dropFirst())
    {
      names.append(name)
      rest = rest[rest.index(after: close)...]
    }
    if rest.hasPrefix("(("), result.version < 4 { rest = rest.dropFirst() }
    if !rest.isEmpty, !names.contains(String(rest)) { names.append(String(rest)) }
    return names
  }
}

// MARK: - Pictures and chapters

extension ID3Reader {
  /// What stands before a picture, and where the picture lies (§4.14; 2.2.0 §4.15).
  private func picture(_ part: ID3Part) -> StoredID3Tag.Picture? {
    let head = part.bytes.copy(part.range.prefix(Self.headLimit))
    guard let encoding = head.first else { return nil }
    var at = 1
    var mime: String
    if result.version == 2 {
      let format = ID3Text.latin1(head.dropFirst().prefix(3))
      mime = ["JPG": "image/jpeg", "PNG": "image/png"][format.uppercased()] ?? format
      at += 3
    } else {
      mime = ID3Text.latin1(head.dropFirst().prefix { $0 != 0 })
      at += mime.unicodeScalars.count + 1
    }
    // A link in a picture's place is none.
    guard mime != "-->", at < head.count,
      var text = ID3Text(head[(at + 1)...], encoding: encoding)
    else { return nil }
    let description = text.next()
    let start = part.range.lowerBound + text.remainder.startIndex
    guard text.remainder.startIndex < head.count || part.range.count > head.count,
      start < part.range.upperBound, let image = part.image(start..<part.range.upperBound)
    else { return nil }
    return StoredID3Tag.Picture(
      type: head[at], mime: mime, description: description, image: image)
  }

  /// A name, four numbers, and frames (Chapter Frame Addendum §3.1).
  private mutating func chapter(_ part: ID3Part) -> StoredID3Tag.Chapter? {
    let head = part.bytes.copy(part.range.prefix(Self.headLimit))
    guard let nameEnd = head.firstIndex(of: 0), head.count >= nameEnd + 17 else { return nil }
    let numbers = part.range.lowerBound + nameEnd + 1
    guard let start = part.bytes.number(at: numbers, count: 4, bits: 8),
      let end = part.bytes.number(at: numbers + 4, count: 4, bits: 8)
    else { return nil }
    var frames = part
    frames.range = numbers + 16..<part.range.upperBound
    var (title, url, image) = (nil as String?, nil as String?, nil as StoredID3Tag.Image?)
    for frame in ID3FrameWalk(frames, version: result.version) {
      guard let content = content(of: frame, in: frames) else { continue }
      switch frame.identifier {
      case "TIT2": title = title ?? texts(content)?.first
      case "WXXX": url = url ?? link(content)
      case "APIC": image = image ?? picture(content)?.image
      default: continue
      }
    }
    return StoredID3Tag.Chapter(
      range: TimeRange(
        start: Time(value: Int64(start), timescale: 1000),
        end: Time(value: Int64(max(start, end)), timescale: 1000)),
      title: kept(title) ?? "", url: kept(url), image: image)
  }

  private func link(_ part: ID3Part) -> String? {
    guard let bytes = text(of: part), let encoding = bytes.first,
      var text = ID3Text(bytes.dropFirst(), encoding: encoding)
    else { return nil }
    _ = text.next()
    let link = ID3Text.latin1(text.remainder.prefix { $0 != 0 })
    return link.isEmpty ? nil : link
  }
}
