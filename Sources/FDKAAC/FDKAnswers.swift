import Synchronization

/// What libfdk-aac has said of settings: to ask, an encoder is opened and closed, which costs some
/// milliseconds and megabytes, and the answer stays the same as long as the process lives. Safe from any
/// thread.
package final class FDKAnswers: Sendable {
  /// Those of this process.
  package static let shared = FDKAnswers { settings throws(FDKError) in
    _ = try FDKEncoder(settings)
  }

  private let ask: @Sendable (FDKEncoder.Settings) throws(FDKError) -> Void
  private let answers = Mutex<[FDKEncoder.Settings: FDKError?]>([:])

  /// Answers are few: those of a job file's settings, at most.
  private static let most = 1000

  /// Answers that `ask` gives: it throws for settings that are refused.
  package init(_ ask: @escaping @Sendable (FDKEncoder.Settings) throws(FDKError) -> Void) {
    self.ask = ask
  }

  /// Finds out whether the library has settings, the first time by opening an encoder.
  ///
  /// - Throws: As `FDKEncoder.init`.
  package func require(_ settings: FDKEncoder.Settings) throws(FDKError) {
    if let known = answers.withLock({ $0[settings] }) {
      if let known { throw known }
      return
    }
    do throws(FDKError) {
      try ask(settings)
      note(nil, on: settings)
    } catch {
      // There may be memory the next time.
      if error.kind != .noMemory { note(error, on: settings) }
      throw error
    }
  }

  private func note(_ answer: FDKError?, on settings: FDKEncoder.Settings) {
    answers.withLock { answers in
      if answers.count < Self.most { answers.updateValue(answer, forKey: settings) }
    }
  }
}
