import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

/// AVAssetExportSession's, AVURLAsset's and AVAssetDownloadTask's code, as it is written here.
@Suite(.timeLimit(.minutes(5))) struct ExportPorting {
  private let folder = TestFolder()

  private var input: FilePath { FilePath(Fixture.path("voice-8k.wav")) }

  private func output(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  @Test("AVAssetExportSession(asset:presetName:), timeRange and export(to:as:)")
  func trim() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    var export = Export(
      name: "clip", composition: try Composition(asset),
      outputs: [try Output(path: output("a.wav"))])
    export.timeRange = TimeRange(start: .milliseconds(500), duration: .seconds(1))
    let report = try await ExportSession(export, library: library).export()
    #expect(report.duration == .seconds(1))
    let written = try await MediaLibrary().loadAsset(at: output("a.wav"))
    #expect(written.duration == .seconds(1))
  }

  @Test(
    "a session needs an asset and a path: the extension says the format",
    arguments: ["wav", "aiff", "caf", "flac", "mp3", "m4a", "ogg", "opus"])
  func extensions(_ name: String) async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    try await ExportSession(asset, to: output("a.\(name)"), library: library).export()
    // Another program's word for it: what it decodes, since its duration of an MP3 counts the
    // encoder's delay and padding.
    let decoded = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", output("a.\(name)").string, "-ac", "1", "-ar", "8000",
      "-f", "s16le", "-")
    // ffmpeg does not cut the last frame of AAC, of 1024 samples, at the end of the edit list.
    let surplus = decoded.steps.count - Int(asset.frameCount)
    #expect(name == "m4a" ? (0..<1024).contains(surplus) : abs(surplus) <= 8)
  }

  @Test("an extension that no output has is refused, with those that there are")
  func unknownExtension() {
    let failure = #expect(throws: Failure.self) { try ExportSession(Composition(), to: "a.xyz") }
    #expect(failure?.code == .outputUnsupported)
    #expect(failure?.message.contains(".mp3") == true)
  }

  @Test("for await state in session.states(updateInterval:)")
  func states() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    let session = try ExportSession(asset, to: output("a.flac"), library: library)
    var isDone = false
    for try await state in session.states() {
      switch state {
      case .exporting(let progress): #expect((0...1).contains(progress.fractionCompleted))
      case .finished: isDone = true
      }
    }
    #expect(isDone)
  }

  @Test("a waveform is drawn by an export that is examined")
  func waveform() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    let session = try ExportSession(asset, to: output("a.wav"), library: library)
    let report = try await session.export(examining: .levels)
    #expect(report.outputs.first?.overview != nil && report.outputs.first?.loudness != nil)
  }

  @Test("cancelExport() is the cancellation of the task")
  func cancel() async throws {
    let library = MediaLibrary()
    let asset = try await library.loadAsset(at: input)
    let session = try ExportSession(asset, to: output("a.wav"), library: library)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await session.export()
    }
    task.cancel()
    do {
      try await task.value
      Issue.record("the export is cancelled")
    } catch Failure.Code.cancelled {
      #expect(folder.names.isEmpty)
    }
  }

  @Test("AVURLAsset.audiovisualTypes")
  func audiovisualTypes() {
    let types = MediaLibrary.audiovisualTypes
    #expect(types == types.sorted() && Set(types).count == types.count)
    let known = "aac aiff amr ape au avi caf flac m4a mka mkv mov mp3 mp4 ogg opus wav webm wma wv"
    #expect(Set(known.split(separator: " ").map(String.init)).subtracting(types).isEmpty)
    #expect(!types.contains("m3u8") && !types.contains("txt"))
    // What can be written is enumerable, too.
    #expect(Set(Output.FileType.allCases.map(\.rawValue)).isSubset(of: types))
    #expect(Output.Kind.allCases.count > 9)
  }

  @Test("the tracks of an asset are loaded")
  func tracks() async throws {
    let streams = try await MediaLibrary().streams(at: .file(input))
    #expect(streams.count == 1 && streams.first?.sampleRate == 8000)
  }
}
