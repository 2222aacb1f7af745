import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Measuring nodes")
struct LoudnessAnalysisTests {
  let stage = Stage()

  private func measured(
    _ graph: Graph, node: Node.ID? = nil, frames: Range<Int64>? = nil, threads: Int = 2,
    dualMono: Bool = false, progress: (Double) -> Void = { _ in }
  ) throws -> LoudnessMeasurement {
    let budget = CPUBudget(total: threads)
    let lease = try #require(budget.tryLease())
    defer { lease.release() }
    return try SoundAnalyst(library: stage.library, budget: budget).loudness(
      of: node ?? graph.nodes.count - 1, in: graph, frames: frames, dualMono: dualMono,
      progress: progress)
  }

  /// Whether idle cores are at work while some sound is measured.
  private func isHelped(_ graph: Graph) throws -> Bool {
    let budget = CPUBudget(total: 2)
    let lease = try #require(budget.tryLease())
    defer { lease.release() }
    var isHelped = false
    _ = try SoundAnalyst(library: MediaLibrary(), budget: budget).loudness(
      of: graph.nodes.count - 1, in: graph
    ) { _ in
      isHelped = isHelped || budget.tryLease() == nil
    }
    return isHelped
  }

  private func mix(_ segments: [[Segment]]) throws -> Graph {
    try Graph(
      compiling: Export(
        name: "test", composition: Composition(tracks: segments.map { Track(segments: $0) }),
        outputs: [Output(path: "mix.wav", format: .wav(.float32))]))
  }

  // MARK: Witnesses

