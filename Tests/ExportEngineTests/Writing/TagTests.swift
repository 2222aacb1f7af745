import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Sound writers: tags, chapters, covers and refusals")
struct TagTests {
  let folder = TestFolder()
  let tone = Signal.sine(frequency: 440, sampleRate: 44100, count: 88_200)

  private var chapters: [Chapter] {
    [
      Chapter(start: .zero, title: "First"),
      Chapter(start: Time(value: 1, timescale: 2), title: "Zweites – ü"),
      Chapter(start: Time(value: 3, timescale: 2), title: "Last"),
    ]
  }

  /// A cover that ffmpeg made.
  private func cover(_ name: String) throws -> FilePath {
    let path = folder.path(name)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=40x30", "-frames:v", "1", path)
    return FilePath(path)
  }

  /// Formats that hold covers and chapters.
  static let rich: [Output.Format] = [
    .m4a(bitRate: 96_000), .alac(bitDepth: 16), .mp3(.standard), .flac(bitDepth: 16),
    .vorbis(.standard), .opus(bitRate: 64_000), .aiff(.int16),
  ]

  @Test("tags, chapters and cover can be read by ffprobe", arguments: Self.rich)
  func everything(format: Output.Format) throws {
    let name = format.kind.capabilities.extensions[0]
    for image in ["a.png", "a.jpg"] {
      var metadata = Metadata()
      metadata["title"] = "Töne"
      metadata["artist"] = "A. Sine"
      metadata["album"] = "Tests"
      metadata["track"] = "3/12"
      metadata.cover = .file(try cover(image))
      let path = folder.path("a." + name)
      try writeSound([tone], to: path, format, metadata: metadata, chapters: chapters)
      // Ogg's tags are its stream's.
      let place = ["ogg", "opus"].contains(name) ? "stream_tags=" : "format_tags="
      for (key, value) in [("title", "Töne"), ("artist", "A. Sine"), ("album", "Tests")] {
        #expect(try probe(path, place + key, "-select_streams", "a") == value)
      }
      #expect(try probe(path, "stream=codec_name,width", "-select_streams", "v").hasSuffix("40"))
      #expect(
        try probe(path, "chapter=start_time:chapter_tags=title")
          == "0.000000\nFirst\n0.500000\nZweites – ü\n1.500000\nLast")
      // Vorbis comments hold starts only.
      if !["flac", "ogg", "opus"].contains(name) {
        #expect(try probe(path, "chapter=end_time").hasSuffix("\n2.000000"))
      }
      #expect(try !probe(path, "format_tags").lowercased().contains("lav"))
      let sound = try Tool.succeed(
        "ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "f32le", "-")
      #expect(sound.errors == "" && sound.floats.count >= tone.count)
    }
    try Tool.succeed("rm", "-f", folder.path("a.png"))
  }

  @Test(
    "every tag is either in the file or named as left out",
    arguments: rich.filter { !$0.kind.capabilities.hasID3 } + [.wav(.int16), .caf(.int16)])
  func omittedTags(format: Output.Format) throws {
    let name = format.kind.capabilities.extensions[0]
    var metadata = Metadata()
    for key in [
      "title", "Artist", "album", "album_artist", "composer", "date", "genre", "comment",
      "copyright", "track", "disc", "publisher", "performer", "language", "encoded_by", "lyrics",
      "synopsis", "show", "grouping", "isrc", "url", "TBPM", "mood", "Encoder", "encoder-x",
    ] {
      metadata[key] = "7"
    }
    let path = folder.path("a." + name)
    try writeSound([tone], to: path, format, metadata: metadata)
    // Ogg's tags are its stream's.
    let place = ["ogg", "opus"].contains(name) ? "stream_tags" : "format_tags"
    let written = try probe(path, place, "-of", "default=nw=1").lowercased()
    let lost =
      omissions(
        of: sink(format, metadata: metadata)
      ).first?.message.split(separator: " ").map { $0.filter { $0 != "," && $0 != ":" } } ?? []
    // Names of atoms and fields, as FFmpeg has them.
    let isMP4 = format.kind == .alac || format.kind == .aac
    var others = ["encoded_by": "encodedby"]
    if isMP4 { others["TBPM"] = "tmpo" }
    for item in metadata.items {
      let isWritten = written.split(separator: "\n").contains { line in
        [item.key, others[item.key] ?? item.key].contains {
          line.hasPrefix("tag:" + $0.lowercased() + "=")
        }
      }
      #expect(isWritten == !lost.contains(item.key), "\(item.key)")
    }
  }

