import MPEGAudio
import MediaTime
import TestSupport
import Testing

@Suite struct ID3TagTests {
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + (0..<300).map { UInt8($0 % 256) }
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

  private static func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: Time(value: start, timescale: 1000), end: Time(value: end, timescale: 1000))
  }

  private static let whole = ID3Tag(
    items: [
      ("title", "Grüße 🎙"), ("artist", "A"), ("artist", "B"), ("album", "C"),
      ("album_artist", "D"), ("track", "3/12"), ("disc", "1/2"), ("date", "2024-05-06 07:08:09Z"),
      ("genre", "Podcast"), ("composer", "E"), ("publisher", "F"), ("copyright", "G"),
      ("language", "DEU"), ("encoder", "avjob"), ("encoded_by", "H"), ("comment", "Line 1\nLine 2"),
      ("lyrics", "La la"), ("TBPM", "120"), ("mood", "calm"), ("weather", "dry"), ("empty", ""),
    ].map { ID3Tag.Item(key: $0.0, value: $0.1) },
    cover: jpeg,
    chapters: [
      ID3Tag.Chapter(range: range(0, 250), title: "Intro"),
      ID3Tag.Chapter(
        range: range(250, 500), title: "Über alles", url: "https://example.org/a?b=c", image: png),
      ID3Tag.Chapter(range: range(500, 567), title: "", image: jpeg),
    ])

  /// The same without what would make it 2.3.
  private static let short: ID3Tag = {
    var tag = whole
    for index in tag.chapters.indices { tag.chapters[index].image = nil }
    return tag
  }()

  private func file(_ tag: ID3Tag, in folder: String) throws -> String {
    let path = "\(folder)/a.mp3"
    let sound = try readFile(Fixture.path("lame-testcase.mp3"))
    try writeFile(path, try tag.encoded() + sound)
    return path
  }

  @Test(
    "ffprobe reads tags, cover and chapters, with images too",
    arguments: [(whole, "2024-05-06 07:08"), (short, "2024-05-06T07:08:09")])
  func ffprobe(tag: ID3Tag, date: String) throws {
    try MP3Files.withFolder { folder in
      let path = try file(tag, in: folder)
      let text = try MP3Files.run([
        "ffprobe", "-v", "error", "-show_entries",
        "format_tags:stream=codec_name:stream_tags:chapter=start_time,end_time:chapter_tags", "-of",
        "flat", path,
      ]).text
      for line in [
        #"format.tags.title="Grüße 🎙""#, #"format.tags.album_artist="D""#,
        #"format.tags.track="3/12""#, #"format.tags.disc="1/2""#,
        "format.tags.date=\"\(date)\"",
        #"format.tags.language="deu""#,
        #"format.tags.comment="Line 1\nLine 2""#, #"format.tags.TBPM="120""#,
        #"format.tags.weather="dry""#, #"format.tags.encoder="avjob""#,
        #"format.tags.encoded_by="H""#, #"format.tags.lyrics_deu="La la""#,
        #"streams.stream.1.codec_name="mjpeg""#, #"streams.stream.1.tags.comment="Cover (front)""#,
        #"chapters.chapter.1.start_time="0.250000""#, #"chapters.chapter.1.end_time="0.500000""#,
        #"chapters.chapter.1.tags.title="Über alles""#, #"chapters.chapter.2.end_time="0.567000""#,
      ] {
        #expect(text.contains(line), "\(line) in \(text)")
      }
      #expect(!text.contains("empty"))
    }
  }

  private static let hasMutagen =
    (try? Tool.run(["/usr/bin/python3", "-c", "import mutagen"]))?.status == 0

  @Test("mutagen reads every frame of 2.4 as it was meant", .enabled(if: hasMutagen))
  func mutagen24() throws {
    let size = try Self.short.encoded().count
    #expect(
      try mutagen(Self.short) == """
        (2, 4, 0) \(size) []
        TIT2 Grüße 🎙
        TPE1 A|B
        TALB C
        TPE2 D
        TRCK 3/12
        TPOS 1/2
        TDRC 2024-05-06 07:08:09
        TCON Podcast
        TCOM E
        TPUB F
        TCOP G
        TLAN deu
        TSSE avjob
        TENC H
        TBPM 120
        TMOO calm
        TXXX:weather dry
        ['Line 1\\nLine 2'] La la
        image/jpeg 3 304
        3 ['ch0', 'ch1', 'ch2'] Grüße 🎙
        0 250 4294967295
         TIT2 Intro
        250 500 4294967295
         TIT2 Über alles
         WXXX:chapter url https://example.org/a?b=c
        500 567 4294967295

        """)
  }

  @Test("mutagen reads every frame of 2.3, and the chapters' images", .enabled(if: hasMutagen))
  func mutagen23() throws {
    let size = try Self.whole.encoded().count
    #expect(
      try mutagen(Self.whole) == """
        (2, 3, 0) \(size) []
        TIT2 Grüße 🎙
        TPE1 A/B
        TALB C
        TPE2 D
        TRCK 3/12
        TPOS 1/2
        TDRC 2024-05-06 07:08:00
        TCON Podcast
        TCOM E
        TPUB F
        TCOP G
        TLAN deu
        TSSE avjob
        TENC H
        TBPM 120
        TXXX:mood calm
        TXXX:weather dry
        ['Line 1\\nLine 2'] La la
        image/jpeg 3 304
        3 ['ch0', 'ch1', 'ch2'] Grüße 🎙
        0 250 4294967295
         TIT2 Intro
        250 500 4294967295
         APIC: image/png 0 11
         TIT2 Über alles
         WXXX:chapter url https://example.org/a?b=c
        500 567 4294967295
         APIC: image/jpeg 0 304

        """)
  }

  /// What mutagen says about a file with `tag`.
  private func mutagen(_ tag: ID3Tag) throws -> String {
    let script = """
      import sys
      from mutagen.id3 import ID3
      tag = ID3(sys.argv[1])
      print(tag.version, tag.size, tag.unknown_frames)
      for key in ("TIT2 TPE1 TALB TPE2 TRCK TPOS TDRC TCON TCOM TPUB TCOP TLAN TSSE TENC TBPM "
                  "TMOO TXXX:mood TXXX:weather").split():
          if key not in tag: continue
          print(key, "|".join(str(text) for text in tag[key].text))
      print(repr(tag["COMM::deu"].text), tag["USLT::deu"].text)
      cover = tag["APIC:"]
      print(cover.mime, int(cover.type), len(cover.data))
      toc = tag["CTOC:toc"]
      print(int(toc.flags), toc.child_element_ids, toc.sub_frames["TIT2"].text[0])
      for name in toc.child_element_ids:
          chapter = tag["CHAP:" + name]
          print(chapter.start_time, chapter.end_time, chapter.start_offset)
          for key, frame in sorted(chapter.sub_frames.items()):
              if key == "TIT2": print("", key, frame.text[0])
              elif key.startswith("WXXX"): print("", key, frame.url)
              else: print("", key, frame.mime, int(frame.type), len(frame.data))
      """
    return try MP3Files.withFolder { folder in
      let path = try file(tag, in: folder)
      return try MP3Files.run([
        "env", "PYTHONIOENCODING=utf-8", "/usr/bin/python3", "-c", script, path,
      ]).text
    }
  }

  @Test(
    "A chapter is readable for FFmpeg however long its parts are", arguments: [1, 126, 127, 9999])
  func longParts(length: Int) throws {
    for (title, url) in [(length, 1), (1, length)] {
      let chapter = ID3Tag.Chapter(
        range: Self.range(0, 500), title: String(repeating: "t", count: title),
        url: String(repeating: "u", count: url))
      try MP3Files.withFolder { folder in
        let path = try file(ID3Tag(chapters: [chapter]), in: folder)
        let text = try MP3Files.run([
          "ffprobe", "-v", "error", "-show_entries", "chapter_tags=title", "-of", "csv=p=0", path,
        ]).text
        #expect(text == chapter.title + "\n")
      }
    }
  }

  @Test("The frames behind a tag are found, and play as long as before")
  func frames() throws {
    let sound = try readFile(Fixture.path("lame-testcase.mp3"))
    let index = try MP3Files.index(of: try Self.whole.encoded() + sound)
    #expect(index.validFrameCount == 25_000 && index.anomalies == [])
  }

  @Test("A tag with nothing in it has no bytes")
  func empty() throws {
    #expect(try ID3Tag().encoded() == [])
    #expect(try ID3Tag(items: [.init(key: "title", value: "")]).encoded() == [])
  }

  @Test("A tag is written byte by byte as the standard says")
  func bytes() throws {
    let tag = ID3Tag(items: [.init(key: "title", value: "é")])
    let header: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 13]
    let frame: [UInt8] = [0x54, 0x49, 0x54, 0x32, 0, 0, 0, 3, 0, 0, 3, 0xC3, 0xA9]
    #expect(try tag.encoded() == header + frame)
    // Sizes have seven bits a byte.
    let long = ID3Tag(items: [.init(key: "title", value: String(repeating: "x", count: 299))])
    let bytes = try long.encoded()
    #expect(bytes[6..<10] == [0, 0, 2, 54])
    #expect(bytes[14..<18] == [0, 0, 2, 44])
  }

  @Test(
    "Values that a frame's form does not allow are kept under their own name",
    arguments: [
      ("date", "2024", "TDRC"), ("date", "2024-05", "TDRC"), ("date", "May 2024", "TXXX"),
      ("date", "2024-0", "TXXX"), ("language", "English", "TXXX"), ("language", "q7", "TXXX"),
      ("language", "eng", "TLAN"),
      ("language", "en-GB", "TLAN"), ("podcast", "maybe", "TXXX"), ("podcast", "yes", "PCST"),
      ("file_url", "not a link", "TXXX"), ("file_url", "https://a.example", "WOAF"),
      ("url", "https://a.example", "WXXX"), ("url:feed", "https://a.example", "WXXX"),
      ("WOAS", "https://a.example", "WOAS"), ("comment:Source", "x", "COMM"),
      ("comment-deu", "x", "COMM"), ("mentions:a", "x", "TXXX"), ("discnumber", "1", "TPOS"),
      ("musicbrainz_trackid", "x", "UFID"), ("MusicBrainz_AlbumID", "x", "TXXX"),
      ("TBPM", "90", "TBPM"), ("TZZZ", "x", "TXXX"), ("TXXX", "x", "TXXX"),
      ("TXXX:title", "x", "TXXX"), ("tbpm", "90", "TXXX"),
      ("Title", "x", "TIT2"), ("lyrics-eng", "x", "USLT"), ("lyrics-long", "x", "TXXX"),
      ("conductor", "x", "TPE3"), ("performer", "x", "TXXX"),
    ])
  func slots(key: String, value: String, identifier: String) throws {
    let bytes = try ID3Tag(items: [.init(key: key, value: value)]).encoded()
    #expect(String(decoding: bytes[10..<14], as: UTF8.self) == identifier)
  }

  @Test(
    "What ID3 cannot hold is refused",
    arguments: [
      (
        ID3Tag(items: [.init(key: "title", value: "a\0b")]),
        "'ab' holds a zero byte, which no tag can"
      ),
      (ID3Tag(cover: [1, 2, 3]), "the cover is neither a JPEG nor a PNG image"),
      (
        ID3Tag(chapters: [.init(range: range(0, 1), title: "", image: [])]),
        "the image of chapter 1 is neither a JPEG nor a PNG image"
      ),
      (
        ID3Tag(chapters: [.init(range: range(0, 1), title: "", url: "https://exämple.org")]),
        "the url of chapter 1, 'https://exämple.org', is not plain ASCII: "
          + "write other characters as %XX"
      ),
      (
        ID3Tag(chapters: [.init(range: range(2, 1), title: "")]),
        "chapter 1 ends before it starts"
      ),
      (
        ID3Tag(chapters: [.init(range: range(-1, 1), title: "")]),
        "chapter 1 starts or ends at -0.001s: ID3 has times from 0 to 49 days"
      ),
      (
        ID3Tag(chapters: [.init(range: range(0, 1 << 32), title: "")]),
        "chapter 1 starts or ends at 1193:02:47.296: ID3 has times from 0 to 49 days"
      ),
    ])
  func refusals(tag: ID3Tag, message: String) {
    let error = #expect(throws: ID3TagError.self) { try tag.encoded() }
    #expect(error?.message == message)
  }

  @Test("A tag that its own size cannot say is refused")
  func size() {
    let tag = ID3Tag(cover: Self.jpeg + [UInt8](repeating: 0, count: 1 << 28))
    let error = #expect(throws: ID3TagError.self) { try tag.encoded() }
    #expect(
      error?.message
        == "an ID3 tag holds less than 256 MiB, and this one would have 268435774 bytes")
  }

  @Test("A podcast is told by Apple's frames, and links by theirs", .enabled(if: hasMutagen))
  func podcast() throws {
    let tag = ID3Tag(
      items: [
        ("podcast", "true"), ("podcast_url", "https://example.org/feed.xml"),
        ("episode_uid", "urn:1"), ("category", "Arts"), ("description", "What it is about"),
        ("keywords", "a,b"), ("file_url", "https://example.org/1"), ("url", "https://example.org"),
        ("url:Notes", "https://example.org/n"), ("comment", "C"), ("comment:Source", "D"),
        ("lyrics", "La"), ("isrc", "DEA123456789"), ("title-sort", "T"), ("movement", "Largo"),
        ("release_date", "2024-05-06"), ("original_date", "1999"), ("language", "de"),
        ("musicbrainz_trackid", "a-b"), ("musicbrainz_artistid", "c-d"), ("compilation", "yes"),
      ].map { ID3Tag.Item(key: $0.0, value: $0.1) })
    let script = """
      import sys
      from mutagen.id3 import ID3
      tag = ID3(sys.argv[1], translate=False)
      for key in sorted(tag.keys()):
          frame = tag[key]
          text = getattr(frame, "text", [])
          print(key, getattr(frame, "url", None) or getattr(frame, "data", None)
                or (text if isinstance(text, str) else "|".join(map(str, text))))
      """
    let dates = [
      ID3Version.v24: ["TDOR 1999", "TDRL 2024-05-06"],
      ID3Version.v23: ["TORY 1999", "TXXX:release_date 2024-05-06"],
    ]
    let others = [
      "COMM::deu C", "COMM:Source:deu D", "MVNM Largo", "PCST ", "TCAT Arts", "TCMP 1",
      "TDES What it is about", "TGID urn:1", "TKWD a,b", "TLAN deu", "TSOT T",
      "TSRC DEA123456789", "TXXX:MusicBrainz Artist Id c-d", "UFID:http://musicbrainz.org b'a-b'",
      "USLT::deu La", "WFED https://example.org/feed.xml", "WOAF https://example.org/1",
      "WXXX: https://example.org", "WXXX:Notes https://example.org/n",
    ]
    try MP3Files.withFolder { folder in
      for version in ID3Version.allCases {
        let path = folder + "/a.mp3"
        try writeFile(path, try tag.encoded(as: version))
        let text = try MP3Files.run(["/usr/bin/python3", "-c", script, path]).text
        let expected = (others + (dates[version] ?? [])).sorted()
        #expect(text.split(separator: "\n").map { String($0) }.sorted() == expected)
      }
    }
  }

  @Test("A tag leaves room for a tagger's words where it is asked to")
  func padding() throws {
    let tag = ID3Tag(items: [.init(key: "title", value: "T")])
    let bytes = try tag.encoded(padding: 100)
    #expect(try bytes.count == tag.encoded().count + 100)
    #expect(bytes[6..<10] == [0, 0, 0, 112])
    #expect(ID3Tag(parsing: bytes) == tag)
    #expect(try ID3Tag().encoded(padding: 100) == [])
  }

  @Test("More chapters than tables in a table have room for are refused")
  func tooManyChapters() {
    let chapter = ID3Tag.Chapter(range: Self.range(0, 1), title: "")
    let tag = ID3Tag(chapters: Array(repeating: chapter, count: 65_026))
    let error = #expect(throws: ID3TagError.self) { try tag.encoded() }
    #expect(error?.message == "an ID3 tag holds at most 65025 chapters, not 65026")
  }

  @Test("More chapters than a table has room for are read back", arguments: [255, 256, 1000])
  func manyChapters(count: Int) throws {
    try MP3Files.withFolder { folder in
      let chapters = (0..<Int64(count)).map {
        ID3Tag.Chapter(range: Self.range($0 * 2, $0 * 2 + 2), title: "\($0)")
      }
      let path = try file(ID3Tag(chapters: chapters), in: folder)
      let text = try MP3Files.run([
        "ffprobe", "-v", "error", "-show_entries", "chapter_tags=title", "-of", "csv=p=0", path,
      ]).text
      let titles = text.split(separator: "\n").map { String($0) }
      #expect(titles == chapters.map(\.title))
      guard Self.hasMutagen else { return }
      let script = """
        import sys
        from mutagen.id3 import ID3
        tag = ID3(sys.argv[1])
        def walk(name):
            if "CHAP:" + name in tag: return [str(tag["CHAP:" + name].sub_frames["TIT2"])]
            return sum((walk(child) for child in tag["CTOC:" + name].child_element_ids), [])
        roots = [frame for frame in tag.getall("CTOC") if int(frame.flags) == 3]
        print(len(roots), len(tag.getall("CTOC")), " ".join(walk(roots[0].element_id)))
        """
      let tables = count <= 255 ? 1 : 1 + (count + 254) / 255
      #expect(
        try MP3Files.run(["/usr/bin/python3", "-c", script, path]).text
          == "1 \(tables) \(titles.joined(separator: " "))\n")
    }
  }
}
