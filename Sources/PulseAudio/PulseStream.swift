internal import CPulse

/// The samples of a stream, in the machine's byte order.
package enum PulseSampleFormat: String, Sendable, Hashable, CaseIterable {
  /// 32-bit float, 32 bits, 24 bits at the bottom of 32, 24 bits in three bytes, 16 bits.
  case float32, int32, int24, packedInt24, int16

  /// Bytes of a sample.
  package var byteCount: Int {
    switch self {
    case .float32, .int32, .int24: 4
    case .packedInt24: 3
    case .int16: 2
    }
  }

  var pulse: pa_sample_format_t {
    switch self {
    case .float32: avjob_pulse_float32()
    case .int32: avjob_pulse_int32()
    case .int24: avjob_pulse_int24()
    case .packedInt24: avjob_pulse_packed_int24()
    case .int16: avjob_pulse_int16()
    }
  }
}

/// The requested form of a stream.
package struct PulseRequest: Sendable, Hashable {
  /// Frames a second.
  package var sampleRate: Int
  /// The position of each channel, by ALSA's names: `FL`, `FR`, `FC`, `LFE`, `RL`, `RR`, `RC`, `SL`,
  /// `SR`, `MONO`. Others are channels without a position.
  package var positions: [String]
  /// The name of the sink; nil: the server selects it.
  package var device: String?
  /// Properties of the stream: `media.name`, `media.role` …
  package var properties: [String: String]
  /// How much sound the server holds at most, and how much it must hold before it plays.
  package var buffer: Duration
  package var start: Duration
  /// How much the server asks for at a time.
  package var period: Duration

  package init(
    sampleRate: Int, positions: [String], device: String? = nil, properties: [String: String] = [:],
    buffer: Duration = .milliseconds(200), start: Duration = .milliseconds(100),
    period: Duration = .milliseconds(10)
  ) {
    (self.sampleRate, self.positions, self.device) = (sampleRate, positions, device)
    (self.properties, self.buffer, self.start) = (properties, buffer, start)
    self.period = period
  }
}

/// What happens to a stream.
package enum PulseStreamEvent: Sendable, Hashable {
  /// The server asks for silence: a stream with priority plays (`request-cork`).
  case corkRequested
  /// That stream has ended (`request-uncork`).
  case uncorkRequested
  /// The device of the stream takes sound no more, or again.
  case suspended(Bool)
  /// The stream plays to another device, of this name.
  case moved(String)
  /// The server has ended the stream, or is gone itself.
  case ended
}

/// The result of a write.
package enum PulseOutcome: Sendable, Hashable {
  /// The stream took so many frames.
  case wrote(Int)
  /// The server asks for nothing now.
  case full
  /// The server ran out of sound, and starts again when it has enough.
  case ranDry
  /// The stream is gone.
  case gone
}

