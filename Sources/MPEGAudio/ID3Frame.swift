import MediaTime

/// One frame of an ID3v2.4 tag (main structure §4).
struct ID3Frame {
  /// Four letters.
  var identifier: String
  var body: [UInt8]

  /// The encoding byte for UTF-8 (main structure §4).
  private static let utf8: UInt8 = 3
  /// What stands for a language that is not known (native frames §4.8, §4.10).
  private static let unknownLanguage = "XXX"

  func encoded() throws(ID3TagError) -> [UInt8] {
    Array(identifier.utf8) + (try Self.syncsafe(body.count)) + [0, 0] + body
  }

  /// Seven bits a byte, so that no size looks like a sync word (main structure §6.2).
  static func syncsafe(_ size: Int) throws(ID3TagError) -> [UInt8] {
    guard size < 1 << 28 else {
      throw ID3TagError("an ID3 tag holds less than 256 MiB, and this one would have \(size) bytes")
    }
    return [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
  }

  /// A string that is followed by something else.
  private static func terminated(_ text: String) throws(ID3TagError) -> [UInt8] {
    try checked(text) + [0]
  }

  private static func checked(_ text: String) throws(ID3TagError) -> [UInt8] {
    guard !text.utf8.contains(0) else {
      throw ID3TagError("'\(text.filter { $0 != "\0" })' holds a zero byte, which no tag can")
    }
    return Array(text.utf8)
  }
}

extension ID3Frame {
  /// The frames for tags, each key once, in the order of their first values.
  static func texts(_ items: [ID3Tag.Item]) throws(ID3TagError) -> [ID3Frame] {
    let language = items.first { $0.key.lowercased() == "language" }?.value
    var slots: [(slot: ID3Slot, values: [String])] = []
    for item in items where !item.value.isEmpty {
      let slot = ID3Slot(key: item.key, value: item.value)
      if let index = slots.firstIndex(where: { $0.slot == slot }) {
        slots[index].values.append(item.value)
      } else {
        slots.append((slot, [item.value]))
      }
    }
    var frames: [ID3Frame] = []
    for (slot, values) in slots { frames.append(try text(slot, values, language: language)) }
    return frames
  }

  private static func text(
    _ slot: ID3Slot, _ values: [String], language: String?
  ) throws(ID3TagError) -> ID3Frame {
    var texts: [[UInt8]] = []
    for value in values { texts.append(try checked(slot.normalized(value))) }
    // Values of one frame are parted by zeros (native frames §4.2), where the frame allows it.
    switch slot {
    case .text(let identifier):
      return ID3Frame(identifier: identifier, body: [utf8] + texts.joined(separator: [0]))
    case .userText(let key):
      let body = [utf8] + (try terminated(key)) + texts.joined(separator: [0])
      return ID3Frame(identifier: "TXXX", body: body)
    case .comment:
      let code = language.flatMap(ID3Slot.languageCode) ?? unknownLanguage
      let body = [utf8] + Array(code.utf8) + [0] + texts.joined(separator: [10])
      return ID3Frame(identifier: "COMM", body: body)
    case .lyrics(let own):
      let code = own ?? language.flatMap(ID3Slot.languageCode) ?? unknownLanguage
      let body = [utf8] + Array(code.utf8) + [0] + texts.joined(separator: [10])
      return ID3Frame(identifier: "USLT", body: body)
    }
  }

  /// A picture of type 3 (front cover) or 0 (other), by the MIME type that its first bytes tell
  /// (native frames §4.14). The image is not decoded.
  static func picture(
    _ image: [UInt8], type: UInt8, name: String
  ) throws(ID3TagError) -> ID3Frame {
    let mime: String
    if image.starts(with: [0xFF, 0xD8, 0xFF]) {
      mime = "image/jpeg"
    } else if image.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      mime = "image/png"
    } else {
      throw ID3TagError("\(name) is neither a JPEG nor a PNG image")
    }
    // Without a description the encoding does not matter; old readers know 0 best.
    return ID3Frame(identifier: "APIC", body: [0] + Array(mime.utf8) + [0, type, 0] + image)
  }

  /// The list of all chapters: ordered, and the root (Chapter Frame Addendum §3.2).
  static func tableOfContents(count: Int) throws(ID3TagError) -> ID3Frame {
    guard let entries = UInt8(exactly: count) else {
      throw ID3TagError("an ID3 tag holds at most 255 chapters, not \(count)")
    }
    let names = (0..<count).flatMap { index -> [UInt8] in Array(elementName(index).utf8) + [0] }
    return ID3Frame(identifier: "CTOC", body: Array("toc".utf8) + [0, 3, entries] + names)
  }

  /// A chapter with its title, link and image (Chapter Frame Addendum §3.1).
  static func chapter(_ chapter: ID3Tag.Chapter, index: Int) throws(ID3TagError) -> ID3Frame {
    let name = "chapter \(index + 1)"
    var body = Array(elementName(index).utf8) + [0]
    body += try milliseconds(chapter.range.start, of: name)
    body += try milliseconds(chapter.range.end, of: name)
    guard chapter.range.isValid else { throw ID3TagError("\(name) ends before it starts") }
    // No byte offsets: players go by time.
    body += [UInt8](repeating: 0xFF, count: 8)
    if !chapter.title.isEmpty {
      body += try ID3Frame(identifier: "TIT2", body: [utf8] + (try checked(chapter.title)))
        .encoded()
    }
    if let url = chapter.url { body += try link(url, of: name).encoded() }
    if let image = chapter.image {
      body += try picture(image, type: 0, name: "the image of \(name)").encoded()
    }
    return ID3Frame(identifier: "CHAP", body: body)
  }

  /// A link with the description that podcast players look for (native frames §4.3.2).
  private static func link(_ url: String, of name: String) throws(ID3TagError) -> ID3Frame {
    guard !url.isEmpty, url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw ID3TagError(
        "the url of \(name), '\(url)', is not plain ASCII: write other characters as %XX")
    }
    return ID3Frame(
      identifier: "WXXX", body: [utf8] + (try terminated("chapter url")) + Array(url.utf8))
  }

  private static func milliseconds(_ time: Time, of name: String) throws(ID3TagError) -> [UInt8] {
    // All ones mean that there is none.
    guard time.isNumeric, let count = UInt32(exactly: time.frames(atRate: 1000)), count < .max
    else {
      throw ID3TagError("\(name) starts or ends at \(time): ID3 knows times from 0 to 49 days")
    }
    return [24, 16, 8, 0].map { UInt8(count >> $0 & 0xFF) }
  }

  private static func elementName(_ index: Int) -> String { "ch\(index)" }
}
