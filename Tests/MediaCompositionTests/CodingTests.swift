import Diagnosis
import FoundationEssentials
import MPEGAudio
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Transcripts

@testable import MediaComposition

@Suite("Values as JSON")
struct CodingTests {
  private func thereAndBack<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
  }

  private func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test("an export is decoded as it was encoded, whatever is in it")
  func exports() throws {
    var dice = ValueDice(seed: 1)
    for _ in 0..<200 {
      let export = dice.export()
      #expect(try thereAndBack(export) == export)
    }
  }

  @Test("a track without times of its pictures is written as before there were any")
  func tracks() throws {
    var track = AssetTrack(index: 0, mediaType: .video, codec: "h264")
    let text = #"{"codec":"h264","index":0,"mediaType":"video"}"#
    #expect(try self.text(track) == text)
    #expect(try JSONDecoder().decode(AssetTrack.self, from: Data(text.utf8)) == track)
    track.frameDuration = Time(value: 1001, timescale: 30_000)
    track.firstPicture = .zero
    track.lastPictureEnd = Time(value: 1001, timescale: 100)
    track.hasDolbyVision = true
    track.roles = ["comment", "dub"]
    track.timecode = "01:00:00:00"
    track.styles = "9f"
    #expect(try thereAndBack(track) == track)
  }

  @Test("failures and warnings keep their file, their place and what is to be done")
  func failures() throws {
    var dice = ValueDice(seed: 2)
    for remedy in Failure.Remedy.allCases {
      let failure = Failure(remedy, dice.text(), path: dice.path(), origin: dice.origin())
      #expect(try thereAndBack(failure) == failure)
      let bare = Failure(remedy, dice.text())
      #expect(try thereAndBack(bare) == bare)
    }
    let warning = Warning(dice.text(), path: dice.path(), origin: dice.origin())
    #expect(try thereAndBack(warning) == warning)
  }

  @Test("a failure reads as it is")
  func screen() throws {
    let failure = Failure(.mendInput, "is empty", path: "a/é.wav", origin: Origin(rawValue: 7))
    #expect(
      try text(failure)
        == #"{"message":"is empty","origin":7,"path":"a/é.wav","remedy":"mendInput"}"#)
  }

  @Test("a path that is no UTF-8 is the list of its bytes, any other a text")
  func paths() throws {
    let odd = FilePath(bytes: Array("a/".utf8) + [0xFF, 0x80])
    #expect(try text(Artwork.file(odd)) == #"{"file":[97,47,255,128]}"#)
    #expect(try text(Artwork.file("a/b c.png")) == #"{"file":"a/b c.png"}"#)
    #expect(try thereAndBack(Artwork.file(odd)) == .file(odd))
    var dice = ValueDice(seed: 3)
    for _ in 0..<1000 {
      let path = CodedPath(wrappedValue: dice.path())
      #expect(try thereAndBack(path) == path)
    }
  }

  @Test(
    "what is no path is refused",
    arguments: [#""a\u0000b""#, "[97,0]", "[256]", "[-1]", "7", "null", "{}"])
  func hostilePaths(json: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(CodedPath.self, from: Data(json.utf8))
    }
  }

  @Test("a gain and a pan stay within their bounds, whoever wrote them")
  func bounds() throws {
    func decoded<Value: Decodable>(_ json: String) throws -> Value {
      try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }
    #expect(try decoded("-1") == Gain.silence)
    #expect(try decoded("1e300") == Gain(factor: 1e10))
    #expect(try decoded("-7") == Pan.left)
  }
}

/// Random values in which every case and every optional appears.
struct ValueDice {
  private var dice: Dice

  init(seed: UInt64) { dice = Dice(seed) }

  private mutating func flip() -> Bool { Bool.random(using: &dice) }
  private mutating func below(_ count: Int) -> Int { Int(dice.number(0..<Int64(count))) }
  private mutating func one<T>(of cases: some Collection<T>) -> T? {
    cases.randomElement(using: &dice)
  }
  private mutating func maybe<T>(_ make: (inout ValueDice) -> T) -> T? {
    flip() ? make(&self) : nil
  }
  private mutating func some<T>(_ make: (inout ValueDice) -> T) -> [T] {
    (0..<below(3)).map { _ in make(&self) }
  }
  private mutating func double() -> Double {
    Double(dice.number(-1_000_000..<1_000_000)) / Double(dice.number(1..<1000))
  }

