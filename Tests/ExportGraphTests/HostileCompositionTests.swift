import ExportGraph
import JSON
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@Suite("Compositions at the limits")
struct HostileCompositionTests {
  @Test("whatever the times, compiling and planning end in a graph or a failure")
  func extremes() throws {
    var maker = Maker(dice: Dice(1))
    var compiled = 0
    for _ in 0..<8000 {
      let export = maker.export()
      guard let graph = try? Graph(compiling: export) else { continue }
      compiled += 1
      let duration = export.composition.duration
      #expect(!graph.planText(name: "hostile", duration: duration).isEmpty)
      #expect(!graph.planJSON(name: "hostile", duration: duration, records: []).line.isEmpty)
      for node in graph.nodes {
        guard case .source(let source, let start) = node.kind else { continue }
        // What a renderer reads is there.
        #expect(start >= 0 && start <= source.frameCount - Int64(node.frames.count))
      }
    }
    #expect(compiled > 200)
  }
}

/// Makes compositions of times at the ends of what numbers hold, among some that are sane.
private struct Maker {
  var dice: Dice

  mutating func export() -> Export {
    var export = Export(
      name: "hostile", composition: composition(depth: 2),
      sampleRate: [nil, 8000, 44_100, 768_000][pick(4)],
      outputs: [
        Output(path: "a.wav", format: .wav(.int16)),
        Output(path: "b.wav", format: .wav(.float32), sampleRate: 11_025),
      ])
    if pick(2) == 0 { export.timeRange = range() }
    if pick(3) == 0 { export.mix = mix() }
    if pick(3) == 0 { export.chapters = [Chapter(start: time(), title: "1")] }
    return export
  }

  private mutating func pick(_ count: Int) -> Int { Int(dice.number(0..<Int64(count))) }

  private mutating func time() -> Time {
    if pick(3) > 0 { return Time(value: dice.number(0..<100), timescale: [1, 7, 1000][pick(3)]) }
    let values: [Int64] = [
      0, 1, -1, 1 << 31, 1 << 62, -(1 << 62), .max, .max - 1, .min, .min + 1,
      dice.number(.min..<Int64.max),
    ]
    let timescales: [Int32] = [1, 3, 44_100, 1_000_000_007, .max]
    let odd: [Time] = [.positiveInfinity, .negativeInfinity, .indefinite, .invalid]
    if pick(5) == 0 { return odd[pick(4)] }
    return Time(
      value: values[pick(values.count)], timescale: timescales[pick(timescales.count)])
  }

  private mutating func range() -> TimeRange { TimeRange(start: time(), duration: time()) }

  private mutating func composition(depth: Int) -> Composition {
    Composition(
      tracks: (0...pick(2)).map { _ in
        Track(
          segments: (0...pick(3)).map { _ in segment(depth: depth) },
          timePitchAlgorithm: [.spectral, .timeDomain, .varispeed][pick(3)])
      })
  }

  private mutating func segment(depth: Int) -> Segment {
    let (source, target) = (range(), range())
    let content: Segment.Content
    switch pick(depth > 0 ? 4 : 3) {
    case 0: content = .silence
    case 3: content = .composition(composition(depth: depth - 1))
    default: content = .asset(asset())
    }
    return Segment(
      content,
      TimeMapping(
        source: source,
        target: pick(2) == 0 ? target : TimeRange(start: target.start, duration: source.duration)),
      channels: pick(5) == 0 ? .channel([0, 1, 5, -1, .max][pick(5)]) : nil,
      isReversed: pick(3) == 0,
      effects: pick(4) == 0 ? [.highpass(frequency: 80)] : [], mix: mix())
  }

  private mutating func asset() -> Asset {
    Asset(
      location: .file("a.wav"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
      sampleRate: [1000, 44_100, 768_000][pick(3)],
      channelLayout: pick(2) == 0 ? .mono : .stereo, bitDepth: 16,
      frameCount: [1, 44_100, 1 << 40, .max][pick(4)],
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }

  private mutating func mix() -> AudioMix {
    guard pick(2) == 0 else { return .unity }
    return AudioMix(
      gain: Gain(decibels: [0, -6, 300, -.infinity][pick(4)]),
      envelopes: [
        VolumeEnvelope([
          VolumeRamp(from: .silence, to: .unity, over: range(), curve: .exponential),
          VolumeRamp(from: .unity, to: .silence, over: range(), curve: .equalPower),
        ])
      ],
      pan: PanEnvelope(.centre, ramps: [PanRamp(from: .centre, to: .left, over: range())]))
  }
}
