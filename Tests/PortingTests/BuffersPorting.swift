import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// AVFoundation's samples that read, write and process PCM: the shapes of their code on Linux.
@Suite(.timeLimit(.minutes(5))) struct BuffersPorting {
  private let voice = FilePath(Fixture.path("voice-8k.wav"))
  private let folder = TestFolder()

  private func decoded(_ path: FilePath) throws -> [Float] {
    try Tool.succeed("ffmpeg", "-v", "error", "-i", path.string, "-f", "f32le", "-").floats
  }

  @Test("AVAssetReader with an AVAssetReaderTrackOutput: samples of a time range for a waveform")
  func waveform() async throws {
    // reader.timeRange = CMTimeRange(start: …, duration: …)
    // while let sample = output.copyNextSampleBuffer() { … }
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: voice)
    let range = TimeRange(start: .zero, duration: Time(value: 4, timescale: 1))
    let reader = try AssetReader(
      asset, timeRange: range, settings: .init(sampleType: .int16), library: library)
    var columns: [Int64: Float] = [:]
    for try await buffer in reader {
      let first = buffer.presentationTime.frames(atRate: buffer.format.sampleRate)
      for (index, sample) in buffer.channel(0).enumerated() {
        columns[(first + Int64(index)) / 800, default: 0] = max(
          columns[(first + Int64(index)) / 800] ?? 0, abs(sample))
      }
    }
    let sound = try decoded(voice)
    #expect(columns.count == 40)
    for (column, peak) in columns {
      let samples = sound[Int(column) * 800..<(Int(column) + 1) * 800]
      #expect(peak == samples.map(abs).max())
    }
  }

  @Test("AVAssetReaderAudioMixOutput: the mix of two tracks, and each of them alone")
  func mix() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: voice)
    var composition = Composition()
    for gain in [0.5, 0.25] {
      let track = composition.addTrack()
      try composition.tracks[track].insertTimeRange(
        TimeRange(start: .zero, duration: Time(value: 2, timescale: 1)), of: asset, at: .zero)
      composition.tracks[track].preferredVolume = Gain(factor: gain)
    }
    var parts: [[Float]] = []
    for track in [nil, 0, 1] as [Int?] {
      var samples: [Float] = []
      for try await buffer in try AssetReader(composition, track: track, library: library) {
        samples += buffer.channel(0)
      }
      parts.append(samples)
    }
    #expect(parts[0] == zip(parts[1], parts[2]).map { $0 + $1 })
    #expect(parts[1] == (try decoded(voice))[..<16_000].map { 0.5 * $0 })
  }

  @Test(
    "AVAssetReader and AVAssetWriter in a row: a file is transcoded through the program's hands")
  func transcode() async throws {
    // The sample's loop of requestMediaDataWhenReady(on:) is a loop.
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: voice)
    let output = FilePath(folder.path("transcoded.flac"))
    let reader = try AssetReader(asset, library: library)
    let writer = try AssetWriter(
      Output(path: output, format: .flac(bitDepth: 24)), sampleRate: asset.sampleRate,
      channelLayout: asset.channelLayout)
    for try await buffer in reader { try await writer.append(buffer) }
    let report = try await writer.finish()
    #expect(report.outputs[0].frameCount == asset.frameCount)
    #expect(try decoded(output) == decoded(voice))
  }

  @Test("AVAssetWriter.cancelWriting leaves no file")
  func cancelWriting() async throws {
    let output = FilePath(folder.path("cancelled.m4a"))
    let writer = try AssetWriter(
      to: output, preset: .appleM4A, sampleRate: 48_000, channelLayout: .stereo)
    for _ in 0..<10 {
      try await writer.append(
        planes: Array(repeating: Array(repeating: 0.1, count: 48_000), count: 2))
    }
    writer.cancel()
    let failure = await #expect(throws: Failure.self) { try await writer.finish() }
    #expect(failure?.code == .cancelled)
    #expect(folder.names == [])
  }

  @Test("AVAssetReader.cancelReading is the task's cancellation, and no end")
  func cancelReading() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: voice)
    let reader = try AssetReader(asset, library: library)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in reader {}
    }
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.code == .cancelled)
  }

  /// A one-pole lowpass, as the callbacks of the sample's MTAudioProcessingTap have it: its context is the
  /// instance, `prepare` is `makeInstance`, and `process` is `process`.
  private struct Smoother: AudioProcessor {
    let amount: Float
    var identity: String? { "smoother \(amount)" }

    func makeInstance(
      sampleRate: Int, channelLayout: ChannelLayout
    ) throws -> any AudioProcessorInstance { Instance(amount, channelLayout.count) }

    private final class Instance: AudioProcessorInstance {
      private let amount: Float
      private var last: [Float]

      init(_ amount: Float, _ channels: Int) {
        (self.amount, last) = (amount, Array(repeating: 0, count: channels))
      }

      func process(_ buffer: ProcessingBuffer) {
        for channel in 0..<buffer.channelCount {
          let samples = buffer[channel]
          for index in samples.indices {
            last[channel] += amount * (samples[index] - last[channel])
            samples[index] = last[channel]
          }
        }
      }
    }
  }

  @Test("MTAudioProcessingTap: a filter of one's own on a track, and a meter behind it")
  func tap() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: voice)
    var track = Track()
    try track.insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)
    let peak = Mutex<Float>(0)
    let effects: [Effect] = [
      .processor(Smoother(amount: 0.25)),
      .tap("meter") { buffer in
        let own = buffer.channel(0).map(abs).max() ?? 0
        peak.withLock { $0 = max($0, own) }
      },
    ]
    let output = FilePath(folder.path("smooth.wav"))
    try await ExportSession(
      Export(
        name: "smooth", composition: Composition(tracks: [track.applying(effects)]),
        outputs: [Output(path: output, format: .wav(.float32))]), library: library
    ).export()
    var last: Float = 0
    let expected = try decoded(voice).map { sample in
      last += 0.25 * (sample - last)
      return last
    }
    #expect(try decoded(output) == expected)
    #expect(peak.withLock { $0 } == expected.map(abs).max())
  }

  @Test("fread of raw PCM behind a header of 4 KiB is a line")
  func raw() async throws {
    let path = FilePath(folder.path("capture.dat"))
    let steps = (0..<8000).map { Int16(truncatingIfNeeded: $0 &* 31) }
    let samples = steps.flatMap { step in
      withUnsafeBytes(of: step.littleEndian) { Array($0) }
    }
    try writeFile(path.string, Array(repeating: 0xAA, count: 4096) + samples)
    let asset = try await MediaLibrary().loadAsset(
      at: path, raw: RawSound(.int16, sampleRate: 16_000, headerSize: 4096))
    #expect(asset.frameCount == 8000 && asset.duration == Time(value: 1, timescale: 2))
  }
}
