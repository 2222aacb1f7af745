import MPEGAudio
import MediaTime
import TestSupport

/// Makes tags of many shapes, the same ones in every run.
struct ID3Maker {
  static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0x00, 0xFF, 0xFF, 0x00]
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  let version: ID3Version
  private var dice: Dice

  init(seed: UInt64, version: ID3Version) {
    dice = Dice(seed)
    self.version = version
  }

  mutating func number(_ range: Range<Int>) -> Int { .random(in: range, using: &dice) }

  /// Not empty, of all planes, without a zero.
  mutating func text() -> String {
    var text = ""
    let ranges: [ClosedRange<Int>] = [
      0x20...0x7E, 1...0x1F, 0xA0...0xFF, 0x100...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
    ]
    let kinds = number(1..<7)
    for _ in 0..<number(1..<(number(0..<4) == 0 ? 300 : 12)) {
      let range = ranges[number(0..<kinds)]
      guard let scalar = Unicode.Scalar(UInt32(number(range.lowerBound..<range.upperBound + 1)))
      else { continue }
      text.unicodeScalars.append(scalar)
    }
    return text.isEmpty ? "x" : text
  }

  mutating func image() -> [UInt8] {
    (number(0..<2) == 0 ? Self.jpeg : Self.png)
      + (0..<number(0..<(number(0..<4) == 0 ? 40_000 : 200))).map { _ in
        // Many bytes that unsynchronisation is about.
        [0xFF, 0xFF, 0, 0xE0, 0x41, UInt8(number(0..<256))][number(0..<6)]
      }
  }

  mutating func chapters(count: Int) -> [ID3Tag.Chapter] {
    var bounds: Set<Int> = []
    while bounds.count < count + 1 { bounds.insert(number(0..<1 << 32 - 1)) }
    let inOrder = bounds.sorted()
    return zip(inOrder, inOrder.dropFirst()).map { start, end in
      ID3Tag.Chapter(
        range: TimeRange(
          start: Time(value: Int64(start), timescale: 1000),
          end: Time(value: Int64(end), timescale: 1000)),
        title: number(0..<8) == 0 ? "" : text(),
        url: number(0..<3) == 0 ? "https://example.org/\(number(0..<1000))" : nil,
        image: number(0..<4) == 0 ? image() : nil)
    }
  }

  mutating func tag() -> ID3Tag {
    var items: [ID3Tag.Item] = []
    let texts = [
      "title", "subtitle", "artist", "album", "album_artist", "performer", "composer", "lyricist",
      "track", "disc", "grouping", "bpm", "initial_key", "isrc", "publisher", "copyright",
      "encoded_by", "encoder", "original_artist", "title-sort", "album_artist-sort", "movement",
      "episode_uid", "category", "description", "keywords", "mood", "disc_subtitle", "GRP1", "TFLT",
      "Own key", "ü: colon", "TXXX", "musicbrainz_albumid", "replaygain_track_gain",
    ]
    for key in texts where number(0..<3) == 0 {
      items.append(.init(key: key, value: text()))
      // In 2.3 values become one text.
      if version == .v24, number(0..<5) == 0 { items.append(.init(key: key, value: text() + "2")) }
    }
    let others = [
      ("date", version == .v24 ? "2024-05-06T07:08:09" : "2024-05-06T07:08"), ("date", "1999"),
      ("original_date", "1980"), ("language", "deu"), ("genre", "(live) Rock 17"),
      ("genre", "((x"), ("podcast", "1"), ("compilation", "1"),
      ("file_url", "https://a.example/%20"),
      ("podcast_url", "https://b.example"), ("url", "https://c.example"), ("url:Ä→", "https://d.e"),
      ("musicbrainz_trackid", "0-1-2"),
    ]
    for (key, value) in others where number(0..<3) == 0 && !items.contains(where: { $0.key == key })
    {
      items.append(.init(key: key, value: value))
    }
    for (index, key) in ["comment", "comment:Ö", "lyrics", "lyrics:x"].enumerated()
    where number(0..<3) == 0 {
      items.append(.init(key: key, value: text(), language: index % 2 == 0 ? nil : "fra"))
    }
    let count = number(0..<20) == 0 ? number(250..<300) : number(0..<6)
    return ID3Tag(
      items: items.shuffled(using: &dice), cover: number(0..<2) == 0 ? image() : nil,
      chapters: chapters(count: count))
  }

  /// The same tag with a zero behind each 0xFF that could be taken for a sync word (2.4.0 structure
  /// §6.1): over all of it in 2.3; in 2.4 frame by frame, where either the header says so or each
  /// frame does.
  static func unsynchronised(_ tag: [UInt8], _ version: ID3Version, isWhole: Bool) -> [UInt8] {
    func spread(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      var spread: [UInt8] = []
      for (index, byte) in zip(bytes.indices, bytes) {
        spread.append(byte)
        let next = index + 1 < bytes.endIndex ? bytes[index + 1] : 0
        if byte == 0xFF, next == 0 || next >= 0xE0 { spread.append(0) }
      }
      return spread
    }
    func syncsafe(_ size: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) } }
    var body: [UInt8] = []
    if version == .v23 {
      body = spread(tag[10...])
    } else {
      var position = 10
      while position < tag.count {
        let size = tag[position + 4..<position + 8].reduce(0) { $0 << 7 | Int($1) }
        let frame = spread(tag[position + 10..<position + 10 + size])
        body += tag[position..<position + 4]
        body += syncsafe(frame.count) + [0, isWhole ? 0 : 2] + frame
        position += 10 + size
      }
    }
    let head: [UInt8] = tag[..<5] + [isWhole ? 0x80 : 0]
    return head + syncsafe(body.count) + body
  }
}
