import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// The sound of a composition, a track, an asset or an export, in buffers of PCM (`AVAssetReader`
/// with an `AVAssetReaderTrackOutput` or an `AVAssetReaderAudioMixOutput`).
///
/// The samples are those that an export of the same range writes, bit for bit: a range equals the
/// slice of the whole. Integers of 16 bits are dithered as an export's are; those of 24 and 32 bits
/// are rounded.
///
/// A reader is a sequence that can be read any number of times, each time from its start and on a
/// thread of its own, which renders a few buffers ahead. It opens no file before it is read.
///
/// ```swift
/// let reader = try AssetReader(composition, library: library)
/// for try await buffer in reader { print(buffer.presentationTime, buffer.frameCount) }
/// ```
public struct AssetReader: AsyncSequence, Sendable {
  /// What is read.
  public typealias Element = PCMBuffer
  /// Why reading ends before the last buffer.
  public typealias Failure = Diagnosis.Failure

  /// The format of the buffers (`AVAssetReaderTrackOutput.outputSettings`).
  public struct Settings: Sendable, Hashable {
    /// Frames a second (`AVSampleRateKey`); nil: as the sound is mixed.
    public var sampleRate: Int?
    /// The channels (`AVChannelLayoutKey`); nil: as the sound is mixed.
    public var channelLayout: ChannelLayout?
    /// How each sample is stored (`AVLinearPCMBitDepthKey`, `AVLinearPCMIsFloatKey`).
    public var sampleType: PCMFormat.SampleType
    /// Whether the samples of a frame follow one another (`AVLinearPCMIsNonInterleaved`, turned round).
    public var isInterleaved: Bool

    /// Settings; planar float as the sound is mixed by default.
    public init(
      sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil,
      sampleType: PCMFormat.SampleType = .float32, isInterleaved: Bool = false
    ) {
      self.sampleRate = sampleRate
      self.channelLayout = channelLayout
      self.sampleType = sampleType
      self.isInterleaved = isInterleaved
    }
  }

  /// The format of every buffer.
  public let format: PCMFormat
  /// Gets a warning for each file in which damage was found, at the end of each reading and on its
  /// thread; nil: nobody does.
  public var warningHandler: (@Sendable (Warning) -> Void)?
  private let session: ExportSession
  private let output: Int

  /// The sound of an export's output before it is encoded: with every level and effect, and brought to
  /// its loudness, which is measured when the reader is first read.
  ///
  /// - Parameters:
  ///   - session: The export.
  ///   - index: Which of its outputs, counted from 0.
  ///   - timeRange: Which part of the composition's timeline; nil: the export's.
  ///   - settings: The format of the buffers.
  /// - Throws: As `Graph.init(compiling:)`; `mendJob` if there is no such output, a range that is not on
  ///   the timeline, and for a rate or a layout that no float WAV has.
  /// - Complexity: O(segments)
  public init(
    _ session: ExportSession, output index: Int = 0, timeRange: TimeRange? = nil,
    settings: Settings = Settings()
  ) throws(Diagnosis.Failure) {
    let whole = try session.graph()
    guard whole.sinks.indices.contains(index) else {
      throw Diagnosis.Failure(
        .mendJob,
        "the export has no output with the index \(index); use 0 to \(whole.sinks.count - 1)",
        origin: session.export.origin)
    }
    var read = timeRange.map { session.covering($0) } ?? session
    var output = index
    if settings.sampleRate != nil || settings.channelLayout != nil {
      read = session.reading(index, of: whole, settings, range: timeRange)
      output = 0
    }
    let graph = try read.graph()
    let sound = graph.nodes[graph.sinks[output].node].format
    (self.session, self.output) = (read, output)
    format = PCMFormat(
      sampleRate: sound.sampleRate, channelLayout: sound.channelLayout,
      sampleType: settings.sampleType, isInterleaved: settings.isInterleaved)
  }

  /// The mix of a composition (`AVAssetReaderAudioMixOutput`), or one of its tracks
  /// (`AVAssetReaderTrackOutput`).
  ///
  /// - Parameters:
  ///   - composition: What sounds.
  ///   - track: The index of the only track that is read, with its own mix and without the ducking by
  ///     others; nil: all.
  ///   - mix: Over the whole.
  ///   - timeRange: Which part of the timeline (`AVAssetReader.timeRange`); nil: all.
  ///   - settings: The format of the buffers.
  ///   - library: Opens the files.
  /// - Throws: As of an export; `mendJob` for a track that is not there, or not of sound.
  /// - Complexity: O(segments)
  public init(
    _ composition: Composition, track: Int? = nil, mix: AudioMix = .unity,
    timeRange: TimeRange? = nil, settings: Settings = Settings(), library: MediaLibrary
  ) throws(Diagnosis.Failure) {
    var composition = composition
    if let track { composition = try composition.alone(track) }
    let export = Export(
      name: "reader", composition: composition, timeRange: timeRange, mix: mix,
      outputs: [Output(path: Self.nowhere, format: .wav(.float32))])
    try self.init(ExportSession(export, library: library), settings: settings)
  }

