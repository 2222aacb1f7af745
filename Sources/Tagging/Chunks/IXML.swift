/// The chunk `iXML` of a field recorder (iXML specification 3.01): XML in UTF-8, of which single texts are
/// replaced in place and every other byte stays.
///
/// It is not parsed as XML is: entities and document types are passed over, and nothing is expanded.
package struct IXML: Sendable, Hashable {
  /// An element with its place.
  package struct Element: Sendable, Hashable {
    /// The names from the root's children on, as `SPEED/FILE_SAMPLE_RATE`.
    package let path: String
    /// The bytes between its tags; empty for one that closes itself.
    package let content: Range<Int>
    /// Its bytes, tags included.
    package let whole: Range<Int>

    fileprivate var closesItself: Bool { content.lowerBound == whole.upperBound }
  }

  /// The chunk's content as it is written.
  package private(set) var bytes: [UInt8]
  /// In the order of their starts, the first 100,000, of which the deepest are 16 deep.
  package private(set) var elements: [Element]

  /// Whether it is no well-formed XML, or too much, so that not all of its elements are known.
  package let isDamaged: Bool

  private static let chunk = "iXML"

  /// Finds the elements of the chunk's content. O(n)
  package init(_ bytes: [UInt8], defects: inout [ChunkDefect]) {
    self.bytes = bytes
    let scan = XMLScan(bytes)
    elements = scan.elements
    isDamaged = scan.fault != nil || scan.isFull
    if let fault = scan.fault { defects.note(Self.chunk, .inconsistent(fault)) }
    if scan.isFull { defects.note(Self.chunk, .tooMany(limit: ChunkLimits.entries)) }
  }

  /// The texts of all elements of a path, without blanks around them; references stay as they are. O(n)
  package func texts(_ path: String) -> [String] {
    elements.filter { $0.path == path }.map { text(of: $0) }
  }

  private func text(of element: Element) -> String {
    let content = bytes[element.content].drop(while: Self.isBlank)
    let end = content.lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? content.startIndex
    return EightBitText.decoded(content[..<end]).text
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// The first text of a path as a whole number; nil where it is none. O(n)
  package func number(_ path: String) -> UInt64? { texts(path).first.flatMap { UInt64($0) } }

  /// Puts a text in place of those of all elements of a path that hold a text and no elements.
  ///
  /// - Returns: Whether there are such elements. O(n)
  @discardableResult
  package mutating func set(_ path: String, to text: String) -> Bool {
    let edits = elements.filter { $0.path == path }.compactMap { edit($0, text) }
    apply(edits)
    return !edits.isEmpty
  }

  /// Takes out all elements of a path, with what they hold.
  ///
  /// - Returns: Whether there are such elements. O(n)
  @discardableResult
  package mutating func remove(_ path: String) -> Bool {
    let edits = elements.filter { $0.path == path }.map { Edit(range: $0.whole, bytes: []) }
    apply(edits)
    return !edits.isEmpty
  }

  private struct Edit {
    let range: Range<Int>
    let bytes: [UInt8]
  }

  private func edit(_ element: Element, _ text: String) -> Edit? {
    guard !element.closesItself, !bytes[element.content].contains(UInt8(ascii: "<")) else {
      return nil
    }
    return Edit(range: element.content, bytes: Self.escaped(text))
  }

  /// Makes edits whose ranges do not overlap.
  private mutating func apply(_ edits: [Edit]) {
    guard !edits.isEmpty else { return }
    var (new, place): ([UInt8], Int) = ([], 0)
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      new += bytes[place..<edit.range.lowerBound] + edit.bytes
      place = edit.range.upperBound
    }
    bytes = new + bytes[place...]
    elements = XMLScan(bytes).elements
  }

  private static func escaped(_ text: String) -> [UInt8] {
    text.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "&"): Array("&amp;".utf8)
      case UInt8(ascii: "<"): Array("&lt;".utf8)
      case UInt8(ascii: ">"): Array("&gt;".utf8)
      default: [byte]
      }
    }
  }
}

