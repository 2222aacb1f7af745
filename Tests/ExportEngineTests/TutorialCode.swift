import AVJob

// The code of `PortingFromAVFoundation.md`: what stands between two marks stands
// there, and `TutorialTests` runs it.

enum TutorialCode {
  static func clip(_ input: FilePath, _ output: FilePath) async throws {
    // article: clip
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)

    let start = Time.seconds(5)
    let end = Time.seconds(10)
    let export = Export(
      name: "clip", composition: try Composition(asset),
      timeRange: TimeRange(start: start, end: end),
      outputs: [Output(path: output, format: .m4a(bitRate: 128_000))])
    try await ExportSession(export, library: library).export()
    // end
  }

  static func handleErrors(_ input: FilePath, _ output: FilePath) async throws {
    // article: errors
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    let session = try ExportSession(asset, to: output, library: library)
    do {
      try await session.export(replacing: .none)
    } catch {
      switch error.code {
      case .cancelled: print("nothing was written")
      case .outputExists: print("\(output) stays as it was")
      default: throw error
      }
    }
    // end
  }

  static func concatenate(_ inputs: [FilePath], _ output: FilePath) async throws {
    // article: concat
    let library = MediaLibrary()
    var composition = Composition()
    let track = composition.addTrack()
    for input in inputs {
      let asset = try await library.loadAsset(at: input)
      try composition.tracks[track].insertTimeRange(
        TimeRange(start: .zero, duration: asset.duration), of: asset, at: composition.duration)
    }

    let export = Export(
      name: "concat", composition: composition,
      outputs: [Output(path: output, format: .wav(.int16))])
    for try await state in ExportSession(export, library: library).states() {
      switch state {
      case .exporting(let progress): print(progress.fractionCompleted)
      case .finished(let report): print(report.duration.seconds, "s are written")
      }
    }
    // end
  }

  static func edit(_ inputs: [FilePath], _ output: FilePath) async throws {
    // article: edit
    let library = MediaLibrary()
    let talk = try await library.loadAsset(at: inputs[0])
    let jingle = try await library.loadAsset(at: inputs[1])
    var composition = Composition()
    try composition.insertTimeRange(
      TimeRange(start: .zero, duration: talk.duration), of: talk, at: .zero)

    // What is at ten seconds and later is pushed back.
    try composition.insertTimeRange(
      TimeRange(start: .zero, duration: jingle.duration), of: jingle,
      at: Time(value: 10, timescale: 1))

    // A cough is taken out; what is later moves forward.
    let cough = TimeRange(
      start: Time(value: 6, timescale: 1), end: Time(value: 7, timescale: 1))
    try composition.removeTimeRange(cough)

    // The first four seconds last five.
    let opening = TimeRange(start: .zero, duration: Time(value: 4, timescale: 1))
    try composition.scaleTimeRange(opening, toDuration: Time(value: 5, timescale: 1))

    let export = Export(
      name: "edit", composition: composition,
      outputs: [Output(path: output, format: .wav(.float32))])
    try await ExportSession(export, library: library).export()
    // end
  }

  static func rampVolume(_ input: FilePath, _ output: FilePath) async throws {
    // article: ramp
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    var track = Track()
    try track.insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)

    let fade = Time(value: 2, timescale: 1)
    try track.mix.setVolumeRamp(
      fromStartVolume: .silence, toEndVolume: .unity,
      timeRange: TimeRange(start: .zero, duration: fade))
    try track.mix.setVolumeRamp(
      fromStartVolume: .unity, toEndVolume: .silence,
      timeRange: TimeRange(start: asset.duration - fade, duration: fade))

    let export = Export(
      name: "ramp", composition: Composition(tracks: [track]),
      outputs: [Output(path: output, format: .wav(.float32))])
    try await ExportSession(export, library: library).export()
    // end
  }

  static func tag(_ input: FilePath, _ output: FilePath) async throws {
    // article: tags
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    var track = Track()
    try track.insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)

    let start = Time(value: 5, timescale: 1)
    let end = Time(value: 10, timescale: 1)
    try track.mix.setPan(.left, at: .zero)
    try track.mix.setPanRamp(
      fromStartPan: .left, toEndPan: .right, timeRange: TimeRange(start: start, end: end))

    var metadata = Metadata()
    metadata["title"] = "A walk"
    let chapters = [
      Chapter(start: .zero, title: "On the left"),
      Chapter(start: end, title: "On the right"),
    ]
    let export = Export(
      name: "walk", composition: Composition(tracks: [track]), channelLayout: .stereo,
      metadata: metadata, chapters: chapters,
      outputs: [Output(path: output, format: .mp3(MP3Settings(.vbr(quality: 2))))])
    try await ExportSession(export, library: library).export()
    // end
  }

  static func showOtherPictures(_ inputs: [FilePath], _ output: FilePath) async throws {
    // article: pictures
    let library = MediaLibrary()
    let talk = try await library.loadAsset(at: inputs[0])
    let slides = try await library.loadAsset(at: inputs[1])
    var composition = Composition()
    let sound = composition.addMutableTrack(withMediaType: .audio)
    let picture = composition.addMutableTrack(withMediaType: .video)

    let second = Time(value: 1, timescale: 1)
    try composition.tracks[sound].insertTimeRange(
      TimeRange(start: .zero, duration: talk.duration), of: talk, at: .zero)
    try composition.tracks[picture].insertTimeRange(
      TimeRange(start: .zero, duration: second + second), of: talk, at: .zero)
    try composition.tracks[picture].insertTimeRange(
      TimeRange(start: second, duration: second), of: slides, at: second + second)

    let session = try ExportSession(
      composition, preset: .passthrough, to: output, library: library)
    try await session.export()
    // end
  }

  static func read(_ input: FilePath) async throws -> Int {
    // article: read
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    let reader = try AssetReader(
      asset, settings: AssetReader.Settings(sampleType: .int16, isInterleaved: true),
      library: library)

    var peak = 0
    for try await buffer in reader {
      guard case .int16(let samples) = buffer.samples else { continue }
      for sample in samples { peak = max(peak, abs(Int(sample))) }
    }
    // end
    return peak
  }

  static func write(_ output: FilePath) async throws {
    // article: write
    let writer = try AssetWriter(
      Output(path: output, format: .m4a(bitRate: 128_000)), sampleRate: 48_000,
      channelLayout: .mono)

    for second in 0..<5 {
      let samples = (0..<48_000).map { Float(($0 * (second + 1)) % 100) / 200 - 0.25 }
      try await writer.append(
        PCMBuffer(
          .float32(samples), sampleRate: 48_000, channelLayout: .mono,
          at: Time(value: Int64(second), timescale: 1)))
    }
    try await writer.finish()
    // end
  }

  static func process(_ input: FilePath, _ output: FilePath) async throws {
    // article: process
    final class Instance: AudioProcessorInstance {
      func process(_ buffer: ProcessingBuffer) {
        for channel in 0..<buffer.channelCount {
          for index in buffer[channel].indices { buffer[channel][index] *= -0.5 }
        }
      }
    }
    struct Inverter: AudioProcessor {
      let memory = ProcessorMemory.none
      let identity: String? = "inverter, half"

      func makeInstance(
        sampleRate: Int, channelLayout: ChannelLayout
      ) throws -> any AudioProcessorInstance { Instance() }
    }

    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    var track = Track()
    try track.insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)

    let export = Export(
      name: "inverted",
      composition: Composition(tracks: [track.applying([.processor(Inverter())])]),
      outputs: [Output(path: output, format: .wav(.float32))])
    try await ExportSession(export, library: library).export()
    // end
  }
}
