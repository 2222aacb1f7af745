import Glibc

internal import CPulse

/// What the loop's thread finds out about a stream. Used with the loop's lock.
//
// `@unchecked Sendable`: that lock.
final class StreamState: @unchecked Sendable {
  let library: PulseLibrary
  let wake: @Sendable () -> Void
  private let report: @Sendable (PulseStreamEvent) -> Void
  /// The code of the stream's opening: 0, or that of its failure.
  private let opening: Reply<Int32>
  private var isOpen = false

  var hasEnded = false
  var isCorked = true
  var isSuspended = false
  /// Requests of `drop` that the server has not answered: what it reports is older.
  var pendingDrops = 0
  /// Whether the device plays what was written since the last `drop`.
  var hasStarted = false
  var hasRunDry = false
  /// When the server's report was made, in nanoseconds of the monotonic clock; nil before one.
  var reportTime: Int64?
  /// A drain that the server has not answered.
  var drain: OpaquePointer?
  var isDrained = false

  init(
    _ connection: PulseConnection, _ wake: @escaping @Sendable () -> Void,
    _ report: @escaping @Sendable (PulseStreamEvent) -> Void
  ) {
    library = connection.library
    opening = Reply(connection)
    (self.wake, self.report) = (wake, report)
  }

  static func behind(_ data: UnsafeMutableRawPointer?) -> StreamState? {
    data.map { Unmanaged<StreamState>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Opens the stream. Waits for the server, without the lock.
  ///
  /// - Returns: The stream, and the samples that it takes: the sink's own, unless no other program
  ///   here has them.
  func open(
    _ request: PulseRequest, by connection: PulseConnection
  ) throws(PulseError) -> (OpaquePointer, PulseSampleFormat) {
    connection.locked { connection.kept.append(self) }
    let stream = try connect(request, by: connection, takesFormat: true)
    let format = connection.locked { agreedFormat(of: stream) }
    if let format { return (stream, format) }
    connection.locked {
      release(stream)
      (isOpen, hasEnded) = (false, false)
    }
    opening.reset()
    return (try connect(request, by: connection, takesFormat: false), .float32)
  }

  private func connect(
    _ request: PulseRequest, by connection: PulseConnection, takesFormat: Bool
  ) throws(PulseError) -> OpaquePointer {
    let pulse = library.functions
    let stream = connection.locked { makeStream(request, by: connection) }
    guard let stream else {
      throw connection.locked { connection.lastError("pa_stream_new_with_proplist") }
    }
    do throws(PulseError) {
      var attributes = Self.attributes(request, .float32)
      let status = connection.locked {
        pulse.stream_connect_playback(
          stream, request.device, &attributes,
          avjob_pulse_playback_flags(takesFormat ? 1 : 0), nil, nil)
      }
      let call = "pa_stream_connect_playback"
      guard status >= 0 else { throw connection.locked { connection.lastError(call) } }
      let opening = opening
      let code = try connection.wait(for: call) { _ in opening.isDone ? opening.values[0] : nil }
      guard code == 0 else { throw library.error(code, call) }
      // The lengths were those of floats.
      if let format = connection.locked({ agreedFormat(of: stream) }), format.byteCount != 4 {
        var attributes = Self.attributes(request, format)
        _ = try connection.ask("pa_stream_set_buffer_attr", Reply<Int32>(connection)) {
          pulse.stream_set_buffer_attr(
            stream, &attributes, { _, _, data in Reply<Int32>.behind(data)?.take(nil, end: 1) }, $0)
        }
      }
      return stream
    } catch {
      connection.locked { release(stream) }
      throw error
    }
  }

  private static func attributes(
    _ request: PulseRequest, _ format: PulseSampleFormat
  ) -> pa_buffer_attr {
    let frameSize = request.positions.count * format.byteCount
    func bytes(_ length: Duration) -> UInt32 {
      let (seconds, attoseconds) = min(max(.zero, length), .seconds(10)).components
      let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
      return UInt32(clamping: max(1, request.sampleRate * milliseconds / 1000) * frameSize)
    }
    return pa_buffer_attr(
      maxlength: UInt32.max, tlength: bytes(request.buffer), prebuf: bytes(request.start),
      minreq: bytes(request.period), fragsize: UInt32.max)
  }

  private func agreedFormat(of stream: OpaquePointer) -> PulseSampleFormat? {
    let format = library.functions.stream_get_sample_spec(stream)?.pointee.format
    return PulseSampleFormat.allCases.first { $0.pulse.rawValue == format?.rawValue }
  }

  /// A stream whose callbacks are those of this object.
  private func makeStream(
    _ request: PulseRequest, by connection: PulseConnection
  ) -> OpaquePointer? {
    let pulse = library.functions
    var spec = pa_sample_spec(
      format: PulseSampleFormat.float32.pulse, rate: UInt32(clamping: request.sampleRate),
      channels: UInt8(clamping: request.positions.count))
    var map = pa_channel_map(request.positions)
    let made = library.withProperties(request.properties) {
      pulse.stream_new_with_proplist(
        connection.context, request.properties["media.name"] ?? "sound", &spec, &map, $0)
    }
    guard let stream = made else { return nil }
    let data = Unmanaged.passUnretained(self).toOpaque()
    pulse.stream_set_state_callback(
      stream, { stream, data in StreamState.behind(data)?.takeState(of: stream) }, data)
    pulse.stream_set_write_callback(
      stream, { _, _, data in StreamState.behind(data)?.wake() }, data)
    pulse.stream_set_underflow_callback(
      stream, { _, data in StreamState.behind(data)?.takeUnderflow() }, data)
    pulse.stream_set_started_callback(
      stream, { stream, data in StreamState.behind(data)?.takeStart(of: stream) }, data)
    pulse.stream_set_latency_update_callback(
      stream, { stream, data in StreamState.behind(data)?.takeTiming(of: stream) }, data)
    pulse.stream_set_moved_callback(
      stream, { stream, data in StreamState.behind(data)?.takeMove(of: stream) }, data)
    pulse.stream_set_suspended_callback(
      stream, { stream, data in StreamState.behind(data)?.takeSuspension(of: stream) }, data)
    pulse.stream_set_event_callback(
      stream, { _, name, _, data in StreamState.behind(data)?.takeEvent(name) }, data)
    return stream
  }

  /// Ends a stream; with the lock. Answers to its requests may come until the connection ends.
  func release(_ stream: OpaquePointer) {
    let pulse = library.functions
    pulse.stream_set_state_callback(stream, nil, nil)
    pulse.stream_set_write_callback(stream, nil, nil)
    pulse.stream_set_underflow_callback(stream, nil, nil)
    pulse.stream_set_started_callback(stream, nil, nil)
    pulse.stream_set_latency_update_callback(stream, nil, nil)
    pulse.stream_set_moved_callback(stream, nil, nil)
    pulse.stream_set_suspended_callback(stream, nil, nil)
    pulse.stream_set_event_callback(stream, nil, nil)
    _ = pulse.stream_disconnect(stream)
    pulse.stream_unref(stream)
  }

  // MARK: On the loop's thread

  private func takeState(of stream: OpaquePointer?) {
    guard let stream else { return }
    switch library.functions.stream_get_state(stream).rawValue {
    case PA_STREAM_READY.rawValue:
      isOpen = true
      isSuspended = library.functions.stream_is_suspended(stream) > 0
      opening.finish(with: 0)
    case PA_STREAM_FAILED.rawValue, PA_STREAM_TERMINATED.rawValue:
      guard !hasEnded else { return }
      hasEnded = true
      if isOpen {
        wake()
        report(.ended)
      } else {
        let code = library.functions.context_errno(library.functions.stream_get_context(stream))
        opening.finish(with: code == 0 ? Int32(bitPattern: PA_ERR_KILLED.rawValue) : code)
      }
    default: break
    }
  }

  private func takeUnderflow() {
    guard pendingDrops == 0, hasStarted else { return }
    hasRunDry = true
    wake()
  }

  private func takeStart(of stream: OpaquePointer?) {
    guard pendingDrops == 0 else { return }
    (hasStarted, reportTime) = (true, nil)
    let operation = library.functions.stream_update_timing_info(stream, nil, nil)
    if let operation { library.functions.operation_unref(operation) }
    wake()
  }

  private func takeTiming(of stream: OpaquePointer?) {
    guard pendingDrops == 0, let info = library.functions.stream_get_timing_info(stream)?.pointee
    else { return }
    let age = max(0, min(avjob_pulse_age(info.timestamp), 1_000_000))
    reportTime = monotonicTime() - age * 1000
    // Servers that do not report the start.
    if info.playing != 0, !isCorked { hasStarted = true }
    wake()
  }

  private func takeMove(of stream: OpaquePointer?) {
    let name = library.functions.stream_get_device_name(stream).map { String(cString: $0) } ?? ""
    report(.moved(name))
    wake()
    guard let stream else { return }
    let wasSuspended = isSuspended
    isSuspended = library.functions.stream_is_suspended(stream) > 0
    if wasSuspended, !isSuspended { report(.suspended(false)) }
    // A server that resumes the new device because of the move does so before it answers.
    let operation = library.functions.stream_update_timing_info(
      stream, { _, _, data in StreamState.behind(data)?.confirmSuspension() },
      Unmanaged.passUnretained(self).toOpaque())
    if let operation { library.functions.operation_unref(operation) }
  }

  /// Reports a device that is suspended although the stream plays; with the lock.
  func confirmSuspension() {
    if isSuspended, !isCorked { report(.suspended(true)) }
  }

  private func takeSuspension(of stream: OpaquePointer?) {
    isSuspended = library.functions.stream_is_suspended(stream) > 0
    // A server suspends devices that nobody plays to.
    if !isSuspended || !isCorked { report(.suspended(isSuspended)) }
    wake()
  }

  private func takeEvent(_ name: UnsafePointer<CChar>?) {
    switch name.map({ String(cString: $0) }) {
    case PA_STREAM_EVENT_REQUEST_CORK: report(.corkRequested)
    case PA_STREAM_EVENT_REQUEST_UNCORK: report(.uncorkRequested)
    default: break
    }
  }
}

/// CLOCK_MONOTONIC, in nanoseconds.
func monotonicTime() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

extension pa_channel_map {
  /// The map of channels at these positions, by ALSA's names.
  init(_ positions: [String]) {
    self.init()
    channels = UInt8(clamping: positions.count)
    withUnsafeMutableBytes(of: &map) { bytes in
      let places = bytes.bindMemory(to: pa_channel_position_t.self)
      for (index, name) in positions.prefix(places.count).enumerated() {
        places[index] =
          Self.known[name]
          ?? pa_channel_position_t(rawValue: PA_CHANNEL_POSITION_AUX0.rawValue + Int32(index))
      }
    }
  }

  private static let known: [String: pa_channel_position_t] = [
    "MONO": PA_CHANNEL_POSITION_MONO, "FL": PA_CHANNEL_POSITION_FRONT_LEFT,
    "FR": PA_CHANNEL_POSITION_FRONT_RIGHT, "FC": PA_CHANNEL_POSITION_FRONT_CENTER,
    "LFE": PA_CHANNEL_POSITION_LFE, "RL": PA_CHANNEL_POSITION_REAR_LEFT,
    "RR": PA_CHANNEL_POSITION_REAR_RIGHT, "RC": PA_CHANNEL_POSITION_REAR_CENTER,
    "SL": PA_CHANNEL_POSITION_SIDE_LEFT, "SR": PA_CHANNEL_POSITION_SIDE_RIGHT,
  ]
}