  @Test(
    "a tag that FFmpeg might have written itself is kept, and no chapter suffers", arguments: rich)
  func encoderTags(format: Output.Format) throws {
    var metadata = Metadata()
    for key in ["title", "encoder", "encoder-settings", "artist"] { metadata[key] = "My \(key)" }
    let path = folder.path("a." + format.kind.capabilities.extensions[0])
    try writeSound([tone], to: path, format, metadata: metadata, chapters: chapters)
    #expect(
      try probe(path, "chapter=start_time:chapter_tags=title")
        == "0.000000\nFirst\n0.500000\nZweites – ü\n1.500000\nLast")
    let tags = try probe(path, "format_tags:stream_tags", "-of", "default=nw=1").lowercased()
    #expect(!tags.contains("chapter0"))
    let lost = omissions(of: sink(format, metadata: metadata)).map(\.message)
    if lost.isEmpty { #expect(tags.contains("tag:encoder=my encoder")) }
  }

  @Test("a tag of another program's name is written under the format's own")
  func otherNames() {
    var metadata = Metadata()
    metadata["tracknumber"] = "3"
    metadata["Year"] = "2026"
    metadata["albumartist"] = "A"
    let omitted = omissions(of: sink(.m4a(bitRate: 1), metadata: metadata)).map(\.message)
    #expect(omitted == [])
    #expect(Output.Kind.aac.capabilities.tagName(of: "Year") == "date")
    #expect(Output.Kind.aac.capabilities.tagName(of: "albumartist") == "album_artist")
    #expect(Output.Kind.wav.capabilities.tagName(of: "tracknumber") == "track")
    #expect(Output.Kind.flac.capabilities.tagName(of: "version") == "version")
    #expect(Output.Kind.mp3.capabilities.tagName(of: "Year") == "Year")
  }

