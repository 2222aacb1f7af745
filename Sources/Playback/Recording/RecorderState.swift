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
    case stop
  }

  var phase = Phase.idle
  /// Whether the recording was stopped, or has ended by itself.
  var isOver = false
  /// The orders that are still to be done, in order of their frames.
  var orders: [Order] = []
  var isRecording = false
  var isWaiting = false
  /// Whether the sound before the start is held.
  var isListening = false
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
  /// Adds an order: a beginning in the future behind earlier orders, and before later ones.
  mutating func add(_ order: Order) {
    var order = order
    if case .record(_, let first?) = order.action { order.index = max(order.index, first) }
    let place = orders.lastIndex { !$0.isPlanned || $0.index <= order.index }
    orders.insert(order, at: place.map { $0 + 1 } ?? 0)
  }

  /// Why nothing can be recorded; nil if it can.
  var refusal: Failure? {
    guard isOver else { return nil }
    if format == nil, case .failed(let failure)? = recording?.end { return failure }
    return Failure(.mendJob, "the recording has ended; make another recorder")
  }
}
