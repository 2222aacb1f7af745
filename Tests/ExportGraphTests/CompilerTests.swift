import Diagnosis
import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@Suite("Compiling an export")
struct CompilerTests {
  @Test("a segment's start becomes a frame once, from its absolute time")
  func placementDoesNotDrift() throws {
    let third = Time(value: 1, timescale: 3)
    let asset = sound(rate: 44_100, frames: 44_100)
    var track = Track()
    for _ in 0..<10_000 {
      track.segments.append(
        Segment(.asset(asset), source: TimeRange(start: .zero, duration: third), at: track.end))
    }
    let graph = try compile(Composition(tracks: [track]))
    let sources = graph.nodes.filter { if case .source = $0.kind { true } else { false } }
    #expect(sources.count == 10_000)
    for (index, node) in sources.enumerated() {
      let start = (Int64(index) * 44_100 * 2 + 3) / 6
      #expect(node.frames.lowerBound == start)
    }
    #expect(sources.last?.frames.upperBound == Int64(147_000_000))
  }

  @Test("a clip begins with the frame that its range begins on, wherever it is placed")
  func clipsKeepTheirFirstFrame() throws {
    let asset = sound(rate: 1000, frames: 100_000)
    var random = Dice(3)
    for _ in 0..<500 {
      let from = Time(value: .random(in: 0..<90_000, using: &random), timescale: 1777)
      let at = Time(value: .random(in: 0..<90_000, using: &random), timescale: 997)
      let range = TimeRange(start: from, duration: seconds(1))
      let graph = try compile(
        Composition(tracks: [Track(segments: [Segment(.asset(asset), source: range, at: at)])]))
      guard case .source(_, let start) = graph.nodes[0].kind else {
        Issue.record("the clip comes first")
        return
      }
      #expect(start == from.frames(atRate: 1000))
      #expect(graph.nodes[0].frames.lowerBound == at.frames(atRate: 1000))
    }
  }

