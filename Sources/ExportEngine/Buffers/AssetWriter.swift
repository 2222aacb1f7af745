import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
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
  /// Held for moments.
  private let state = Mutex(Phase.waiting)
  /// Held while the temporary file is written to, so that buffers stay in their order.
  private let disk = Monitor(())

  private enum Phase {
    /// No buffer has come.
    case waiting
    case writing(Take)
    case finishing
    case finished
    case failed(Failure)
  }

  /// What was appended.
  private struct Take {
    /// Its file, of the thread that holds `disk`.
    let file = SpoolFile()
    /// The moment of the first frame.
    let start: Time
    /// Frames in the file, and those that wait.
    var frameCount: Int64 = 0
    /// Buffers that are not in the file yet, each behind some frames of silence.
    var pending: [(silence: Int64, buffer: PCMBuffer)] = []
    var pendingSamples = 0

    init(from start: Time) { self.start = start }
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
      if try writer.take(buffer, at: buffer.presentationTime) { try await writer.writeOnThread() }
    }
  }

  /// Appends frames behind those before them: one list of samples for each channel.
  ///
  /// - Throws: As `append(_:)`; `mendJob` where there is not one list for each channel, or they differ
  ///   in length.
  public func append(planes: [[Float]]) async throws(Failure) {
    let buffer = try PCMBuffer(
      planes: planes, sampleRate: sampleRate, channelLayout: channelLayout, at: .zero)
    try await cancelling { writer throws(Failure) in
      if try writer.take(buffer, at: nil) { try await writer.writeOnThread() }
    }
  }

  private func writeOnThread() async throws(Failure) {
    try await onThread(about: location) { [self] _ throws(Failure) in _ = try write() }
  }

  /// Appends a buffer on the calling thread, which blocks on the disk.
  ///
  /// - Throws: As above.
  @available(*, noasync, message: "'await' the append, which blocks no thread of Swift's pool")
  public func append(_ buffer: PCMBuffer) throws(Failure) {
    if try take(buffer, at: buffer.presentationTime) { _ = try write() }
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
    let operation = Operation<Never, ExportSession.Report>(
      about: location, grace: ExportSession.grace)
    return try await cancelling { writer throws(Failure) in
      try await operation.run { operation throws(Failure) in
        try writer.complete(settling: operation.settle, progress)
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
    try complete(settling: { true }, progress)
  }

  /// Ends the writing and removes what was written (`AVAssetWriter.cancelWriting()`). Does nothing once the
  /// file is at its path.
  public func cancel() {
    cancellation.cancel()
    // What was appended is removed without the lock.
    let ended = state.withLock { phase in
      defer {
        switch phase {
        case .waiting, .writing: phase = .failed(.cancelled(at: location))
        // The thread that encodes removes its files.
        case .finishing, .finished, .failed: break
        }
      }
      return phase
    }
    withExtendedLifetime(ended) {}
  }
}

// MARK: - Buffers

extension AssetWriter {
  /// Takes a buffer in at a moment, or behind what was appended where that is nil; gives whether what
  /// waits is to be written now.
  private func take(_ buffer: PCMBuffer, at moment: Time?) throws(Failure) -> Bool {
    try requireFitting(buffer)
    return try state.withLock { phase throws(Failure) in
      var take = try take(of: phase, from: moment ?? .zero)
      let silence = try moment.map { time throws(Failure) in
        try gap(before: buffer, at: time, in: take)
      }
      // The list of those that wait is this one alone, and not copied.
      phase = .waiting
      let isFirst = take.frameCount == 0
      take.frameCount += (silence ?? 0) + Int64(buffer.frameCount)
      take.pending.append((silence ?? 0, buffer))
      // An empty one has its weight, too.
      take.pendingSamples += max(1, buffer.frameCount) * channelLayout.count
      let isDue = isFirst || take.pendingSamples >= Self.mostPending || (silence ?? 0) > 0
      phase = .writing(take)
      return isDue
    }
  }

  private func take(of phase: Phase, from start: Time) throws(Failure) -> Take {
    switch phase {
    case .waiting:
      guard start.isNumeric else { throw fault("the first buffer has no moment: \(start)") }
      return Take(from: start)
    case .writing(let take): return take
    case .finishing, .finished: throw isFinished
    case .failed(let error): throw error
    }
  }

  /// Frames of silence between what was appended and a buffer.
  private func gap(
    before buffer: PCMBuffer, at moment: Time, in take: Take
  ) throws(Failure) -> Int64 {
    let time = moment - take.start
    guard time.isNumeric, time + buffer.duration <= Composition.longestDuration else {
      throw fault("a buffer at \(moment) ends more than 10,000 hours after the first")
    }
    let gap = time.frames(atRate: sampleRate) - take.frameCount
    guard gap >= 0 else {
      let end = take.start + Time(frames: take.frameCount, rate: sampleRate)
      throw fault(
        "a buffer begins at \(moment.inSeconds), before the end of the one before it "
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

  /// Writes all that waits; where it `isLast`, nothing is taken in any more.
  ///
  /// - Returns: The file, if it `isLast`.
  private func write(isLast: Bool = false) throws(Failure) -> SpooledSound? {
    try disk.withLock { _ -> Result<SpooledSound?, Failure> in
      Result { () throws(Failure) in
        while let take = try state.withLock({ phase throws(Failure) in try next(&phase, isLast) }) {
          if take.pending.isEmpty { return take.file.sound }
          do throws(Failure) {
            try put(take)
          } catch {
            take.file.sound?.discard()
            state.withLock { phase in if case .writing = phase { phase = .failed(error) } }
            throw error
          }
          // Others that append meanwhile write for themselves.
          if !isLast { break }
        }
        return nil
      }
    }.get()
  }

  /// What is to be written next, which waits no more; without a buffer where it was the last. nil: nothing
  /// waits.
  private func next(_ phase: inout Phase, _ isLast: Bool) throws(Failure) -> Take? {
    switch phase {
    case .waiting where isLast:
      throw fault("nothing was appended: the file would have no sound")
    case .waiting: return nil
    // All that was taken in is written.
    case .finishing, .finished:
      if isLast { throw isFinished }
      return nil
    case .failed(let error): throw error
    case .writing(let take):
      guard take.pending.isEmpty else {
        var rest = take
        (rest.pending, rest.pendingSamples) = ([], 0)
        phase = .writing(rest)
        return take
      }
      if isLast { phase = .finishing }
      return isLast ? take : nil
    }
  }

  private func put(_ take: Take) throws(Failure) {
    let format = AudioFormat(sampleRate: sampleRate, channelLayout: channelLayout)
    let sound = try take.file.opened { () throws(Failure) in
      try SpooledSound(beside: output.path, format)
    }
    for (silence, buffer) in take.pending {
      try requireWanted()
      try sound.appendSilence(silence, while: requireWanted)
      try sound.append(buffer)
    }
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
    settling settle: () -> Bool, _ progress: (ExportSession.Progress) -> Void
  ) throws(Failure) -> ExportSession.Report {
    guard let spool = try write(isLast: true) else { throw isFinished }
    defer { spool.discard() }
    do throws(Failure) {
      let library = MediaLibrary()
      let session = ExportSession(export(of: try spool.finish(library)), library: library)
      var report = try session.perform(
        replacing: .all, examining: [], cancellation: cancellation,
        settling: { !cancellation.isCancelled && settle() }, progress: progress)
      report.warnings += session.losses
      state.withLock { $0 = .finished }
      return report
    } catch {
      state.withLock { $0 = .failed(error) }
      throw error
    }
  }
}

extension Asset {
  /// What a writer's sound will be.
  fileprivate static func spool(of writer: AssetWriter, frameCount: Int64) -> Asset {
    spool(
      at: writer.output.path, sampleRate: writer.sampleRate,
      channelLayout: writer.channelLayout, frameCount: frameCount)
  }
}
