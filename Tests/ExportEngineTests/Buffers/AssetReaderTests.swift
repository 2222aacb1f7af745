import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Reading sound in buffers")
struct AssetReaderTests {
  let stage = Stage()

  /// Two channels of 1.5 s in a file by ffmpeg.
  private func medium(_ name: String, _ options: String...) throws -> Asset {
    let rate = 44_100
    let left = Signal.glide(sampleRate: rate, count: 66_157)
    let right = Signal.noise(seed: 3, count: 66_157, amplitude: 0.2)
    let sound = try stage.sound([left, right], rate: rate, name: "\(name).source.wav")
    let arguments =
      ["ffmpeg", "-v", "error", "-y", "-i", "\(sound.location)"] + options
      + [stage.folder.path(name)]
    let result = try Tool.run(arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try stage.library.asset(at: FilePath(stage.folder.path(name)))
  }

  /// What ffmpeg decodes of an export as float WAV, by channel.
  private func exported(_ export: Export) throws -> [[Float]] {
    var export = export
    let path = stage.folder.path("exported.wav")
    export.outputs = [Output(path: FilePath(path), format: .wav(.float32))]
    _ = try ExportSession(export, library: stage.library).run()
    let samples = try Tool.succeed("ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-").floats
    let count = samples.count / 2
    return (0..<2).map { channel in (0..<count).map { samples[2 * $0 + channel] } }
  }

  @Test(
    "a range equals the slice of the whole, and the whole is what an export writes",
    arguments: [
      ["a.wav", "-c:a", "pcm_s16le"], ["a.flac"], ["a.mp3", "-b:a", "128k"],
      ["a.m4a", "-b:a", "128k"], ["a.opus", "-b:a", "96k"],
    ])
  func slices(words: [String]) async throws {
    let asset: Asset
    switch words.count {
    case 1: asset = try medium(words[0])
    default: asset = try medium(words[0], words[1], words[2])
    }
    let composition = composition(clip(asset))
    let whole = try await AssetReader(asset, library: stage.library).planes()
    #expect(
      whole == (try exported(Export(name: "whole", composition: composition, outputs: []))))
    #expect(whole[0].count == Int(asset.frameCount))
    var dice = Dice(UInt64(words[0].utf8.reduce(0) { 31 &* $0 &+ Int($1) }))
    for _ in 0..<40 {
      let first = dice.number(0..<asset.frameCount - 1)
      let end = dice.number(first + 1..<asset.frameCount + 1)
      let range = TimeRange(
        start: Time(frames: first, rate: asset.sampleRate),
        end: Time(frames: end, rate: asset.sampleRate))
      let reader = try AssetReader(asset, timeRange: range, library: stage.library)
      var planes: [[Float]] = [[], []]
      var position = range.start
      for try await buffer in reader {
        #expect(buffer.presentationTime == position)
        position = position + buffer.duration
        for channel in planes.indices { planes[channel] += buffer.channel(channel) }
      }
      #expect(position == range.end)
      #expect(planes == whole.map { Array($0[Int(first)..<Int(end)]) }, "\(first)..<\(end)")
    }
  }

  @Test("integers are those of an export, dither too", arguments: PCMFormat.SampleType.allCases)
  func types(type: PCMFormat.SampleType) async throws {
    let asset = try medium("types.flac")
    let composition = composition(clip(asset))
    // Its samples are no integers of 16 bits any more.
    let half = AudioMix(gain: Gain(factor: 0.37))
    let range = TimeRange(
      start: Time(value: 1, timescale: 10), duration: Time(value: 1, timescale: 2))
    let reader = try AssetReader(
      composition, mix: half, timeRange: range,
      settings: .init(sampleType: type, isInterleaved: true), library: stage.library)
    var bytes: [UInt8] = []
    for try await buffer in reader { bytes += buffer.bytes }
    let stored: [PCMFormat.SampleType: (Output.SampleFormat, String)] = [
      .float32: (.float32, "f32le"), .int16: (.int16, "s16le"), .int24: (.int24, "s24le"),
    ]
    let (format, name) = stored[type] ?? (.float32, "s32le")
    let path = stage.folder.path("types.wav")
    try await ExportSession(
      Export(
        name: "types", composition: composition, timeRange: range, mix: half,
        outputs: [Output(path: FilePath(path), format: .wav(format))]), library: stage.library
    ).export()
    let oracle = try Tool.succeed("ffmpeg", "-v", "error", "-i", path, "-f", name, "-").output
    if type == .int32 {
      // ffmpeg rounds to even as well, but for what float cannot tell apart.
      #expect(bytes.count == oracle.count)
      let (ours, theirs) = (bytes.int32s, oracle.int32s)
      #expect(zip(ours, theirs).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    } else {
      #expect(bytes == Array(oracle))
    }
  }

