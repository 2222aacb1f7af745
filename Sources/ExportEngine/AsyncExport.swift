import Diagnosis
import MediaComposition
import SystemPackage
import Threads

extension ExportSession {
  /// How an export is getting on (`AVAssetExportSession.State`).
  public enum State: Sendable {
    /// At work, and so far.
    case exporting(Progress)
    /// Done: all outputs are whole at their paths. It comes last.
    case finished(Report)
  }

  /// Renders, encodes and writes all outputs on a thread of its own; each is whole at its path when
  /// this returns (`AVAssetExportSession.export(to:as:)`).
  ///
  /// Cancelling the task cancels the export: everything written is removed before this throws.
  ///
  /// - Parameter progress: Called on the export's thread, for every block; it should be quick.
  /// - Returns: What was written.
  /// - Throws: `Failure`, or `CancellationError`. No output of the export is then at its path
  ///   unless an older one was.
  @discardableResult
  public func export(
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Report {
    let cancellation = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await onThread { try run(cancellation: cancellation, progress: progress) }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// An export that is under way, and its states until it ends
  /// (`AVAssetExportSession.states(updateInterval:)`).
  ///
  /// It starts at once, on a thread of its own, and tells of its progress at its first block and
  /// then whenever `updateInterval` has gone by; zero is every block. A reader that is late sees the newest state only,
  /// and always the last. When the sequence is let go, or the task that reads it is cancelled, the
  /// export is cancelled, and what was written is removed; `export(progress:)` waits for that, and
  /// this does not. The sequence throws what `export(progress:)` does.
  public func states(
    updateInterval: Duration = .milliseconds(100)
  ) -> AsyncThrowingStream<State, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let cancellation = CancellationFlag()
      continuation.onTermination = { _ in cancellation.cancel() }
      Task {
        do {
          let report = try await onThread { () throws -> Report in
            var last: ContinuousClock.Instant?
            return try run(cancellation: cancellation) { progress in
              let now = ContinuousClock.now
              if let last, last.duration(to: now) < updateInterval { return }
              last = now
              continuation.yield(.exporting(progress))
            }
          }
          continuation.yield(.finished(report))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
  }
}

extension MediaLibrary {
  /// The facts of a file's stream, found on a thread of its own (`AVURLAsset` and its
  /// `load(_:)`): FFmpeg's best stream of sound where `streamIndex` is nil.
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`), the same at each call for a file.
  public func loadAsset(at path: FilePath, streamIndex: Int? = nil) async throws -> Asset {
    try await onThread { try self.asset(at: path, streamIndex: streamIndex) }
  }
}

/// Runs `body`, which may block, on a thread of its own, and not on one of Swift's cooperative pool.
private func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    do throws(Thread.SpawnError) {
      _ = try Thread.spawn(name: "avjob") {
        continuation.resume(with: Swift.Result { try body() })
      }
    } catch {
      continuation.resume(throwing: Failure(.tryAgain, "\(error)"))
    }
  }
}
