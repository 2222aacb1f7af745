import MPEGAudio
import MediaComposition

/// The work of a graph, estimated from the graph alone: the same on every machine, and so are
/// shards and the order of a batch. The costs are nanoseconds of one core for a thousand samples (a
/// sample is a frame of one channel); `docs/decisions.md` has the measurement.
private enum Cost {
  /// For opening, flushing and renaming: the time of the shortest export.
  static let export: Int128 = 10_000_000
  /// For each opened source, and each seek in it.
  static let segment: Int128 = 500_000
  /// Summing and levels.
  static let mix: Int128 = 2_000
  /// For the gain, and for the level of each key.
  static let duck: Int128 = 500
  static let resample: Int128 = 20_000
  static let spectralStretch: Int128 = 450_000
  static let timeDomainStretch: Int128 = 45_000
  static let reverse: Int128 = 2_000
  static let passFilter: Int128 = 25_000
  /// A biquad beside others.
  static let band: Int128 = 5_000
  static let dynamics: Int128 = 40_000
  static let denoise: Int128 = 95_000
  static let declick: Int128 = 400_000
  static let convolution: Int128 = 20_000
  /// For each second of an impulse response.
  static let response: Int128 = 5_000
  static let leveler: Int128 = 20_000
  static let limiter: Int128 = 15_000
  static let measuring: Int128 = 20_000
  static let copying: Int128 = 1_000

  static func decoding(_ codec: String) -> Int128 {
    switch codec {
    case "flac": 15_000
    case "alac": 45_000
    case "opus": 70_000
    case "adpcm_g722", "gsm", "gsm_ms": 30_000
    case _ where codec.hasPrefix("pcm_"): 3_000
    // MP3, AAC and Vorbis; formats that were not measured are taken to be like them.
    default: 14_000
    }
  }

  static func encoding(_ format: Output.Format) -> Int128 {
    if case .mp3(let settings) = format {
      encoding(settings)
    } else {
      Int128(format.kind.capabilities.encodingTime ?? 0)
    }
  }

  /// LAME's time depends on its search (`-q`); in VBR also on the bits.
  private static func encoding(_ settings: MP3Settings) -> Int128 {
    switch settings.rateControl {
    case .vbr(let quality):
      let searching: Int128 =
        switch settings.quality ?? 3 {
        case ..<5: 150_000
        case 5...6: 120_000
        default: 80_000
        }
      return max(75_000, searching - Int128(max(0, min(9, quality))) * 7_000)
    case .abr, .cbr:
      return switch settings.quality ?? 3 {
      case ..<1: 800_000
      case 1...2: 360_000
      case 3...4: 215_000
      case 5...6: 195_000
      default: 85_000
      }
    }
  }
}

extension Sink {
  /// Its frames that are not copied.
  fileprivate var encodedCount: Int {
    guard let sparedParts else { return frames.count }
    return sparedParts.reduce(0) { $0 + ($1.source == nil ? $1.frames.count : 0) }
  }
}

extension Graph {
  /// The time that one core works on the export, estimated from the graph alone: no clock, disk or
  /// measurement. It is right to a factor of two or three on the machine that the table was
  /// measured on, enough to start long exports first and to deal them out in equal shares. At most
  /// a thousand years. O(nodes).
  package var estimatedWork: Duration {
    let work = workOfRendering + workOfWriting
    // A thousandth of a nanosecond is the cost of a sample.
    return .nanoseconds(Int64(clamping: min(work / 1000, 31_536_000_000_000_000_000)))
  }

  /// How much of the estimated work is that of making the sound, 0 … 1; the rest is encoding and
  /// writing it. O(nodes).
  package var renderingShare: Double {
    let rendering = Double(workOfRendering)
    return rendering / (rendering + Double(workOfWriting))
  }

  private var workOfRendering: Int128 {
    var work: Int128 = 0
    let needed = neededFrames
    for (id, node) in nodes.enumerated() where !needed[id].isEmpty {
      work += cost(of: node, frames: Int128(needed[id].count))
    }
    // Sound that is copied alone is not rendered.
    if sinks.count == 1, let sink = sinks.first, sink.copied != nil {
      work = work * Int128(sink.encodedCount) / Int128(max(1, sink.frames.count))
    }
    return work
  }

  private var workOfWriting: Int128 {
    var work = Cost.export * 1000
    for sink in sinks {
      let channels = Int128(nodes[sink.node].format.channelLayout.count)
      work += Int128(sink.encodedCount) * channels * Cost.encoding(sink.format)
      work += Int128(sink.frames.count - sink.encodedCount) * channels * Cost.copying
    }
    return work
  }