  @Test("a part that is not within the timeline is refused, in times that can be read")
  func partsOutside() throws {
    let asset = sound(rate: 105, frames: 3152)
    let whole = TimeRange(start: .zero, duration: asset.duration)
    let export = Export(
      name: "x",
      composition: Composition(tracks: [
        Track(segments: [Segment(.asset(asset), source: whole, at: .zero)])
      ]),
      timeRange: TimeRange(start: seconds(5), end: seconds(90)),
      outputs: [Output(path: "x.wav", format: .wav(.int16))])
    do throws(Failure) {
      _ = try Graph(compiling: export)
      Issue.record("the timeline is shorter")
    } catch {
      #expect(
        error.message
          == "the part from 5s to 1:30 is not within the timeline, which lasts 0:30.019048")
    }
  }

  @Test("a group's sound is cut to the group's range, and its volume follows it")
  func groupsAreWindows() throws {
    let asset = sound(rate: 1000, frames: 10_000)
    let inner = Composition(tracks: [
      Track(segments: [segment(asset, from: 2, duration: 5, at: 1)])
    ])
    var group = Segment(
      .composition(inner),
      source: TimeRange(start: seconds(2), duration: seconds(3)), at: seconds(10))
    group.mix.envelopes = [
      VolumeEnvelope([
        VolumeRamp(
          from: .silence, to: .unity, over: TimeRange(start: .zero, duration: seconds(1)))
      ])
    ]
    let graph = try compile(Composition(tracks: [Track(segments: [group])]), rate: 1000)
    // Inner 2 s is timeline 10 s, so the inner clip starts at 9 s and is cut at 10 s.
    guard case .source(_, let start) = graph.nodes[0].kind else {
      Issue.record("the clip comes first")
      return
    }
    #expect(graph.nodes[0].frames == 10_000..<13_000)
    #expect(start == 3000)
    #expect(graph.nodes[1].frames == 10_000..<13_000)
    #expect(
      graph.nodes[1].level.envelopes == [
        Level.Envelope(0, [Level.Ramp(frames: 10_000..<11_000, start: 0, end: 1, curve: .linear)])
      ])
  }

  @Test("a range that rounding makes a frame too long ends with the asset")
  func neverReadsPastTheEnd() throws {
    let asset = sound(rate: 1000, frames: 10)
    let half = Time(value: 1, timescale: 2000)
    let range = TimeRange(start: half, end: asset.duration)
    let graph = try compile(
      Composition(tracks: [Track(segments: [Segment(.asset(asset), source: range, at: .zero)])]),
      rate: 1000)
    guard case .source(_, let start) = graph.nodes[0].kind else {
      Issue.record("the clip comes first")
      return
    }
    #expect(start + Int64(graph.nodes[0].frames.count) == 10)
  }

  @Test(
    "the mix has the highest rate among the sources, no higher than the outputs need",
    arguments: [
      (sources: [44_100, 48_000], output: Output.Format.wav(.int16), wanted: nil, rate: 48_000),
      (sources: [8000], output: .mp3(.standard), wanted: nil, rate: 8000),
      (sources: [96_000], output: .mp3(.standard), wanted: nil, rate: 48_000),
      (sources: [88_200], output: .mp3(.standard), wanted: nil, rate: 44_100),
      (sources: [192_000], output: .m4a(bitRate: 128_000), wanted: nil, rate: 96_000),
      (sources: [192_000], output: .flac(bitDepth: 24), wanted: nil, rate: 192_000),
      (sources: [96_000], output: .wav(.int24), wanted: 44_100, rate: 44_100),
      (sources: [8000], output: .wav(.int24), wanted: 44_100, rate: 8000),
    ] as [(sources: [Int], output: Output.Format, wanted: Int?, rate: Int)])
  func mixRate(sources: [Int], output: Output.Format, wanted: Int?, rate: Int) throws {
    let tracks = sources.map { rate in
      Track(segments: [segment(sound(rate: rate, frames: 100_000), from: 0, duration: 0.5, at: 0)])
    }
    let graph = try Graph(
      compiling: Export(
        name: "rates", composition: Composition(tracks: tracks),
        outputs: [Output(path: "out", format: output, sampleRate: wanted)]))
    #expect(graph.nodes[0].format.sampleRate == rate)
    #expect(graph.nodes[graph.sinks[0].node].format.sampleRate == wanted ?? rate)
  }

  @Test("the mix is mono where all sources, or all outputs, are")
  func mixLayout() throws {
    let mono = sound(rate: 1000, frames: 9000, layout: .mono)
    let stereo = sound(rate: 1000, frames: 9000)
    #expect(try mixLayout([mono, mono], output: nil) == .mono)
    #expect(try mixLayout([mono, stereo], output: nil) == .stereo)
    #expect(try mixLayout([stereo], output: .mono) == .mono)
    #expect(try mixLayout([mono], output: .stereo) == .mono)
    // Two channels at the back, which a copy keeps.
    let back = ChannelLayout(mask: 0x30)
    let behind = sound(rate: 1000, frames: 9000, layout: back)
    #expect(try mixLayout([behind], output: back) == back)
  }

  @Test("16-bit outputs are dithered unless every sample passes through untouched")
  func dither() throws {
    let deep = sound(rate: 1000, frames: 9000, bitDepth: 24)
    let plain = sound(rate: 1000, frames: 9000)
    let clip = segment(plain, from: 0, duration: 2, at: 0)
    var louder = clip
    louder.mix.gain = Gain(factor: 2)
    #expect(try !isDithered([[clip, segment(plain, from: 5, duration: 1, at: 2)]]))
    #expect(try isDithered([[segment(deep, from: 0, duration: 2, at: 0)]]))
    #expect(try isDithered([[louder]]))
    #expect(try isDithered([[clip], [clip]]))
    #expect(try !isDithered([[louder]], format: .wav(.int24)))
  }

  @Test("outputs of one format share one conversion of the mix")
  func sharedMasters() throws {
    let asset = sound(rate: 48_000, frames: 48_000)
    let outputs = [
      Output(path: "a.wav", format: .wav(.int16), sampleRate: 44_100),
      Output(path: "b.mp3", format: .mp3(.standard), sampleRate: 44_100),
      Output(path: "c.flac", format: .flac(bitDepth: 24)),
    ]
    let graph = try Graph(
      compiling: Export(
        name: "shared",
        composition: Composition(tracks: [
          Track(segments: [segment(asset, from: 0, duration: 1, at: 0)])
        ]), outputs: outputs))
    #expect(graph.sinks[0].node == graph.sinks[1].node)
    #expect(graph.sinks[2].node != graph.sinks[0].node)
    #expect(graph.nodes.count == 3)
  }

  @Test("chapters of nested items land at their time on the timeline, those outside are dropped")
  func chapters() throws {
    let asset = sound(rate: 1000, frames: 9000)
    var clip = segment(asset, from: 0, duration: 8, at: 1)
    clip.chapters = [
      Chapter(start: .zero, title: "cut off"), Chapter(start: seconds(3), title: "kept"),
    ]
    let inner = Composition(tracks: [Track(segments: [clip])])
    let group = Segment(
      .composition(inner), source: TimeRange(start: seconds(2), duration: seconds(4)),
      at: seconds(10))
    let graph = try compile(Composition(tracks: [Track(segments: [group])]), rate: 1000)
    #expect(graph.sinks[0].chapters == [Chapter(start: seconds(12), title: "kept")])
  }

  @Test("a chapter on the frame after a part is the next part's")
  func chaptersAtBorders() throws {
    let asset = sound(rate: 1000, frames: 30_000)
    let late = Time(value: 99_996, timescale: 10_000)
    let titles = [("a", Time.zero), ("b", late), ("c", seconds(15))]
    func chapters(from start: Int64, to end: Int64) throws -> [Chapter] {
      try Graph(
        compiling: Export(
          name: "part",
          composition: Composition(tracks: [
            Track(segments: [segment(asset, from: 0, duration: 30, at: 0)])
          ]),
          timeRange: TimeRange(start: seconds(start), end: seconds(end)),
          chapters: titles.map { Chapter(start: $0.1, title: $0.0) },
          outputs: [Output(path: "out.flac", format: .flac(bitDepth: 16))])
      ).sinks[0].chapters
    }
    #expect(try chapters(from: 0, to: 10) == [])
    #expect(
      try chapters(from: 10, to: 20) == [
        Chapter(start: .zero, title: "b"), Chapter(start: seconds(5), title: "c"),
      ])
  }

  @Test("a speed, an effect and a depth that nothing can render are refused with their place")
  func limits() throws {
    let asset = sound(rate: 44_100, frames: 441_000)
    var slow = segment(asset, from: 0, duration: 1, at: 0)
    slow.target.duration = seconds(101)
    slow.origin = Origin(rawValue: 3)
    expectRefusal(of: slow, "is played at speed × 0.01; 0.01 to 100 are possible")
    var fast = segment(asset, from: 0, duration: 10, at: 0)
    fast.target.duration = Time(value: 1, timescale: 11)
    fast.origin = Origin(rawValue: 3)
    expectRefusal(of: fast, "is played at speed × 110; 0.01 to 100 are possible")
    let refusals: [(Effect, String)] = [
      (
        .highpass(frequency: 22_050),
        "highpass 22050 Hz: leaves nothing of a mix at 44100 Hz; give a frequency above 0 and "
          + "below 22050 Hz"
      ),
      (.lowpass(frequency: 0), "lowpass 0 Hz: give a frequency above 0 Hz"),
      (.lowpass(frequency: .nan), "lowpass nan Hz: give a frequency above 0 Hz"),
      (.denoise(reduction: 98), "denoise 98 dB: reduction goes from 0 dB to 97 dB"),
      (
        .equalizer([Effect.Band(frequency: 22_050, gain: 1)]),
        "eq (22050 Hz +1 dB q 0.7071): 22050 Hz is not in a mix at 44100 Hz; give a frequency below "
          + "22050 Hz"
      ),
      (
        .equalizer(Array(repeating: Effect.Band(frequency: 90, gain: -1.5, q: 2), count: 33)),
        "eq (\(Array(repeating: "90 Hz -1.5 dB q 2", count: 33).joined(separator: ", "))): "
          + "has 33 bands; 32 are the most"
      ),
      (
        .gate(Effect.Gate(threshold: .nan, range: 24)),
        "gate (threshold nan dB, range 24 dB, ratio 4, attack 5 ms, release 200 ms, knee 6 dB): "
          + "threshold goes from -120 dB to 0 dB"
      ),
      (
        .dehum(Effect.Dehum(frequency: 5)),
        "dehum (frequency 5 Hz, harmonics 10, width 2 Hz): frequency goes from 10 Hz to 1000 Hz"
      ),
    ]
    for (effect, message) in refusals {
      var filtered = segment(asset, from: 0, duration: 1, at: 0)
      filtered.effects = [effect]
      filtered.origin = Origin(rawValue: 3)
      expectRefusal(of: filtered, message)
    }
  }

  @Test("effects that change nothing make no node", arguments: Effect.neutral)
  func neutral(effect: Effect) throws {
    let plain = segment(sound(rate: 44_100, frames: 441_000), from: 1, duration: 2, at: 3)
    var filtered = plain
    filtered.effects = [effect, effect]
    #expect(
      try compile(Composition(tracks: [Track(segments: [filtered])]))
        == compile(Composition(tracks: [Track(segments: [plain])])))
  }

  private func expectRefusal(of segment: Segment, _ message: String) {
    let failure = #expect(throws: Failure.self) {
      try compile(Composition(tracks: [Track(segments: [segment])]))
    }
    #expect(failure == Failure(.mendJob, message, origin: Origin(rawValue: 3)))
  }

  @Test("a hundred thousand clips of 1/3 s end at the exact frame, in groups at odd offsets too")
  func noDrift() throws {
    let third = Time(value: 1, timescale: 3)
    let asset = sound(rate: 44_100, frames: 44_100)
    let clip = Segment(.asset(asset), source: TimeRange(start: .zero, duration: third), at: .zero)
    var flat = Track()
    flat.segments.reserveCapacity(100_000)
    for index in 0..<100_000 {
      var next = clip
      next.target.start = Time(value: Int64(index), timescale: 3)
      flat.segments.append(next)
    }
    let graph = try compile(Composition(tracks: [flat]))
    #expect(graph.nodes.count == 100_001)
    #expect(graph.nodes[99_999].frames == 99_999 * 14_700..<100_000 * 14_700)

    // A thousand groups of a hundred, each shifted by a seventh of a sample more.
    var groups = Track()
    let inner = Composition(tracks: [Track(segments: Array(flat.segments.prefix(100)))])
    for index in 0..<1000 {
      let start = Time(value: Int64(index) * 10_290_001, timescale: 308_700)
      groups.segments.append(
        Segment(
          .composition(inner), source: TimeRange(start: .zero, duration: inner.duration), at: start)
      )
    }
    let nested = try compile(Composition(tracks: [groups]))
    let clips = nested.nodes.filter { if case .source = $0.kind { true } else { false } }
    #expect(clips.count == 100_000)
    for (index, node) in clips.enumerated() {
      // In units of 1/7 of a sample.
      let exact = Int64(index / 100) * 10_290_001 + Int64(index % 100) * 102_900
      #expect(node.frames.lowerBound == (2 * exact + 7) / 14)
    }
  }

  // MARK: Makers

  private func compile(_ composition: Composition, rate: Int? = nil) throws -> Graph {
    try Graph(
      compiling: Export(
        name: "test", composition: composition, sampleRate: rate,
        outputs: [Output(path: "out.wav", format: .wav(.float32))]))
  }

  private func mixLayout(_ assets: [Asset], output: ChannelLayout?) throws -> ChannelLayout {
    let tracks = assets.map { Track(segments: [segment($0, from: 0, duration: 1, at: 0)]) }
    let graph = try Graph(
      compiling: Export(
        name: "layouts", composition: Composition(tracks: tracks),
        outputs: [Output(path: "out", format: .wav(.int16), channelLayout: output)]))
    return graph.nodes[0].format.channelLayout
  }

  private func isDithered(
    _ tracks: [[Segment]], format: Output.Format = .wav(.int16)
  ) throws -> Bool {
    try Graph(
      compiling: Export(
        name: "dither", composition: Composition(tracks: tracks.map { Track(segments: $0) }),
        outputs: [Output(path: "out", format: format)])
    ).sinks[0].isDithered
  }
}

