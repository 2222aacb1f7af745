/// The tags of a Matroska or WebM file (RFC 9559, 5.1.8), of which one may stand several times.
package struct MatroskaTags: Sendable, Hashable {
  /// One tag of the whole file, or of the track that `track` names.
  package struct Item: Sendable, Hashable {
    package var name: String
    package var value: String
    /// Whether the value's encoding was guessed.
    package var isGuessed: Bool
    /// The track's UID; 0 for the whole file.
    package var track: UInt64
    /// What of a collection it describes: 30 a track, 40 a part, 50 an album (RFC 9559, 5.1.8.1.1.1).
    package var level: UInt64
    /// The value's language as the file has it, `ger` or, without such a code, `de-AT`; nil where it is
    /// left open (`und`).
    package var language: String?
    /// Whether players show this one of a name's values where nobody asks for a language (`TagDefault`).
    package var isDefault: Bool
  }

  package private(set) var items: [Item] = []
  /// Names of tags that are data and not texts.
  package private(set) var binary: [String] = []

  private static let (itemLimit, valueLimit, binaryLimit) = (10_000, 1 << 20, 100)

  /// - Parameter bytes: The content of the element `Tags`. O(n)
  package init(parsing bytes: ArraySlice<UInt8>) {
    for tag in EBMLElement.all(in: bytes) where tag.id == 0x7373 {
      let parts = EBMLElement.all(in: tag.body)
      var (track, level) = (UInt64(0), UInt64(50))
      var isOfOther = false
      for target in parts where target.id == 0x63C0 {
        for part in EBMLElement.all(in: target.body) {
          switch part.id {
          case 0x63C5: track = part.number
          case 0x68CA: level = part.number
          // Of an edition, a chapter or an attachment.
          case 0x63C9, 0x63C4, 0x63C6: isOfOther = isOfOther || part.number != 0
          default: break
          }
        }
      }
      guard !isOfOther else { continue }
      for simple in parts where simple.id == 0x67C8 { add(simple, track, level) }
    }
  }

  /// The language of those of a name's values that go without one: none if there are such values, else
  /// that of the first one that is to be shown by default. O(n)
  ///
  /// A file with one title in one language has a title; one with another title in German beside it has
  /// that under a name of its own.
  package static func plainLanguage(of items: [Item]) -> String? {
    guard !items.contains(where: { $0.language == nil }) else { return nil }
    return (items.first(where: \.isDefault) ?? items.first)?.language
  }

  private mutating func add(_ simple: EBMLElement, _ track: UInt64, _ level: UInt64) {
    guard items.count < Self.itemLimit else { return }
    var (name, value) = ("", nil as (text: String, isGuessed: Bool)?)
    var (language, newLanguage, isDefault) = (nil as String?, nil as String?, true)
    func code(_ part: EBMLElement) -> String? {
      let text = String(decoding: part.body.prefix { $0 != 0 }, as: UTF8.self)
      return text.isEmpty || text == "und" ? nil : text
    }
    for part in EBMLElement.all(in: simple.body) where part.body.count <= Self.valueLimit {
      switch part.id {
      case 0x45A3: name = String(decoding: part.body.prefix { $0 != 0 }, as: UTF8.self)
      case 0x447A: language = code(part)
      case 0x447B: newLanguage = code(part)
      case 0x4484: isDefault = part.number != 0
      case 0x4487: value = EightBitText.decoded(part.body.prefix { $0 != 0 })
      default: break
      }
    }
    guard !name.isEmpty else { return }
    if let value, !value.text.isEmpty {
      items.append(
        Item(
          name: name, value: value.text, isGuessed: value.isGuessed, track: track, level: level,
          language: language ?? newLanguage, isDefault: isDefault))
    } else if binary.count < Self.binaryLimit,
      EBMLElement.all(in: simple.body).contains(where: { $0.id == 0x4485 })
    {
      binary.append(name)
    }
  }
}

/// An element of EBML (RFC 8794).
package struct EBMLElement: Sendable {
  package let id: UInt32
  package let body: ArraySlice<UInt8>

  /// An unsigned number.
  package var number: UInt64 { body.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// More elements than any honest file has side by side: two bytes are enough for one.
  private static let most = 1 << 17

  /// All elements that `bytes` begin with, up to a limit.
  package static func all(in bytes: ArraySlice<UInt8>) -> [EBMLElement] {
    var found: [EBMLElement] = []
    var rest = bytes
    while found.count < most, let head = Head(rest), let size = head.size,
      size <= UInt64(rest.count - head.count)
    {
      let body = rest.dropFirst(head.count).prefix(Int(size))
      found.append(EBMLElement(id: head.id, body: body))
      rest = rest.dropFirst(head.count + Int(size))
    }
    return found
  }

  /// An element's identifier and size.
  package struct Head: Sendable, Hashable {
    package let id: UInt32
    /// nil: unknown, as of a stream.
    package let size: UInt64?
    /// Bytes of the head.
    package let count: Int

    /// The most bytes that a head has.
    package static let longest = 12

    package init?(_ bytes: ArraySlice<UInt8>) {
      guard let first = bytes.first, first >= 0x10 else { return nil }
      let idCount = first.leadingZeroBitCount + 1
      guard bytes.count > idCount else { return nil }
      id = bytes.prefix(idCount).reduce(0) { $0 << 8 | UInt32($1) }
      let rest = bytes.dropFirst(idCount)
      guard let lead = rest.first, lead > 0 else { return nil }
      let sizeCount = lead.leadingZeroBitCount + 1
      guard rest.count >= sizeCount else { return nil }
      let mark = UInt64(1) << UInt64(7 * sizeCount)
      let value = rest.prefix(sizeCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (mark - 1)
      size = value == mark - 1 ? nil : value
      count = idCount + sizeCount
    }
  }
}