  mutating func text() -> String {
    String(
      String.UnicodeScalarView(
        (0..<below(8)).compactMap { _ in one(of: ["a", "\n", "\"", "\\", "é", "\u{0}", "😀", "/"]) })
    )
  }

  mutating func path() -> FilePath {
    FilePath(bytes: (0..<below(9)).map { _ in UInt8(dice.number(1..<256)) })
  }

  mutating func origin() -> Origin { Origin(rawValue: UInt32(truncatingIfNeeded: dice.next())) }

  private mutating func time() -> Time {
    switch below(12) {
    case 0: .positiveInfinity
    case 1: .indefinite
    case 2: .invalid
    default:
      Time(
        value: Int64(bitPattern: dice.next()), timescale: Int32(dice.number(1..<Int64(Int32.max))))
    }
  }
  private mutating func range() -> TimeRange { TimeRange(start: time(), duration: time()) }
  private mutating func identity() -> FileIdentity {
    FileIdentity(
      device: dice.next(), inode: dice.next(), size: Int64(bitPattern: dice.next()),
      modificationTime: Int64(bitPattern: dice.next()))
  }
  private mutating func artwork() -> Artwork {
    if flip() { return .file(path()) }
    return .embedded(
      EmbeddedArtwork(
        media: .file(path()), place: place(),
        format: one(of: [.jpeg, .png, .other(text())]) ?? .png, byteCount: dice.number(0..<99),
        identity: identity()))
  }
  private mutating func place() -> EmbeddedArtwork.Place {
    guard flip() else { return .stream(below(9)) }
    let ranges = (0..<below(3)).map { Int64($0) * 100..<Int64($0) * 100 + dice.number(1..<99) }
    let form = one(of: [EmbeddedArtwork.Stored.Form.plain, .base64, .block]) ?? .plain
    return .bytes(EmbeddedArtwork.Stored(ranges: ranges, form: form))
  }
  private mutating func chapter() -> Chapter {
    Chapter(
      start: time(), title: text(), url: maybe { $0.text() }, image: maybe { $0.artwork() },
      isInherited: flip(), origin: origin())
  }
  private mutating func metadata() -> Metadata {
    var metadata = Metadata()
    for _ in 0..<below(4) { metadata[text()] = text() }
    metadata.cover = maybe { $0.artwork() }
    metadata.removesCover = flip()
    return metadata
  }
  private mutating func envelope() -> VolumeEnvelope {
    VolumeEnvelope(
      some { dice in
        VolumeRamp(
          from: Gain(factor: dice.double()), to: Gain(decibels: dice.double() / 1000),
          over: dice.range(), curve: dice.one(of: VolumeCurve.allCases) ?? .linear,
          picture: dice.maybe { $0.one(of: PictureTransition.allCases) } ?? nil)
      }, initial: maybe { Gain(factor: $0.double()) })
  }
  private mutating func mix() -> AudioMix {
    let pan = PanEnvelope(
      Pan(position: double() / 1e6),
      ramps: some { dice in PanRamp(from: .left, to: .right, over: dice.range()) })
    return AudioMix(
      gain: Gain(factor: double()), volume: envelope(), envelopes: some { $0.envelope() },
      pan: pan, invertsPolarity: flip())
  }
  private mutating func layout() -> ChannelLayout { ChannelLayout(mask: dice.next()) }

  mutating func asset() -> Asset {
    var asset = Asset(
      location: .file(path()), streamIndex: below(5), container: text(), codec: text(),
      sampleRate: below(200_000), channelLayout: layout(), bitDepth: maybe { $0.below(32) },
      frameCount: dice.number(0..<Int64.max), encoderDelay: maybe { $0.below(2000) },
      encoderPadding: maybe { $0.below(2000) }, announcedDuration: maybe { $0.time() },
      bitRate: maybe { $0.below(320_000) }, metadata: metadata(), chapters: some { $0.chapter() },
      identity: identity())
    asset.mp3Settings = maybe { $0.mp3() }
    asset.packetSetup = maybe { $0.text() }
    return asset
  }

