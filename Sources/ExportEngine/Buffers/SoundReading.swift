import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Threads

/// One reading of an output's sound, buffer by buffer, on the thread that asks. One thread at a time.
final class SoundReading {
  private let session: ExportSession
  private let output: Int
  private let format: PCMFormat
  private let cancellation: CancellationFlag
  private let warn: (@Sendable (Warning) -> Void)?
  private var opened: Opened?

  /// What is open between the first buffer and the last.
  private struct Opened {
    let renderer: Renderer
    let sink: Sink
    let quantizer: Quantizer
    let sources: SourceList
    let media: PrefetchedMedia
    let block: AudioBuffer
  }

  init(
    _ session: ExportSession, output: Int, as format: PCMFormat,
    unless cancellation: CancellationFlag, _ warn: (@Sendable (Warning) -> Void)?
  ) {
    (self.session, self.output, self.format) = (session, output, format)
    (self.cancellation, self.warn) = (cancellation, warn)
  }

  /// The next buffer; nil behind the last.
  ///
  /// - Throws: `Failure`; the code `cancelled` once the flag is set. A call afterwards begins anew.
  func next() throws(Failure) -> PCMBuffer? {
    var sources: SourceList?
    do {
      let opened = try self.opened ?? open()
      sources = opened.sources
      if cancellation.isCancelled { throw CancellationError() }
      let (sink, block) = (opened.sink, opened.block)
      let position = opened.renderer.position(of: sink.node)
      try opened.renderer.read(
        position..<position + Int64(block.capacity), of: sink.node, into: block)
      guard block.frameCount > 0 else {
        try Renderer.requireHeard([opened.renderer])
        try opened.sources.requireUnchanged()
        for warning in Renderer.damageWarnings(of: [opened.renderer]) { warn?(warning) }
        return nil
      }
      let frame = sink.frames.lowerBound + position
      return PCMBuffer(
        block, 0..<block.frameCount, as: format,
        at: Time(frames: frame, rate: format.sampleRate), frame: frame, opened.quantizer)
    } catch {
      opened = nil
      if cancellation.isCancelled { throw .cancelled }
      switch sources?.cause(of: error) ?? error {
      case let failure as Failure: throw failure
      case let other: throw Failure(.reportBug, "the sound was not read: \(other)")
      }
    }
  }

  private func open() throws -> Opened {
    let session = try session.measured(cancellation: cancellation)
    let graph = try session.graph()
    let sink = graph.sinks[output]
    let (sources, media) = (try SourceList(of: graph), try PrefetchedMedia(of: graph))
    let renderer = try Renderer(
      graph, library: session.library, masters: [sink.node], cancellation: cancellation)
    let isDithered =
      format.sampleType == .int16 && graph.needsDither(sink.node, as: .wav(.int16))
    let opened = Opened(
      renderer: renderer, sink: sink, quantizer: Quantizer(isDithered: isDithered),
      sources: sources, media: media,
      block: AudioBuffer(
        channelCount: format.channelLayout.count, capacity: Renderer.blockSize))
    self.opened = opened
    return opened
  }
}