  @Test("planes are the interleaved samples, channel by channel, in each type")
  func planes() async throws {
    let asset = try medium("planes.flac")
    for type in PCMFormat.SampleType.allCases {
      func read(_ isInterleaved: Bool) async throws -> [[Float]] {
        try await AssetReader(
          asset, settings: .init(sampleType: type, isInterleaved: isInterleaved),
          library: stage.library
        ).planes()
      }
      let (planar, interleaved) = (try await read(false), try await read(true))
      #expect(planar == interleaved)
    }
  }

  @Test("another rate and another layout are those of an export")
  func conversion() async throws {
    let asset = try medium("converted.flac")
    let range = TimeRange(
      start: Time(value: 1, timescale: 3), duration: Time(value: 1, timescale: 2))
    let export = Export(
      name: "mix", composition: composition(clip(asset)), timeRange: range,
      outputs: [Output(path: "a.m4a", format: .m4a(bitRate: 128_000))])
    let session = ExportSession(export, library: stage.library)
    let reader = try AssetReader(
      session, settings: .init(sampleRate: 48_000, channelLayout: .mono))
    #expect(reader.format.sampleRate == 48_000 && reader.format.channelLayout == .mono)
    let path = stage.folder.path("converted.wav")
    var output = Output(path: FilePath(path), format: .wav(.float32), sampleRate: 48_000)
    output.channelLayout = .mono
    var same = export
    (same.outputs, same.sampleRate, same.channelLayout) = ([output], 44_100, .stereo)
    try await ExportSession(same, library: stage.library).export()
    let oracle = try Tool.succeed("ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-").floats
    #expect(try await reader.planes() == [oracle])
  }

  @Test("an output's loudness is in what is read of it")
  func loudness() async throws {
    let asset = try medium("loud.flac")
    var export = Export(
      name: "loud", composition: composition(clip(asset)),
      outputs: [Output(path: "a.wav", format: .wav(.float32))])
    export.loudness = LoudnessTarget(.integrated(-23))
    let session = ExportSession(export, library: stage.library)
    let read = try await AssetReader(session).planes()
    #expect(read == (try exported(export)))
  }