  private mutating func mp3() -> MP3Settings {
    var settings = MP3Settings(
      one(of: [.vbr(quality: double()), .abr(bitRate: below(320_000)), .cbr(bitRate: 128_000)])
        ?? .vbr(quality: 2), quality: maybe { $0.below(10) })
    settings.stereoMode = one(of: MP3Settings.StereoMode.allCases) ?? .joint
    settings.lowpass = one(of: [.automatic, .hertz(below(20_000)), .off]) ?? .off
    settings.highpass = maybe { $0.below(20_000) }
    settings.minimumBitRate = maybe { $0.below(20_000) }
    settings.maximumBitRate = maybe { $0.below(20_000) }
    return settings
  }

  private mutating func segment(depth: Int) -> Segment {
    let content: Segment.Content =
      switch below(depth > 0 ? 3 : 2) {
      case 0: .silence
      case 1: .asset(asset())
      default: .composition(composition(depth: depth - 1))
      }
    return Segment(
      content, TimeMapping(source: range(), target: range()),
      channels: maybe { $0.flip() ? .channel($0.below(8)) : .layout($0.layout()) },
      isReversed: flip(),
      effects: [.highpass(frequency: double()), .lowpass(frequency: 1), .denoise(reduction: 3)],
      mix: mix(), chapters: some { $0.chapter() }, origin: origin())
  }

  private mutating func ducking() -> AudioDucking {
    AudioDucking(
      under: some { $0.text() }, by: double(), attack: time(), hold: time(), release: time(),
      threshold: Gain(factor: double()))
  }
  private mutating func composition(depth: Int) -> Composition {
    Composition(
      tracks: some { dice in
        Track(
          name: dice.maybe { $0.text() },
          mediaType: dice.one(of: Track.MediaType.allCases) ?? .audio,
          segments: dice.some { $0.segment(depth: depth) },
          isEnabled: dice.flip(), mix: dice.mix(), preferredVolume: Gain(factor: dice.double()),
          ducking: dice.maybe { $0.ducking() },
          timePitchAlgorithm: dice.one(of: TimePitchAlgorithm.allCases) ?? .spectral,
          origin: dice.origin())
      })
  }

  private mutating func output() -> Output {
    let formats: [Output.Format] = [
      .mp3(mp3()), .wav(.int16), .aiff(.int24), .caf(.float32), .flac(bitDepth: 24),
      .alac(bitDepth: 16), .m4a(bitRate: below(320_000)), .vorbis(.quality(double())),
      .vorbis(.bitRate(1)), .opus(bitRate: below(320_000)),
      .fdkAAC(FDKAACSettings(.bitRate(below(320_000)), profile: .heV2)),
    ]
    var output = Output(
      path: path(), format: one(of: formats) ?? .wav(.int16), sampleRate: maybe { $0.below(99) },
      channelLayout: maybe { $0.layout() }, metadata: metadata(),
      chapters: ChapterPlaces(inFile: flip(), sidecars: flip() ? [.podlove] : []),
      origin: origin())
    output.id3 = maybe { $0.one(of: ID3Version.allCases) ?? .v24 }
    output.transcript = TranscriptPlaces(
      sidecars: flip() ? [.vtt, .txt] : [], inFile: flip(), lyrics: flip(),
      lines: maybe { LineLayout(width: 1 + $0.below(99), readingSpeed: $0.maybe { $0.double() }) },
      wordSegments: flip())
    output.conform = maybe { dice in
      dice.some { ConformRequest($0.text(), origin: $0.origin()) }
    }
    return output
  }

  mutating func export() -> Export {
    Export(
      name: text(), composition: composition(depth: 2), timeRange: maybe { $0.range() },
      mix: mix(), sampleRate: maybe { $0.below(99) }, channelLayout: maybe { $0.layout() },
      metadata: metadata(), chapters: some { $0.chapter() }, outputs: some { $0.output() },
      records: some { ExportRecord(path: $0.path(), origin: $0.origin()) }, origin: origin())
  }
}
