import MediaTime

/// Writes the frames of a tag in one version of ID3. Sections are those of 2.4.0's native frames.
struct ID3Writer {
  let version: ID3Version

  /// What stands for a language that is not known (§4.8, §4.10).
  private static let unknownLanguage = "XXX"

  /// The frames for tags, each key once, in the order of their first values.
  func texts(_ items: [ID3Tag.Item]) throws(ID3TagError) -> [UInt8] {
    let language = items.first { $0.key.lowercased() == "language" }?.value
    var slots: [(slot: ID3Slot, values: [String])] = []
    for item in items where !item.value.isEmpty {
      let slot = ID3Slot(key: item.key, value: item.value, version: version)
      if let index = slots.firstIndex(where: { $0.slot == slot }) {
        slots[index].values.append(slot.normalized(item.value))
      } else {
        slots.append((slot, [slot.normalized(item.value)]))
      }
    }
    var frames: [UInt8] = []
    for (slot, values) in slots { frames += try text(slot, values, language: language) }
    return frames
  }

  /// A JPEG or PNG image of type 3 (front cover) or 0 (other), which its first bytes tell apart
  /// (§4.14). It is not decoded.
  func picture(_ image: [UInt8], type: UInt8, name: String) throws(ID3TagError) -> [UInt8] {
    let mime: String
    if image.starts(with: [0xFF, 0xD8, 0xFF]) {
      mime = "image/jpeg"
    } else if image.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      mime = "image/png"
    } else {
      throw ID3TagError("\(name) is neither a JPEG nor a PNG image")
    }
    // Without a description the encoding does not matter; old readers know 0 best.
    return try frame("APIC", [0] + Array(mime.utf8) + [0, type, 0] + image)
  }

  /// The list of all chapters, ordered and the root (Chapter Frame Addendum §3.2), and each of
  /// them.
  func chapters(_ chapters: [ID3Tag.Chapter]) throws(ID3TagError) -> [UInt8] {
    guard !chapters.isEmpty else { return [] }
    guard let count = UInt8(exactly: chapters.count) else {
      throw ID3TagError("an ID3 tag holds at most 255 chapters, not \(chapters.count)")
    }
    let names = chapters.indices.flatMap { index in Self.elementName(index) }
    var frames = try frame("CTOC", Array("toc".utf8) + [0, 3, count] + names)
    for (index, chapter) in chapters.enumerated() {
      frames += try self.chapter(chapter, index: index)
    }
    return frames
  }

  private func frame(_ identifier: String, _ body: [UInt8]) throws(ID3TagError) -> [UInt8] {
    Array(identifier.utf8) + (try version.frameSize(body.count)) + [0, 0] + body
  }
}

extension ID3Writer {
  private func text(
    _ slot: ID3Slot, _ values: [String], language: String?
  ) throws(ID3TagError) -> [UInt8] {
    switch slot {
    case .text(let identifier):
      return try frame(identifier, [version.textEncoding] + (try joined(values)))
    case .year:
      return try year(values[0])
    case .userText(let key):
      return try frame("TXXX", try described(key, []) + (try joined(values)))
    case .comment:
      let code = language.flatMap(ID3Slot.languageCode)
      return try frame("COMM", try inLanguage(code, values))
    case .lyrics(let own):
      let code = own ?? language.flatMap(ID3Slot.languageCode)
      return try frame("USLT", try inLanguage(code, values))
    }
  }

  /// Several values in one text.
  private func joined(_ values: [String]) throws(ID3TagError) -> [UInt8] {
    guard version == .v24 else {
      return try version.text(values.joined(separator: version.valueSeparator))
    }
    var texts: [[UInt8]] = []
    for value in values { texts.append(try version.text(value)) }
    return Array(texts.joined(separator: Array(version.valueSeparator.utf8)))
  }

  /// Encoding, what stands before the description, and the description.
  private func described(
    _ description: String, _ before: [UInt8]
  ) throws(ID3TagError) -> [UInt8] {
    [version.textEncoding] + before + (try version.text(description)) + version.terminator
  }

  private func inLanguage(_ code: String?, _ values: [String]) throws(ID3TagError) -> [UInt8] {
    try described("", Array((code ?? Self.unknownLanguage).utf8))
      + (try version.text(values.joined(separator: "\n")))
  }

  /// A time stamp as 2.3 has it: year, day and month, hours and minutes (2.3.0 §4.2.1); seconds,
  /// and a month without a day, have no place there.
  private func year(_ stamp: String) throws(ID3TagError) -> [UInt8] {
    let digits = stamp.filter(\.isNumber)
    func part(_ from: Int, _ to: Int) -> String { String(digits.dropFirst(from).prefix(to - from)) }
    var parts = [("TYER", part(0, 4))]
    if digits.count >= 8 { parts.append(("TDAT", part(6, 8) + part(4, 6))) }
    if digits.count >= 12 { parts.append(("TIME", part(8, 12))) }
    var frames: [UInt8] = []
    for (identifier, text) in parts {
      frames += try frame(identifier, [version.textEncoding] + (try version.text(text)))
    }
    return frames
  }

  /// A chapter with its title, link and image (Chapter Frame Addendum §3.1).
  private func chapter(_ chapter: ID3Tag.Chapter, index: Int) throws(ID3TagError) -> [UInt8] {
    let name = "chapter \(index + 1)"
    var body = Self.elementName(index)
    body += try Self.milliseconds(chapter.range.start, of: name)
    body += try Self.milliseconds(chapter.range.end, of: name)
    guard chapter.range.isValid else { throw ID3TagError("\(name) ends before it starts") }
    // No byte offsets: players go by time.
    body += [UInt8](repeating: 0xFF, count: 8)
    if !chapter.title.isEmpty {
      body += try frame("TIT2", [version.textEncoding] + (try version.text(chapter.title)))
    }
    if let url = chapter.url { body += try link(url, of: name) }
    if let image = chapter.image {
      body += try picture(image, type: 0, name: "the image of \(name)")
    }
    return try frame("CHAP", body)
  }

  /// A link with the description that podcast players look for (§4.3.2).
  private func link(_ url: String, of name: String) throws(ID3TagError) -> [UInt8] {
    guard !url.isEmpty, url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw ID3TagError(
        "the url of \(name), '\(url)', is not plain ASCII: write other characters as %XX")
    }
    return try frame("WXXX", try described("chapter url", []) + Array(url.utf8))
  }

  private static func milliseconds(_ time: Time, of name: String) throws(ID3TagError) -> [UInt8] {
    // All ones mean that there is none.
    guard time.isNumeric, let count = UInt32(exactly: time.frames(atRate: 1000)), count < .max
    else {
      throw ID3TagError("\(name) starts or ends at \(time): ID3 knows times from 0 to 49 days")
    }
    return [24, 16, 8, 0].map { UInt8(count >> $0 & 0xFF) }
  }

  private static func elementName(_ index: Int) -> [UInt8] { Array("ch\(index)".utf8) + [0] }
}
