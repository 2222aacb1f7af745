import MediaTime
import TestSupport
import Testing

@testable import MPEGAudio

@Suite struct ID3ReaderTests {
  @Test("What the writer writes the reader reads back", arguments: 0..<25 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    for version in ID3Version.allCases {
      var maker = ID3Maker(seed: seed, version: version)
      let tag = maker.tag()
      let bytes = try tag.encoded(as: version, padding: maker.number(0..<200))
      try expectReading(of: bytes, gives: tag, version: version)
    }
  }

  @Test("Unsynchronised tags are read as what they were", arguments: 0..<12 as Range<UInt64>)
  func unsynchronised(seed: UInt64) throws {
    for version in ID3Version.allCases {
      var maker = ID3Maker(seed: seed, version: version)
      let tag = maker.tag()
      let bytes = try tag.encoded(as: version)
      guard !bytes.isEmpty else { continue }
      for isWhole in version == .v23 ? [true] : [true, false] {
        let scrambled = ID3Maker.unsynchronised(bytes, version, isWhole: isWhole)
        try expectReading(of: scrambled, gives: tag, version: version)
        try expectPictures(in: scrambled, lieWhere: tag)
      }
    }
  }

  /// Whoever wants to know what a picture is reads the first bytes that are stored of it.
  private func expectPictures(in bytes: [UInt8], lieWhere tag: ID3Tag) throws {
    let stored = try #require(
      StoredID3Tag.read(byteCount: bytes.count) { offset, target in
        target.copyBytes(from: bytes[offset..<offset + target.count])
        return target.count
      })
    let places = stored.pictures.map(\.image) + stored.chapters.compactMap(\.image)
    let pictures = [tag.cover].compactMap(\.self) + tag.chapters.compactMap(\.image)
    #expect(places.count == pictures.count)
    for (place, picture) in zip(places, pictures) {
      #expect(picture.count...2 * picture.count ~= place.stored.count)
      for count in [0, 1, 2, 9, 100, place.stored.count] {
        let head = place.bytes(from: Array(bytes[place.stored].prefix(count)))
        #expect(picture.starts(with: head) && head.count * 2 >= min(count, place.stored.count))
      }
    }
  }

  /// Pictures that lie in the file as they are cost nothing but two numbers.
  @Test("Pictures are places in the file, and nobody reads them before they are asked for")
  func pictures() throws {
    let cover = ID3Maker.jpeg + [UInt8](repeating: 7, count: 3 << 20)
    let second = Time(value: 1, timescale: 1)
    let tag = ID3Tag(
      items: [.init(key: "title", value: "T")], cover: cover,
      chapters: [
        .init(range: TimeRange(start: .zero, end: second), title: "A", image: cover + [1]),
        .init(range: TimeRange(start: second, end: second), title: "B", url: "u", image: cover),
      ])
    for version in ID3Version.allCases {
      let bytes = [9, 9] + (try tag.encoded(as: version)) + [0xFF, 0xFB]
      let tally = Counter()
      let stored = try #require(
        StoredID3Tag.read(at: 2, byteCount: bytes.count) { offset, target in
          tally.add(target.count)
          target.copyBytes(from: bytes[offset..<offset + target.count])
          return target.count
        })
      #expect(stored.byteCount == bytes.count - 4 && stored.version == version.rawValue)
      #expect(tally.value < 4 << 20, "of 9 MiB")
      let found = try #require(stored.cover)
      #expect(found.type == 3 && found.mime == "image/jpeg" && found.description == "")
      #expect(found.image.stored.count == cover.count)
      #expect(found.image.bytes(from: Array(bytes[found.image.stored])) == cover)
      let image = try #require(stored.chapters.first?.image)
      #expect(image.bytes(from: Array(bytes[image.stored])) == cover + [1])
      #expect(stored.chapters.map(\.url) == [nil, "u"])
    }
  }

  private static let hasMutagen =
    (try? Tool.run(["/usr/bin/python3", "-c", "import mutagen"]))?.status == 0

  @Test(
    "What mutagen writes is read, in every encoding", .enabled(if: hasMutagen),
    arguments: [(4, 3), (4, 2), (4, 1), (4, 0), (3, 1), (3, 0)])
  func mutagen(version: Int, encoding: Int) throws {
    let script = """
      import sys
      from mutagen.id3 import ID3, CTOCFlags
      from mutagen.id3._frames import *
      version, e = int(sys.argv[2]), int(sys.argv[3])
      wide = "ŷ→😀" if e else ""
      tags = ID3()
      for frame in [
          TIT2(e, ["Grüße" + wide]), TPE1(e, ["A", "B" + wide]), TPOS(e, ["1/2"]),
          TDRC(e, ["2024-05-06T07:08"]), TCON(e, ["17", "Own"]), TXXX(e, "mood " + wide, ["x"]),
          TBPM(e, ["90"]), TKEY(e, ["Am"]),
          COMM(e, "deu", "", ["Ä" + wide]), COMM(e, "XXX", "Of " + wide, ["y"]),
          USLT(e, "fra", "", "La\\nla" + wide), WOAF("https://a.example/ü"),
          WXXX(e, "D" + wide, "https://b.example"), PCST(1), UFID("http://musicbrainz.org", b"id"),
          APIC(e, "image/png", 4, "Back" + wide, b"back"), APIC(e, "image/jpeg", 3, "", b"front"),
          PRIV("o", b"d"), POPM("e", 1, 2),
          CTOC("t", CTOCFlags.TOP_LEVEL, ["b", "a"], [TIT2(e, ["Contents"])]),
          CHAP("b", 1000, 4000, 0, 0, [TIT2(e, ["Second" + wide]), WXXX(e, "x", "https://c.example"),
                                       APIC(e, "image/png", 0, "D" + wide, b"p" * 1000)]),
          CHAP("a", 0, 1000, 0xFFFFFFFF, 0xFFFFFFFF, [TIT2(e, ["First"])])]:
          tags.add(frame)
      tags.save(sys.argv[1], v2_version=version, v23_sep=None)
      """
    try MP3Files.withFolder { folder in
      let path = folder + "/a.mp3"
      try writeFile(path, [])
      _ = try MP3Files.run(["/usr/bin/python3", "-c", script, path, "\(version)", "\(encoding)"])
      let bytes = try readFile(path)
      let wide = encoding == 0 ? "" : "ŷ→😀"
      let tag = try #require(ID3Tag(parsing: bytes))
      let expected: [(String, String, String?)] = [
        ("title", "Grüße" + wide, nil), ("artist", "A", nil), ("artist", "B" + wide, nil),
        ("disc", "1/2", nil), ("date", "2024-05-06T07:08", nil), ("genre", "Rock", nil),
        ("genre", "Own", nil), ("mood " + wide, "x", nil), ("bpm", "90", nil),
        ("initial_key", "Am", nil), ("comment", "Ä" + wide, "deu"),
        ("comment:Of " + wide, "y", nil), ("lyrics", "La\nla" + wide, "fra"),
        ("file_url", "https://a.example/ü", nil), ("url:D" + wide, "https://b.example", nil),
        ("podcast", "1", nil), ("musicbrainz_trackid", "id", nil),
      ]
      let items = expected.map { ID3Tag.Item(key: $0.0, value: $0.1, language: $0.2) }
      #expect(Set(tag.items) == Set(items))
      #expect(tag.cover == Array("front".utf8))
      #expect(tag.chapters.map(\.title) == ["First", "Second" + wide])
      #expect(tag.chapters.map(\.range.end.value) == [1000, 4000])
      #expect(tag.chapters.map(\.url) == [nil, "https://c.example"])
      #expect(tag.chapters.map { $0.image?.count } == [nil, 1000])
    }
  }

  @Test(
    "lyrics that other programs write as a text of their own are lyrics",
    arguments: ["USLT", "UNSYNCED LYRICS", "UnsyncedLyrics"], ID3Version.allCases)
  func foreignLyrics(description: String, version: ID3Version) throws {
    let written = ID3Tag(items: [
      .init(key: description, value: "La"), .init(key: "SYNCEDLYRICS", value: "[00:01.00]La"),
    ])
    let read = ID3Tag(parsing: try written.encoded(as: version))
    #expect(
      read?.items == [
        .init(key: "lyrics", value: "La"), .init(key: "SYNCEDLYRICS", value: "[00:01.00]La"),
      ])
  }

  @Test(
    "a text in no known language is told from one in the tag's, and written so",
    arguments: ID3Version.allCases)
  func unknownLanguage(_ version: ID3Version) throws {
    let items: [ID3Tag.Item] = [
      .init(key: "language", value: "deu"), .init(key: "comment", value: "a", language: "XXX"),
      .init(key: "comment", value: "b", language: "fra"), .init(key: "comment", value: "c"),
      .init(key: "lyrics:L", value: "a", language: "XXX"),
    ]
    let read = ID3Tag(parsing: try ID3Tag(items: items).encoded(as: version))
    var expected = items
    expected[3].language = "deu"
    #expect(read?.items == expected)
    // Without a language of the tag nothing needs telling, but for the same text in a language.
    let twin = ID3Tag.Item(key: "comment", value: "a", language: "fra")
    let plain = ID3Tag(parsing: try ID3Tag(items: [items[1], items[4]]).encoded(as: version))
    #expect(plain?.items.map(\.language) == [nil, nil])
    let twins = ID3Tag(parsing: try ID3Tag(items: [items[1], twin]).encoded(as: version))
    #expect(twins?.items == [items[1], twin])
  }

  @Test("2.2 is read under the names of its successors")
  func version22() {
    func frame(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + [0, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }
    let frames =
      frame("TT2", [0] + Array("Title".utf8)) + frame("TYE", [0] + Array("1999".utf8))
      + frame("TCO", [0] + Array("(17)".utf8)) + frame("COM", [0] + Array("eng\0Hi".utf8))
      + frame("PIC", [0] + Array("JPG".utf8) + [3, 0] + ID3Maker.jpeg)
    let tag = ID3Tag(parsing: Array("ID3".utf8) + [2, 0, 0, 0, 0, 0, 127] + frames)
    #expect(
      tag?.items == [
        .init(key: "title", value: "Title"), .init(key: "genre", value: "Rock"),
        .init(key: "comment", value: "Hi", language: "eng"), .init(key: "date", value: "1999"),
      ])
    #expect(tag?.cover == ID3Maker.jpeg)
  }

  @Test(
    "Genres by number, with refinements and literal brackets",
    arguments: [
      ("(17)", ["Rock"]), ("17", ["Rock"]), ("(4)Eurodisco", ["Disco", "Eurodisco"]),
      ("(51)(39)", ["Techno-Industrial", "Noise"]), ("((live)", ["(live)"]), ("(live)", ["(live)"]),
      ("(RX)", ["Remix"]), ("CR", ["Cover"]), ("Rock", ["Rock"]), ("(17)Rock", ["Rock"]),
      ("999", ["999"]), ("(999)", ["(999)"]), ("191", ["Psybient"]),
    ])
  func genres(text: String, names: [String]) {
    let body = [0] + Array(text.utf8)
    let frame = Array("TCON".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
    let tag = ID3Tag(parsing: Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame)
    #expect(tag?.items.map(\.value) == names)
  }

  @Test("What iTunes wrote as 2.4 with the sizes of 2.3 is read, in chapters as well")
  func plainSizes() throws {
    var maker = ID3Maker(seed: 5, version: .v23)
    var tag = ID3Tag(
      items: [.init(key: "title", value: String(repeating: "t", count: 300))],
      chapters: maker.chapters(count: 3))
    tag.chapters[1].image = ID3Maker.png + [UInt8](repeating: 1, count: 40_000)
    // Its texts are ASCII: nothing else differs between the versions.
    for index in tag.chapters.indices { tag.chapters[index].title = "c\(index)" }
    var bytes = try tag.encoded(as: .v23)
    bytes[3] = 4
    #expect(ID3Tag(parsing: bytes) == tag)
  }

  @Test("Dates of 2.3 are put together, and what is no date is left out")
  func dates() {
    func read(_ frames: [(String, String)]) -> [String] {
      var body: [UInt8] = []
      for (name, text) in frames {
        body += Array(name.utf8) + [0, 0, 0, 5, 0, 0, 0] + Array(text.utf8)
      }
      let tag = ID3Tag(parsing: Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(body.count)] + body)
      return tag?.items.map { "\($0.key) \($0.value)" } ?? []
    }
    #expect(read([("TYER", "1999")]) == ["date 1999"])
    #expect(read([("TDAT", "0605"), ("TYER", "2024")]) == ["date 2024-05-06"])
    #expect(
      read([("TIME", "0708"), ("TDAT", "0605"), ("TYER", "2024")]) == ["date 2024-05-06T07:08"])
    #expect(read([("TIME", "0708"), ("TYER", "2024")]) == ["date 2024"])
    #expect(read([("TYER", "?c99")]) == [])
    #expect(read([("TYER", "1999"), ("TDRC", "2001")]) == ["date 2001"])
    #expect(read([("TORY", "1980")]) == ["original_date 1980"])
  }

  @Test("A text of the user's beside the frame that it is named for keeps a name of its own")
  func userTexts() throws {
    func frame(_ name: String, _ text: String) -> [UInt8] {
      Array(name.utf8) + [0, 0, 0, UInt8(text.utf8.count + 1), 0, 0, 3] + Array(text.utf8)
    }
    let body =
      frame("TXXX", "title\u{0}other") + frame("TIT2", "real") + frame("TXXX", "YEAR\u{0}2001")
      + frame("TDRC", "2001-05") + frame("TXXX", "ALBUMARTIST\u{0}same") + frame("TPE2", "same")
      + frame("TXXX", "BPM\u{0}120")
    let read = ID3Tag(
      parsing: Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, UInt8(body.count - 128)] + body)
    let tag = try #require(read)
    #expect(
      tag.items.map { "\($0.key)=\($0.value)" } == [
        "TXXX:title=other", "title=real", "TXXX:YEAR=2001", "date=2001-05", "ALBUMARTIST=same",
        "album_artist=same", "BPM=120",
      ])
    let frames = try ID3Tag.frames(of: tag.items, as: .v24)
    let again = ID3Tag(parsing: Array("ID3".utf8) + [4, 0, 0, 0, 0, 2, 0] + frames)
    #expect(again?.items.prefix(4) == tag.items.prefix(4))
  }

  @Test("An icon is the cover only where there is no other picture")
  func icons() {
    func picture(_ type: UInt8, _ name: String) -> [UInt8] {
      let body = [0] + Array("image/png".utf8) + [0, type, 0] + Array(name.utf8)
      return Array("APIC".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
    }
    func cover(_ pictures: [UInt8]) -> String? {
      let head = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(pictures.count)]
      return ID3Tag(parsing: head + pictures)?.cover.map { String(decoding: $0, as: UTF8.self) }
    }
    let (icon, other, back) = (picture(1, "icon"), picture(0, "other"), picture(4, "back"))
    #expect(cover(icon) == "icon")
    #expect(cover(icon + back) == "back")
    #expect(cover(icon + back + other) == "other")
    #expect(cover(other + picture(3, "front") + icon) == "front")
  }

  @Test("Extended headers, groups and lengths of data are stepped over")
  func extras() {
    let text: [UInt8] = [3, 0x41]
    func head(_ id: String, _ count: Int, _ flags: UInt8) -> [UInt8] {
      Array(id.utf8) + [0, 0, 0, UInt8(count), 0, flags]
    }
    var v24: [UInt8] = [0, 0, 0, 6, 1, 0] + head("TIT2", 7, 0x41) + [9, 0, 0, 0, 2] + text
    v24 += head("TALB", 2, 0x08) + text + head("TPE1", 2, 0x04) + text
    v24 += head("TPE2", 2, 0) + text
    var v23: [UInt8] = [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + head("TIT2", 3, 0x20) + [9, 0, 0x41]
    v23 += head("TALB", 2, 0x80) + text + head("TPE1", 2, 0x40) + text
    v23 += head("TPE2", 2, 0) + [0, 0x41]
    for (version, body) in [(4, v24), (3, v23)] as [(UInt8, [UInt8])] {
      let header = Array("ID3".utf8) + [version, 0, 0x40, 0, 0, 0, UInt8(body.count)]
      let tag = ID3Tag(parsing: header + body)
      #expect(tag?.items.map(\.key) == ["title", "album_artist"])
      #expect(tag?.items.map(\.value) == ["A", "A"])
    }
    // Announced, and not there.
    let bare = Array("ID3".utf8) + [4, 0, 0x40, 0, 0, 0, 12] + head("TIT2", 2, 0) + text
    #expect(ID3Tag(parsing: bare)?.items == [.init(key: "title", value: "A")])
  }
}

