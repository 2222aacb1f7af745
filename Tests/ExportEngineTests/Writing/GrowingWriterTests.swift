import Diagnosis
import ExportGraph
import Glibc
import LAME
import MPEGAudio
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Files that grow") struct GrowingWriterTests {
  let folder = TestFolder()
  let stereo = AudioFormat(sampleRate: 44_100, channelLayout: .stereo)

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  /// 16-bit noise that fits exactly into floats, as planes.
  private func noise(_ count: Int) -> [Float] {
    Signal.noise(seed: 5, count: count).map { ($0 * 32_768).rounded() / 32_768 }
  }

  private func write(_ sound: [Float], to writer: GrowingWriter, in step: Int) throws(Failure) {
    let block = AudioBuffer(channelCount: 2, capacity: step)
    var done = 0
    while done < sound.count {
      let count = min(step, sound.count - done)
      block.fill([sound, sound], from: done, count: count)
      block.frameCount = count
      try writer.write(block)
      done += count
    }
  }

  private func interleaved(_ sound: [Float]) -> [UInt8] {
    sound.flatMap { sample in
      let bytes = withUnsafeBytes(of: Int16(sample * 32_768).littleEndian, Array.init)
      return bytes + bytes
    }
  }

  private func decoded(_ name: String) throws -> [UInt8] {
    try Tool.succeed("ffmpeg", "-v", "error", "-i", folder.path(name), "-f", "s16le", "-").output
  }

  @Test(
    "what was settled can be played before the file is finished, by tools that nobody here wrote",
    arguments: [
      ("a.wav", Output.Format.wav(.int16)), ("a.flac", .flac(bitDepth: 16)),
      ("a.mp3", .mp3(MP3Settings(.cbr(bitRate: 128_000)))),
    ])
  func settled(name: String, format: Output.Format) throws {
    let sound = noise(50_000)
    let writer = try GrowingTarget(
      at: path(name), as: format, stereo, isDithered: false, replacing: false
    ).begin()
    try write(sound, to: writer, in: 777)
    try writer.settle()
    // As a process that is killed leaves it.
    try Tool.succeed("cp", folder.path(name), folder.path("killed-\(name)"))
    let bytes = try decoded("killed-\(name)")
    #expect(bytes.count / 4 > 44_000)
    if name != "a.mp3" { #expect(bytes == Array(interleaved(sound).prefix(bytes.count))) }
    let tools: [[String]] =
      switch name {
      case "a.wav": [["sox", "--info"], ["sndfile-info"]]
      case "a.flac": [["flac", "-t", "-s"], ["sox", "--info"]]
      default: [["mpg123", "-q", "-t"], ["mp3val"]]
      }
    for tool in tools {
      let result = try Tool.run(tool + [folder.path("killed-\(name)")])
      #expect(result.status == 0, "\(tool): \(result.errors)")
    }
    let written = try writer.finish()
    try writer.commit()
    #expect(written.frameCount == 50_000)
    let whole = try decoded(name)
    if name == "a.mp3" {
      #expect(whole.count == 200_000)
    } else {
      #expect(whole == interleaved(sound))
    }
  }

  @Test("an MP3 that is encoded as it comes has the bytes of one that is encoded in chunks")
  func sameMP3() throws {
    let setup = try EncoderSetup(.init(.cbr(bitRate: 128_000)), sampleRate: 44_100, channelCount: 2)
    let sound = noise(60_000)
    let block = AudioBuffer(channelCount: 2, capacity: sound.count)
    block.fill([sound, sound], from: 0, count: sound.count)
    var (streamed, chunked): ([UInt8], [UInt8]) = ([], [])
    let stream = try StreamEncoder(setup)
    var done = 0
    let piece = AudioBuffer(channelCount: 2, capacity: 5000)
    while done < sound.count {
      let count = min(4999, sound.count - done)
      piece.fill([sound, sound], from: done, count: count)
      try stream.encode(piece.planes, count: count, into: &streamed)
      done += count
    }
    let chunks = ChunkEncoder(setup)
    try chunks.encode(block.planes, count: sound.count, into: &chunked)
    let infos = (try stream.finish(into: &streamed), try chunks.finish(into: &chunked))
    #expect(streamed == chunked)
    #expect(infos.0 == infos.1)
  }

  @Test(
    "a full disk leaves what was settled before, and it can be played",
    arguments: [20_000, 60_000, 100_001] as [Int64])
  func fullDisk(limit: Int64) throws {
    let calls = FileCalls.disk(of: limit)
    let sound = noise(200_000)
    let format = WaveFormat(
      .integer, bits: 16, sampleRate: 44_100, channelCount: 2, channelMask: 3)
    let recipe = LibAVRecipe(
      wrapping: .chunks(WaveFile(format)), codec: .pcm(.int16, isBigEndian: false),
      sampleRate: 44_100, channelMask: 3,
      isDithered: false, firstFrame: 0, metadata: [], chapters: [])
    let flac = LibAVRecipe(
      wrapping: .muxer(.flac), codec: .flac(bitDepth: 16), sampleRate: 44_100, channelMask: 3,
      isDithered: false, firstFrame: 0, metadata: [], chapters: [])
    for (name, recipe) in [("a.wav", recipe), ("a.flac", flac)] {
      let file = try OutputFile.grow(
        at: FilePath(folder.path(name)), replacing: false, calls: calls)
      let writer = GrowingWriter(
        file, SoundTally(expectedFrames: nil, channelCount: 2),
        try LibAVEncoding.growing(file, recipe), sampleRate: 44_100)
      var failure: Failure?
      do throws(Failure) {
        let block = AudioBuffer(channelCount: 2, capacity: 1000)
        for start in stride(from: 0, to: sound.count, by: 1000) {
          block.fill([sound, sound], from: start, count: 1000)
          block.frameCount = 1000
          try writer.write(block)
          try writer.settle()
        }
      } catch {
        failure = error
      }
      #expect(failure?.remedy == .mendMachine)
      #expect(failure?.message.contains("make room on that disk") == true)
      let bytes = try decoded(name)
      #expect(bytes.count > 0 && bytes == Array(interleaved(sound).prefix(bytes.count)))
      if name == "a.wav" { #expect(bytes.count > Int(limit) - 20_000) }
      if name == "a.flac" { try Tool.succeed("flac", "-t", "-s", folder.path(name)) }
    }
  }

  @Test("an existing file is refused, or emptied by the beginning, and a growing one is locked")
  func exclusive() throws {
    try writeFile(folder.path("a.wav"), [1, 2, 3])
    func open(replacing: Bool) throws(Failure) -> GrowingTarget {
      try GrowingTarget(
        at: path("a.wav"), as: .wav(.int16), stereo, isDithered: false, replacing: replacing)
    }
    #expect(throws: Failure.self) { try open(replacing: false) }
    let target = try open(replacing: true)
    #expect(target.isReplacing)
    #expect(try readFile(folder.path("a.wav")) == [1, 2, 3])
    #expect { try open(replacing: true) } throws: { ($0 as? Failure)?.remedy == .tryAgain }
    let writer = try target.begin()
    #expect { try open(replacing: true) } throws: { ($0 as? Failure)?.remedy == .tryAgain }
    _ = try writer.finish()
    try writer.commit()
    #expect(try decoded("a.wav") == [])
    _ = try open(replacing: true)
  }

  @Test("past 4 GiB the header is RF64's, and tools find the length")
  func rf64() throws {
    for format in Output.Kind.wav.capabilities.sampleFormats where format != .gsm {
      let name = "\(format.rawValue).wav"
      let writer = try GrowingTarget(
        at: path(name), as: .wav(format), stereo, isDithered: false, replacing: false
      ).begin()
      writer.abandon()
      let wave = WaveFile(format.waveFormat(stereo, mask: 3))
      #expect(try readFile(folder.path(name)) == wave.head(soundSize: 0))
      let frameSize = Int64(2 * format.byteCount)
      let frames = 6_000_000_000 / frameSize
      // A hole, and a part of a frame that was written last.
      let size = frames * frameSize + 1
      try writeFile(folder.path(name), wave.head(soundSize: size))
      #expect(truncate(folder.path(name), off_t(wave.soundStart + size)) == 0)
      let probed = try Tool.succeed(
        "ffprobe", "-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0",
        folder.path(name)
      ).text
      #expect(probed == "\(frames)\n")
      let listed = try Tool.succeed("sndfile-info", folder.path(name)).text
      #expect(listed.contains("Frames      : \(frames)"), "\(listed)")
    }
  }

  @Test("marks are cues with labels after the sound, and the sound is complete")
  func marks() throws {
    let sound = noise(10_001)
    let writer = try GrowingTarget(
      at: path("a.wav"), as: .wav(.int16), stereo, isDithered: false, replacing: false
    ).begin()
    try write(sound, to: writer, in: 1000)
    writer.mark(500, "overrun, 1 frames lost")
    writer.mark(7000, "device gone")
    _ = try writer.finish()
    try writer.commit()
    #expect(try decoded("a.wav") == interleaved(sound))
    let text = try Tool.succeed("sndfile-info", folder.path("a.wav")).text
    #expect(text.contains("cue  : "), "\(text)")
    #expect(text.contains("overrun, 1 frames lost"), "\(text)")
  }
}