  @Test(
    "real media have the figures of ffmpeg and of libebur128",
    arguments: ["librivox-sonnet.mp3", "feelings.ogg", "voice-8k.wav", "voice-vbr.mp3"])
  func witnesses(name: String) throws {
    let asset = try stage.fixture(name)
    let found = try measured(Graph(of: asset))
    let theirs = try Tool.ebur128(Fixture.path(name))
    #expect(abs(try #require(found.integrated) - theirs.integrated) <= 0.1)
    #expect(abs(found.range - theirs.range) <= 0.3)
    #expect(abs(try #require(found.truePeak) - theirs.truePeak) <= 0.2)

    let count = asset.channelLayout.count
    let decoded = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path(name), "-map", "0:a:0", "-f", "f32le", "-"
    ).floats
    let plain = try Tool.libebur128(decoded.channels(count), rate: asset.sampleRate)
    #expect(abs(try #require(found.integrated) - plain.integrated) <= 0.01)
    #expect(abs(try #require(found.maximumMomentary) - (plain.momentary ?? 0)) <= 0.001)
    #expect(abs((found.maximumShortTerm ?? 0) - (plain.shortTerm ?? 0)) <= 0.001)
    #expect(abs(try #require(found.truePeak) - plain.truePeak) <= 0.001)
    #expect(abs(try #require(found.samplePeak) - (plain.samplePeak ?? 0)) <= 0.0001)
  }

  // MARK: Cores and ranges

  @Test("figures are the same on any number of cores, of each kind of file")
  func formats() throws {
    let kinds = [
      ("wav", ["-c:a", "pcm_s16le"]), ("flac", ["-c:a", "flac"]), ("mp3", ["-c:a", "libmp3lame"]),
      ("m4a", ["-c:a", "aac"]), ("opus", ["-c:a", "libopus"]), ("adts", ["-c:a", "aac"]),
      ("ac3", ["-c:a", "ac3"]),
    ]
    for (kind, codec) in kinds {
      let path = stage.folder.path("feelings." + kind)
      let command =
        ["ffmpeg", "-v", "error", "-i", Fixture.path("feelings.ogg"), "-t", "25"] + codec
      #expect(try Tool.run(command + [path]).status == 0)
      let graph = Graph(of: try stage.library.asset(at: FilePath(path)))
      let alone = try measured(graph, threads: 1)
      #expect(try measured(graph, threads: 3) == alone, "\(kind)")
    }
  }

  /// A mix of lossy files at other rates, some of them filtered and so of unbounded memory.
  private func busyMix(filtered: Bool) throws -> Graph {
    let voice = try stage.fixture("voice-8k.wav")
    let music = try stage.fixture("feelings.ogg")
    let reading = try stage.fixture("librivox-sonnet.mp3")
    var segment = clip(reading, 7..<2_000_001, at: Time(value: 1, timescale: 3))
    if filtered { segment.effects = [.highpass(frequency: 200)] }
    return try mix([
      [segment], [clip(music, 100..<1_300_000)], [clip(voice, at: Time(value: 7, timescale: 1))],
    ])
  }

  @Test("figures of a mix are the same on any number of cores", arguments: [false, true])
  func cores(isFiltered: Bool) throws {
    let graph = try busyMix(filtered: isFiltered)
    // On a busy machine a helper may come too late now and then.
    #expect(try (0..<5).contains { _ in try isHelped(graph) })
    let alone = try measured(graph, threads: 1)
    #expect(alone.statistics.frames == graph.nodes.last?.frames.upperBound)
    for threads in [2, 3, 8] {
      #expect(try measured(graph, threads: threads) == alone, "\(threads)")
    }
  }

  @Test("a range has the figures of a file of it", arguments: [false, true])
  func ranges(isFiltered: Bool) throws {
    let graph = try busyMix(filtered: isFiltered)
    let sound = try stage.render(graph)
    let frames: Range<Int64> = 123_457..<1_111_111
    let slice = try stage.sound(
      sound.map { Array($0[Int(frames.lowerBound)..<Int(frames.upperBound)]) }, rate: 44_100)
    #expect(try measured(graph, frames: frames) == measured(Graph(of: slice)))
  }

  @Test("a node that begins later on the timeline is measured from its own first frame")
  func laterNodes() throws {
    let voice = try stage.fixture("voice-8k.wav")
    let graph = try mix([[clip(voice, 800..<240_000, at: Time(value: 5, timescale: 1))]])
    guard case .source = graph.nodes[0].kind else { throw ToolFailure(description: "no source") }
    var alone = Graph(of: voice)
    let expected = try measured(alone, frames: 800..<240_000)
    #expect(graph.nodes[0].frames.lowerBound == 40_000)
    #expect(try measured(graph, node: 0) == expected)
    alone.nodes[0].frames = 0..<0
    #expect(try measured(alone).statistics.frames == 0)
  }

  @Test("mono is counted twice on request, stereo is not")
  func dualMono() throws {
    let voice = Graph(of: try stage.fixture("voice-8k.wav"))
    let (once, twice) = (try measured(voice), try measured(voice, dualMono: true))
    #expect(abs(try #require(twice.integrated) - (once.integrated ?? 0) - 3.0103) < 0.02)
    let sound = try stage.render(composition(clip(try stage.fixture("voice-8k.wav"))))
    let both = try stage.sound(sound + sound, rate: 8000)
    let stereo = try measured(Graph(of: both))
    #expect(abs(try #require(twice.integrated) - (stereo.integrated ?? 0)) < 0.01)
    #expect(abs(twice.range - stereo.range) < 0.1)
    #expect(try measured(Graph(of: both), dualMono: true) == stereo)
  }

  @Test("progress grows to one, on the calling thread")
  func progress() throws {
    var shares: [Double] = []
    _ = try measured(try busyMix(filtered: false), threads: 3) { shares.append($0) }
    #expect(shares == shares.sorted() && shares.count == 5 && shares.last == 1)
  }

  // MARK: Odd sounds

  @Test("a file of NaN is refused with its name")
  func notANumber() throws {
    var sound = Signal.noise(seed: 1, count: 48_000 * 21)
    sound[48_000 * 15] = .nan
    let asset = try stage.sound([sound], rate: 48_000)
    for threads in [1, 3] {
      let failure = #expect(throws: Failure.self) {
        try measured(Graph(of: asset), threads: threads)
      }
      #expect(failure?.message == "holds samples that are no numbers (NaN or infinity)")
      #expect(failure?.location == asset.location)
    }
  }

  @Test("channels have their weights by their places, in 5.1 and 7.1")
  func surround() throws {
    let tone = Signal.sine(frequency: 1000, sampleRate: 48_000, count: 240_000, amplitude: 0.1)
    let silence = [Float](repeating: 0, count: tone.count)
    for (count, weights) in [(6, [1, 1, 1, 0, 1.41, 1.41]), (8, [1, 1, 1, 0, 1, 1, 1.41, 1.41])] {
      for (channel, weight) in weights.enumerated() {
        let planes = (0..<count).map { $0 == channel ? tone : silence }
        let asset = try stage.sound(planes, rate: 48_000, name: "\(count)-\(channel).wav")
        let found = try measured(Graph(of: asset))
        let expected = weight == 0 ? nil : -23.01 + 10 * log10(weight)
        #expect(
          abs((found.integrated ?? -999) - (expected ?? -999)) < 0.02, "\(count) \(channel)")
        #expect(abs(try #require(found.samplePeak) + 20) < 0.01)
      }
    }
  }

  // MARK: Ends

  @Test("a source that ends early fails the measurement, with its place")
  func endsEarly() throws {
    var asset = try stage.fixture("voice-8k.wav")
    asset.frameCount += 100
    for threads in [1, 3] {
      let failure = #expect(throws: Failure.self) {
        try measured(Graph(of: asset), threads: threads)
      }
      #expect(failure?.remedy == .mendInput && failure?.location == asset.location)
    }
  }

  @Test("a cancelled measurement ends with that, and gives its cores back")
  func cancelling() throws {
    let graph = try busyMix(filtered: false)
    let budget = CPUBudget(total: 3)
    let flag = CancellationFlag()
    let analyst = SoundAnalyst(library: stage.library, budget: budget, cancellation: flag)
    #expect(throws: CancellationError.self) {
      try analyst.loudness(of: graph.nodes.count - 1, in: graph) { _ in flag.cancel() }
    }
    let leases = (0..<3).compactMap { _ in budget.tryLease() }
    #expect(leases.count == 3)
  }
}

private func log10(_ value: Double) -> Double { Gain(factor: value).decibels / 20 }
