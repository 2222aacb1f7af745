import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Writing buffers")
struct AssetWriterTests {
  let stage = Stage()
  private static let rate = 44_100
  private static let channels = [
    Signal.glide(sampleRate: rate, count: 60_123),
    Signal.noise(seed: 9, count: 60_123, amplitude: 0.3),
  ]

  private var writerFolder: String { stage.folder.path("written") }

  private func output(_ name: String, _ format: Output.Format) -> Output {
    Output(path: FilePath("\(writerFolder)/\(name)"), format: format)
  }

  /// Buffers of random lengths.
  private func append(
    _ channels: [[Float]], to writer: AssetWriter, _ dice: inout Dice
  ) async throws {
    var first = 0
    while first < channels[0].count {
      let count = min(Int(dice.number(1..<9000)), channels[0].count - first)
      let buffer = try PCMBuffer(
        planes: channels.map { Array($0[first..<first + count]) }, sampleRate: Self.rate,
        channelLayout: .stereo, at: Time(frames: Int64(first), rate: Self.rate))
      try await writer.append(buffer)
      first += count
    }
  }

  private func writer(_ output: Output, chapters: [Chapter] = []) throws -> AssetWriter {
    var metadata = Metadata()
    metadata["title"] = "Buffers"
    return try AssetWriter(
      output, sampleRate: Self.rate, channelLayout: .stereo, metadata: metadata,
      chapters: chapters)
  }

  /// What an export writes of the same samples in a float WAV.
  private func exported(_ output: Output, chapters: [Chapter] = []) throws -> [UInt8] {
    let asset = try stage.sound(Self.channels, rate: Self.rate, name: "same.wav")
    var output = output
    output.path = FilePath(stage.folder.path("exported")).appending(
      output.path.lastComponent?.string ?? "")
    var export = Export(
      name: output.path.stem ?? "", composition: composition(clip(asset)), chapters: chapters,
      outputs: [output])
    export.metadata["title"] = "Buffers"
    _ = try ExportSession(export, library: stage.library).run()
    return try readFile(output.path.string)
  }

  @Test(
    "a file is what an export writes of the same samples, byte for byte",
    arguments: [
      ("a.wav", .wav(.int16)), ("a.flac", .flac(bitDepth: 16)),
      ("a.mp3", .mp3(MP3Settings(.vbr(quality: 2)))), ("a.m4a", .m4a(bitRate: 128_000)),
      ("a.opus", .opus(bitRate: 96_000)), ("a.aiff", .aiff(.int24)),
      ("b.m4a", .alac(bitDepth: 16)), ("a.ogg", .vorbis(.quality(4))),
    ] as [(String, Output.Format)])
  func equalsExport(name: String, format: Output.Format) async throws {
    let output = output(name, format)
    let chapters =
      ["ogg", "opus", "m4a", "mp3"].contains { name.hasSuffix($0) }
      ? [
        Chapter(start: .zero, title: "One"),
        Chapter(start: Time(value: 1, timescale: 2), title: "Two"),
      ]
      : []
    let writer = try writer(output, chapters: chapters)
    var dice = Dice(UInt64(name.utf8.count))
    try await append(Self.channels, to: writer, &dice)
    #expect(!stage.folder.names.contains(name))
    let report = try await writer.finish()
    #expect(report.outputs.map(\.path) == [output.path])
    #expect(try readFile(output.path.string) == exported(output, chapters: chapters))
    // The temporary is gone.
    #expect(try Tool.succeed("ls", "-A", writerFolder).text == name + "\n")
  }

  @Test("what is brought to a loudness is so, too, and files beside it are written")
  func loudness() async throws {
    var output = output("loud.wav", .wav(.int16))
    output.loudness = LoudnessTarget(.integrated(-30))
    let writer = try writer(output)
    var dice = Dice(1)
    try await append(Self.channels, to: writer, &dice)
    let report = try await writer.finish()
    #expect(report.outputs[0].correction != nil)
    #expect(try readFile(output.path.string) == exported(output))
  }