/// Bytes that nobody should trust.
@Suite struct HostileID3Tests {
  @Test("Each description of a TXXX has a key of its own, also one that looks like a key")
  func descriptions() {
    for (description, key) in [
      ("", "TXXX"), ("txxx", "TXXX:txxx"), ("TXXX:title", "TXXX:TXXX:title"), ("mood", "mood"),
    ] {
      #expect(ID3Keys.key(ofDescription: description) == key)
    }
  }

  @Test("No bytes are too wrong to read, nor to take long over", arguments: 0..<20 as Range<UInt64>)
  func mutations(seed: UInt64) throws {
    var maker = ID3Maker(seed: seed, version: seed % 2 == 0 ? .v23 : .v24)
    let bytes = try maker.tag().encoded(as: maker.version) + [UInt8](repeating: 0xAA, count: 20)
    for _ in 0..<30 {
      var wrong = bytes
      for _ in 0..<maker.number(1..<8) {
        wrong[maker.number(0..<wrong.count)] = UInt8(maker.number(0..<256))
      }
      if maker.number(0..<2) == 0 { wrong.removeLast(maker.number(0..<wrong.count)) }
      guard let tag = ID3Tag(parsing: wrong) else { continue }
      let texts = tag.items.reduce(0) { $0 + $1.value.utf8.count }
      #expect(texts <= 3 * wrong.count)
      #expect(!tag.chapters.contains { !$0.range.isValid })
    }
  }

