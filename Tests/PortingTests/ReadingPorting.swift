import ExportEngine
import MediaComposition
import SystemPackage
import TestSupport
import Testing

/// Formats that players of AVFoundation's time have met, decoded as FFmpeg's own command does.
@Suite(.timeLimit(.minutes(5))) struct ReadingPorting {
  private let folder = TestFolder()

  private func requireSound(of name: String, frames: Int64, rate: Int) async throws {
    let (input, output) = (folder.path(name), folder.path("\(name).wav"))
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: FilePath(input))
    #expect(asset.frameCount == frames && asset.sampleRate == rate)
    let export = Export(
      name: name, composition: try Composition(asset),
      outputs: [Output(path: FilePath(output), format: .wav(.int16))])
    try await ExportSession(export, library: library).export()
    func samples(_ path: String) throws -> [UInt8] {
      try Tool.succeed("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-")
        .output
    }
    let sound = try samples(output)
    #expect(try sound == samples(input) && sound.count == Int(frames) * 2)
  }

  @Test("iLBC of 20 ms is read (RFC 3952, section 4.1)")
  func ilbc() async throws {
    var dice = Dice(22)
    var bytes = Array("#!iLBC20\n".utf8)
    for _ in 0..<100 {
      bytes += (0..<37).map { _ in UInt8(dice.number(0..<256)) }
      // The last bit says that there is no packet.
      bytes.append(UInt8(dice.number(0..<128) * 2))
    }
    try writeFile(folder.path("speech.lbc"), bytes)
    try await requireSound(of: "speech.lbc", frames: 16_000, rate: 8000)
  }

  @Test("Monkey's Audio is read, to its last frame")
  func monkeysAudio() async throws {
    let (blocks, last, count) = (73_728, 1000, 3)
    func word(_ value: Int, _ size: Int = 4) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    // A frame of silence: a checksum with flags, and the flag "mono silence"; then unused bytes.
    let frame = word(0x8000_0000) + word(1) + [UInt8](repeating: 0, count: 16)
    // Version 3.99: APE_DESCRIPTOR, APE_HEADER and the table of frames, as in FFmpeg's ape.c.
    var bytes = Array("MAC ".utf8) + word(3990, 2) + word(0, 2) + word(52) + word(24)
    bytes += word(4 * count) + word(0) + word(count * frame.count) + word(0) + word(0)
    bytes += [UInt8](repeating: 0, count: 16)
    bytes += word(2000, 2) + word(0x20, 2) + word(blocks) + word(last) + word(count)
    bytes += word(16, 2) + word(1, 2) + word(44_100)
    for index in 0..<count { bytes += word(52 + 24 + 4 * count + index * frame.count) }
    for _ in 0..<count { bytes += frame }
    try writeFile(folder.path("silence.ape"), bytes)
    let frames = Int64((count - 1) * blocks + last)
    try await requireSound(of: "silence.ape", frames: frames, rate: 44_100)
  }

  @Test("the sound of a RealMedia video is read, whatever its picture is")
  func realMedia() async throws {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("voice-8k.wav"), "-f", "lavfi", "-i",
      "testsrc=size=160x128:rate=10", "-map", "0:a", "-map", "1:v", "-t", "3", "-c:a", "real_144",
      "-c:v", "rv10", "-f", "rm", folder.path("talk.rmvb"))
    try await requireSound(of: "talk.rmvb", frames: 24_160, rate: 8000)
  }

  @Test(
    "IMA4, µ-law and a-law are read in WAV, AIFF-C and CAF",
    arguments: [
      ("ima.wav", "adpcm_ima_wav"), ("ima.aifc", "adpcm_ima_qt"), ("ima.caf", "adpcm_ima_qt"),
      ("mu.wav", "pcm_mulaw"), ("mu.aifc", "pcm_mulaw"), ("a.caf", "pcm_alaw"),
    ])
  func compressed(name: String, codec: String) async throws {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("voice-8k.wav"), "-t", "4", "-c:a", codec,
      "-f", String(name.split(separator: ".")[1].prefix(4) == "aifc" ? "aiff" : name.suffix(3)),
      folder.path(name))
    let asset = try await MediaLibrary().loadAsset(at: FilePath(folder.path(name)))
    // The last block is whole, or as long as its container says.
    #expect((32_000..<33_100).contains(asset.frameCount))
    try await requireSound(of: name, frames: asset.frameCount, rate: 8000)
  }

  @Test(
    "the sound of videos is read, whatever their pictures are",
    arguments: [
      ("film.mp4", "-c:v libx264 -c:a aac"), ("film.mov", "-c:v mpeg4 -c:a aac"),
      ("film.3gp", "-c:v h263 -c:a aac"), ("film.avi", "-c:v libxvid -c:a libmp3lame"),
      ("film.wmv", "-c:v wmv2 -c:a wmav2 -f asf"), ("film.mkv", "-c:v libx264 -c:a libvorbis"),
      ("film.mpg", "-c:v mpeg1video -r 25 -c:a mp2"), ("film.flv", "-c:v flv -c:a libmp3lame"),
    ])
  func videos(name: String, options: String) async throws {
    let words = [
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=176x144:rate=25", "-i",
    ]
    let made = try Tool.run(
      words + [Fixture.path("feelings.ogg"), "-map", "0:v", "-map", "1:a", "-t", "4", "-ac", "1"]
        + options.split(separator: " ").map(String.init) + [folder.path(name)])
    #expect(made.status == 0, "\(made.errors)")
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: FilePath(folder.path(name)))
    var sound: [Float] = []
    for try await buffer in try AssetReader(asset, library: library) { sound += buffer.channel(0) }
    let decoded = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", folder.path(name), "-map", "0:a", "-f", "f32le", "-"
    ).floats
    // ffmpeg decodes the last packet of an edit list as a whole.
    #expect((0..<2048).contains(decoded.count - sound.count) && sound.count > 4 * 44_000)
    #expect(zip(sound, decoded).map { abs($0 - $1) }.max() ?? 1 < 0.02)
  }
}
