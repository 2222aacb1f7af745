import Diagnosis
import Glibc
import MediaComposition
import Synchronization

@testable import Playback

/// A device whose clock a test turns: it plays by it, frame by frame, as soon as it holds 100 ms.
final class ClockedDevice: Sendable {
  struct State {
    var nanoseconds: Int64
    /// When it began to play; nil: it does not.
    var start: Int64?
    /// Frames written since then, and those before.
    var written = 0
    var bytes: [UInt8] = []
    var isDraining = false
    /// When the first frame of `bytes` was heard.
    var firstHeard: Int64?
  }

  let format: SinkFormat
  let state: Mutex<State>

  /// A device of two channels whose clock begins at some nanoseconds.
  init(rate: Int, at nanoseconds: Int64 = 5_000_000_000) {
    format = SinkFormat(
      sampleRate: rate, channelCount: 2, encoding: .float32, periodFrames: rate / 50,
      bufferFrames: rate / 5)
    state = Mutex(State(nanoseconds: nanoseconds))
  }

  /// For players.
  var opener: SinkOpener { { _ in ClockedSink(self) } }

  /// For players.
  var clock: @Sendable () -> Int64 {
    { self.state.withLock { $0.nanoseconds } }
  }

  /// Turns the clock by a millisecond, a moment later, unless the device would run dry then: however
  /// late a thread comes, it is in time by this clock.
  func turn() {
    usleep(50)
    state.withLock { state in
      if state.start != nil, !state.isDraining, delay(of: state) < format.sampleRate / 50 { return }
      state.nanoseconds += 1_000_000
    }
  }

  /// Frames that are written and not heard yet.
  fileprivate func delay(of state: State) -> Int {
    guard let start = state.start else { return state.written }
    let played = (state.nanoseconds - start) * Int64(format.sampleRate) / 1_000_000_000
    return max(0, state.written - Int(played))
  }

  /// What was written, as floats.
  var floats: [Float] {
    state.withLock { state in
      state.bytes.withUnsafeBytes { Array($0.assumingMemoryBound(to: Float.self)) }
    }
  }
}

/// The device, open; of the writer's thread.
private final class ClockedSink: AudioSink {
  let format: SinkFormat
  private let device: ClockedDevice

  init(_ device: ClockedDevice) { (self.device, format) = (device, device.format) }

  var delay: Int { device.state.withLock { device.delay(of: $0) } }

  var fill: SinkFill {
    device.state.withLock { state in
      let delay = device.delay(of: state)
      return SinkFill(delay: delay, buffered: delay, isPlaying: state.start != nil)
    }
  }

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    device.state.withLock { state in
      let delay = device.delay(of: state)
      if state.start != nil, delay == 0 {
        (state.start, state.written) = (nil, 0)
        return .ranDry
      }
      let taken = min(count, format.bufferFrames - delay)
      guard taken > 0 else { return .full }
      state.isDraining = false
      state.bytes += UnsafeRawBufferPointer(start: frames, count: taken * format.frameSize)
      state.written += taken
      if state.start == nil, state.written >= format.sampleRate / 10 { begin(&state) }
      return .wrote(taken)
    }
  }

  private func begin(_ state: inout ClockedDevice.State) {
    state.start = state.nanoseconds
    state.firstHeard = state.firstHeard ?? state.nanoseconds
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, min(milliseconds, 2))
  }

  func drop() {
    device.state.withLock { state in
      let size = format.frameSize
      state.bytes.removeLast(min(state.bytes.count, device.delay(of: state) * size))
      if state.bytes.isEmpty { state.firstHeard = nil }
      (state.start, state.written) = (nil, 0)
    }
  }

  func drain() -> Bool {
    device.state.withLock { state in
      state.isDraining = true
      if state.start == nil, state.written > 0 { begin(&state) }
      return device.delay(of: state) == 0
    }
  }
}
