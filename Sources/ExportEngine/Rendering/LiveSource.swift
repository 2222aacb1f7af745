import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Threads

/// What one output of an export will hold, to be heard: from any moment on, at the rate and with the
/// channels of a device, slower or faster with the pitch kept.
///
/// Where format and speed are the output's own, the frames are those that the export encodes, bit for
/// bit: from the start, and after a seek wherever nothing in the graph remembers without end. What
/// does (rubberband, a denoiser) is rendered from `warmUp` before the place that was sought.
///
/// One thread at a time, which blocks on files and decoders.
package final class LiveSource {
  /// How far back what remembers without end is rendered from after a jump. 300 ms are three of
  /// rubberband's windows, and more than afftdn's noise estimate takes to settle.
  package static let warmUp = Time(value: 3, timescale: 10)

  /// What `read` gives.
  package let format: AudioFormat
  /// Frames of the whole, at `format`'s rate and at speed 1.
  package let frameCount: Int64

  private let sound: any FrameSource
  private let renderer: Renderer
  private let jumps = Jumps(warmUp: LiveSource.warmUp)
  /// What is read of at another speed than 1, and the frame of `sound` that is its frame 0.
  private var stretched: (source: any FrameSource, start: Int64)?
  private var speed = FrameRatio.one

  /// Opens what `sink` of a graph is fed from. Files are opened when they first sound.
  ///
  /// - Parameters:
  ///   - graph: What sounds.
  ///   - sink: Which of its outputs.
  ///   - format: What a device takes; nil: the sink's own.
  ///   - library: Opens the files.
  ///   - watchers: Who sees the sound of which nodes; they may be called for frames that are not
  ///     read yet.
  ///   - cancellation: Once set, reading soon throws.
  /// - Throws: What opening the graph throws.
  package init(
    _ graph: Graph, sink: Sink, as format: AudioFormat? = nil, library: MediaLibrary,
    watchers: [Node.ID: any NodeWatcher] = [:], cancellation: CancellationFlag = CancellationFlag()
  ) throws(Failure) {
    renderer = try Renderer(
      graph, library: library, masters: [sink.node], watchers: watchers, jumps: jumps,
      cancellation: cancellation)
    let own = graph.nodes[sink.node].format
    let format = format ?? own
    let ratio = FrameRatio(from: own.sampleRate, to: format.sampleRate)
    let count = Int64(sink.frames.count)
    self.format = format
    frameCount = ratio.target(ofSource: count)
    sound = convert(
      MasterSource(renderer, sink.node, channelCount: own.channelLayout.count, frameCount: count),
      by: ChannelMatrix(from: own.channelLayout, to: format.channelLayout), ratio,
      sampleRate: own.sampleRate, frameCount: count, targetCount: frameCount)
  }

  /// The frame at speed 1 that the next read begins with, 0 … `frameCount`.
  package var position: Int64 {
    guard let stretched else { return sound.position }
    return stretched.start
      + speed.place(ofTarget: stretched.source.position, in: frameCount - stretched.start)
  }

  /// A warning for each file of which something could not be decoded so far.
  package var damageWarnings: [Warning] { renderer.damageWarnings }

  /// Goes to a frame; one before the start is the start, one behind the end the end.
  ///
  /// - Parameters:
  ///   - frame: Where to.
  ///   - isExact: Whether what remembers without end is rendered from its start, however long that
  ///     takes.
  /// - Throws: What reading on the way throws.
  package func seek(to frame: Int64, exactly isExact: Bool = false) throws(Failure) {
    jumps.warmUp = isExact ? nil : Self.warmUp
    stretched = nil
    try sound.seek(to: max(0, min(frame, frameCount)))
    try stretch()
  }

  /// Goes on at so many frames becoming so many (`AVPlayer.rate`, of which this is the ratio).
  package func setSpeed(_ speed: FrameRatio) throws(Failure) {
    guard speed != self.speed else { return }
    let position = position
    self.speed = speed
    try seek(to: position)
  }

  /// Fills a buffer's first frames; fewer than `count` only at the end.
  package func read(into buffer: AudioBuffer, count: Int) throws(Failure) {
    let source = stretched?.source ?? sound
    buffer.frameCount = try source.read(into: buffer, at: 0, count: count)
  }

  private func stretch() throws(Failure) {
    guard speed != .one else { return }
    let start = sound.position
    let count = frameCount - start
    let rest = OffsetSource(sound, from: start, frameCount: count)
    stretched = (
      FilteredSource(
        rest, try FilteredSource.Setup.stretch(speed, .spectral, sampleRate: format.sampleRate),
        speed,
        sampleRate: format.sampleRate, frameCount: speed.target(ofSource: count)), start
    )
  }
}

extension FrameRatio {
  /// Where in `count` frames one of those that they become stands: behind the last of these it is
  /// `count`, and before it is less, however lengths are rounded.
  func place(ofTarget frame: Int64, in count: Int64) -> Int64 {
    frame >= target(ofSource: count) ? count : min(count - 1, source(ofTarget: frame))
  }
}

/// A master's frames from 0 on, read like a file's.
private final class MasterSource: FrameSource {
  let channelCount: Int
  private(set) var position: Int64 = 0
  private let renderer: Renderer
  private let master: Node.ID
  private let frameCount: Int64
  private let block: AudioBuffer

  init(_ renderer: Renderer, _ master: Node.ID, channelCount: Int, frameCount: Int64) {
    self.renderer = renderer
    self.master = master
    self.channelCount = channelCount
    self.frameCount = frameCount
    block = AudioBuffer(channelCount: channelCount, capacity: Renderer.blockSize)
  }

  func seek(to frame: Int64) throws(Failure) {
    guard frame != position else { return }
    try renderer.seek(master, to: frame)
    position = frame
  }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    var filled = 0
    while filled < count, position < frameCount {
      let wanted = min(count - filled, block.capacity)
      try renderer.pull(master, into: block, count: wanted)
      for channel in 0..<channelCount {
        (buffer.planes[channel] + offset + filled).update(
          from: block.planes[channel], count: block.frameCount)
      }
      filled += block.frameCount
      position += Int64(block.frameCount)
    }
    return filled
  }
}

/// A source from one of its frames on.
private final class OffsetSource: FrameSource {
  let channelCount: Int
  private let source: any FrameSource
  private let start: Int64
  private let end: Int64

  init(_ source: any FrameSource, from start: Int64, frameCount: Int64) {
    self.source = source
    self.start = start
    end = start + frameCount
    channelCount = source.channelCount
  }

  var position: Int64 { source.position - start }

  func seek(to frame: Int64) throws(Failure) { try source.seek(to: start + frame) }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    let wanted = Int(max(0, min(Int64(count), end - source.position)))
    return try source.read(into: buffer, at: offset, count: wanted)
  }
}
