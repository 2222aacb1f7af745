/// Texts of a WAV's `LIST INFO` (Microsoft and IBM, "Multimedia Programming Interface and Data
/// Specifications 1.0", "INFO List Chunk"). Keys of tags are those of `TagNames.key(ofInfo:)`.
package struct InfoList: Sendable, Hashable {
  /// One text.
  package struct Entry: Sendable, Hashable {
    /// Four characters, as `INAM`.
    package var name: String
    package var text: String

    package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
  }

  /// In the order of the list; a name may stand several times.
  package var entries: [Entry]

  package init(_ entries: [Entry] = []) { self.entries = entries }

  private static let list = "INFO"

  /// Reads the content of a `LIST`, from `INFO` on; nil for other lists. Empty texts are left out. O(n)
  package init?(_ bytes: [UInt8], isBigEndian: Bool = false, defects: inout [ChunkDefect]) {
    guard bytes.starts(with: Self.list.utf8) else { return nil }
    entries = []
    for (name, content) in ChunkList.entries(of: bytes, isBigEndian: isBigEndian, &defects) {
      guard entries.count < ChunkLimits.entries else {
        defects.note(Self.list, .tooMany(limit: ChunkLimits.entries))
        break
      }
      guard name.utf8.count == 4, name.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
        defects.note(Self.list, .unread(name))
        continue
      }
      var reader = ChunkReader(Self.list, content, isBigEndian: isBigEndian)
      let text = reader.text(name, &defects)
      if !text.isEmpty { entries.append(Entry(name, text)) }
    }
  }

  /// The content of the `LIST`, from `INFO` on; nil without texts. O(n)
  package func bytes(isBigEndian: Bool = false) -> [UInt8]? {
    guard !entries.isEmpty else { return nil }
    var list = ChunkList(Self.list, isBigEndian: isBigEndian)
    for entry in entries { list.append(entry.name, entry.text.bytes(atMost: .max) + [0]) }
    return list.bytes
  }
}
