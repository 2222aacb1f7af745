import Diagnosis
import MediaComposition
import MediaTime

/// What is wanted of a recorder, and what its threads have to say; behind its lock.
struct RecorderState {
  /// How far it is.
  enum Phase: Sendable, Hashable {
    /// No device was asked for.
    case idle
    /// The device and the file are being opened.
    case preparing
    /// Both are there.
    case ready
    /// It is over.
    case finished
  }

  /// Something that is to happen at a frame of the source.
  struct Order {
    var index: Int64
    var action: Action
  }

  /// What there is to be done.
  enum Action {
    /// Goes on, for so many frames if that is said.
    case record(for: Time?)
    case pause
    case stop
  }

  var phase = Phase.idle
  /// Whether it was stopped, or has ended by itself: nothing is recorded any more.
  var isOver = false
  /// In order of their frames.
  var orders: [Order] = []
  /// Whether frames are recorded now, as far as they were looked at.
  var isRecording = false
  /// Whether the first sound is waited for.
  var isWaiting = false
  /// Whether levels are measured.
  var isMetering = false
  /// Of each channel, now.
  var levels: [LevelReading] = []
  /// What is recorded so far, without the file that is open; nil before there is a device.
  var recording: Recording?
  /// What the device gives; nil before there is one.
  var format: SourceFormat?
  /// What is written, as negotiated.
  var output: Output.Format?
  /// Whether the device is gone, for now.
  var isWaitingForDevice = false
  /// Why it does not come back, as far as somebody has tried.
  var deviceFailure: Failure?
  /// How long the disk has room for more.
  var timeLeft: Time?
}

extension RecorderState {
  /// Why nothing can be recorded, any more or at all; nil: it can.
  var refusal: Failure? {
    guard isOver else { return nil }
    if format == nil, case .failed(let failure)? = recording?.end { return failure }
    return Failure(.mendJob, "the recording has ended; make another recorder")
  }
}