private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

private func sound(
  rate: Int, frames: Int64, layout: ChannelLayout = .stereo, bitDepth: Int? = 16
) -> Asset {
  Asset(
    location: .file(FilePath("\(rate)-\(frames)-\(layout.count)-\(bitDepth ?? 0).wav")),
    streamIndex: 0,
    container: "wav", codec: "pcm", sampleRate: rate, channelLayout: layout, bitDepth: bitDepth,
    frameCount: frames,
    identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
}

private func segment(_ asset: Asset, from: Int64, duration: Double, at start: Int64) -> Segment {
  Segment(
    .asset(asset),
    source: TimeRange(
      start: seconds(from), duration: Time(value: Int64(duration * 1000), timescale: 1000)),
    at: seconds(start))
}

extension Effect {
  /// Each effect as it changes nothing, where it can.
  fileprivate static var neutral: [Effect] {
    var (open, parallel, split) = (Gate(), Compressor(threshold: -30, ratio: 8), Deesser())
    var still = Leveler()
    (open.ratio, parallel.mix, split.intensity, still.range) = (1, 0, 0, 0)
    return [
      .equalizer([]), .equalizer([Band(frequency: 900, gain: 0), Band(frequency: 9, gain: 0)]),
      .compressor(Compressor(threshold: -30, ratio: 1)), .compressor(parallel), .gate(open),
      .gate(Gate(threshold: -20, range: 0)), .deesser(split),
      .deesser(Deesser(intensity: 1, reduction: 0)), .denoise(reduction: 0),
      .leveler(still),
    ]
  }
}