  @Test("integers and interleaved samples are what their floats are")
  func types() async throws {
    var files: [[UInt8]] = []
    let floats = Self.channels.map { $0[..<5000].map { ($0 * 0x1p15).rounded() * 0x1p-15 } }
    func integers<Sample: BinaryInteger>(_ scale: Float) -> [Sample] {
      (0..<5000).flatMap { frame in floats.map { Sample($0[frame] * scale) } }
    }
    let all: [PCMBuffer.Samples] = [
      .float32((0..<5000).flatMap { frame in floats.map { $0[frame] } }),
      .int16(integers(0x1p15)), .int24(integers(0x1p23)), .int32(integers(0x1p31)),
    ]
    for samples in all {
      let output = output("types.wav", .wav(.float32))
      let writer = try writer(output)
      try await writer.append(
        PCMBuffer(
          samples, sampleRate: Self.rate, channelLayout: .stereo, isInterleaved: true))
      try await writer.finish()
      files.append(try readFile(output.path.string))
    }
    #expect(files.allSatisfy { $0 == files[0] })
  }

  @Test("a gap between two buffers is silent, and the first buffer's moment is the start")
  func gap() async throws {
    let output = output("gap.wav", .wav(.float32))
    let writer = try writer(output)
    let start = Time(value: 7, timescale: 3)
    func buffer(_ frame: Int64) throws -> PCMBuffer {
      try PCMBuffer(
        planes: [[0.5, 0.25], [-0.5, -0.25]], sampleRate: Self.rate, channelLayout: .stereo,
        at: start + Time(frames: frame, rate: Self.rate))
    }
    try await writer.append(buffer(0))
    try await writer.append(buffer(10_002))
    let failure = await #expect(throws: Failure.self) {
      try await writer.append(buffer(10_003))
    }
    #expect(failure?.message.contains("before the end of the one before it") == true)
    try await writer.append(planes: [[1, 1], [1, 1]])
    try await writer.finish()
    let sound = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", output.path.string, "-f", "f32le", "-"
    ).floats
    let two: [Float] = [0.5, -0.5, 0.25, -0.25]
    #expect(
      sound == two + Array(repeating: 0, count: 20_000) + two + [1, 1, 1, 1])
  }

  @Test("a buffer that does not fit is refused, and the writer survives it")
  func refusals() async throws {
    let output = output("refused.wav", .wav(.int16))
    let writer = try writer(output)
    func message(_ planes: [[Float]], rate: Int = Self.rate, _ layout: ChannelLayout = .stereo)
      async throws -> String?
    {
      let buffer = try PCMBuffer(planes: planes, sampleRate: rate, channelLayout: layout)
      return await #expect(throws: Failure.self) { try await writer.append(buffer) }?.message
    }
    #expect(
      try await message([[0], [0]], rate: 48_000)
        == "a buffer is stereo at 48000 Hz, and the writer's are stereo at 44100 Hz; convert it, or "
        + "make a writer for it")
    #expect(try await message([[0]], .mono)?.hasPrefix("a buffer is mono at 44100 Hz") == true)
    #expect(
      try await message([[0, .nan], [0, 0]])
        == "sample 1 of a buffer is nan, which is no finite number")
    #expect(throws: Failure.self) {
      try PCMBuffer(planes: [[0]], sampleRate: 8000, channelLayout: .stereo)
    }
    #expect(throws: Failure.self) {
      try PCMBuffer(.int16([1, 2, 3]), sampleRate: 8000, channelLayout: .stereo)
    }
    let nothing = await #expect(throws: Failure.self) { try await writer.finish() }
    #expect(nothing?.message == "nothing was appended: the file would have no sound")
    try await writer.append(planes: [[0.5], [0.5]])
    try await writer.finish()
    let late = await #expect(throws: Failure.self) {
      try await writer.append(planes: [[0], [0]])
    }
    #expect(late?.message == "the writer is finished; make another one")
    await #expect(throws: Failure.self) { try await writer.finish() }
  }

  @Test("what the format does not have is refused before a buffer comes")
  func early() throws {
    var high = output("a.mp3", .mp3(MP3Settings(.vbr(quality: 2))))
    high.sampleRate = 96_000
    #expect(throws: Failure.self) {
      try AssetWriter(high, sampleRate: 96_000, channelLayout: .stereo)
    }
    #expect(stage.folder.names == [])
  }

  @Test(
    "a preset decides the format",
    arguments: [(Output.Preset.appleM4A, "a.m4a", "aac"), (.passthrough, "a.wav", "pcm_f32le")])
  func presets(preset: Output.Preset, name: String, codec: String) async throws {
    let path = FilePath(stage.folder.path(name))
    let writer = try AssetWriter(
      to: path, preset: preset, sampleRate: Self.rate, channelLayout: .stereo)
    try await writer.append(planes: Self.channels)
    try await writer.finish()
    let probed = try await stage.library.loadAsset(at: path)
    #expect(probed.codec == codec && probed.frameCount == 60_123)
  }

  /// How a writer ends without a file.
  enum End: CaseIterable {
    case cancelled, released, taskCancelled, tooLongChapter
  }

  @Test(
    "without its end there is no file, no folder, and the older file stays", arguments: End.allCases
  )
  func absent(end: End) async throws {
    let old = stage.folder.path("old.wav")
    try writeFile(old, Array("old".utf8))
    for path in [old, stage.folder.path("new/folder/out.wav")] {
      let chapters =
        end == .tooLongChapter
        ? [Chapter(start: Time(value: 500, timescale: 1), title: "Late")] : []
      var output = Output(path: FilePath(path), format: .wav(.int16))
      output.chapters.inFile = true
      var writer: AssetWriter? = try self.writer(output, chapters: chapters)
      try await writer?.append(planes: Self.channels)
      // Enough for the disk.
      for _ in 0..<5 { try await writer?.append(planes: Self.channels) }
      switch end {
      case .cancelled:
        writer?.cancel()
        var failure = await #expect(throws: Failure.self) { try await writer?.finish() }
        #expect(failure?.code == .cancelled)
        failure = await #expect(throws: Failure.self) {
          try await writer?.append(planes: Self.channels)
        }
        #expect(failure?.code == .cancelled)
      case .released: break
      case .taskCancelled:
        let finishing = Task { [writer] in
          withUnsafeCurrentTask { $0?.cancel() }
          try await writer?.finish()
        }
        let failure = await #expect(throws: Failure.self) { try await finishing.value }
        #expect(failure?.code == .cancelled)
      case .tooLongChapter:
        let failure = await #expect(throws: Failure.self) { try await writer?.finish() }
        #expect(failure?.message.contains("does not begin before the end") == true)
      }
      writer = nil
      #expect(stage.folder.names == ["old.wav"])
      #expect(try readFile(old) == Array("old".utf8))
    }
  }

  @Test("What several tasks append is whole in the file, also while another one finishes it")
  func concurrent() async throws {
    let (tasks, count, length) = (6, 60, 997)
    let path = FilePath(stage.folder.path("many.wav"))
    let writer = try AssetWriter(
      Output(path: path, format: .wav(.float32)), sampleRate: Self.rate, channelLayout: .mono)
    let marks = try await withThrowingTaskGroup(of: [Float].self) { group in
      for task in 0..<tasks {
        group.addTask {
          var written: [Float] = []
          for number in 0..<count {
            let mark = Float(1 + task * count + number) / 1024
            do throws(Failure) {
              try await writer.append(planes: [Array(repeating: mark, count: length)])
            } catch {
              #expect(error.message.contains("the writer is finished"))
              break
            }
            written.append(mark)
            if task == 0, number == count - 1 { _ = try await writer.finish() }
          }
          return written
        }
      }
      return try await group.reduce(into: Set<Float>()) { $0.formUnion($1) }
    }
    let samples = try Tool.succeed(
      "sox", path.string, "-t", "raw", "-e", "float", "-b", "32", "-"
    ).floats
    #expect(samples.count == marks.count * length)
    let found = stride(from: 0, to: samples.count, by: length).map { start in
      Set(samples[start..<min(samples.count, start + length)])
    }
    #expect(found.allSatisfy { $0.count == 1 })
    #expect(Set(found.joined()) == marks)
  }

  @Test("a reader's buffers make the file that an export makes")
  func copies() async throws {
    let asset = try stage.fixture("voice-8k.wav")
    let range = TimeRange(
      start: Time(value: 3, timescale: 1), duration: Time(value: 2, timescale: 1))
    let path = FilePath(stage.folder.path("copy.flac"))
    let writer = try AssetWriter(
      Output(path: path, format: .flac(bitDepth: 16)), sampleRate: asset.sampleRate,
      channelLayout: asset.channelLayout)
    for try await buffer in try AssetReader(asset, timeRange: range, library: stage.library) {
      try await writer.append(buffer)
    }
    try await writer.finish()
    let ours = try Tool.succeed(
      "flac", "-s", "-d", "-c", "--force-raw-format", "--endian=little", "--sign=signed",
      path.string
    ).steps
    let theirs = try Tool.succeed(
      "sox", Fixture.path("voice-8k.wav"), "-t", "raw", "-e", "signed", "-b", "16", "-", "trim",
      "3", "2"
    ).steps
    // A float is dithered.
    #expect(ours.count == 16_000 && zip(ours, theirs).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }
}