  @Test("one track is read alone, as long as the composition")
  func track() async throws {
    let asset = try medium("track.flac")
    var quiet = Track(segments: [clip(asset, 0..<20_000)])
    quiet.mix.gain = Gain(factor: 0.5)
    let both = Composition(tracks: [Track(segments: [clip(asset)]), quiet])
    let read = try await AssetReader(both, track: 1, library: stage.library).planes()
    let alone = try await AssetReader(
      Composition(tracks: [quiet]), library: stage.library
    ).planes()
    #expect(read.map { Array($0[..<20_000]) } == alone)
    #expect(read[0].count == Int(asset.frameCount) && read[0][20_000...].allSatisfy { $0 == 0 })
    let failure = #expect(throws: Failure.self) {
      try AssetReader(both, track: 2, library: stage.library)
    }
    #expect(
      failure?.message == "the composition has no track of sound with the index 2; use one of 0, 1")
  }

  @Test("on a thread of one's own, the same buffers are read")
  func blocking() async throws {
    let asset = try medium("blocking.flac")
    let reader = try AssetReader(asset, library: stage.library)
    var buffers: [PCMBuffer] = []
    for try await buffer in reader { buffers.append(buffer) }
    #expect(try Self.blockingly(reader) == buffers)
  }

  private static func blockingly(_ reader: AssetReader) throws -> [PCMBuffer] {
    let reading = reader.blockingBuffers()
    var buffers: [PCMBuffer] = []
    while let buffer = try reading.next() { buffers.append(buffer) }
    return buffers
  }

  /// The sound over and over, longer than any test waits, with a count of what was rendered.
  private func endless(_ rendered: Counter) throws -> Composition {
    let asset = try medium("endless.flac")
    var track = Track()
    for index in 0..<5000 {
      var segment = clip(asset, at: Time(frames: Int64(index) * asset.frameCount, rate: 44_100))
      segment.effects = [.tap { rendered.add($0.frameCount) }]
      track.segments.append(segment)
    }
    return Composition(tracks: [track])
  }

  final class Counter: Sendable {
    private let sum = Atomic<Int>(0)
    func add(_ count: Int) { sum.add(count, ordering: .relaxed) }
    var value: Int { sum.load(ordering: .relaxed) }
  }

  @Test("a slow task holds rendering up: some buffers are ready, and no more")
  func backpressure() async throws {
    let rendered = Counter()
    let reader = try AssetReader(endless(rendered), library: stage.library)
    var taken = 0
    for try await buffer in reader {
      taken += buffer.frameCount
      #expect(rendered.value <= taken + 7 * 4096)
      try await Task.sleep(for: .milliseconds(2))
      if taken > 40 * 4096 { break }
    }
  }

  @Test("a cancelled task gets no buffer any more, and an error that says so")
  func cancelling() async throws {
    let reader = try AssetReader(endless(Counter()), library: stage.library)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var iterator = reader.makeAsyncIterator()
      while try await iterator.next() != nil { start.yield() }
    }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: Failure.cancelled) { try await task.value }
    // Cancelled before its first buffer, too.
    let second = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in reader {}
    }
    await #expect(throws: Failure.cancelled) { try await second.value }
  }

  @Test("a source that says nothing keeps no thread of a cancelled reader", .ownThreads)
  func silentSource() async throws {
    let sound = Signal.noise(seed: 3, count: 400_000, amplitude: 0.3)
    _ = try stage.sound([sound], rate: 44_100, name: "silent.wav")
    let bytes = try readFile(stage.folder.path("silent.wav"))
    let source = TestSource(
      bytes, name: "silent", held: Int64(bytes.count / 2)..<Int64(bytes.count))
    weak var released: MediaLibrary?
    do {
      let library = MediaLibrary()
      released = library
      let asset = try await library.loadAsset(at: .source(source))
      let reader = try AssetReader(asset, library: library)
      // A part of this task has its thread.
      await #expect(throws: Failure.cancelled) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { for try await _ in reader {} }
          while source.waiting == 0 { try await Task.sleep(for: .milliseconds(2)) }
          group.cancelAll()
          try await group.waitForAll()
        }
      }
    }
    try wait(until: "the reader's thread has ended") { released == nil }
    source.release()
  }

  @Test("a file that is gone, or another one, is a failure with its name")
  func failing() async throws {
    let asset = try medium("gone.flac")
    let reader = try AssetReader(asset, library: stage.library)
    try writeFile(stage.folder.path("gone.flac"), [1, 2, 3])
    let failure = await #expect(throws: Failure.self) { for try await _ in reader {} }
    #expect(failure?.location == asset.location)
  }
}

extension AssetReader {
  /// All samples, by channel.
  func planes() async throws -> [[Float]] {
    var planes = Array(repeating: [Float](), count: format.channelLayout.count)
    for try await buffer in self {
      for channel in planes.indices { planes[channel] += buffer.channel(channel) }
    }
    return planes
  }
}

extension Collection<UInt8> {
  fileprivate var int32s: [Int32] {
    Array(self).withUnsafeBytes { Array($0.assumingMemoryBound(to: Int32.self)) }
  }
}
