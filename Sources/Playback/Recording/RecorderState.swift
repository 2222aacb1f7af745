import Diagnosis
import MediaComposition
import MediaTime

/// The shared state of a recorder: its orders, and the progress of its threads. Behind a lock.
struct RecorderState {
  enum Phase: Sendable, Hashable {
    case idle
    case preparing
    case ready
    case finished
  }

  struct Order {
    var index: Int64
    var action: Action
  }

  enum Action {
    /// Begin or continue, for a length if that is given.
    case record(for: Time?)
    case pause
    case stop
  }

  var phase = Phase.idle
  /// Whether the recording was stopped, or has ended by itself.
  var isOver = false
  /// The orders that are still to be done, in order of their frames.
  var orders: [Order] = []
  var isRecording = false
  var isWaiting = false
  var isMetering = false
  var levels: [LevelReading] = []
  /// The recording so far, without the open file; nil before the device was opened.
  var recording: Recording?
  /// The format of the device; nil before it was opened.
  var format: SourceFormat?
  var output: Output.Format?
  var isWaitingForDevice = false
  /// The reason why it cannot be opened again, after an attempt.
  var deviceFailure: Failure?
  /// How long the disk has room for more.
  var timeLeft: Time?
}

extension RecorderState {
  /// Why nothing can be recorded; nil if it can.
  var refusal: Failure? {
    guard isOver else { return nil }
    if format == nil, case .failed(let failure)? = recording?.end { return failure }
    return Failure(.mendJob, "the recording has ended; make another recorder")
  }
}
