import Testing

@testable import Tagging

@Suite("Tags as bytes and as names")
struct TagTests {
  @Test("what is written into an item list reads back, with all values")
  func itemList() {
    let items: [ItemList.Item] = [
      .init("artist", ["Ann", "Bob"]), .init("track", ["3/12"]), .init("disc", ["1"]),
      .init("bpm", ["120"]), .init("compilation", ["1"]), .init("artist-sort", ["Sort"]),
      .init("episode_uid", ["guid1"]), .init("movement", ["Allegro"]), .init("work", ["Opus 1"]),
      .init("isrc", ["X", "Y"]), .init("org.example:mine", ["v"]), .init("sfID", ["143441"]),
      .init("Shelf", ["007"]), .init("©xyz", ["here"]), .init("rate", ["80"]),
    ]
    let read = ItemList(parsing: ItemList.encoded(items)[...])
    #expect(Set(read.items) == Set(items) && read.binary == [] && read.guessed == [])
    // Those that libavformat writes, in its order.
    #expect(read.items.prefix(3).map(\.key) == ["artist", "compilation", "track"])
  }

  @Test(
    "lyrics are known by all programs' names for them",
    arguments: [
      "lyrics", "LYRICS", "lyrics-eng", "lyrics-", "lyrics:Live", "USLT", "uslt:Live", "SYLT",
      "UNSYNCED LYRICS", "unsynced_lyrics", "UnsyncedLyrics", "unsynced-lyrics-eng",
      "SYNCED LYRICS",
      "SYNCEDLYRICS", "WM/Lyrics", "WM/Lyrics_Synchronised",
    ])
  func lyrics(name: String) {
    #expect(TagNames.isLyrics(name))
  }

  @Test(
    "a name that only has the word is none of lyrics",
    arguments: [
      "lyricist", "lyricsource", "original_lyricist", "my lyrics", "WM/Writer", "", "-", ":",
    ])
  func noLyrics(name: String) {
    #expect(!TagNames.isLyrics(name))
  }

  @Test("what has not the form of its atom becomes a free-form one")
  func misfits() {
    let items: [ItemList.Item] = [.init("bpm", ["fast"]), .init("track", ["A3"])]
    let bytes = ItemList.encoded(items)
    #expect(Set(ItemList(parsing: bytes[...]).items) == Set(items))
    #expect(String(decoding: bytes, as: UTF8.self).contains("TRACKNUMBER"))
  }

  /// With a size of 64 bits, as any atom may have (ISO 14496-12, 4.2).
  private func longAtom(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let size = UInt64(body.count + 16)
    let long: [UInt8] = (0..<8).map { UInt8(size >> (56 - 8 * $0) & 0xFF) }
    return [0, 0, 0, 1] + Array(name.utf8) + long + body
  }

