import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Threads

/// The sound of one output, for listening: from any moment on, at the rate and with the channels of
/// a device.
///
/// In the output's own format, the frames are those that the export encodes, bit for bit: from the
/// start, and after a seek unless a node's memory is unbounded (rubberband, a denoiser). Such nodes
/// are rendered from `warmUp` before the target of a seek.
///
/// One thread at a time, which blocks on files and decoders.
package final class LiveSource {
  /// The warm-up of nodes with unbounded memory after a jump. 300 ms are three of rubberband's
  /// windows, and more than afftdn's noise estimate takes to settle.
  package static let warmUp = Time(value: 3, timescale: 10)

  /// The format of frames from `read`.
  package let format: AudioFormat
  /// Frames of the whole, at `format`'s rate.
  package let frameCount: Int64

  private let sound: any Sound
  private let renderer: Renderer
  private let jumps = Jumps(warmUp: LiveSource.warmUp)
  /// Whether a node's memory is unbounded.
  private let remembers: Bool
  /// Whether the frames from here on are those of a rendering from the start, bit for bit.
  package private(set) var isExact = true

  /// Opens the node of a graph's `sink`. Files are opened when they first sound.
  ///
  /// - Parameters:
  ///   - graph: The graph.
  ///   - sink: One of its outputs.
  ///   - format: The device's; nil: the sink's own.
  ///   - library: Opens the files.
  ///   - watchers: Watchers of nodes; they may be called for frames that are not read yet.
  ///   - cancellation: Once set, reading soon throws.
  /// - Throws: As opening the graph.
  package init(
    _ graph: Graph, sink: Sink, as format: AudioFormat? = nil, library: MediaLibrary,
    watchers: [Node.ID: any NodeWatcher] = [:], cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) {
    renderer = try Renderer(
      graph, library: library, masters: [sink.node], watchers: watchers, jumps: jumps,
      cancellation: cancellation)
    remembers = graph.nodes.contains { $0.memory == .unbounded }
    let own = graph.nodes[sink.node].format
    let format = format ?? own
    let ratio = FrameRatio(from: own.sampleRate, to: format.sampleRate)
    let count = Int64(sink.frames.count)
    self.format = format
    frameCount = ratio.target(ofSource: count)
    guard let master = renderer.sound(of: sink.node) else {
      throw Failure(.reportBug, "a sink has no sound")
    }
    sound = convert(
      master, by: ChannelMatrix(from: own.channelLayout, to: format.channelLayout), ratio,
      sampleRate: own.sampleRate, frameCount: count, targetCount: frameCount)
  }

  package var channelCount: Int { format.channelLayout.count }

  /// The frame that the next read begins with, 0 … `frameCount`.
  package private(set) var position: Int64 = 0

  /// A warning for each file with damage so far.
  package var damageWarnings: [Warning] { Renderer.damageWarnings(of: [renderer]) }

  /// Moves to a frame, 0 … `frameCount`; others are clamped.
  ///
  /// - Parameters:
  ///   - frame: The target.
  ///   - isExact: Whether nodes of unbounded memory are rendered from their start, however long
  ///     that takes.
  package func seek(to frame: Int64, exactly isExact: Bool) {
    let frame = max(0, min(frame, frameCount))
    guard frame != position || isExact && !self.isExact else { return }
    let isFromStart = Time(frames: frame, rate: format.sampleRate) <= Self.warmUp
    self.isExact = isExact || isFromStart || !remembers
    jumps.warmUp = isExact ? nil : Self.warmUp
    position = frame
  }

  /// Reads frames that nobody hears.
  package func skip(_ count: Int64) throws(Failure) {
    let block = AudioBuffer(channelCount: channelCount, capacity: Renderer.blockSize)
    var left = count
    while left > 0 {
      let taken = try read(into: block, at: 0, count: Int(min(left, Int64(block.capacity))))
      guard taken > 0 else { return }
      left -= Int64(taken)
    }
  }

  /// Moves to a frame; nodes of unbounded memory are rendered from shortly before it.
  package func seek(to frame: Int64) { seek(to: frame, exactly: false) }

  /// Fills frames of a buffer; fewer than `count` only at the end.
  package func read(
    into buffer: AudioBuffer, at offset: Int, count: Int
  ) throws(Failure) -> Int {
    let frames = position..<min(position + Int64(count), frameCount)
    let taken = try sound.read(frames, into: buffer, at: offset)
    position += Int64(taken)
    return taken
  }
}