  /// The sound of an asset as it is (`AVAssetReader.init(asset:)`).
  ///
  /// - Throws: As of a composition.
  public init(
    _ asset: Asset, timeRange: TimeRange? = nil, settings: Settings = Settings(),
    library: MediaLibrary
  ) throws(Diagnosis.Failure) {
    if let silence = asset.silence { throw silence }
    try self.init(
      Composition(soundOf: asset), timeRange: timeRange, settings: settings, library: library)
  }

  /// An output gives the format; nothing is written there.
  fileprivate static let nowhere: FilePath = "reader.wav"

  /// Reads from the start. The thread ends when the iterator is released or the task is cancelled.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(ahead: ReadAhead { [self] in reading(unless: $0) })
  }

  /// One reading of a reader's buffers, in their order.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let ahead: ReadAhead

    /// The next buffer, of at most 4096 frames; nil behind the last.
    ///
    /// - Throws: `Failure`: that of a file, or `mediaChanged` where a source was changed since it was
    ///   probed; `cancelled` at once where the task is cancelled, also at each call afterwards.
    public mutating func next() async throws(Diagnosis.Failure) -> PCMBuffer? {
      try await ahead.next()
    }

    /// The next buffer, as `next()` gives it, to a task of an actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Diagnosis.Failure) -> PCMBuffer? {
      try await ahead.next()
    }
  }

  /// Reads from the start on the calling thread, which blocks on files and decoders.
  @available(
    *, noasync, message: "read with 'for try await', which blocks no thread of Swift's pool"
  )
  public func blockingBuffers() -> BlockingBuffers {
    BlockingBuffers(reading(unless: CancellationFlag()))
  }

  /// One reading of a reader's buffers on the calling thread. One thread at a time.
  public final class BlockingBuffers {
    private let reading: SoundReading

    fileprivate init(_ reading: SoundReading) { self.reading = reading }

    /// The next buffer, of at most 4096 frames; nil behind the last
    /// (`AVAssetReaderOutput.copyNextSampleBuffer()`).
    ///
    /// - Throws: As `AsyncIterator.next()`, without a cancellation; a call after a failure begins anew.
    public func next() throws(Diagnosis.Failure) -> PCMBuffer? {
      try reading.next()
    }
  }

  private func reading(unless cancellation: CancellationFlag) -> SoundReading {
    SoundReading(session, output: output, as: format, unless: cancellation, warningHandler)
  }
}

extension ExportSession {
  /// This session with the sound of one of its outputs alone, in another rate or layout.
  fileprivate func reading(
    _ index: Int, of graph: Graph, _ settings: AssetReader.Settings, range: TimeRange?
  ) -> ExportSession {
    let node = graph.sinks[index].node
    let (sound, mix) = (graph.nodes[node].format, graph.nodes[graph.mixNode(of: node)].format)
    let original = export.outputs[index]
    var output = Output(
      path: AssetReader.nowhere, format: .wav(.float32),
      sampleRate: settings.sampleRate ?? sound.sampleRate)
    output.channelLayout = settings.channelLayout ?? sound.channelLayout
    (output.loudness, output.origin, output.origins) = (
      original.loudness, original.origin, original.origins
    )
    var copy = export
    (copy.outputs, copy.records) = ([output], [])
    // What is mixed stays as it is for the export's own outputs.
    (copy.sampleRate, copy.channelLayout) = (mix.sampleRate, mix.channelLayout)
    if let range { copy.timeRange = range }
    return ExportSession(copy, library: library).sharing(groups)
  }
}

extension Composition {
  /// One of its tracks, on a timeline of the same length.
  fileprivate func alone(_ index: Int) throws(Failure) -> Composition {
    guard tracks.indices.contains(index), tracks[index].mediaType == .audio else {
      let sounds = tracks.indices.filter { tracks[$0].mediaType == .audio }
      guard !sounds.isEmpty else {
        throw Failure(.mendJob, "the composition has no track of sound; add one, and read that")
      }
      throw Failure(
        .mendJob,
        "the composition has no track of sound with the index \(index); use one of "
          + sounds.map { "\($0)" }.joined(separator: ", "))
    }
    var track = tracks[index]
    (track.isEnabled, track.ducking) = (true, nil)
    let rest = duration - track.end
    if rest > .zero {
      track.segments.append(
        Segment(.silence, source: TimeRange(start: .zero, duration: rest), at: track.end))
    }
    return Composition(tracks: [track])
  }
}
