import MediaComposition
import MediaTime

/// A moment in a job: from the start or back from the end of an item's own time, next to the start or
/// the end of another item, at a picture of a source, or at words of a transcript.
package struct Moment: Sendable, Hashable {
  /// Where counting begins.
  package enum Anchor: Sendable, Hashable {
    case start
    /// Of the whole content: `end-10s`.
    case end
    /// Another item or track of the job: `talk.end-8s`.
    case item(ItemReference)
    /// A picture of the item's own source: `frame 1234`, `00:01:02:15`.
    case picture(PicturePlace)
    /// Words of the item's own transcript. Without an offset it is the quietest moment near them.
    case phrase(PhrasePlace)
  }

  /// Where counting begins.
  package var anchor: Anchor
  /// The time from the anchor; never negative.
  package var offset: TimeText
  /// Whether the moment is before the anchor.
  package var isEarlier: Bool

  /// `offset` from `anchor`: by default later than a start, earlier than an end. An offset of zero
  /// is neither, however it is written.
  package init(
    _ anchor: Anchor = .start, _ offset: TimeText = .time(.zero), isEarlier: Bool? = nil
  ) {
    self.anchor = anchor
    self.offset = offset
    let isAway = offset != .time(.zero)
    self.isEarlier = isAway ? isEarlier ?? (anchor == .end) : anchor == .end
  }

  /// The start of the content.
  package static let start = Moment(.start)
  /// The end of the content.
  package static let end = Moment(.end)
}

/// The start or the end of another item, or of a track, by its name.
package struct ItemReference: Sendable, Hashable {
  /// One of an item's two ends.
  package enum Edge: String, Sendable, Hashable { case start, end }

  /// A track's key, or an item's `name`.
  package var name: String
  /// The start or the end.
  package var edge: Edge

  /// The start or the end of the item called `name`.
  package init(_ name: String, _ edge: Edge) {
    self.name = name
    self.edge = edge
  }
}

extension Moment {
  /// Reads a time, `start`, `end`, `end-10s`, the time of another item: `talk.end-8s`,
  /// `talk.start+2s`, or a picture: `frame 1234`, `00:01:02:15`, `00:01:02;15`.
  package init(parsing text: some StringProtocol) throws(QuantityError) {
    let text = String(text)
    switch text {
    case "start": self = .start
    case "end": self = .end
    default:
      if let moment = try Self.reference(text) {
        self = moment
      } else if text.hasPrefix("end-") {
        let help = "write 'end-10s' for ten seconds before the end"
        self.init(.end, try Quantity.time(text.dropFirst(4), help: help))
      } else if let picture = try PicturePlace(parsing: text) {
        self.init(.picture(picture))
      } else {
        self.init(.start, try Quantity.time(text, help: Self.help(for: text)))
      }
    }
  }

  /// A correction for a text that may mean the time of something.
  private static func help(for text: String) -> String? {
    let dense = text.filter { $0 != " " }
    if dense != text, let moment = try? Moment(parsing: dense), moment.anchor != .start {
      return "write '\(dense)', without spaces"
    }
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic else { return nil }
    let name = text.prefix { $0 != "." && $0 != " " }
    return name.hasPrefix("start") || name.hasPrefix("end")
      ? "write 'start', 'end' or 'end-10s'"
      : "if '\(name)' is an item, write '\(name).start' or '\(name).end'"
  }

  /// `NAME.start` or `NAME.end`, and perhaps `+` or `-` and a time; nil for anything else.
  private static func reference(_ text: String) throws(QuantityError) -> Moment? {
    let bytes = text.utf8
    var end = bytes.endIndex
    // The offset may have a point of its own: `talk.end-1.5s`.
    for _ in 0..<2 {
      guard let dot = bytes[..<end].lastIndex(of: UInt8(ascii: ".")) else { return nil }
      end = dot
      let rest = bytes[bytes.index(after: dot)...]
      // Most points are those of decimals.
      guard let first = rest.first, first == UInt8(ascii: "s") || first == UInt8(ascii: "e") else {
        continue
      }
      for edge in [ItemReference.Edge.start, .end] where rest.starts(with: edge.rawValue.utf8) {
        let tail = Substring(rest.dropFirst(edge.rawValue.utf8.count))
        guard tail.isEmpty || tail.hasPrefix("+") || tail.hasPrefix("-"), dot > text.startIndex
        else { continue }
        let anchor = Anchor.item(ItemReference(String(text[..<dot]), edge))
        guard !tail.isEmpty else { return Moment(anchor) }
        let help = "write '\(text[..<dot]).\(edge.rawValue)-10s' for ten seconds before it"
        return Moment(
          anchor, try Quantity.time(tail.dropFirst(), help: help), isEarlier: tail.hasPrefix("-"))
      }
    }
    return nil
  }
}

extension Moment: CustomStringConvertible {
  /// In the language of job files; of a phrase, as messages show it.
  package var description: String {
    let isAtAnchor = offset == .time(.zero)
    let tail = isAtAnchor ? "" : (isEarlier ? "-" : "+") + "\(offset)"
    return switch anchor {
    case .start: isAtAnchor ? "start" : "\(offset)"
    case .end: "end" + tail
    case .item(let reference): "\(reference.name).\(reference.edge.rawValue)" + tail
    case .picture(let picture): "\(picture)" + tail
    case .phrase(let phrase): "\(phrase)" + tail
    }
  }
}
