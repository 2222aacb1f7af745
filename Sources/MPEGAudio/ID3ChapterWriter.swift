import MediaTime

/// Chapters as the "ID3v2 Chapter Frame Addendum" has them; sections are its own.
extension ID3Writer {
  /// Children that a table has room for: their number is a byte (§3.2).
  private static let tableSize = 255

  /// The table of all chapters, and each of them (§3.1, §3.2).
  ///
  /// A table has at most 255 entries; of more chapters there are tables of 255 in one of tables.
  ///
  /// - Parameters:
  ///   - chapters: In order of time.
  ///   - items: The tag's, among them the title that the table gets, too.
  /// - Returns: Frames; none where there are no chapters.
  /// - Throws: as `ID3Tag.encoded`.
  func chapters(
    _ chapters: [ID3Tag.Chapter], of items: [ID3Tag.Item]
  ) throws(ID3TagError) -> [UInt8] {
    guard !chapters.isEmpty else { return [] }
    let limit = Self.tableSize * Self.tableSize
    guard chapters.count <= limit else {
      throw ID3TagError("an ID3 tag holds at most \(limit) chapters, not \(chapters.count)")
    }
    let title = items.first { ID3Keys.frame(for: $0.key) == "TIT2" && !$0.value.isEmpty }?.value
    let names = chapters.indices.map { "ch\($0)" }
    let parts = stride(from: 0, to: names.count, by: Self.tableSize).map {
      $0..<min($0 + Self.tableSize, names.count)
    }
    var frames: [UInt8] = []
    if parts.count == 1 {
      frames += try table("toc", of: names[...], title: title ?? "Chapters", isRoot: true)
    } else {
      let tables = parts.indices.map { "toc\($0)" }
      frames += try table("toc", of: tables[...], title: title ?? "Chapters", isRoot: true)
      for (name, part) in zip(tables, parts) {
        let numbers = "\(part.lowerBound + 1)–\(part.upperBound)"
        frames += try table(name, of: names[part], title: numbers, isRoot: false)
      }
    }
    for (index, chapter) in chapters.enumerated() {
      frames += try self.chapter(chapter, named: names[index], number: index + 1)
    }
    return frames
  }

  /// An ordered table (§3.2), with a title of its own.
  private func table(
    _ name: String, of children: ArraySlice<String>, title: String, isRoot: Bool
  ) throws(ID3TagError) -> [UInt8] {
    let flags: UInt8 = isRoot ? 3 : 1
    var body = Self.elementName(name) + [flags, UInt8(clamping: children.count)]
    for child in children { body += Self.elementName(child) }
    return try frame("CTOC", body + (try textFrame("TIT2", title)))
  }

  /// A chapter with its title, link and image (§3.1).
  private func chapter(
    _ chapter: ID3Tag.Chapter, named element: String, number: Int
  ) throws(ID3TagError) -> [UInt8] {
    let name = "chapter \(number)"
    var body = Self.elementName(element)
    body += try Self.milliseconds(chapter.range.start, of: name)
    body += try Self.milliseconds(chapter.range.end, of: name)
    guard chapter.range.isValid else { throw ID3TagError("\(name) ends before it starts") }
    // No byte offsets: players go by time.
    body += [UInt8](repeating: 0xFF, count: 8)
    if !chapter.title.isEmpty { body += try textFrame("TIT2", chapter.title) }
    if let url = chapter.url {
      guard ID3Slot.isLink(url) else {
        throw ID3TagError(
          "the url of \(name), '\(url)', is not plain ASCII: write other characters as %XX")
      }
      // The description that podcast players look for.
      body += try linkFrame("chapter url", url)
    }
    if let image = chapter.image {
      body += try picture(image, type: 0, name: "the image of \(name)")
    }
    return try frame("CHAP", body)
  }

  static func milliseconds(_ time: Time, of name: String) throws(ID3TagError) -> [UInt8] {
    // All ones mean that there is none.
    guard time.isNumeric, let count = UInt32(exactly: time.frames(atRate: 1000)), count < .max
    else {
      throw ID3TagError("\(name) starts or ends at \(time): ID3 has times from 0 to 49 days")
    }
    return [24, 16, 8, 0].map { UInt8(count >> $0 & 0xFF) }
  }

  private static func elementName(_ name: String) -> [UInt8] { Array(name.utf8) + [0] }
}
