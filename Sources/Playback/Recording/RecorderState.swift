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

    /// Whether it may be later than the sound of now.
    var isPlanned: Bool {
      if case .record(_, from: .some) = action { true } else { false }
    }
  }

  enum Action {
    /// Begin or continue, for a length if that is given; a beginning is at the order's index, or
    /// at an earlier frame that is still held.
    case record(for: Time?, from: Int64?)
    case mark(String?)
    case pause
    /// A pause of the session, until `endInterruption`.
    case interrupt(AudioSession.InterruptionReason)
    /// Continue, if nothing has paused or continued it since the interruption.
    case endInterruption
    case stop
  }

  var phase = Phase.idle
  /// Whether the recording was stopped, or has ended by itself.
  var isOver = false
  /// The orders that are still to be done, in order of their frames.
  var orders: [Order] = []
  /// Whether it was begun, and whether it is paused since.
  var hasBegun = false
  var isPaused = false
  /// Whether the first sound is awaited.
  var isWaiting = false
  var isMetering = false
  var levels: [LevelReading] = []
  /// The recording so far, without the open file; nil before the device was opened.
  var recording: Recording?
  /// The format of the device; nil before it was opened.
  var format: SourceFormat?
  var output: Output.Format?
  var isDithered = false
  var isWaitingForDevice = false
  /// The reason why it cannot be opened again, after an attempt.
  var deviceFailure: Failure?
  /// How long the disk has room for more.
  var timeLeft: Time?
}

extension RecorderState {
  /// What the recorder does: all that is asked about that follows from this.
  var state: Recorder.State {
    switch phase {
    case .idle: return .idle
    case .preparing: return .preparing
    case .finished:
      if case .failed(let failure)? = recording?.end { return .failed(failure) }
      return .finished
    case .ready:
      guard hasBegun else { return .prepared }
      guard !isPaused else { return .paused }
      guard !isWaiting else { return .waitingForSound }
      return isWaitingForDevice ? .waitingForDevice : .recording
    }
  }

  /// Adds an order: a beginning in the future behind earlier orders, and before later ones.
  mutating func add(_ order: Order) {
    var order = order
    if case .record(_, let first?) = order.action { order.index = max(order.index, first) }
    let place = orders.lastIndex { !$0.isPlanned || $0.index <= order.index }
    orders.insert(order, at: place.map { $0 + 1 } ?? 0)
  }

  /// The result of opening the device and the file; nil before it is known.
  var opening: Result<Void, Failure>? {
    guard phase == .ready || phase == .finished else { return nil }
    if format == nil, case .failed(let failure)? = recording?.end { return .failure(failure) }
    return .success(())
  }

  /// The recording, once it has ended.
  var result: Recording? {
    phase == .finished ? recording ?? Recording(sampleRate: 0, channelCount: 0) : nil
  }

  /// Why nothing can be recorded; nil if it can.
  var refusal: Failure? {
    guard isOver else { return nil }
    if format == nil, case .failed(let failure)? = recording?.end { return failure }
    return Failure(.mendJob, "the recording has ended; make another recorder")
  }
}
