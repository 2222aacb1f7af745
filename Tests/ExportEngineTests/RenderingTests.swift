import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Rendering")
struct RenderingTests {
  let library = MediaLibrary()
  let folder = TestFolder()

  @Test("a thousand clips cut from one file and joined give it back bit for bit")
  func thousandClips() throws {
    let asset = try library.asset(at: FilePath(Fixture.path("voice-8k.wav")))
    var dice = Dice(8)
    var cuts = (0..<999).map { _ in Int64.random(in: 0...asset.frameCount, using: &dice) }.sorted()
    cuts = [0] + cuts + [asset.frameCount]
    var track = Track()
    for (start, end) in zip(cuts, cuts.dropFirst()) where end > start {
      track.segments.append(segment(asset, start, end, at: track.end))
    }
    let whole = Composition(tracks: [
      Track(segments: [segment(asset, 0, asset.frameCount, at: .zero)])
    ])
    #expect(try render(Composition(tracks: [track])) == render(whole))
  }

  @Test("rendering from any frame gives the slice of the whole", arguments: [8000, 44_100, 48_000])
  func startAnywhere(rate: Int) throws {
    let music = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let voice = try library.asset(at: FilePath(Fixture.path("voice-8k.wav")))
    let fade = VolumeEnvelope([
      VolumeRamp(
        from: .silence, to: .unity,
        over: TimeRange(start: .zero, duration: Time(value: 3, timescale: 1)), curve: .equalPower)
    ])
    var composition = Composition(tracks: [
      Track(segments: [segment(music, 100_001, 700_000, at: Time(value: 1, timescale: 3))]),
      Track(segments: [segment(voice, 77, 100_000, at: Time(value: 5, timescale: 7))]),
    ])
    composition.tracks[0].segments[0].mix = AudioMix(gain: Gain(factor: 0.5), envelopes: [fade])
    let outputs = [
      Output(path: "mix.wav", format: .wav(.float32)),
      Output(path: "rate.wav", format: .wav(.float32), sampleRate: rate, channelLayout: .mono),
    ]
    let graph = try Graph(
      compiling: Export(
        name: "slices", composition: composition, sampleRate: 44_100, outputs: outputs))
    let whole = try renderAll(graph, from: .zero)
    var dice = Dice(9)
    for _ in 0..<12 {
      let start = Time(value: dice.number(0..<13_000), timescale: 1000)
      let part = try renderAll(graph, from: start)
      for (master, channels) in part {
        let first = Int(start.frames(atRate: graph.nodes[master].format.sampleRate))
        for (channel, samples) in channels.enumerated() {
          #expect(samples.elementsEqual(whole[master]?[channel].dropFirst(first) ?? []))
        }
      }
    }
  }

  @Test("nested groups at odd offsets fall on the frames of their absolute times")
  func nesting() throws {
    let asset = try library.asset(at: FilePath(Fixture.path("lame-testcase.wav")))
    let third = Time(value: 1, timescale: 3)
    var nested = Composition(tracks: [Track(segments: [segment(asset, 0, 100, at: .zero)])])
    for _ in 0..<7 {
      let group = Segment(
        .composition(nested), source: TimeRange(start: .zero, duration: nested.duration), at: third)
      nested = Composition(tracks: [Track(segments: [group])])
    }
    let flat = Composition(tracks: [
      Track(segments: [segment(asset, 0, 100, at: Time(value: 7, timescale: 3))])
    ])
    #expect(try render(nested) == render(flat))
  }

  @Test("a linear crossfade of a file with itself gives the file")
  func crossfadeWithItself() throws {
    let asset = try library.asset(at: FilePath(Fixture.path("lame-testcase.wav")))
    let range = TimeRange(start: .zero, duration: Time(frames: 10_000, rate: 44_100))
    var down = segment(asset, 0, 10_000, at: .zero)
    down.mix.envelopes = [VolumeEnvelope([VolumeRamp(from: .unity, to: .silence, over: range)])]
    var up = down
    up.mix.envelopes = [VolumeEnvelope([VolumeRamp(from: .silence, to: .unity, over: range)])]
    let crossed = try render(
      Composition(tracks: [Track(segments: [down]), Track(segments: [up])]))
    let plain = try render(
      Composition(tracks: [Track(segments: [segment(asset, 0, 10_000, at: .zero)])]))
    for (a, b) in zip(crossed.joined(), plain.joined()) {
      #expect((a * 32_768).rounded() == b * 32_768)
    }
  }

  @Test("a sequence has the signs of its clips' zeros, wherever they meet, and silence has none")
  func zeros() throws {
    let stage = Stage()
    let asset = try stage.sound([[Float](repeating: -0.0, count: 10_000)], rate: 8000)
    let places = [Time(frames: 100, rate: 8000), Time(frames: 5101, rate: 8000)]
    let sound = try stage.render(
      composition(clip(asset, 0..<5001, at: places[0]), clip(asset, 7..<4007, at: places[1])))
    #expect(sound[0].count == 9101 && sound[0].allSatisfy { $0 == 0 })
    #expect(sound[0].firstIndex { $0.sign == .minus } == 100)
    #expect(sound[0].count { $0.sign == .minus } == 9001)
  }

  @Test("a source that is shorter than it promised is refused with its file and its place")
  func endsEarly() throws {
    let path = FilePath(folder.path("cut.wav"))
    try writeFile(path.string, readFile(Fixture.path("voice-8k.wav")))
    var asset = try library.asset(at: path)
    asset.frameCount += 100
    let composition = Composition(tracks: [
      Track(segments: [
        Segment(
          .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero,
          origin: Origin(rawValue: 7))
      ])
    ])
    let failure = #expect(throws: Failure.self) { try render(composition) }
    #expect(failure?.path == path)
    #expect(failure?.origin == Origin(rawValue: 7))
    #expect(failure?.remedy == .mendInput)
    #expect(
      failure?.message
        == "breaks off at 30.277 s and not at 30.289 s; copy or download it again, or clip a range "
        + "before that")
  }

  private func segment(_ asset: Asset, _ start: Int64, _ end: Int64, at time: Time) -> Segment {
    let rate = asset.sampleRate
    return Segment(
      .asset(asset),
      source: TimeRange(
        start: Time(frames: start, rate: rate), end: Time(frames: end, rate: rate)), at: time)
  }

  private func render(_ composition: Composition) throws -> [[Float]] {
    let export = Export(
      name: "test", composition: composition,
      outputs: [Output(path: "mix.wav", format: .wav(.float32))])
    let graph = try Graph(compiling: export)
    return try renderAll(graph, from: .zero)[graph.sinks[0].node] ?? []
  }

  private func renderAll(_ graph: Graph, from start: Time) throws -> [Node.ID: [[Float]]] {
    let renderer = try Renderer(graph, library: library)
    var sound: [Node.ID: [[Float]]] = [:]
    for master in renderer.masters {
      sound[master] = try renderer.samples(
        of: master, from: start.frames(atRate: graph.nodes[master].format.sampleRate))
    }
    return sound
  }
}
