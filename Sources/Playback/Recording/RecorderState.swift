import Diagnosis
import MediaComposition
import MediaTime

/// The shared state of a recorder: its orders, and the progress of its threads. Behind a lock.
struct RecorderState {
  /// The phase of a recorder.
  enum Phase: Sendable, Hashable {
    /// Nothing was opened.
    case idle
    /// The device and the file are being opened.
    case preparing
    /// Both are open.
    case ready
    /// The recording has ended.
    case finished
  }

  /// An order for a frame of the source.
  struct Order {
    var index: Int64
    var action: Action
  }

  /// The action of an order.
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
  /// Whether the last frames were recorded.
  var isRecording = false
  /// Whether the recorder waits for the first sound.
  var isWaiting = false
  /// Whether levels are measured.
  var isMetering = false
  /// The current level of each channel.
  var levels: [LevelReading] = []
  /// The recording so far, without the open file; nil before the device was opened.
  var recording: Recording?
  /// The format of the device; nil before it was opened.
  var format: SourceFormat?
  /// The format of the file.
  var output: Output.Format?
  /// Whether the device is gone.
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