/// A stream that plays, with a connection of its own.
///
/// Used by one thread. Its calls take the lock of the connection's loop, which that thread holds for
/// some microseconds at a time, and libpulse allocates inside of them: alsa-lib's plugin does the same.
/// No call waits for the server, except `init`.
//
// `@unchecked Sendable`: `setProperties`, `deviceName` and `deviceLatency` are for any thread; one thread
// calls all others.
package final class PulseStream: @unchecked Sendable {
  /// What was agreed upon.
  package let sampleFormat: PulseSampleFormat
  package let sampleRate: Int
  package let channelCount: Int
  /// Frames that the server holds, and asks for at a time.
  package let bufferFrames, periodFrames: Int

  private let connection: PulseConnection
  private let stream: OpaquePointer
  private let state: StreamState
  private let frameSize: Int
  private var pulse: avjob_pulse { connection.library.functions }

  /// Frames that were written since the last silence.
  private var written = 0
  /// The last delay.
  private var lastDelay = 0

  /// Opens a stream, silent until the first write. Waits for the server.
  ///
  /// - Parameters:
  ///   - connection: Of this stream alone.
  ///   - request: The requested form. The server may have the sink's own samples taken.
  ///   - wake: Called on the loop's thread when a `write` may have another result; it may not block.
  ///   - report: Called on that thread for each event; it may not block either.
  /// - Throws: `PulseError`, of kind `.noDevice` if there is no such sink.
  package init(
    _ connection: PulseConnection, _ request: PulseRequest,
    wake: @escaping @Sendable () -> Void,
    report: @escaping @Sendable (PulseStreamEvent) -> Void
  ) throws(PulseError) {
    let state = StreamState(connection, wake, report)
    (self.connection, self.state) = (connection, state)
    sampleRate = request.sampleRate
    channelCount = request.positions.count
    (stream, sampleFormat) = try state.open(request, by: connection)
    frameSize = sampleFormat.byteCount * request.positions.count
    let (stream, frameSize) = (stream, frameSize)
    let attributes = connection.locked {
      connection.library.functions.stream_get_buffer_attr(stream)?.pointee
    }
    bufferFrames = max(2, Int(attributes?.tlength ?? 0) / frameSize)
    periodFrames = max(1, min(bufferFrames / 2, Int(attributes?.minreq ?? 0) / frameSize))
  }

  deinit {
    connection.locked {
      cancelDrain()
      state.release(stream)
    }
  }

  // MARK: Sound

  /// Writes frames, as many as the server asks for. The server plays when it has enough of them.
  package func write(_ frames: UnsafeRawPointer, count: Int) -> PulseOutcome {
    connection.locked {
      guard !state.hasEnded else { return .gone }
      if state.hasRunDry {
        (state.hasRunDry, state.hasStarted) = (false, false)
        (written, lastDelay) = (0, 0)
        return .ranDry
      }
      cancelDrain()
      if state.isCorked { setCorked(false) }
      let room = pulse.stream_writable_size(stream)
      guard room >= 0 else { return .gone }
      let count = min(count, room / frameSize)
      guard count > 0 else { return .full }
      guard pulse.stream_write(stream, frames, count * frameSize, nil, 0, PA_SEEK_RELATIVE) >= 0
      else { return .gone }
      written += count
      // If the server is gone before the next call, these frames were not heard.
      lastDelay += count
      return .wrote(count)
    }
  }

  /// Frames that were written and are not heard yet; after the stream's end, as many as before it.
  package var delay: Int { connection.locked { currentDelay } }

  private var currentDelay: Int {
    if !state.hasEnded { lastDelay = reportedDelay }
    return lastDelay
  }

  private var reportedDelay: Int {
    if state.hasRunDry { return 0 }
    guard state.hasStarted, let time = state.reportTime,
      let info = pulse.stream_get_timing_info(stream)?.pointee, info.write_index_corrupt == 0
    else { return written }
    let timing = PulseTiming(
      writeIndex: info.write_index, readIndex: info.read_index, frameSize: frameSize,
      sinkMicroseconds: info.sink_usec, sampleRate: sampleRate,
      age: state.isSuspended ? 0 : monotonicTime() - time)
    return timing.delay(of: written, sampleRate: sampleRate)
  }

  /// `delay`; the frames of it that the device does not have yet, at least, as the server may have
  /// taken a period more, and not said so; and `isPlaying`.
  package var fill: (delay: Int, buffered: Int, isPlaying: Bool) {
    connection.locked {
      let (delay, isPlaying) = (currentDelay, plays)
      let room = state.hasEnded ? -1 : pulse.stream_writable_size(stream)
      guard room >= 0, let attributes = pulse.stream_get_buffer_attr(stream) else {
        return (delay, delay, isPlaying)
      }
      let held = (Int(attributes.pointee.tlength) - room) / frameSize
      return (delay, max(0, min(delay, held - periodFrames)), isPlaying)
    }
  }

  /// Whether the server plays the stream: it has started, and has not run dry.
  package var isPlaying: Bool { connection.locked { plays } }

  private var plays: Bool {
    state.hasStarted && !state.hasRunDry && !state.hasEnded && !state.isSuspended
  }

  /// Seconds from the server to the ear, as the server reports them; 0 before a report.
  package var deviceLatency: Double {
    connection.locked {
      guard !state.hasEnded, let info = pulse.stream_get_timing_info(stream) else { return 0 }
      return Double(PulseTiming.latency(info.pointee.sink_usec)) / 1_000_000
    }
  }

  /// Whether the device takes no sound now.
  package var isSuspended: Bool { connection.locked { state.isSuspended } }

  /// Discards what is not heard, and is silent until the next write.
  package func drop() {
    connection.locked {
      (written, lastDelay) = (0, 0)
      cancelDrain()
      guard !state.hasEnded, !state.isCorked else { return }
      setCorked(true)
      (state.hasStarted, state.hasRunDry, state.isDrained) = (false, false, false)
      let data = Unmanaged.passUnretained(state).toOpaque()
      let operation = pulse.stream_flush(
        stream,
        { _, _, data in
          guard let state = StreamState.behind(data) else { return }
          state.pendingDrops -= 1
          state.wake()
        }, data)
      if operation != nil { state.pendingDrops += 1 }
      connection.forget(operation)
    }
  }

  /// Plays what was written, however little.
  ///
  /// - Returns: Whether it was heard; true also after the stream's end.
  package func drain() -> Bool {
    connection.locked {
      if written == 0 || state.hasEnded || state.isDrained || state.hasRunDry {
        cancelDrain()
        (state.hasStarted, state.hasRunDry) = (false, false)
        (written, lastDelay) = (0, 0)
        return true
      }
      guard state.drain == nil else { return false }
      if state.isCorked { setCorked(false) }
      state.drain = pulse.stream_drain(
        stream,
        { _, _, data in
          guard let state = StreamState.behind(data) else { return }
          state.isDrained = true
          state.wake()
        }, Unmanaged.passUnretained(state).toOpaque())
      return false
    }
  }

  /// Replaces properties of the stream.
  package func setProperties(_ properties: [String: String]) {
    connection.locked {
      guard !state.hasEnded else { return }
      connection.library.withProperties(properties) {
        connection.forget(
          pulse.stream_proplist_update(stream, PA_UPDATE_REPLACE, $0, nil, nil))
      }
    }
  }

  /// The name of the sink that it plays to; empty if unknown.
  package var deviceName: String {
    connection.locked {
      guard !state.hasEnded, let name = pulse.stream_get_device_name(stream) else { return "" }
      return String(cString: name)
    }
  }

  private func setCorked(_ isCorked: Bool) {
    state.isCorked = isCorked
    // A server resumes a device that was only idle before it answers.
    let operation = pulse.stream_cork(
      stream, isCorked ? 1 : 0,
      { _, _, data in StreamState.behind(data)?.confirmSuspension() },
      Unmanaged.passUnretained(state).toOpaque())
    connection.forget(operation)
  }

  private func cancelDrain() {
    state.isDrained = false
    guard let drain = state.drain else { return }
    pulse.operation_cancel(drain)
    pulse.operation_unref(drain)
    state.drain = nil
  }
}
