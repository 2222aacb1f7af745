import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Writing copies")
struct CopyTests {
  private let folder = TestFolder()

  /// A copy of some seconds of an MP3 of five minutes, the first of which fade in.
  private func session(
    _ seconds: Int64, fadingIn faded: Int64 = 0, _ request: Output.Request = .copied(.mp3),
    watching watch: MediaLibrary.Watch? = nil
  ) throws -> ExportSession {
    let source = folder.path("s.mp3")
    try writeSound(
      [Signal.noise(seed: 1, count: 44_100 * 300, amplitude: 0.1)], to: source, .mp3(.standard))
    let library = MediaLibrary(
      recalling: nil, probing: nil, verifiesAssets: false, watching: watch)
    let asset = try library.asset(at: FilePath(source))
    let range = TimeRange(start: .zero, duration: Time(value: seconds, timescale: 1))
    var output = Output(path: FilePath(folder.path("out.mp3")), request: request)
    output.copying = request == .copied(.mp3) ? Output.Copying() : nil
    var segment = Segment(.asset(asset), source: range, at: .zero)
    if faded > 0 {
      try segment.mix.setVolumeRamp(
        fromStartVolume: .silence, toEndVolume: .unity,
        timeRange: TimeRange(start: .zero, duration: Time(value: faded, timescale: 1)))
    }
    return ExportSession(
      Export(
        name: "copy", composition: Composition(tracks: [Track(segments: [segment])]),
        outputs: [output]), library: library)
  }

  @Test("a copy that needs no sound reports its progress, and no peak")
  func progress() throws {
    var fractions: [Double] = []
    let report = try session(250).run { fractions.append($0.fractionCompleted) }
    #expect(fractions.count > 2 && fractions == fractions.sorted() && fractions.last == 1)
    #expect(report.outputs[0].peak == nil && report.outputs[0].clippedSamples == 0)
    #expect(report.outputs[0].frameCount == 250 * 44_100)
  }

  @Test("on many cores, sound that is copied is not rendered, either")
  func sharing() throws {
    let crew = Crew(budget: CPUBudget(total: 256))
    for (session, isShared) in [
      (try session(250, fadingIn: 200), false),
      (try session(250, fadingIn: 200, .exactly(.mp3(.standard))), true),
    ] {
      let graph = try Graph(compiling: session.export)
      #expect((graph.sinks[0].copied != nil) == !isShared)
      #expect(graph.renderingShare * Double(crew.mostThreads) > 1)
      #expect(session.mayBeShared(RenderedSpans(of: graph), of: graph, crew) == isShared)
    }
  }

  @Test("the file that is copied is known while it is read")
  func watch() throws {
    let watched = Mutex<[MediaLocation?]>([])
    let session = try session(20) { location in watched.withLock { $0.append(location) } }
    watched.withLock { $0 = [] }
    _ = try session.run()
    let calls = watched.withLock { $0 }
    #expect(calls.contains { $0 != nil } && calls.last.map { $0 == nil } == true)
  }

  @Test("peaks and samples over full scale are those of encoded parts")
  func tally() throws {
    let source = CopiedPart.Source(.file("a.mp3"), .packets, frame: 0)
    let parts = [
      CopiedPart(frames: 0..<150, source: source), CopiedPart(frames: 150..<250, reasons: [.seam]),
      CopiedPart(frames: 250..<400, source: source),
    ]
    var tally = SoundTally(expectedFrames: 400, channelCount: 1, copied: parts)
    for start in stride(from: 0, to: 400, by: 100) {
      let block = AudioBuffer(channelCount: 1, capacity: 100)
      let samples = (start..<start + 100).map { 150..<250 ~= $0 ? Float(1.5) : 2 }
      block.fill([samples], from: 0, count: 100)
      try tally.add(block)
    }
    #expect(tally.peak == 1.5 && tally.clippedSamples == 100)
  }
}
