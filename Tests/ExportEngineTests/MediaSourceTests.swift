import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Media of the program's own sources") struct MediaSourceTests {
  /// Files of the formats that are read in different ways, by FFmpeg's arguments.
  static let formats: [(name: String, arguments: [String])] = [
    ("cbr.mp3", ["-b:a", "128k"]), ("vbr.mp3", ["-q:a", "4"]), ("sound.flac", []),
    ("sound.wav", []), ("sound.m4a", ["-b:a", "96k"]),
    ("sound.ogg", ["-c:a", "libvorbis"]), ("sound.opus", ["-ar", "48000"]), ("sound.aac", []),
    ("sound.aiff", []), ("sound.caf", []), ("sound.mka", ["-c:a", "flac"]),
  ]

  /// The same bytes as sources of all kinds.
  static func sources(_ bytes: [UInt8], _ name: String, _ number: Int) -> [any MediaSource] {
    let id = "\(name)-\(number)"
    return [
      MediaData(bytes, name: name),
      TestSource(bytes, name: name),
      TestSource(bytes, name: name, longestRead: 777),
      TestSource(bytes, name: name, cacheIdentifier: id, validator: "1"),
      TestSource(
        bytes, name: name, cacheIdentifier: id + "-short", validator: "1", longestRead: 999),
      TestSource(bytes, name: name, cacheIdentifier: id + "-loose"),
      TestSource(bytes, name: name, hasLength: false),
      TestSource(bytes, name: name, hasRanges: false),
      TestSource(bytes, name: name, hasLength: false, hasRanges: false, longestRead: 5000),
      AssetResourceLoader(url: "own://host/\(name)", delegate: PieceDelegate(bytes, number)),
    ]
  }

  @Test("random reads of a source are those of a file with the same bytes", arguments: 0..<4)
  func reads(seed: Int) throws {
    let stage = try SourceStage()
    withExtendedLifetime(stage) {}
    var dice = Dice(UInt64(seed))
    let count = Int(dice.number(1..<300_000))
    let bytes = dice.bytes(count)
    for source in Self.sources(bytes, "random-\(seed)", seed) {
      let reader = try MediaNetwork.bytes(of: source)
      #expect(try reader.size() == Int64(bytes.count))
      for _ in 0..<40 {
        let offset = dice.number(0..<Int64(bytes.count) + 1000)
        let count = Int(dice.number(1..<70_000))
        var read = [UInt8](repeating: 0, count: count)
        let found = try read.withUnsafeMutableBytes { try reader.fill($0, from: offset) }
        let start = min(Int(offset), bytes.count)
        let expected = bytes[start..<min(bytes.count, start + count)]
        #expect(read[..<found] == expected, "\(source.name) at \(offset), \(count)")
      }
    }
  }

  @Test("sound of a source is that of the file, also from the middle", arguments: 0..<11)
  func sounds(index: Int) throws {
    let stage = try SourceStage()
    let (name, arguments) = Self.formats[index]
    let path = try stage.file(name, arguments)
    let bytes = try readFile(path)
    let file = MediaLocation.file(FilePath(path))
    let (whole, middle) = (try stage.sound(at: file), Time(value: 7, timescale: 5))
    let part = try stage.sound(at: file, from: middle)
    let asset = try stage.library.asset(at: file)
    for source in Self.sources(bytes, name, index) {
      #expect(try stage.sound(at: .source(source)) == whole, "\(source)")
      #expect(try stage.sound(at: .source(source), from: middle) == part, "\(source)")
      var found = try stage.library.asset(at: .source(source))
      (found.location, found.identity) = (asset.location, asset.identity)
      #expect(found == asset)
    }
  }

  @Test("files made of a source have the bytes of those made of the file")
  func exports() throws {
    let stage = try SourceStage()
    let path = try stage.file("copied.mp3", ["-b:a", "128k"])
    let flac = try stage.file("copied.flac", [])
    let start = Time(value: 1, timescale: 2)
    for (path, request, ending) in [
      (path, Output.Request.copied(.mp3), "mp3"), (path, .exactly(.wav(.int16)), "wav"),
      (flac, .exactly(.flac(bitDepth: 16)), "flac"),
    ] {
      let expected = try stage.export(
        .file(FilePath(path)), as: request, to: "a.\(ending)", from: start)
      let source = MediaData(try readFile(path), name: FilePath(path).lastComponent?.string ?? "")
      let made = try stage.export(.source(source), as: request, to: "b.\(ending)", from: start)
      #expect(made == expected, "\(ending)")
    }
  }

  @Test("several readers at once read what one reads")
  func readers() async throws {
    let stage = try SourceStage()
    let path = try stage.file("several.flac", [])
    let source = MediaLocation.source(
      TestSource(try readFile(path), name: "s.flac", longestRead: 3001))
    let expected = try stage.sound(at: .file(FilePath(path)))
    try await withThrowingTaskGroup { group in
      for _ in 0..<6 { group.addTask { try stage.sound(at: source) } }
      for try await sound in group { #expect(sound == expected) }
    }
  }

  @Test("an error in the middle is named with the source and the place")
  func fails() throws {
    let stage = try SourceStage()
    let bytes = try readFile(try stage.file("gap.wav", []))
    let source = TestSource(bytes, name: "vault://gap.wav")
    let asset = try stage.library.asset(at: .source(source))
    source.setGap(300_000..<400_000)
    let failure = #expect(throws: Failure.self) { try stage.sound(at: .source(source)) }
    #expect(
      "\(try #require(failure))"
        == "vault://gap.wav: cannot be read at byte 300000: the key is missing")
    #expect(failure?.remedy == .mendInput && failure?.location == .source(source))
    #expect(asset.location == .source(source))
  }

  /// A source that breaks a promise.
  private final class Liar: MediaSource {
    let name = "liar.wav"
    let count: Int
    let length: Int64?

    init(count: Int, length: Int64?) { (self.count, self.length) = (count, length) }

    func contentInformation() throws -> MediaContentInformation {
      MediaContentInformation(contentLength: length)
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int { count }
  }

  @Test("a source that gives less or more than it says is refused by name")
  func lies() throws {
    let stage = try SourceStage()
    for (count, length, message) in [
      (0, 1000, "ends after 0 bytes, though its length is 1000"),
      (-1, 1000, "says that it has read -1 bytes at byte 0, where there was room for"),
      (1 << 40, 1000, "says that it has read 1099511627776 bytes at byte 0"),
      (1, 0, "is empty (0 bytes)"), (1, -7, "says that its length is -7; mend the source"),
    ] {
      let liar = Liar(count: count, length: Int64(length))
      let failure = #expect(throws: Failure.self) { try stage.library.asset(at: .source(liar)) }
      #expect(failure?.message.hasPrefix(message) == true, "\(String(describing: failure))")
      #expect(failure?.location == .source(liar))
    }
  }

  @Test("a source is what it was as long as its validator says so")
  func identities() throws {
    let stage = try SourceStage()
    let bytes = try readFile(try stage.file("identity.wav", []))
    func identity(_ source: any MediaSource) throws -> FileIdentity {
      try stage.library.asset(at: .source(source)).identity
    }
    let first = TestSource(bytes, name: "a.wav", validator: "1")
    #expect(try identity(first) == identity(TestSource(bytes, name: "a.wav", validator: "1")))
    #expect(try identity(first) != identity(TestSource(bytes, name: "a.wav", validator: "2")))
    #expect(try identity(first) != identity(TestSource(bytes, name: "b.wav", validator: "1")))
    let (one, other) = (TestSource(bytes, name: "a.wav"), TestSource(bytes, name: "a.wav"))
    #expect(try identity(one) == identity(one) && identity(one) != identity(other))
    let data = MediaData(bytes, name: "d.wav")
    #expect(try identity(data) == identity(MediaData(bytes, name: "d.wav")))
    #expect(try identity(data) != identity(MediaData(bytes.dropLast(2), name: "d.wav")))
    first.setValidator("2")
    let failure = #expect(throws: Failure.self) { try stage.sound(at: .source(first)) }
    #expect(failure?.remedy == .tryAgain && failure?.message.hasPrefix("was changed") == true)
  }

  @Test("the fingerprint of an export changes with the content of a source alone")
  func fingerprints() throws {
    let stage = try SourceStage()
    let bytes = try readFile(try stage.file("print.wav", []))
    func sources(_ bytes: [UInt8]) throws -> [FileIdentity] {
      let asset = try stage.library.asset(at: .data(bytes, name: "print.wav"))
      var composition = Composition()
      try composition.insertTimeRange(
        TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)
      let export = Export(
        name: "print", composition: composition,
        outputs: [Output(path: "print.wav", format: .wav(.int16))])
      let session = ExportSession(export, library: stage.library)
      return try session.fingerprint { $0.bytes }.sources.map(\.identity)
    }
    #expect(try sources(bytes) == sources(bytes))
    var other = bytes
    other[5000] ^= 1
    #expect(try sources(bytes) != sources(other))
  }

  @Test("the type of a source without an extension says what has no header")
  func types() throws {
    let stage = try SourceStage()
    let path = stage.folder.path("call.g722")
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=d=2:r=16000", "-c:a", "g722", path)
    let bytes = try readFile(path)
    let typed = TestSource(bytes, name: "call", contentType: "audio/G722")
    let asset = try stage.library.asset(at: .source(typed))
    #expect(asset.codec == "adpcm_g722")
    #expect(try stage.sound(at: .source(typed)) == stage.sound(at: .file(FilePath(path))))
    #expect(MediaContentInformation(contentType: "audio/ogg; codecs=opus").fileExtension == "ogg")
    #expect(MediaContentInformation(contentType: "public.mp3").fileExtension == "mp3")
  }

  @Test("a location of a source has its name, and is no file for another process")
  func locations() throws {
    let source = TestSource([1], name: "vault://host/a/lecture.mp3?key=7")
    let location = MediaLocation.source(source)
    #expect(location.lastName == "lecture.mp3" && location.stem == "lecture")
    #expect(location.file == nil && location.url == nil && location.source === source)
    #expect(location == .source(source) && location != .source(TestSource([1], name: source.name)))
    #expect(MediaLocation.file("z") < location && !(location < location))
    let failure = #expect(throws: Failure.self) {
      try location.requireReadableByOtherProcesses()
    }
    #expect(failure?.message.contains("--isolate") == true && failure?.location == location)
  }
}