  @Test("atoms may have sizes of 64 bits, and the last one the rest")
  func longSizes() {
    let text = [0, 0, 0, 1, 0, 0, 0, 0] + Array("Ärger".utf8)
    let artist = longAtom("aART", longAtom("data", text))
    let title = ItemList.encoded([.init("title", ["T"])])
    let rest = [0, 0, 0, 0] + Array("desc".utf8) + longAtom("data", text)
    #expect(
      ItemList(parsing: (artist + title + rest)[...]).items == [
        .init("album_artist", ["Ärger"]), .init("title", ["T"]), .init("description", ["Ärger"]),
      ])
  }

  @Test("what is too long for a tag is told by its name")
  func longTexts() {
    let long = String(repeating: "x", count: 1 << 20)
    let list = ItemList(
      parsing: ItemList.encoded([.init("artist", ["Ann", long]), .init("lyrics", [long])])[...],
      unread: ["covr", "©nam"])
    #expect(list.items == [.init("artist", ["Ann"])])
    #expect(list.binary == ["covr", "title", "artist", "lyrics"])
  }

  @Test("heads of atoms lie where they are")
  func atomHeads() {
    let free = Array("free".utf8)
    let cases: [(bytes: [UInt8], space: Int64, head: Int64, size: Int64)] = [
      ([0, 0, 0, 8] + free, 8, 8, 8), ([0, 0, 0, 0] + free, 100, 8, 100),
      (longAtom("free", []), 16, 16, 16), (longAtom("free", [1, 2]), 100, 16, 18),
    ]
    for (bytes, space, headSize, size) in cases {
      let head = AtomHead(bytes, space: space)
      #expect(head?.name == "free" && head?.headSize == headSize && head?.size == size)
    }
    let none: [([UInt8], Int64)] = [
      ([0, 0, 0, 7] + free, 100), ([0, 0, 0, 9] + free, 8), ([0, 0, 0, 8, 0x66], 100),
      ([0, 0, 0, 1] + free, 100), ([0, 0, 0, 0] + free, 7), ([0, 0, 0, 8] + free, -1),
      ([0, 0, 0, 1] + free + [UInt8](repeating: 0xFF, count: 8), .max),
      ([0, 0, 0, 1] + free + [0, 0, 0, 0, 0, 0, 0, 15], 100),
    ]
    for (bytes, space) in none { #expect(AtomHead(bytes, space: space) == nil) }
  }

  @Test("tags go into a movie with an item list, and into one without")
  func movie() throws {
    func atom(_ name: String, _ body: [UInt8]) -> [UInt8] {
      let size = body.count + 8
      return [0, 0, UInt8(size >> 8), UInt8(size & 0xFF)] + Array(name.utf8) + body
    }
    let tags = MovieTags([.init("title", ["T"])], isQuickTime: false)
    let cover = atom("covr", [1, 2, 3])
    let full = atom(
      "moov",
      atom("mvhd", [7])
        + atom("udta", atom("meta", [0, 0, 0, 0] + atom("hdlr", [5]) + atom("ilst", cover))))
    let wanted = atom(
      "moov",
      atom("mvhd", [7])
        + atom(
          "udta", atom("meta", [0, 0, 0, 0] + atom("hdlr", [5]) + atom("ilst", tags.items + cover)))
    )
    #expect(tags.added(to: full) == wanted)
    let bare = try #require(tags.added(to: atom("moov", atom("mvhd", [7]))))
    #expect(String(decoding: bare, as: UTF8.self).contains("mdirappl"))
    #expect(tags.added(to: atom("free", [])) == nil)
  }

  @Test("a page of Ogg is whole with its checksum, and with no other")
  func oggPages() throws {
    let page = OggPage.checked(
      Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 20) + [1, 3, 7, 8, 9])
    let head = try #require(OggPage(page))
    #expect(head.isFirst && head.size == page.count && OggPage.checked(page) == page)
    for index in page.indices.dropFirst(6) {
      var damaged = page
      damaged[index] ^= 1
      #expect(OggPage.checked(damaged) != damaged)
    }
    var other = page
    other[5] = 8
    #expect(OggPage(other) == nil)
  }

  @Test("bytes that are no UTF-8 are Windows-1252")
  func texts() {
    let cases: [([UInt8], String, Bool)] = [
      ([0x43, 0xE9], "Cé", true), ([0x80, 0x99], "€™", true), ([0xC3, 0xA9], "é", false),
    ]
    for (bytes, text, isGuessed) in cases {
      let found = EightBitText.decoded(bytes)
      #expect(found.text == text && found.isGuessed == isGuessed)
    }
  }

  @Test("gains are told from −18 LUFS in dB, and in Opus from −23 LUFS in 1/256 dB")
  func gains() throws {
    let opus = try #require(LevelTag.opus("REPLAYGAIN_TRACK_GAIN", "-7.00 dB"))
    #expect(opus.key == "R128_TRACK_GAIN" && opus.value == "-3072")
    let gain = try #require(LevelTag.replayGain("R128_TRACK_GAIN", "-1792"))
    #expect(gain.key == "REPLAYGAIN_TRACK_GAIN" && gain.value == "-2.00 dB")
    #expect(LevelTag.replayGain("r128_album_gain", "-1281")?.value == "0.00 dB")
    #expect(LevelTag.opus("replaygain_album_gain", "loud")?.value == nil)
    // As −3.90 and +1.5 dB.
    #expect(LevelTag.opus("REPLAYGAIN_TRACK_GAIN", "-3,90 dB")?.value == "-2278")
    #expect(LevelTag.opus("REPLAYGAIN_ALBUM_GAIN", "+1,5 dB")?.value == "-896")
    #expect(LevelTag.replayGain("R128_TRACK_GAIN", "40000")?.value == nil)
    for key in [
      "ReplayGain_Track_Gain", "r128_album_gain", "replaygain_reference_loudness",
      "org.hydrogenaudio.replaygain:replaygain_track_gain",
    ] {
      #expect(TagClass(of: key) == .level)
    }
    #expect(TagClass(of: "MP3GAIN_UNDO") == .frames && TagClass(of: "title") == .content)
    for key in ["CUESHEET", "SyncedLyrics", "OverDrive MediaMarkers", "TXXX:CueSheet"] {
      #expect(TagClass(of: key) == .times)
    }
    #expect(TagClass(of: "LYRICS") == .content)
  }

  @Test("gains that are written have one length, whatever the level is")
  func writtenGains() {
    func texts(_ loudness: Double, _ peak: Double, asOpus isOpus: Bool = false) -> [String] {
      LevelTag.tags(.track, of: .init(loudness: loudness, peak: peak), asOpus: isOpus).map(\.value)
    }
    #expect(texts(-11.8, 0.9885531) == ["-6.20 dB", "0.9885531"])
    #expect(texts(-30.346, 0.9885531) == ["+12.35 dB", "0.988553"])
    #expect(texts(-18.001, 1.0633) == ["+0.00 dB", "1.0633000"])
    #expect(texts(-8, 9.99999996) == ["-10.00 dB", "10.00000"])
    #expect(texts(90, 1e6) == ["-99.99 dB", "999.0000"])
    #expect(texts(-20.762, 0, asOpus: true) == ["-00573"])
    #expect(texts(-200, 0, asOpus: true) == ["+32767"])
    #expect(
      LevelTag.tags(.album, of: nil, asOpus: false).map(\.key) == [
        "REPLAYGAIN_ALBUM_GAIN", "REPLAYGAIN_ALBUM_PEAK",
      ])
    for isOpus in [false, true] {
      let room = LevelTag.tags(.track, of: nil, asOpus: isOpus).map(\.value).joined().count
      for tenths in -900...500 {
        let found = texts(Double(tenths) / 10, Double(tenths + 900) / 61, asOpus: isOpus)
        #expect(found.joined().count == room)
      }
    }
  }

  @Test("each key, frame, field and atom stands for one tag")
  func table() {
    let rows = TagNames.rows
    for names in [
      rows.map(\.key), rows.compactMap(\.frame), rows.map { $0.field.lowercased() },
      rows.compactMap(\.atom?.name),
    ] { #expect(Set(names).count == names.count) }
    for row in rows {
      #expect(TagNames.key(ofField: row.field) == row.key)
      #expect(TagNames.field(of: row.key) == row.field)
      #expect(row.atom.map { $0.name.unicodeScalars.count == 4 } ?? true)
    }
    #expect(TagNames.key(ofField: "ArtistSort") == "artist-sort")
    #expect(TagNames.key(ofField: "LABEL") == "LABEL")
  }

  @Test("an ID3v1 tag has a track's number in its last form, and texts in 8 bits")
  func id3v1() throws {
    var bytes = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
    bytes.replaceSubrange(3..<8, with: [0x54, 0x72, 0xE4, 0x63, 0x6B])
    (bytes[126], bytes[127]) = (7, 17)
    let tag = try #require(ID3v1Tag(bytes))
    #expect(tag.items.map(\.key) == ["title", "track"] && tag.items[0].value == "Träck")
    #expect(tag.guessed == ["title"] && tag.genre == 17)
    #expect(ID3v1Tag(Array("TAX".utf8) + bytes.dropFirst(3)) == nil)
  }

  @Test("an APE tag has several values of an item, and names data that is no text")
  func ape() {
    func item(_ name: String, _ flags: UInt8, _ value: String) -> [UInt8] {
      [UInt8(value.utf8.count), 0, 0, 0, flags, 0, 0, 0] + Array(name.utf8) + [0]
        + Array(value.utf8)
    }
    let bytes =
      item("Title", 0, "Ape title") + item("Artist", 0, "Ann\0Bob") + item("Cover Art", 2, "x\0y")
    let tag = APETag(items: bytes)
    #expect(tag.items.map(\.values) == [["Ape title"], ["Ann", "Bob"]])
    #expect(tag.binary == ["Cover Art"])
    for end in 0..<bytes.count { #expect(APETag(items: Array(bytes[..<end])).items.count <= 2) }
    #expect(APETag.key(of: "Album Artist") == "album_artist" && APETag.key(of: "Year") == "date")
  }

  @Test("a Matroska tag that stands twice has two values, of the file or of one track")
  func matroska() {
    func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] {
      id + [0x40 | UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }
    func simple(_ name: String, _ value: String) -> [UInt8] {
      element(
        [0x67, 0xC8],
        element([0x45, 0xA3], Array(name.utf8))
          + element([0x44, 0x87], Array(value.utf8)))
    }
    let ofFile = element([0x73, 0x73], simple("ARTIST", "Ann") + simple("ARTIST", "Bob"))
    let ofTrack = element(
      [0x73, 0x73], element([0x63, 0xC0], element([0x63, 0xC5], [9])) + simple("BPM", "120"))
    let ofChapter = element(
      [0x73, 0x73], element([0x63, 0xC0], element([0x63, 0xC4], [1])) + simple("TITLE", "C"))
    let ofSong = element(
      [0x73, 0x73], element([0x63, 0xC0], element([0x68, 0xCA], [30])) + simple("TITLE", "Song"))
    let tags = MatroskaTags(parsing: (ofFile + ofTrack + ofChapter + ofSong)[...])
    #expect(tags.items.map(\.value) == ["Ann", "Bob", "120", "Song"])
    #expect(tags.items.map(\.track) == [0, 0, 9, 0])
    #expect(tags.items.map(\.level) == [50, 50, 50, 30])
  }

  @Test("of one name's Matroska tags those without a language go without one, else the default's")
  func matroskaLanguages() {
    func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] {
      id + [0x80 | UInt8(body.count)] + body
    }
    func parsed(_ tags: [(code: String?, new: String?, isDefault: UInt8?)]) -> [MatroskaTags.Item] {
      let simple = tags.flatMap { tag in
        element(
          [0x67, 0xC8],
          element([0x45, 0xA3], Array("TITLE".utf8)) + element([0x44, 0x87], [0x41])
            + (tag.code.map { element([0x44, 0x7A], Array($0.utf8)) } ?? [])
            + (tag.new.map { element([0x44, 0x7B], Array($0.utf8)) } ?? [])
            + (tag.isDefault.map { element([0x44, 0x84], [$0]) } ?? []))
      }
      // Its own size has two bytes.
      let size: [UInt8] = [0x40 | UInt8(simple.count >> 8), UInt8(simple.count & 0xFF)]
      return MatroskaTags(parsing: ([0x73, 0x73] + size + simple)[...]).items
    }
    let mixed = parsed([("ger", "de", 1), ("und", "und", nil), (nil, nil, 0), (nil, "de-AT", nil)])
    #expect(mixed.map(\.language) == ["ger", nil, nil, "de-AT"])
    #expect(mixed.map(\.isDefault) == [true, true, false, true])
    #expect(MatroskaTags.plainLanguage(of: mixed) == nil)
    let foreign = parsed([("ger", nil, 0), ("eng", nil, 1), ("fre", nil, 1)])
    #expect(MatroskaTags.plainLanguage(of: foreign) == "eng")
    #expect(MatroskaTags.plainLanguage(of: parsed([("ger", nil, 0)])) == "ger")
    #expect(MatroskaTags.plainLanguage(of: []) == nil)
  }

  @Test("the comments of an Ogg stream are its second packet, whatever pages it lies on")
  func ogg() throws {
    func page(_ serial: UInt8, _ flags: UInt8, _ lacing: [UInt8]) -> [UInt8] {
      let zeros = [UInt8](repeating: 0, count: 8)
      let count: Int = lacing.reduce(0) { $0 + Int($1) }
      var bytes = Array("OggS".utf8) + [0, flags] + zeros
      bytes += [serial, 0, 0, 0] + zeros + [UInt8(lacing.count)] + lacing
      return OggPage.checked(bytes + [UInt8](repeating: 1, count: count))
    }
    let pages = [
      page(1, 2, [19]), page(2, 2, [5]), page(1, 0, [255]), page(2, 0, [9]), page(1, 1, [45, 10]),
    ]
    var finder = OggCommentFinder(serial: 1)
    var offset: Int64 = 0
    for bytes in pages {
      finder.add(try #require(OggPage(bytes)), at: offset)
      offset += Int64(bytes.count)
    }
    #expect(finder.isComplete && finder.ranges.map(\.count) == [255, 45])
  }

  @Test("blocks of a FLAC in Ogg are the packets behind its comments, as many as are looked for")
  func oggBlocks() throws {
    let lacings: [[UInt8]] = [[51], [9, 255], [255, 0], [255], [7, 3], [4]]
    for count in 0...5 {
      var finder = OggCommentFinder(serial: 1, others: count)
      var offset: Int64 = 0
      for lacing in lacings {
        let head = Array("OggS".utf8) + [UInt8](repeating: 0, count: 10) + [1]
        let size = UInt8(lacing.count)
        let page = try #require(
          OggPage(head + [UInt8](repeating: 0, count: 11) + [size] + lacing))
        finder.add(page, at: offset)
        offset += Int64(page.size)
      }
      let all = [[255, 255], [255, 7], [3], [4]]
      #expect(finder.ranges.map(\.count) == [9] && finder.isComplete)
      #expect(finder.others.map { $0.map(\.count) } == Array(all.prefix(count)))
      #expect(finder.isAtEnd == (count <= all.count))
      let first = finder.others.first?.first?.lowerBound
      #expect(first == (count == 0 ? nil : Int64(28 + 51 + 29 + 9)))
    }
  }

  @Test("texts of user data are Mac Roman by their language, unless they are UTF-8")
  func userData() {
    var data = UserData()
    data.add("\u{A9}nam", [0, 2, 0, 0, 0x54, 0x8A])
    data.add("\u{A9}ART", [0, 2, 0, 0, 0xC3, 0xA4, 0, 1, 0x10, 0xB2, 0x58])
    data.add("yrrc", [0, 0, 0, 0, 0x07, 0xD1])
    data.add("\u{A9}alb", [0, 0, 0, 0])
    data.add("kywd", [0, 0, 0, 0, 0x55, 0xC4, 1])
    #expect(
      data.items == [
        .init("title", ["Tä"]), .init("artist", ["ä"]), .init("artist-der", ["X"]),
        .init("date", ["2001"]),
      ])
    #expect(data.unread == ["kywd"] && data.guessed == [])
  }

  @Test("a track's name is UTF-8 up to a zero, and Mac Roman where it is none")
  func trackName() {
    #expect(UserData.trackName(Array("Spiel ü".utf8)) == "Spiel ü")
    #expect(UserData.trackName([0x54, 0x8A, 0, 0x58]) == "Tä")
    for bytes in [[], [0, 0x58]] as [[UInt8]] { #expect(UserData.trackName(bytes) == nil) }
  }

  @Test("tags beyond the most that are read are named")
  func excess() {
    let items = (0..<10_001).map { ItemList.Item("X\($0)", ["1"]) }
    let list = ItemList(parsing: ItemList.encoded(items)[...])
    #expect(list.items.count == 10_000 && list.binary == ["tags beyond the first 10000"])
  }
}
