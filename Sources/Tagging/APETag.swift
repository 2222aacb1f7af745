/// A tag of APEv1 or APEv2, at the end of MP3s, Monkey's Audio, WavPack and Musepack ("APEv2
/// specification", wiki.hydrogenaud.io).
package struct APETag: Sendable, Hashable {
  package struct Item: Sendable, Hashable {
    /// As the tag has it: `Title`, `Album Artist`.
    package let name: String
    package let values: [String]
  }

  package private(set) var items: [Item] = []
  /// Names of items that are no texts: pictures and data.
  package private(set) var binary: [String] = []
  /// Names of items whose texts are not UTF-8, and are taken for Windows-1252.
  package private(set) var guessed: [String] = []

  package static let footerSize = 32
  /// Larger tags are not read: 16 MiB hold any picture.
  package static let sizeLimit = 16 << 20
  private static let itemLimit = 1000

  /// How many bytes of items end with a footer, itself not among them; nil where `footer` is none.
  package static func itemSize(ofFooter footer: [UInt8]) -> Int? {
    guard footer.count == footerSize, footer.starts(with: "APETAGEX".utf8) else { return nil }
    let size = number(footer[12...]) - footerSize
    // A flag says that this is a header.
    guard footer[23] & 0x20 == 0, 0...sizeLimit ~= size else { return nil }
    return size
  }

  /// - Parameter bytes: The items, without header and footer. O(n)
  package init(items bytes: [UInt8]) {
    var position = 0
    while position + 8 < bytes.count, items.count + binary.count < Self.itemLimit {
      let size = Self.number(bytes[position...])
      let flags = bytes[position + 4]
      let names = bytes[(position + 8)...].prefix { 0x20...0x7E ~= $0 }
      let start = names.endIndex + 1
      guard 1...255 ~= names.count, start <= bytes.count, bytes[names.endIndex] == 0,
        size <= bytes.count - start
      else { return }
      add(String(decoding: names, as: UTF8.self), bytes[start..<start + size], flags >> 1 & 3)
      position = start + size
    }
  }

  private mutating func add(_ name: String, _ value: ArraySlice<UInt8>, _ kind: UInt8) {
    // 0 is a text, 2 a place elsewhere.
    guard kind != 1 else { return binary.append(name) }
    var values: [String] = []
    for part in value.split(separator: 0) {
      let (text, isGuessed) = EightBitText.decoded(part)
      if isGuessed, guessed.last != name { guessed.append(name) }
      values.append(text)
    }
    if !values.isEmpty { items.append(Item(name: name, values: values)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The key of a name: those of the specification that Vorbis comments have otherwise.
  package static func key(of name: String) -> String {
    switch name.lowercased() {
    case "album artist": "album_artist"
    case "track": "track"
    case "disc": "disc"
    case "year", "record date": "date"
    case "debut album": "original_album"
    default: TagNames.key(ofField: name)
    }
  }
}
