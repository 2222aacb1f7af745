import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport

@testable import ExportEngine

/// Renders what tests compose, and makes the media for it.
struct Stage {
  let library = MediaLibrary()
  let folder = TestFolder()

  /// A file of the repository.
  func fixture(_ name: String) throws -> Asset {
    try library.asset(at: FilePath(Fixture.path(name)))
  }

  /// A float WAV of these channels.
  func sound(_ channels: [[Float]], rate: Int, name: String = "sound.wav") throws -> Asset {
    let count = channels[0].count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * channels.count * 4)
    for frame in 0..<count {
      for channel in channels {
        withUnsafeBytes(of: channel[frame].bitPattern.littleEndian) { bytes += $0 }
      }
    }
    try writeFile(folder.path(name + ".raw"), bytes)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-y", "-f", "f32le", "-ar", "\(rate)", "-ac", "\(channels.count)",
      "-i", folder.path(name + ".raw"), "-c:a", "pcm_f32le", folder.path(name))
    return try library.asset(at: FilePath(folder.path(name)))
  }

  /// All of an export's sound, by sink; the first sink's by default.
  func render(
    _ composition: Composition, rate: Int? = nil, layout: ChannelLayout? = nil,
    timeRange: TimeRange? = nil, mix: AudioMix = .unity, output: Int? = nil,
    from start: Time = .zero, block: Int = 3000
  ) throws -> [[Float]] {
    let export = Export(
      name: "test", composition: composition, timeRange: timeRange, mix: mix, sampleRate: rate,
      channelLayout: layout,
      outputs: [Output(path: "mix.wav", format: .wav(.float32), sampleRate: output)])
    return try render(try Graph(compiling: export), from: start, block: block)
  }

  func render(_ graph: Graph, from start: Time = .zero, block: Int = 3000) throws -> [[Float]] {
    let master = graph.sinks[0].node
    return try Renderer(graph, library: library).samples(
      of: master, from: start.frames(atRate: graph.nodes[master].format.sampleRate),
      inBlocksOf: block)
  }
}

extension Renderer {
  /// A master's sound from a frame of its sinks on, by channel.
  func samples(
    of master: Node.ID, from first: Int64 = 0, inBlocksOf size: Int = 3000
  ) throws -> [[Float]] {
    try sound(of: master)?.samples(first..<first + 1 << 40, inBlocksOf: size) ?? []
  }
}

extension Sound {
  /// Frames by channel, as far as there are any.
  func samples(_ frames: Range<Int64>, inBlocksOf size: Int = 10_007) throws -> [[Float]] {
    var channels = Array(repeating: [Float](), count: channelCount)
    let buffer = AudioBuffer(channelCount: channelCount, capacity: size)
    var rest = frames
    while !rest.isEmpty {
      buffer.frameCount = try read(rest.prefix(size), into: buffer, at: 0)
      if buffer.frameCount == 0 { break }
      for channel in channels.indices { channels[channel] += buffer.samples(channel) }
      rest = rest.dropFirst(buffer.frameCount)
    }
    return channels
  }
}

/// Frames `start ..< end` of an asset at its own rate, played from `time` on at `speed`.
func clip(
  _ asset: Asset, _ frames: Range<Int64>? = nil, at time: Time = .zero,
  speed: (Int64, Int32) = (1, 1)
) -> Segment {
  let frames = frames ?? 0..<asset.frameCount
  let rate = asset.sampleRate
  let source = TimeRange(
    start: Time(frames: frames.lowerBound, rate: rate),
    end: Time(frames: frames.upperBound, rate: rate))
  let target = TimeRange(
    start: time,
    duration: Time(
      value: Int64(frames.count) * Int64(speed.1), timescale: Int32(rate) * Int32(speed.0)))
  return Segment(.asset(asset), TimeMapping(source: source, target: target))
}

func composition(_ segments: Segment..., by algorithm: TimePitchAlgorithm = .spectral)
  -> Composition
{
  Composition(tracks: [Track(segments: segments, timePitchAlgorithm: algorithm)])
}

/// A group of `composition`'s whole length, at `time`.
func group(_ composition: Composition, at time: Time = .zero) -> Segment {
  Segment(
    .composition(composition),
    source: TimeRange(start: .zero, duration: composition.duration), at: time)
}
