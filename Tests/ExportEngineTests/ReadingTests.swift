import Diagnosis
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Thirty seconds of music in every format that is read, made once for all tests.
private let music: TestFolder = {
  let folder = TestFolder()
  let source = Fixture.path("feelings.ogg")
  do {
    for arguments in formats {
      try Tool.succeed(
        "sh", "-c",
        "ffmpeg -v error -i \(source) -map 0:a -map_metadata -1 \(arguments.options) \(folder.path(arguments.name))"
      )
    }
  } catch {
    Issue.record(error)
  }
  return folder
}()

private let formats: [(name: String, options: String)] = [
  ("u8.wav", "-c:a pcm_u8"), ("s16.wav", "-c:a pcm_s16le"), ("s24.wav", "-c:a pcm_s24le"),
  ("s32.wav", "-c:a pcm_s32le"), ("f32.wav", "-c:a pcm_f32le"),
  ("rf64.wav", "-c:a pcm_s16le -rf64 always"), ("mono8k.wav", "-ac 1 -ar 8000"),
  ("s51.wav", "-ac 6"), ("192k.wav", "-ar 192000"), ("s16.flac", "-sample_fmt s16"),
  ("s24.flac", "-sample_fmt s32"), ("lc.m4a", "-c:a aac -b:a 128k"),
  ("mono.m4a", "-c:a aac -ac 1 -ar 22050"), ("vorbis.ogg", "-c:a libvorbis"),
  ("opus.opus", "-c:a libopus -b:a 64k"), ("v2.mp3", "-c:a libmp3lame -q:a 2"),
  ("low.mp3", "-c:a libmp3lame -b:a 32k -ac 1 -ar 22050"),
  ("tiny.mp3", "-c:a libmp3lame -b:a 8k -ac 1 -ar 8000"),
  ("cbr.mp3", "-c:a libmp3lame -b:a 128k"), ("video.mkv", "-c:a aac"),
  ("video.webm", "-c:a libopus"),
  ("video.mp4", "-c:a aac -movflags +faststart"),
  ("video.ts", "-c:a aac"), ("video.avi", "-c:a libmp3lame"), ("adts.aac", "-c:a aac"),
]

/// ffmpeg's names of the decoders that the engine uses, where they are not the codec's.
private let decoders = ["opus": "libopus", "mp3": "mp3float"]