  @Test(
    "A header that announces what is not there gives what is there",
    arguments: [0, 4, 9, 10, 20, 25])
  func cut(count: Int) throws {
    let bytes = try ID3Tag(items: [.init(key: "title", value: "Title")]).encoded()
    var cut = Array(bytes.prefix(count))
    let tag = ID3Tag(parsing: cut)
    #expect((tag == nil) == (count < 10) && tag?.items.isEmpty ?? true)
    if cut.count >= 10 { cut.replaceSubrange(6..<10, with: [0x7F, 0x7F, 0x7F, 0x7F]) }
    #expect(ID3Tag(parsing: cut)?.items.isEmpty ?? true)
    #expect(ID3Tag(parsing: [0x49, 0x44, 0x33, 4, 0, 0, 0x80, 0, 0, 0]) == nil)
    #expect(ID3Tag(parsing: [0x49, 0x44, 0x33, 5, 0, 0, 0, 0, 0, 0]) == nil)
  }

  @Test("A tag of nothing but tiny frames is read once, and not kept whole")
  func manyFrames() throws {
    let frame: [UInt8] = Array("TZZZ".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x41]
    let chapter: [UInt8] = Array("CHAP".utf8) + [0, 0, 0, 17] + [UInt8](repeating: 0, count: 19)
    for (unit, count) in [(frame, 20_000), (chapter, 66_000)] {
      let body = Array(repeatElement(unit, count: count).joined())
      let size = [21, 14, 7, 0].map { UInt8(body.count >> $0 & 0x7F) }
      let bytes = Array("ID3".utf8) + [4, 0, 0] + size + body
      let tally = Counter()
      let tag = StoredID3Tag.read(byteCount: bytes.count) { offset, target in
        tally.add(target.count)
        target.copyBytes(from: bytes[offset..<offset + target.count])
        return target.count
      }
      #expect(tag?.items.count == (unit == frame ? 10_000 : 0))
      #expect(tag?.chapters.count == (unit == frame ? 0 : 65_025))
      #expect(tally.value < 4 * bytes.count + (2 << 20))
    }
  }
}

/// Reads a tag, and compares it with what was written, as far as its version holds that.
private func expectReading(
  of bytes: [UInt8], gives tag: ID3Tag, version: ID3Version,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let read = ID3Tag(parsing: bytes) ?? ID3Tag()
  let language = tag.items.first { $0.key == "language" }?.value
  let expected = tag.items.map { item in
    var item = item
    if item.key.hasPrefix("comment") || item.key.hasPrefix("lyrics") {
      item.language = item.language ?? language
    }
    return item
  }
  #expect(Set(read.items) == Set(expected), sourceLocation: sourceLocation)
  #expect(read.items.count == expected.count, sourceLocation: sourceLocation)
  #expect(read.cover == tag.cover, sourceLocation: sourceLocation)
  #expect(read.chapters == tag.chapters, sourceLocation: sourceLocation)
}
