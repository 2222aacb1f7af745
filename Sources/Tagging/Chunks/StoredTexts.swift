/// Texts of a chunk whose bytes in the file are not those that they would be written with, as they are
/// there: Windows-1252, a character that was cut at a field's end, rubbish behind a NUL. A field whose
/// text stays is written with the bytes that it had.
struct StoredTexts: Sendable, Hashable, Codable {
  private struct Entry: Sendable, Hashable, Codable {
    let field: String
    let text: String
    let bytes: [UInt8]
  }

  /// A few, each of another field. A list, since a fingerprint of facts needs an order.
  private var entries: [Entry] = []

  private subscript(field: String) -> Entry? { entries.first { $0.field == field } }

  /// Remembers the bytes of a field that was read as `text`, if they are others than its own.
  mutating func note(_ bytes: some Collection<UInt8>, of field: String, _ text: String) {
    var usual = text.utf8.prefix(bytes.count).map { $0 }
    usual += repeatElement(0, count: bytes.count - usual.count)
    guard !usual.elementsEqual(bytes) else { return }
    entries.removeAll { $0.field == field }
    entries.append(Entry(field: field, text: text, bytes: Array(bytes)))
  }

  /// Takes those of other fields.
  mutating func add(_ others: StoredTexts) {
    entries += others.entries.filter { self[$0.field] == nil }
  }

  /// The bytes of a field; nil where they are those of its text, or the text is another one by now.
  func bytes(of field: String, _ text: String) -> [UInt8]? {
    guard let entry = self[field], entry.text == text else { return nil }
    return entry.bytes
  }

  /// The bytes of a field without a bound to whose text something may have been added; nil where they
  /// are those of its text, or it begins otherwise by now.
  func bytes(ofExtended field: String, _ text: String) -> [UInt8]? {
    if let bytes = bytes(of: field, text) { return bytes }
    guard let entry = self[field], text.utf8.starts(with: entry.text.utf8) else { return nil }
    return entry.bytes.prefix { $0 != 0 } + text.utf8.dropFirst(entry.text.utf8.count)
  }
}