@Suite("Reading media")
struct ReadingTests {
  @Test("a range read through the engine is the slice of the whole", arguments: formats.map(\.name))
  func rangesEqualSlices(name: String) throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(music.path(name)))
    let whole = try readAll(asset)
    #expect(whole.count == asset.channelLayout.count)
    #expect(whole[0].count == Int(asset.frameCount))

    var random = Dice(12)
    let stream = try library.open(asset, noting: Damage())
    // Decoders hand over every 2^17 frames: the places just around that are the hard ones.
    let anchors = (1..<max(2, asset.frameCount >> 17)).flatMap { anchor in
      [-700, -1, 0, 1, 300].map { (anchor << 17) + $0 }
    }
    let starts =
      anchors + (0..<50).map { _ in Int64.random(in: 0..<asset.frameCount, using: &random) }
    for start in starts.shuffled(using: &random) where start < asset.frameCount {
      let length = Int(min(asset.frameCount - start, Int64.random(in: 1...30_000, using: &random)))
      let fresh = Bool.random(using: &random) ? try library.open(asset, noting: Damage()) : stream
      let range = try fresh.samples(start..<start + Int64(length), inBlocksOf: length)
      for channel in whole.indices {
        let slice = whole[channel][Int(start)..<Int(start) + length]
        #expect(
          slice.elementsEqual(range[channel]), "\(name) \(start) + \(length), channel \(channel)")
      }
    }
  }

  /// ffmpeg's own decode, where it is a witness: it keeps AAC's end padding in MP4 and drops or
  /// keeps the ends of its own Vorbis.
  @Test("the whole equals ffmpeg's decoding", arguments: formats.map(\.name))
  func wholeEqualsFFmpeg(name: String) throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(music.path(name)))
    let whole = try readAll(asset)
    let channels = whole.count
    // ffmpeg keeps AAC's priming in Matroska, though its muxer names it (from version 7 on).
    let priming = name.hasSuffix(".mkv") ? asset.encoderDelay ?? 0 : 0
    let oracle = try Tool.succeed(
      "ffmpeg", "-v", "error", "-c:a", decoders[asset.codec] ?? asset.codec, "-i",
      music.path(name), "-map", "0:a", "-f", "f32le", "-c:a", "pcm_f32le", "-"
    ).floats.dropFirst(priming * channels)
    if name.hasSuffix(".m4a") || name.hasSuffix(".mp4") || name.hasSuffix(".ogg") {
      #expect(oracle.count / channels >= whole[0].count)
      #expect(oracle.count / channels - whole[0].count <= 1024)
    } else {
      #expect(oracle.count / channels == whole[0].count)
    }
    var worst: Float = 0
    var first = -1
    for frame in 0..<min(whole[0].count, oracle.count / channels) {
      for channel in 0..<channels {
        let error = abs(
          whole[channel][frame] - oracle[oracle.startIndex + frame * channels + channel])
        if error > 0, first < 0 { first = frame }
        worst = max(worst, error)
      }
    }
    // Anchors restart AAC's noise generator and Opus' predictors: the same sound, other noise.
    let isAnchored = ["aac", "opus"].contains(asset.codec)
    #expect(worst <= (isAnchored ? 0.1 : 0), "\(name) first at \(first) of \(whole[0].count)")
  }

  @Test("an MP3 frame that does not decode is silent, and everything else is where it was")
  func damagedMP3Frame() throws {
    let folder = TestFolder()
    var bytes = try readFile(Fixture.path("librivox-sonnet.mp3"))
    let sound = try readAll(MediaLibrary().asset(at: FilePath(Fixture.path("librivox-sonnet.mp3"))))
    // Side information of ones: 511 big values, more than a granule holds.
    let index = try MPEGFile(MediumBytes(.file(FilePath(Fixture.path("librivox-sonnet.mp3")))))
      .scan().index
    let frame = index.byteRange(ofFrame: 700)
    for offset in frame.lowerBound + 4..<frame.upperBound { bytes[offset] = 0xFF }
    try writeFile(folder.path("damaged.mp3"), bytes)

    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(folder.path("damaged.mp3")))
    let damage = Damage()
    let damaged = try readAll(asset, damage)
    #expect(damaged[0].count == sound[0].count)
    #expect(damage.count > 0)
    let first = Int(index.firstSample(ofFrame: 700))
    #expect(damaged[0][..<(first - 1152)].elementsEqual(sound[0][..<(first - 1152)]))
    #expect(damaged[0][(first + 1152 * 12)...].elementsEqual(sound[0][(first + 1152 * 12)...]))
    #expect(damaged.joined().allSatisfy { abs($0) < 2 })
  }

  @Test(
    "a damaged place counts once, however often and in whatever direction it is read",
    arguments: ["flac", "m4a", "mka", "ogg"])
  func damageIsCountedOnce(extension name: String) throws {
    let folder = TestFolder()
    let whole = folder.path("whole." + name)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-t", "20", "-i", Fixture.path("feelings.ogg"),
      "-sample_fmt", name == "flac" ? "s16" : "fltp",
      "-c:a", ["flac": "flac", "ogg": "libvorbis"][name] ?? "aac", whole)
    var bytes = try readFile(whole)
    var dice = Dice(7)
    for place in 1...3 {
      let start = bytes.count * place / 5
      for offset in 0..<200 { bytes[start + offset] = UInt8(truncatingIfNeeded: dice.next()) }
    }
    let path = folder.path("damaged." + name)
    try writeFile(path, bytes)
    let asset = try MediaLibrary().asset(at: FilePath(path))
    let damage = Damage()
    let sound = try readAll(asset, damage)
    let count = damage.count
    // A page of Ogg that is damaged is no page, and Matroska goes on with the next cluster.
    if name == "flac" { #expect(count == 3) }
    if name == "m4a" { #expect(count > 0) }
    #expect(try readAll(asset, damage) == sound)
    let stream = try MediaLibrary().open(asset, noting: damage)
    for start in stride(from: asset.frameCount / 50_000 * 50_000, through: 0, by: -50_000) {
      let frames = start..<min(start + 50_000, asset.frameCount)
      let part = try stream.samples(frames, inBlocksOf: 50_000)[0]
      #expect(part.elementsEqual(sound[0][Int(start)..<Int(frames.upperBound)]))
    }
    #expect(damage.count == count)
  }

  @Test("a header's rate that no sound has is refused before it costs memory")
  func absurdRate() throws {
    let folder = TestFolder()
    var bytes = try readFile(Fixture.path("voice-8k.wav"))
    bytes.replaceSubrange(24..<28, with: [0x07, 0xCA, 0x9A, 0x3B])
    let path = FilePath(folder.path("fast.wav"))
    try writeFile(path.string, bytes)
    let failure = #expect(throws: Failure.self) { try MediaLibrary().asset(at: path) }
    #expect(failure?.remedy == .mendInput)
    #expect(failure?.message == "claims 1000000007 samples a second; sound has 1000 to 768000")
  }

  private func readAll(_ asset: Asset, _ damage: Damage = Damage()) throws -> [[Float]] {
    try MediaLibrary().open(asset, noting: damage).samples(0..<asset.frameCount)
  }
}
