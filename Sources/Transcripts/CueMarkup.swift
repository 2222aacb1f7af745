import MediaTime

/// The text of a cue of WebVTT in parts: text, tags and moments (WebVTT, 6.4, "WebVTT cue text
/// parsing rules").
enum MarkupPart: Equatable {
  case text(String)
  /// `<i>`, `<v.loud Ann>`: its name, and what stands between that and `>`, with its dot or blank.
  case opening(name: String, rest: String)
  case closing(name: String)
  /// `<00:01.500>`; nil: one that cannot be read.
  case moment(Time?)

  /// The tags that WebVTT has (4.2.2); others are left out.
  private static let names: Set<String> = ["c", "i", "b", "u", "ruby", "rt", "v", "lang"]

  /// The parts of `markup`. O(n)
  static func parts(of markup: String) -> [MarkupPart] {
    var parts: [MarkupPart] = []
    forEach(of: markup) { part in
      parts.append(part)
      return true
    }
    return parts
  }

  /// Calls `body` with the parts of `markup` until it gives false, and `find` for each character reference
  /// that is not known, each `<` before no tag, or before one that is never closed, that is kept as it is,
  /// and for each tag that is left out. O(n)
  static func forEach(
    of markup: String, find: (Finding) -> Void = { _ in }, _ body: (MarkupPart) -> Bool
  ) {
    let bytes = Array(markup.utf8)
    let last = bytes.lastIndex(of: UInt8(ascii: ">")) ?? -1
    var text: [UInt8] = []
    var index = 0
    func flush() -> Bool {
      defer { text = [] }
      return text.isEmpty || body(.text(String(decoding: text, as: UTF8.self)))
    }
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<") where last < index || !beginsTag(bytes[(index + 1)...]):
        text.append(bytes[index])
        index += 1
        find(.bareAngle)
      case UInt8(ascii: "<"):
        let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
        guard flush() else { return }
        let part = tag(bytes[(index + 1)..<end])
        if part == nil { find(.foreignTag) }
        if let part, !body(part) { return }
        index = end + 1
      case UInt8(ascii: "&"):
        let reference = CharacterReference.read(bytes[index...])
        let length = reference?.length ?? 1
        if let known = reference?.text {
          text += known.utf8
        } else {
          text += bytes[index..<index + length]
          if reference != nil { find(.oddReference) }
        }
        index += length
      default:
        text.append(bytes[index])
        index += 1
      }
    }
    _ = flush()
  }

  /// Whether a tag's name, class, end or time follows `<`; `a < b` and `<3` are text.
  private static func beginsTag(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first else { return false }
    if first.isDigit { return rest.drop(while: \.isDigit).first == UInt8(ascii: ":") }
    return first.isLetter || first == UInt8(ascii: "/") || first == UInt8(ascii: ".")
  }

  private static func tag(_ body: ArraySlice<UInt8>) -> MarkupPart? {
    if body.first?.isDigit == true {
      return .moment((try? CaptionTime.clock(body, mark: "."))?.time)
    }
    let isClosing = body.first == UInt8(ascii: "/")
    let body = isClosing ? body.dropFirst() : body
    let name = String(decoding: body.prefix(while: \.isLetter), as: UTF8.self)
    // Such a tag is repeated for each voice within it: what is longer is no class and no language.
    let most = 256
    guard names.contains(name), name == "v" || body.count <= most else { return nil }
    if isClosing { return .closing(name: name) }
    let rest = String(decoding: body.dropFirst(name.utf8.count), as: UTF8.self).onOneLine
    return .opening(name: name, rest: rest.tidiedLines.isEmpty ? "" : rest)
  }
}
