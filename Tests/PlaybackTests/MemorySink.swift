import Diagnosis
import Glibc
import MediaComposition
import Synchronization
import TestSupport
import Threads

@testable import Playback

/// A device of the tests: keeps what it plays, at its own pace.
///
/// It holds up to a buffer of frames that are written and not played, and plays them as fast as `pace`
/// says, or at once. It may hold still at a frame until it is told to go on: what is to happen at a
/// place of the sound then happens there, however late a thread comes. What a script names happens to
/// it.
final class MemoryDevice: Sendable {
  /// What may happen, when so many frames were played.
  enum Mishap: Sendable, Hashable {
    case runsDry
    case isInterrupted
    /// And so many attempts to open it fail.
    case isUnplugged(attempts: Int)
  }

  struct State {
    var played: [UInt8] = []
    var mishaps: [(frame: Int, what: Mishap)]
    var openings = 0
    var failingAttempts = 0
    /// Frames that were played when it fell silent, each time.
    var drops: [Int] = []
    /// How often it was asked to drain.
    var drains = 0
    /// At which frame it holds still; nil: nowhere.
    var limit: Int?
    /// Called once, before the next mishap is told.
    var willTell: (@Sendable () -> Void)?
  }

  let format: SinkFormat
  /// Frames of the device played in a second of the clock; nil: at once.
  let pace: Double?
  let state: Mutex<State>

  init(
    rate: Int = 48_000, channels: Int = 2, _ encoding: SampleEncoding = .float32,
    buffer: Int = 9600, pace: Double? = nil, holdingAt limit: Int? = nil,
    mishaps: [(frame: Int, what: Mishap)] = []
  ) {
    format = SinkFormat(
      sampleRate: rate, channelCount: channels, encoding: encoding, periodFrames: 960,
      bufferFrames: buffer)
    self.pace = pace
    state = Mutex(State(mishaps: mishaps, limit: limit))
  }

  /// For players.
  var opener: SinkOpener {
    { _ throws(Failure) in
      let isThere = self.state.withLock { state in
        state.openings += 1
        guard state.failingAttempts > 0 else { return true }
        state.failingAttempts -= 1
        return false
      }
      guard isThere else { throw Failure(.mendMachine, "the device is not there; plug it in") }
      return MemorySink(self)
    }
  }

  /// What was played.
  var bytes: [UInt8] { state.withLock { $0.played } }

  /// Frames that were played.
  var playedFrames: Int { state.withLock { $0.played.count } / format.frameSize }

  /// Waits until it has played so many frames.
  func waitUntilPlayed(_ frames: Int) throws {
    try wait(until: "the device has played \(frames) frames") { playedFrames >= frames }
  }

  /// Waits until it has thrown away what it held, once more.
  func waitUntilDropped(after count: Int = 0) throws {
    try wait(until: "the device drops what it holds") {
      state.withLock { $0.drops.count } > count
    }
  }

  /// Goes on, up to a frame of all that it plays; nil: without end.
  func goOn(to limit: Int? = nil) { state.withLock { $0.limit = limit } }

  /// What was played, as floats.
  var floats: [Float] {
    bytes.withUnsafeBytes { Array($0.assumingMemoryBound(to: Float.self)) }
  }
}

/// The device, open; of the writer's thread.
private final class MemorySink: AudioSink {
  let format: SinkFormat
  private let device: MemoryDevice
  private var held: [UInt8] = []
  private var lastLook = ContinuousClock.now
  /// What the next write will be told.
  private var outcome: SinkOutcome?
  /// Whether it plays nothing until it is dropped.
  private var isStopped = false

  init(_ device: MemoryDevice) {
    self.device = device
    format = device.format
  }

  var delay: Int {
    advance()
    return held.count / format.frameSize
  }

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    advance()
    if let outcome {
      let willTell = device.state.withLock { state in
        defer { state.willTell = nil }
        return state.willTell
      }
      willTell?()
      self.outcome = nil
      isStopped = outcome != .ranDry
      return outcome
    }
    let room = format.bufferFrames - held.count / format.frameSize
    guard room > 0 else { return .full }
    let taken = min(room, count)
    held.append(
      contentsOf: UnsafeRawBufferPointer(start: frames, count: taken * format.frameSize))
    return .wrote(taken)
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, min(milliseconds, 2))
  }

  /// Plays nothing on the way, as no player could know of it.
  func drop() {
    held = []
    isStopped = false
    device.state.withLock { $0.drops.append($0.played.count / format.frameSize) }
  }

  func drain() -> Bool {
    device.state.withLock { $0.drains += 1 }
    advance()
    return held.isEmpty
  }

  /// Plays what the clock says, up to a mishap whose frame has come.
  private func advance() {
    guard outcome == nil, !isStopped else { return }
    let now = ContinuousClock.now
    let size = format.frameSize
    var frames = held.count / size
    if let pace = device.pace {
      let passed = lastLook.duration(to: now)
      let due =
        Int(Double(passed.components.attoseconds) * 1e-18 * pace)
        + Int(Double(passed.components.seconds) * pace)
      frames = min(frames, due)
      guard frames > 0 || held.isEmpty else { return }
    }
    lastLook = now
    outcome = device.state.withLock { state -> SinkOutcome? in
      if let limit = state.limit { frames = min(frames, max(0, limit - state.played.count / size)) }
      var mishap: MemoryDevice.Mishap?
      if let first = state.mishaps.first, state.played.count / size + frames >= first.frame {
        frames = min(frames, max(0, first.frame - state.played.count / size))
        mishap = first.what
        state.mishaps.removeFirst()
      }
      state.played += held[..<(frames * size)]
      held.removeFirst(frames * size)
      switch mishap {
      case nil: return nil
      case .runsDry:
        state.played += held
        held = []
        return .ranDry
      case .isInterrupted:
        return .interrupted
      case .isUnplugged(let attempts):
        state.failingAttempts = attempts
        return .gone
      }
    }
  }
}
