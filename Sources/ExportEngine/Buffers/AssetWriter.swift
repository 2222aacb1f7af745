import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Threads
import Transcripts

/// Writes buffers of PCM into a file of any format (`AVAssetWriter` with an `AVAssetWriterInput`).
///
/// The file is at its path when `finish` has returned, whole, or not at all: a writer that fails, is
/// cancelled or is released leaves what was there before. Its bytes are those that an ``ExportSession``
/// writes of the same samples in a float WAV, with the same levels, tags, chapters and files beside it.
///
/// Until then the samples are in a temporary float WAV beside the output, of four bytes each: an
/// export's length is known before it begins, and loudness, the ends of chapters and some headers follow
/// from all of it. So memory is bounded, an append waits for the disk alone, and nothing that an export
/// can do is refused; what takes long is `finish`, which encodes on all cores. Sound that must be playable
/// while it grows is what a `Recorder` makes.
///
/// Safe from any task; buffers are in the order in which the calls begin.
public final class AssetWriter: Sendable {
  /// The output, as it was asked for.
  public let output: Output
  /// Frames a second of the buffers.
  public let sampleRate: Int
  /// The channels of the buffers.
  public let channelLayout: ChannelLayout
  private let settings: Export
  private let cancellation = CancellationFlag()
  private let state = Monitor(Phase.waiting)

  private enum Phase {
    /// No buffer has come.
    case waiting
    case writing(Take)
    case finishing
    case finished
    case failed(Failure)
  }

  /// What was appended.
  private final class Take {
    let spool: SpooledSound
    /// The moment of the first frame.
    let start: Time
    /// Frames in the file, and those that wait.
    var frameCount: Int64 = 0
    /// Buffers that are not in the file yet, each behind some frames of silence.
    var pending: [(silence: Int64, buffer: PCMBuffer)] = []
    var pendingSamples = 0

    init(_ spool: SpooledSound, from start: Time) { (self.spool, self.start) = (spool, start) }
  }

  /// Samples that may wait before they are written: 1 MiB.
  private static let mostPending = 1 << 18

  /// A writer of one file.
  ///
  /// - Parameters:
  ///   - output: Where to, and as what; with its own loudness, tags and places of chapters.
  ///   - sampleRate: Frames a second of the buffers; the file's, if `output` says none.
  ///   - channelLayout: The channels of the buffers; the file's, if `output` says none.
  ///   - metadata: Tags.
  ///   - chapters: In the file's own time, in order; each begins before the end.
  ///   - transcript: The words, for outputs that have a place for them; nil: none.
  /// - Throws: `mendJob` for what the format does not have, as of an export; `mendMachine` for a folder
  ///   that may not be written. Nothing is written yet.
  public init(
    _ output: Output, sampleRate: Int, channelLayout: ChannelLayout,
    metadata: Metadata = Metadata(), chapters: [Chapter] = [], transcript: Transcript? = nil
  ) throws(Failure) {
    (self.output, self.sampleRate, self.channelLayout) = (output, sampleRate, channelLayout)
    var settings = Export(
      name: output.path.stem ?? "\(output.path)", composition: Composition(), metadata: metadata,
      chapters: chapters, outputs: [output])
    settings.transcript = transcript
    self.settings = settings
    guard sampleRate > 0, channelLayout.count > 0 else {
      throw Failure(
        .mendJob,
        "is given \(sampleRate) Hz and \(channelLayout.count) channels; give it one or more of each",
        path: output.path)
    }
    // Of a length that has room for what was given.
    let ends = chapters.map(\.start) + (transcript?.cues.map(\.range.end) ?? [])
    let length = (ends.max() ?? .zero) + Time(value: 1, timescale: 1)
    let stand = Asset.spool(of: self, frameCount: length.frames(atRate: sampleRate))
    let session = ExportSession(export(of: stand), library: MediaLibrary())
    _ = try session.graph()
    if let problem = session.review().problems.first { throw problem }
  }

  /// A writer of one file by a preset (`AVOutputSettingsAssistant`).
  ///
  /// - Throws: As above, and where the preset writes no such file of sound.
  public convenience init(
    to path: FilePath, preset: Output.Preset, sampleRate: Int, channelLayout: ChannelLayout,
    metadata: Metadata = Metadata(), chapters: [Chapter] = []
  ) throws(Failure) {
    let asset = Asset.spool(
      at: path, sampleRate: sampleRate, channelLayout: channelLayout, frameCount: 1)
    let output = try Output(path: path, preset: preset, of: Composition(soundOf: asset))
    try self.init(
      output, sampleRate: sampleRate, channelLayout: channelLayout, metadata: metadata,
      chapters: chapters)
  }

  private func export(of asset: Asset) -> Export {
    var export = settings
    export.composition = Composition(soundOf: asset)
    return export
  }

