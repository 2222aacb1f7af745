import Diagnosis
import MediaTime
import Synchronization

extension Recorder {
  /// What a recorder does. There is one at a time: of a recording that is paused while its device is gone
  /// it is `paused`, and `isWaitingForDevice` is true as well.
  public enum State: Sendable, Hashable {
    /// Nothing is open yet.
    case idle
    /// The device and the file are being opened.
    case preparing
    /// The device and the file are open, and meters move (`AVAudioRecorder.prepareToRecord`); with a
    /// pre-roll, sound is held.
    case prepared
    /// The first sound of `RecordingSettings.startLevel` is awaited.
    case waitingForSound
    /// Sound is recorded (`AVAudioRecorder.isRecording`).
    case recording
    /// The device is gone. The time goes on: silence takes the place of what is lost, and the recording
    /// continues when the device is opened again.
    case waitingForDevice
    /// The recording is paused, by `pause` or by an interruption of its session.
    case paused
    /// The recording has ended, and its files are whole.
    case finished
    /// The recording has failed; what was recorded until shortly before is in its files.
    case failed(Failure)
  }
}

/// An event of a recorder, in order, from its own thread. Times are those of the whole recording
/// (`Recorder.currentTime`).
public enum RecorderEvent: Sendable, Hashable {
  /// The first sound is recorded: a pre-roll, or the first sound of `RecordingSettings.startLevel`.
  case began
  /// The recording is so long now; every tenth of a second of sound, and in place of earlier ones that
  /// were not read yet.
  case progress(Time)
  /// `Recorder.pause` has paused it at a time.
  case paused(at: Time)
  /// Its session was interrupted, which has paused it at a time
  /// (`audioRecorderBeginInterruption(_:)`).
  case interrupted(AudioSession.InterruptionReason, at: Time)
  /// It continues at a time, by `Recorder.record` or after an interruption that says so
  /// (`audioRecorderEndInterruption(_:withOptions:)`).
  case resumed(at: Time)
  /// A marker was set.
  case marked(RecordingMarker)
  /// Sound was lost, and silence has taken its place.
  case lost(RecordingLoss)
  /// The device is gone. Opening it is tried again and again; reported again for each new reason why it
  /// cannot be opened.
  case deviceLost(Failure?)
  /// The device is back.
  case deviceFound
  /// Its session has other devices now; the recording continues.
  case routeChanged(AudioSession.RouteChangeReason, previousRoute: AudioSession.RouteDescription)
  /// It has ended (`audioRecorderDidFinishRecording(_:successfully:)`); no event follows.
  case ended(Recording)
  /// It has failed (`audioRecorderEncodeErrorDidOccur(_:error:)`), with what is in its files; no event
  /// follows.
  case failed(Failure, Recording)
}

/// The events for one reader, which may be slow: of progress the last one alone is kept. Safe from any
/// thread.
final class RecorderEventQueue: Sendable {
  private struct State {
    var events: [RecorderEvent] = []
    var reader: CheckedContinuation<RecorderEvent?, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())

  /// The most events that wait: a device may overrun without end. The oldest is dropped then.
  private static let most = 1024

  func put(_ event: RecorderEvent) {
    let reader = state.withLock { state -> CheckedContinuation<RecorderEvent?, Never>? in
      guard !state.isClosed else { return nil }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      if case .progress = event, case .progress? = state.events.last { state.events.removeLast() }
      if state.events.count == Self.most { state.events.removeFirst() }
      state.events.append(event)
      return nil
    }
    reader?.resume(returning: event)
  }

  /// Ends the events behind those that wait.
  func close() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      state.isClosed = true
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  /// Ends the events at once.
  func cancel() {
    state.withLock { $0.events = [] }
    close()
  }

  /// The next event; nil at the end. Of one reader.
  func next() async -> RecorderEvent? {
    await withCheckedContinuation { reader in
      let event = state.withLock { state -> RecorderEvent?? in
        if !state.events.isEmpty { return .some(state.events.removeFirst()) }
        if state.isClosed { return .some(nil) }
        state.reader = reader
        return nil
      }
      if let event { reader.resume(returning: event) }
    }
  }
}

/// Tasks that wait until a condition of shared state holds. Safe from any thread.
final class TaskGate: Sendable {
  private struct State {
    var tasks: [Int: CheckedContinuation<Void, Never>] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Lets all tasks look at their condition again. To be called after each change of it, without the
  /// lock of what it reads.
  func open() {
    let tasks = state.withLock { state in
      defer { state.tasks = [:] }
      return state.tasks
    }
    for task in tasks.values { task.resume() }
  }

  /// Waits until `condition` gives something.
  ///
  /// - Throws: The code `cancelled` as soon as the task is cancelled.
  func wait<Result: Sendable>(
    until condition: @Sendable () -> Result?
  ) async throws(Failure) -> Result {
    while true {
      if let result = condition() { return result }
      if Task.isCancelled { throw .cancelled }
      let number = state.withLock { state in
        state.next += 1
        return state.next
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { task in
          let isLate = state.withLock { state in
            // Looked at behind the lock that `open` takes after a change.
            if Task.isCancelled || condition() != nil { return true }
            state.tasks[number] = task
            return false
          }
          if isLate { task.resume() }
        }
      } onCancel: {
        state.withLock { $0.tasks.removeValue(forKey: number) }?.resume()
      }
    }
  }
}
