/// The 128 bytes at the end of old MP3s: ID3v1, and 1.1 with a track's number.
package struct ID3v1Tag: Sendable, Hashable {
  package struct Item: Sendable, Hashable {
    package let key: String
    package let value: String
  }

  package private(set) var items: [Item] = []
  /// Keys whose texts are not UTF-8, and are taken for Windows-1252.
  package private(set) var guessed: [String] = []
  /// The number of its genre; 255 is none.
  package let genre: UInt8

  package static let size = 128

  /// - Parameter bytes: The file's last 128.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes.starts(with: "TAG".utf8) else { return nil }
    genre = bytes[127]
    let hasTrack = bytes[125] == 0 && bytes[126] != 0
    let places: [(String, Range<Int>)] = [
      ("title", 3..<33), ("artist", 33..<63), ("album", 63..<93), ("date", 93..<97),
      ("comment", 97..<(hasTrack ? 125 : 127)),
    ]
    for (key, range) in places {
      var text = bytes[range].prefix { $0 != 0 }
      while text.last == 0x20 { text.removeLast() }
      guard !text.isEmpty else { continue }
      let (value, isGuessed) = EightBitText.decoded(text)
      if isGuessed { guessed.append(key) }
      items.append(Item(key: key, value: value))
    }
    if hasTrack { items.append(Item(key: "track", value: String(bytes[126]))) }
  }
}
