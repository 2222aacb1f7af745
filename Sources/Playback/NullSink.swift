import Glibc

/// A sink without a device, at the pace of the clock.
///
/// It holds 200 ms and takes periods of 20 ms, as devices are requested to, and runs dry like a
/// device that gets no sound in time.
public final class NullSink: AudioSink {
  /// The requested rate and channels.
  public let format: SinkFormat
  /// Frames since the start, and its time in nanoseconds of the monotonic clock; nil before the
  /// start.
  private var written = 0
  private var start: Int64?
  private var isDraining = false

  /// Opens sinks for a player, with the rate and the channels of the sound, and samples as
  /// `encoding`.
  public static func opener(as encoding: SampleEncoding = .float32) -> SinkOpener {
    { request in
      NullSink(
        SinkFormat(
          sampleRate: request.sampleRate, channelCount: request.channelCount, encoding: encoding,
          periodFrames: max(1, request.sampleRate / 50),
          bufferFrames: max(2, request.sampleRate / 5)))
    }
  }

  init(_ format: SinkFormat) { self.format = format }

  /// Frames that the clock has not reached yet.
  public var delay: Int { written - played }

  /// Takes as many frames as there is room for.
  public func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    if start != nil, delay == 0 {
      let hasRunDry = !isDraining
      drop()
      if hasRunDry { return .ranDry }
    }
    isDraining = false
    let room = format.bufferFrames - delay
    guard room > 0 else { return .full }
    written += min(room, count)
    if written >= format.periodFrames { begin() }
    return .wrote(min(room, count))
  }

  /// Waits for room for a period, or for the end of a drain.
  public func wait(or descriptor: Int32, milliseconds: Int32) {
    let least = isDraining ? 0 : format.bufferFrames - format.periodFrames
    let left = Int32(clamping: max(0, delay - least) * 1000 / format.sampleRate + 1)
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, min(milliseconds, left))
  }

  /// Discards all frames.
  public func drop() {
    (written, start, isDraining) = (0, nil, false)
  }

  /// Plays to the last frame.
  public func drain() -> Bool {
    isDraining = true
    if written > 0 { begin() }
    return delay == 0
  }

  private func begin() {
    if start == nil { start = monotonicNanoseconds() }
  }

  private var played: Int {
    guard let start else { return 0 }
    let passed = monotonicNanoseconds() - start
    let (seconds, rest) = passed.quotientAndRemainder(dividingBy: 1_000_000_000)
    // After days the sink has run dry in any case.
    let rate = Int64(format.sampleRate)
    return min(written, Int(min(seconds, 1_000_000) * rate + rest * rate / 1_000_000_000))
  }
}