extension IXML {
  private static let timestamps = [
    ("SPEED/TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI", "SPEED/TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO"),
    ("BEXT/BWF_TIME_REFERENCE_HIGH", "BEXT/BWF_TIME_REFERENCE_LOW"),
  ]

  /// Frames from midnight to the first one, of the first place that says them; nil without any. O(n)
  package var timestamp: UInt64? {
    for (high, low) in Self.timestamps {
      if let low = number(low) { return Self.number(high: number(high), low: low) }
    }
    return nil
  }

  /// Puts a timestamp in all places that have one. O(n)
  package mutating func setTimestamp(_ frames: UInt64) {
    for (high, low) in Self.timestamps {
      set(high, to: String(frames >> 32))
      set(low, to: String(frames & 0xFFFF_FFFF))
    }
  }

  /// nil where the halves have more than 32 bits each.
  private static func number(high: UInt64?, low: UInt64) -> UInt64? {
    guard let high = UInt32(exactly: high ?? 0), let low = UInt32(exactly: low) else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// Moves the points of `SYNC_POINT_LIST`, and takes out those that go; their count follows.
  ///
  /// - Parameter moved: The new position of a point, in frames from the start of the file, or of those
  ///   that are absolute from midnight; nil if it goes.
  /// - Complexity: O(n)
  package mutating func moveSyncPoints(
    _ moved: (_ frame: UInt64, _ isAbsolute: Bool) -> UInt64?
  ) {
    _ = moveSyncPoints(where: { _ in true }, moved)
  }

  /// Moves the absolute points of `SYNC_POINT_LIST`, and takes out those that go or whose position is no
  /// number; all others stay as they are.
  ///
  /// - Parameter moved: The new position of a point, in frames from midnight; nil if it goes.
  /// - Returns: How many went.
  /// - Complexity: O(n)
  package mutating func moveAbsoluteSyncPoints(_ moved: (_ frame: UInt64) -> UInt64?) -> Int {
    moveSyncPoints(where: { $0 }) { frame, _ in moved(frame) }
  }

  /// Moves the points that are absolute or not, as `isMeant` asks. Returns how many went.
  private mutating func moveSyncPoints(
    where isMeant: (_ isAbsolute: Bool) -> Bool,
    _ moved: (_ frame: UInt64, _ isAbsolute: Bool) -> UInt64?
  ) -> Int {
    let path = "SYNC_POINT_LIST/SYNC_POINT"
    var edits: [Edit] = []
    var (count, lost) = (0, 0)
    for (place, point) in elements.enumerated() where point.path == path {
      // What it holds follows it, up to its end.
      let parts = elements[(place + 1)...].prefix {
        $0.whole.lowerBound < point.whole.upperBound
      }
      func part(_ name: String) -> Element? {
        parts.first { $0.path == "\(path)/SYNC_POINT_\(name)" }
      }
      let isAbsolute = part("TYPE").map { text(of: $0) } == "ABSOLUTE"
      guard isMeant(isAbsolute) else {
        count += 1
        continue
      }
      let (high, low) = (part("HIGH"), part("LOW"))
      guard let low,
        let frame = UInt64(text(of: low)).flatMap({ low in
          Self.number(high: high.flatMap { UInt64(text(of: $0)) }, low: low)
        }), let new = moved(frame, isAbsolute), high != nil || new <= UInt32.max
      else {
        edits.append(Edit(range: point.whole, bytes: []))
        lost += 1
        continue
      }
      count += 1
      edits += [edit(low, String(new & 0xFFFF_FFFF))].compactMap(\.self)
      edits += [high.flatMap { edit($0, String(new >> 32)) }].compactMap(\.self)
    }
    for element in elements where element.path == "SYNC_POINT_LIST/SYNC_POINT_COUNT" {
      edits += [edit(element, String(count))].compactMap(\.self)
    }
    apply(edits)
    return lost
  }
}