  @Test("content without a place in a format is reported")
  func omittedParts() throws {
    var metadata = Metadata()
    metadata["title"] = "T"
    metadata["mood"] = "calm"
    metadata["disc"] = "1"
    metadata.cover = .picture(.file("cover.png"))
    var linked = chapters
    linked[1].url = "https://example.org"
    #expect(
      omissions(of: sink(.wav(.int16), metadata: metadata, chapters: linked)).map(\.message) == [
        "WAV has no place for the tags mood, disc: left out",
        "WAV has no place for the cover: left out",
        "WAV has no place for the chapters' links: left out",
      ])
    #expect(
      omissions(of: sink(.m4a(bitRate: 1), metadata: metadata, chapters: linked)).map(\.message)
        == ["M4A has no place for the chapters' links: left out"])
    #expect(omissions(of: sink(.mp3(.standard), metadata: metadata, chapters: linked)) == [])
  }

  @Test("tags that need another frame are reported, since players do not read it")
  func misfits() {
    var metadata = Metadata()
    for (key, value) in [
      ("title", "T"), ("date", "2024-05"), ("mood", "calm"), ("podcast", "false"),
      ("language", "de"), ("Shelf", "7"),
    ] { metadata[key] = value }
    #expect(omissions(of: sink(.mp3(.standard), metadata: metadata)) == [])
    metadata["date"] = "May"
    #expect(
      omissions(of: sink(.aiff(.int16), metadata: metadata)).map(\.message) == [
        "the tag 'date' has no valid form for ID3: 'May' becomes a text of its own "
          + "(TXXX), which few players show"
      ])
    metadata["podcast_url"] = "not a link"
    #expect(
      omissions(of: sink(.mp3(.standard), metadata: metadata)).map(\.message) == [
        "the tags 'date', 'podcast_url' have no valid form for ID3: they become texts of "
          + "their own (TXXX), which few players show"
      ])
    #expect(omissions(of: sink(.flac(bitDepth: 16), metadata: metadata)) == [])
  }

  @Test("links of chapters that go elsewhere are not missed in a file that has no place for them")
  func chaptersElsewhere() {
    var linked = chapters
    linked[1].url = "https://example.org"
    let cases: [(Output.Format, ChapterPlaces, [String])] = [
      (.wav(.int16), ChapterPlaces(inFile: false), []),
      (.wav(.int16), ChapterPlaces(inFile: false, sidecars: [.podlove]), []),
      (.wav(.int16), ChapterPlaces(sidecars: [.podlove]), []),
      (
        .wav(.int16), ChapterPlaces(),
        ["WAV has no place for the chapters' links: left out"]
      ),
      (.m4a(bitRate: 1), ChapterPlaces(sidecars: [.podcasting2]), []),
    ]
    for (format, places, messages) in cases {
      var sink = sink(format, metadata: Metadata(), chapters: linked)
      sink.output.chapters = places
      #expect(omissions(of: sink).map(\.message) == messages)
    }
    var framed = sink(.mp3(.standard), metadata: Metadata(), chapters: linked)
    framed.output.chapters.sidecars = [.podlove]
    framed.chapters[0].image = .embedded(
      EmbeddedArtwork(
        media: .file("a.mp3"), place: .stream(1), format: .png, byteCount: 1,
        identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1)))
    #expect(
      omissions(of: framed).map(\.message) == [
        "'a.psc' names files, and has no place for images that lie in media files: left out"
      ])
  }

  @Test("images of chapters in files that no output can hold are reported")
  func chapterImages() {
    func image(_ format: EmbeddedArtwork.Format, _ byteCount: Int64) -> Artwork {
      .embedded(
        EmbeddedArtwork(
          media: .file("a.mp3"), place: .stream(1), format: format, byteCount: byteCount,
          identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1)))
    }
    var framed = chapters
    framed[0].image = image(.png, 1)
    framed[1].image = image(.jpeg, 1 << 25)
    func told(_ format: Output.Format) -> [String] {
      omissions(of: sink(format, metadata: Metadata(), chapters: framed)).map(\.message)
    }
    let large = "the image of '\(chapters[1].title)' is larger than 16 MB"
    #expect(told(.mp3(.standard)) == [large + ": left out"])
    framed[2].image = image(.other("WebP"), 1)
    #expect(told(.aiff(.int16)) == [large + ": left out, and so is one more"])
    #expect(
      told(.m4a(bitRate: 1)) == ["M4A has no place for the chapters' images: left out"])
    framed[1].image = nil
    #expect(
      told(.mp3(.standard)) == [
        "the image of '\(chapters[2].title)' is a WebP picture, and outputs hold JPEG and PNG: left out"
      ])
  }

  @Test("missing content of a source is not reported, missing content of the job is")
  func inheritedParts() throws {
    var own = Metadata()
    own["mood"] = "calm"
    own["disc"] = "1"
    var brought = chapters[0]
    brought.isInherited = true
    let source = Asset(
      location: .file("a.mp3"), streamIndex: 0, container: "mp3", codec: "mp3", sampleRate: 44_100,
      channelLayout: .mono, frameCount: 1, metadata: own, chapters: [brought],
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
    let silent = sink(.wav(.int16), metadata: own, chapters: [brought])
    #expect(omissions(of: silent.besides([source])) == [])
    #expect(
      omissions(of: silent.broughtAlong(by: [source])).map(\.message) == [
        "WAV has no place for the tags mood, disc: left out"
      ])
    own["mood"] = "wild"
    let asked = sink(.wav(.int16), metadata: own, chapters: chapters)
    #expect(
      omissions(of: asked.besides([source])).map(\.message) == [
        "WAV has no place for the tags mood: left out"
      ])
  }

  private func sink(
    _ format: Output.Format, metadata: Metadata, chapters: [Chapter] = []
  ) -> Sink {
    Sink(
      node: 0, frames: 0..<1, output: Output(path: "a", format: format), metadata: metadata,
      chapters: chapters,
      isDithered: false)
  }

  @Test("a first chapter that begins late begins late in M4A, too: the time before has no title")
  func lateChapters() throws {
    let path = folder.path("late.m4a")
    let late = Array(chapters.dropFirst())
    try writeSound([tone], to: path, .m4a(bitRate: 96_000), chapters: late)
    #expect(
      try probe(path, "chapter=start_time:chapter_tags=title")
        == "0.000000\n\n0.500000\nZweites – ü\n1.500000\nLast")
  }

  @Test("M4A with chapters and a cover still announces exactly its frames")
  func m4aLength() throws {
    let path = folder.path("a.m4a")
    var metadata = Metadata()
    metadata.cover = .file(try cover("a.png"))
    let sound = Array(tone[..<77_777])
    try writeSound([sound], to: path, .m4a(bitRate: 96_000), metadata: metadata, chapters: chapters)
    #expect(try probe(path, "stream=duration_ts", "-select_streams", "a") == "77777")
    let facts = try Tool.succeed("mediainfo", "--Inform=Audio;%Duration%", path).text.trimmed
    #expect(facts == "1764")
  }

  @Test(
    "chapters that begin at one time are refused, also at the start", arguments: [0, 1] as [Int64])
  func chaptersAtOnce(second: Int64) throws {
    let chapters = ["One", "Two"].map {
      Chapter(start: Time(value: second, timescale: 1), title: $0)
    }
    let failure = #expect(throws: Failure.self) {
      try writeSound([tone], to: folder.path("a.m4a"), .m4a(bitRate: 96_000), chapters: chapters)
    }
    #expect(failure?.message == "the chapters 'One' and 'Two' begin at one time")
  }

  @Test("a chapter that does not begin before the end is refused, at its place")
  func lateChapter() throws {
    var late = chapters
    late[2].start = Time(value: 2, timescale: 1)
    late[2].origin = Origin(rawValue: 7)
    let failure = #expect(throws: Failure.self) {
      try writeSound([tone], to: folder.path("a.m4a"), .m4a(bitRate: 96_000), chapters: late)
    }
    #expect(failure?.message == "the chapter 'Last' does not begin before the end")
    #expect(failure?.origin == Origin(rawValue: 7))
    #expect(try entries(of: folder.root) == [])
  }

  @Test("covers that are no pictures are refused, and no file is left")
  func badCovers() throws {
    try writeFile(folder.path("text.png"), "no picture".utf8)
    try writeFile(folder.path("cut.png"), try readFile(cover("a.png").string).prefix(20))
    try writeFile(folder.path("half.png"), try readFile(cover("b.png").string).dropLast(40))
    try writeFile(folder.path("half.jpg"), try readFile(cover("b.jpg").string).dropLast(40))
    try writeFile(folder.path("empty.png"), [])
    try Tool.succeed("mkfifo", folder.path("pipe.png"))
    try Tool.succeed("truncate", "-s", "17M", folder.path("huge.png"))
    try Tool.succeed("rm", folder.path("a.png"))
    let cutOff = "the cover is cut off: its file ends before the picture does"
    let noPicture = "the cover is neither a JPEG nor a PNG picture"
    let cases = [
      ("half.png", cutOff), ("half.jpg", cutOff),
      ("empty.png", noPicture), ("text.png", noPicture), ("cut.png", noPicture),
      ("", "the cover is no regular file"),
      ("pipe.png", "the cover is no regular file"),
      ("huge.png", "the cover is larger than 16 MB; make it smaller"),
      ("none.png", "cannot open the cover: No such file or directory"),
    ]
    for (name, message) in cases {
      var metadata = Metadata()
      metadata.cover = .file(FilePath(folder.path(name)))
      for format in [Output.Format.m4a(bitRate: 96_000), .mp3(.standard), .flac(bitDepth: 16)] {
        let failure = #expect(throws: Failure.self) {
          try writeSound([tone], to: folder.path("out"), format, metadata: metadata)
        }
        #expect(failure?.message == message)
        #expect(failure?.location == metadata.cover?.location)
        #expect(failure?.remedy == .mendInput)
      }
    }
    #expect(try !entries(of: folder.root).contains { $0.contains("out") })
  }

  @Test("a picture that claims to be huge is refused without being decoded")
  func hugeCover() throws {
    var png = try readFile(cover("a.png").string)
    png.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xDC, 0, 0, 0xFF, 0xDC])
    try writeFile(folder.path("big.png"), png)
    var metadata = Metadata()
    metadata.cover = .file(FilePath(folder.path("big.png")))
    let failure = #expect(throws: Failure.self) {
      try writeSound([tone], to: folder.path("a.m4a"), .m4a(bitRate: 96_000), metadata: metadata)
    }
    #expect(failure?.message == "the cover is damaged: its chunk 'IHDR' has a wrong checksum")
  }

  @Test("a wrong number of frames, or samples that are no numbers, are the engine's own fault")
  func brokenPromises() throws {
    let cases: [(Int64, [Float], String)] = [
      (3, [0, 0], "was given 2 frames of sound instead of 3"),
      (1, [0, 0], "was given 2 frames of sound instead of 1"),
      (2, [0, .nan], "was given nan in channel 1 of frame 1, which is no finite number"),
      (2, [-.infinity, 0], "was given -inf in channel 1 of frame 0, which is no finite number"),
    ]
    for format in [Output.Format.mp3(.standard), .wav(.int16), .wav(.float32)] {
      for (announced, samples, message) in cases {
        let sink = Sink(
          node: 0, frames: 0..<announced,
          output: Output(path: FilePath(folder.path("a")), format: format), metadata: Metadata(),
          chapters: [], isDithered: false)
        let writer = try makeWriter(
          for: sink, format: AudioFormat(sampleRate: 44100, channelLayout: .mono))
        let block = AudioBuffer(channelCount: 1, capacity: 8)
        block.fill([samples], from: 0, count: samples.count)
        let failure = #expect(throws: Failure.self) {
          try writer.write(block)
          _ = try writer.finish()
        }
        #expect(failure?.message == message)
        #expect(failure?.remedy == .reportBug)
        #expect(failure?.path == FilePath(folder.path("a")))
        #expect(try entries(of: folder.root) == [])
      }
    }
  }
}
