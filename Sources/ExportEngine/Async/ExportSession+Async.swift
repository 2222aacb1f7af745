import Diagnosis
import MediaComposition
import Threads

extension ExportSession {
  /// The state of an export (`AVAssetExportSession.State`): these two and no other, so that a
  /// `switch` over them needs no `default`.
  public enum State: Sendable {
    /// At work, with its progress so far.
    case exporting(Progress)
    /// Done: all outputs are whole at their paths. The last state.
    case finished(Report)
  }

  /// How long a cancelled task waits for the export to remove what it has written.
  static let grace: Duration = .milliseconds(50)

  /// Renders, encodes and writes all outputs on a thread of its own; each is whole at its path on
  /// return (`AVAssetExportSession.export(to:as:)`).
  ///
  /// Cancelling the task cancels the export. It then throws within a twentieth of a second, whatever
  /// server or disk the export waits for; what is written is removed before, unless that takes longer
  /// and goes on behind it. From when the first file takes its place the export is done, and a
  /// cancellation has no effect any more: it returns.
  ///
  /// - Parameters:
  ///   - replaced: Which files at the outputs' paths are replaced; for any other one the export
  ///     fails when all is encoded.
  ///   - examination: What the report is to tell beside what the export asks for: waveforms are
  ///     `WrittenOutput.overview` after `.levels`.
  ///   - progress: Called on the export's thread for every block; it should be quick.
  /// - Returns: The written files.
  /// - Throws: `Failure`, as `run`; the code `cancelled` where the task was cancelled. No output of
  ///   the export is then at its path, or will be, unless an older one was.
  @discardableResult
  public func export(
    replacing replaced: ReplacedFiles = .all, examining examination: Examination = [],
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws(Failure) -> Report {
    let operation = Operation<Never, Report>(grace: Self.grace)
    return try await operation.run { (operation) throws(Failure) in
      try perform(
        replacing: replaced, examining: examination, cancellation: operation.cancellation,
        settling: operation.settle, progress: progress)
    }
  }

  /// Starts an export and gives its states until it ends
  /// (`AVAssetExportSession.states(updateInterval:)`).
  ///
  /// It starts at once, on a thread of its own, and reports its progress at its first block and
  /// then at each `updateInterval`; zero is every block. A late reader sees the newest state only,
  /// and always the last. Releasing the sequence, or cancelling the task that reads it, cancels the
  /// export, which removes what it has written; neither waits for that. The sequence throws as
  /// `export` does, so that its end is always that of an export that is done.
  public func states(
    updateInterval: Duration = .milliseconds(100)
  ) -> Updates<State> {
    let operation = Operation<State, State>()
    operation.start { (operation) throws(Failure) in
      var last: ContinuousClock.Instant?
      return .finished(
        try perform(
          replacing: .all, examining: [], cancellation: operation.cancellation,
          settling: operation.settle
        ) { progress in
          let now = ContinuousClock.now
          if let last, last.duration(to: now) < updateInterval { return }
          last = now
          operation.report(.exporting(progress))
        })
    }
    return Updates(operation)
  }

  /// The same session with every sound measured that is brought to a level, as
  /// `measured(budget:cancellation:progress:)` on a thread of its own.
  ///
  /// - Parameter progress: Gets the share that is done, 0 to 1, on that thread.
  /// - Returns: The measured session.
  /// - Throws: `Failure`; the code `cancelled` at once where the task is cancelled.
  public func measured(
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws(Failure) -> ExportSession {
    try await onThread { (operation) throws(Failure) in
      try measured(budget: nil, cancellation: operation.cancellation, progress: progress)
    }
  }

  /// Examines what an export would do, and the disk, as `review(predicting:)` on a thread of its own.
  ///
  /// - Throws: `Failure` with the code `cancelled` where the task is cancelled.
  public func review(
    predicting isPredicting: Bool = false
  ) async throws(Failure) -> Review {
    try await onThread { _ throws(Failure) in review(predicting: isPredicting) }
  }
}