  /// Appends a buffer (`AVAssetWriterInput.append(_:)`), and waits for the disk if it is slower: no more
  /// than 1 MiB waits in memory.
  ///
  /// The first buffer's moment is the file's start (`startSession(atSourceTime:)`); between the end of one
  /// buffer and the moment of the next there is silence.
  ///
  /// - Parameter buffer: Any format of the writer's rate and channels; integers of 32 bits are rounded to
  ///   float.
  /// - Throws: `mendJob` for a buffer of another rate or other channels, one that begins before the end
  ///   of the one before it, and samples that are not finite, all of which the writer survives; the
  ///   disk's failure; the code `cancelled` where the task or the writer is cancelled. Cancelling the
  ///   task cancels the writer.
  public func append(_ buffer: PCMBuffer) async throws(Failure) {
    try await cancelling { writer throws(Failure) in
      guard try writer.take(buffer) else { return }
      try await onThread(about: writer.location) { _ throws(Failure) in try writer.drain() }
    }
  }

  /// Appends frames behind those before them: one list of samples for each channel.
  ///
  /// - Throws: As `append(_:)`; `mendJob` where there is not one list for each channel, or they differ
  ///   in length.
  public func append(planes: [[Float]]) async throws(Failure) {
    try await append(following(planes))
  }

  /// Appends a buffer on the calling thread, which blocks on the disk.
  ///
  /// - Throws: As above.
  @available(*, noasync, message: "'await' the append, which blocks no thread of Swift's pool")
  public func append(_ buffer: PCMBuffer) throws(Failure) {
    if try take(buffer) { try drain() }
  }

  /// Encodes what was appended, on a thread of its own (`AVAssetWriter.finishWriting()`).
  ///
  /// - Parameter progress: Called on that thread for every block; it should be quick.
  /// - Returns: The written file, those beside it, and warnings.
  /// - Throws: As ``ExportSession/export(replacing:examining:progress:)``; `mendJob` where nothing was
  ///   appended, a chapter does not begin before the end, or the writer is finished. The file is then not
  ///   at its path.
  @discardableResult
  public func finish(
    progress: @escaping @Sendable (ExportSession.Progress) -> Void = { _ in }
  ) async throws(Failure) -> ExportSession.Report {
    try await cancelling { writer throws(Failure) in
      try await onThread(about: writer.location) { _ throws(Failure) in
        try writer.complete(progress)
      }
    }
  }