  private func cost(of node: Node, frames: Int128) -> Int128 {
    let samples = frames * Int128(node.format.channelLayout.count)
    switch node.kind {
    case .source(let source, _):
      let ratio = source.ratio
      let read = frames * Int128(ratio.source) / Int128(ratio.target)
      return Cost.segment * 1000
        + read * Int128(source.asset.channelLayout.count) * Cost.decoding(source.asset.codec)
        + (ratio == .one ? 0 : samples * Cost.resample)
    case .mix: return samples * Cost.mix
    case .excerpt: return 0
    case .duck(_, let keys, _): return samples * Cost.duck * Int128(1 + keys.count)
    case .convert(let child):
      let isResampled = nodes[child].format.sampleRate != node.format.sampleRate
      return samples * (isResampled ? Cost.resample : Cost.mix)
    case .process(let process, _):
      switch process {
      case .reverse: return samples * Cost.reverse
      case .varispeed: return samples * Cost.resample
      case .stretch(_, .timeDomain): return samples * Cost.timeDomainStretch
      case .stretch: return samples * Cost.spectralStretch
      case .filter(let effects):
        return effects.reduce(0) { $0 + samples * cost(of: $1) }
      case .delay: return samples * Cost.mix
      case .reverb(let reverb):
        let seconds = Int128(reverb.impulse.duration.seconds)
        return samples * (Cost.convolution + Cost.response * seconds)
      case .leveler: return samples * Cost.leveler
      case .limiter: return samples * Cost.limiter
      // Nobody knows; most have some filters.
      case .custom(let effect): return samples * (effect.isTap ? Cost.mix : Cost.dynamics)
      case .normalize: return samples * Cost.measuring
      }
    }
  }

  private func cost(of effect: Effect) -> Int128 {
    switch effect {
    case .highpass, .lowpass: Cost.passFilter
    case .equalizer(let bands): Cost.passFilter + Cost.band * Int128(bands.count)
    case .dehum(let settings): Cost.passFilter + Cost.band * Int128(settings.harmonics)
    case .compressor, .gate, .deesser: Cost.dynamics
    case .denoise: Cost.denoise
    case .declick: Cost.declick
    case .delay, .reverb, .leveler, .limiter, .custom: 0
    case .filter(let description): Cost.dynamics * Int128(description.filters.count)
    }
  }

  /// The frames that each node renders: less than all where a part of a timeline is written, from
  /// the start with unbounded memory.
  private var neededFrames: [Range<Int64>] {
    var needed = [Range<Int64>](repeating: 0..<0, count: nodes.count)
    func need(_ id: Node.ID, _ range: Range<Int64>) {
      let range = range.clamped(to: nodes[id].frames)
      guard !range.isEmpty else { return }
      let old = needed[id].isEmpty ? range : needed[id]
      needed[id] =
        min(old.lowerBound, range.lowerBound)..<max(old.upperBound, range.upperBound)
    }
    for sink in sinks { need(sink.node, sink.frames) }
    // Parents stand after their children.
    for id in nodes.indices.reversed() where !needed[id].isEmpty {
      let range = needed[id]
      switch nodes[id].kind {
      case .source: break
      case .mix(let children): for child in children { need(child, range) }
      case .convert(let child):
        let ratio = FrameRatio(
          from: nodes[id].format.sampleRate, to: nodes[child].format.sampleRate)
        need(
          child, ratio.target(ofSource: range.lowerBound)..<ratio.target(ofSource: range.upperBound)
        )
      case .excerpt(let child, let start):
        let first = range.lowerBound - nodes[id].frames.lowerBound + start
        need(child, first..<first + Int64(range.count))
      case .duck(let child, let keys, let ducking):
        need(child, range)
        for key in keys { need(key, ducking.reach(of: range)) }
      case .process(let process, let child):
        need(
          child,
          Self.frames(
            that: process, takesFor: range, of: nodes[child].frames,
            rate: nodes[id].format.sampleRate))
        if nodes[id].memory == .unbounded { need(id, 0..<range.upperBound) }
      }
    }
    return needed
  }

  private static func frames(
    that process: SoundProcess, takesFor range: Range<Int64>, of all: Range<Int64>, rate: Int
  ) -> Range<Int64> {
    switch process {
    case .reverse: all.upperBound - range.upperBound..<all.upperBound - range.lowerBound
    case .varispeed(let ratio):
      ratio.source(ofTarget: range.lowerBound)..<ratio.source(ofTarget: range.upperBound)
    case .stretch(let ratio, _): 0..<ratio.source(ofTarget: range.upperBound)
    case .filter, .delay, .reverb: 0..<range.upperBound
    case .custom(let effect) where effect.window(atRate: rate) == nil: 0..<range.upperBound
    case .leveler, .limiter, .custom:
      range.lowerBound - Int64(process.window(atRate: rate).before)..<range.upperBound
        + Int64(process.window(atRate: rate).after)
    // All of it is measured first.
    case .normalize: all
    }
  }
}