  /// Runs `body`; a cancelled task cancels the writer.
  private func cancelling<Result: Sendable>(
    _ body: (AssetWriter) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = await withTaskCancellationHandler {
      do throws(Failure) {
        return .success(try await body(self))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Encodes what was appended on the calling thread, which blocks.
  ///
  /// - Throws: As above.
  @available(*, noasync, message: "'await' the end, which blocks no thread of Swift's pool")
  @discardableResult
  public func finish(
    progress: (ExportSession.Progress) -> Void = { _ in }
  ) throws(Failure) -> ExportSession.Report {
    try complete(progress)
  }

  /// Ends the writing and removes what was written (`AVAssetWriter.cancelWriting()`). Does nothing once the
  /// file is at its path.
  public func cancel() {
    cancellation.cancel()
    state.withLock { phase in
      switch phase {
      case .waiting, .writing: phase = .failed(.cancelled(at: location))
      // The thread that encodes removes its files.
      case .finishing, .finished, .failed: break
      }
    }
  }
}

// MARK: - Buffers

extension AssetWriter {
  /// The frames behind those that were appended.
  private func following(_ planes: [[Float]]) throws(Failure) -> PCMBuffer {
    let start = state.withLock { phase in
      if case .writing(let take) = phase {
        take.start + Time(frames: take.frameCount, rate: sampleRate)
      } else {
        Time.zero
      }
    }
    return try PCMBuffer(
      planes: planes, sampleRate: sampleRate, channelLayout: channelLayout, at: start)
  }

  /// Takes a buffer in; gives whether what waits is to be written now.
  private func take(_ buffer: PCMBuffer) throws(Failure) -> Bool {
    try requireFitting(buffer)
    return try state.withLock { phase -> Result<Bool, Failure> in
      Result { () throws(Failure) in
        let take = try open(phase, at: buffer.presentationTime)
        let silence = try gap(before: buffer, in: take)
        take.frameCount += silence + Int64(buffer.frameCount)
        take.pending.append((silence, buffer))
        take.pendingSamples += buffer.frameCount * channelLayout.count
        phase = .writing(take)
        return take.pendingSamples >= Self.mostPending || silence > 0
      }
    }.get()
  }

  private func open(_ phase: Phase, at start: Time) throws(Failure) -> Take {
    switch phase {
    case .waiting:
      guard start.isNumeric else { throw fault("the first buffer has no moment: \(start)") }
      let format = AudioFormat(sampleRate: sampleRate, channelLayout: channelLayout)
      return Take(try SpooledSound(beside: output.path, format), from: start)
    case .writing(let take): return take
    case .finishing, .finished: throw isFinished
    case .failed(let error): throw error
    }
  }

  /// Frames of silence between what was appended and a buffer.
  private func gap(before buffer: PCMBuffer, in take: Take) throws(Failure) -> Int64 {
    let time = buffer.presentationTime - take.start
    guard time.isNumeric, time + buffer.duration <= Composition.longestDuration else {
      throw fault(
        "a buffer at \(buffer.presentationTime) ends more than 10,000 hours after the first")
    }
    let gap = time.frames(atRate: sampleRate) - take.frameCount
    guard gap >= 0 else {
      let end = take.start + Time(frames: take.frameCount, rate: sampleRate)
      throw fault(
        "a buffer begins at \(buffer.presentationTime.inSeconds), before the end of the one before it "
          + "at \(end.inSeconds); append buffers in the order of their moments")
    }
    return gap
  }

  private func requireFitting(_ buffer: PCMBuffer) throws(Failure) {
    let format = buffer.format
    guard format.sampleRate == sampleRate, format.channelLayout == channelLayout else {
      throw fault(
        "a buffer is \(format.channelLayout.name) at \(format.sampleRate) Hz, and the writer's are "
          + "\(channelLayout.name) at \(sampleRate) Hz; convert it, or make a writer for it")
    }
    guard case .float32(let samples) = buffer.samples,
      let bad = samples.firstIndex(where: { !$0.isFinite })
    else { return }
    throw fault("sample \(bad) of a buffer is \(samples[bad]), which is no finite number")
  }

  /// Writes what waits. The state is locked meanwhile, so that buffers stay in their order.
  private func drain() throws(Failure) {
    try state.withLock { phase -> Result<Void, Failure> in
      switch phase {
      case .waiting: return .success(())
      case .finishing, .finished: return .failure(isFinished)
      case .failed(let error): return .failure(error)
      case .writing(let take):
        do throws(Failure) {
          try drain(take)
          return .success(())
        } catch {
          take.spool.discard()
          phase = .failed(error)
          return .failure(error)
        }
      }
    }.get()
  }

  private func drain(_ take: Take) throws(Failure) {
    for (silence, buffer) in take.pending {
      try requireWanted()
      try take.spool.appendSilence(silence, while: requireWanted)
      try take.spool.append(buffer)
    }
    (take.pending, take.pendingSamples) = ([], 0)
  }

  /// - Throws: The code `cancelled` once the writer is cancelled.
  private func requireWanted() throws(Failure) {
    if cancellation.isCancelled { throw .cancelled(at: location) }
  }

  private var location: MediaLocation { .file(output.path) }

  private var isFinished: Failure { fault("the writer is finished; make another one") }

  private func fault(_ message: String) -> Failure {
    Failure(.mendJob, message, path: output.path)
  }
}

// MARK: - The end

extension AssetWriter {
  private func complete(
    _ progress: (ExportSession.Progress) -> Void
  ) throws(Failure) -> ExportSession.Report {
    let spool = try closed()
    defer { spool.discard() }
    do throws(Failure) {
      let library = MediaLibrary()
      let session = ExportSession(export(of: try spool.finish(library)), library: library)
      var report = try session.run(cancellation: cancellation, progress: progress)
      report.warnings += session.losses
      state.withLock { $0 = .finished }
      return report
    } catch {
      let cause = cancellation.isCancelled ? .cancelled(at: location) : error
      state.withLock { $0 = .failed(cause) }
      throw cause
    }
  }

  /// The file of all that was appended; nothing is appended any more.
  private func closed() throws(Failure) -> SpooledSound {
    try drain()
    return try state.withLock { phase -> Result<SpooledSound, Failure> in
      switch phase {
      case .waiting:
        return .failure(fault("nothing was appended: the file would have no sound"))
      case .writing(let take):
        phase = .finishing
        return .success(take.spool)
      case .finishing, .finished: return .failure(isFinished)
      case .failed(let error): return .failure(error)
      }
    }.get()
  }
}

extension Asset {
  /// What a writer's sound will be.
  fileprivate static func spool(of writer: AssetWriter, frameCount: Int64) -> Asset {
    spool(
      at: writer.output.path, sampleRate: writer.sampleRate,
      channelLayout: writer.channelLayout, frameCount: frameCount)
  }

  fileprivate static func spool(
    at path: FilePath, sampleRate: Int, channelLayout: ChannelLayout, frameCount: Int64
  ) -> Asset {
    Asset(
      location: .file(path), streamIndex: 0, container: "wav", codec: "pcm_f32le",
      sampleRate: sampleRate, channelLayout: channelLayout, frameCount: frameCount,
      identity: .predicted)
  }
}

extension Composition {
  /// All of an asset's sound.
  init(soundOf asset: Asset) {
    self.init(tracks: [
      Track(segments: [
        Segment(
          .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero)
      ])
    ])
  }
}
