import Diagnosis
import Glibc
import MediaComposition
import Threads

internal import PulseAudio

/// A stream of a sound server as a sink: PulseAudio's, or PipeWire's by its `pipewire-pulse`.
///
/// libpulse allocates and locks inside of `write`, as it does behind alsa-lib's plugin: the writing
/// thread holds its lock for some microseconds.
final class PulseSink: AudioSink {
  let format: SinkFormat
  let stream: PulseStream
  private let room: WakeUp
  private var liveness = DeviceLiveness()
  private let closed: @Sendable () -> Void

  /// Opens a stream.
  ///
  /// - Parameters:
  ///   - connection: Of this stream alone.
  ///   - request: The sound's form.
  ///   - device: The name of the sink; nil: the server selects it.
  ///   - properties: Of the stream.
  ///   - buffer: How much sound the server holds at most.
  ///   - report: Called on libpulse's thread for each event.
  ///   - closed: Called when the sink is released, on the thread that releases it; events may still
  ///     be reported while it runs.
  /// - Throws: `PulseError`.
  init(
    _ connection: PulseConnection, _ request: SinkRequest, device: String?,
    properties: [String: String], buffer: Duration = .milliseconds(200),
    report: @escaping @Sendable (PulseStreamEvent) -> Void,
    closed: @escaping @Sendable () -> Void = {}
  ) throws(PulseError) {
    let room: WakeUp
    do throws(ChildProcess.SystemError) {
      room = try WakeUp()
    } catch {
      throw PulseError.noDescriptor
    }
    (self.room, self.closed) = (room, closed)
    stream = try PulseStream(
      connection,
      PulseRequest(
        sampleRate: request.sampleRate,
        positions: ChannelReordering.positions(of: request.channelCount), device: device,
        properties: properties, buffer: buffer, start: SoundDevice.startThreshold),
      wake: { room.signal() }, report: report)
    format = SinkFormat(
      sampleRate: stream.sampleRate, channelCount: stream.channelCount,
      encoding: SampleEncoding(stream.sampleFormat), periodFrames: stream.periodFrames,
      bufferFrames: stream.bufferFrames)
  }

  deinit { closed() }

  var delay: Int { stream.delay }

  var fill: SinkFill {
    let fill = stream.fill
    return SinkFill(delay: fill.delay, buffered: fill.buffered, isPlaying: fill.isPlaying)
  }

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    switch stream.write(frames, count: count) {
    case .wrote(let count):
      liveness.noteTransfer()
      return .wrote(count)
    case .full:
      // A suspended device takes nothing, for any time, and plays on afterwards.
      if stream.isSuspended { liveness.noteTransfer() }
      return liveness.noteStall(isStarting: !stream.isPlaying) ? .gone : .full
    case .ranDry: return .ranDry
    case .gone: return .gone
    }
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {
    var polled = (
      pollfd(fd: room.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    )
    withUnsafeMutablePointer(to: &polled) {
      _ = $0.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, milliseconds) }
    }
    room.clear()
  }

  func drop() {
    liveness.noteTransfer()
    stream.drop()
  }

  func drain() -> Bool { stream.drain() }
}

extension SampleEncoding {
  /// The encoding of a stream's samples.
  init(_ format: PulseSampleFormat) {
    switch format {
    case .float32: self = .float32
    case .int32: self = .int32
    case .int24: self = .int24
    case .packedInt24: self = .packedInt24
    case .int16: self = .int16
    }
  }
}

extension Failure {
  /// The failure for an error of a sound server.
  init(_ error: PulseError, of device: String) {
    let (remedy, message): (Remedy, String) =
      switch error.kind {
      case .libraryMissing:
        (
          .mendMachine,
          "'\(device)' needs the library libpulse.so.0; install the package "
            + OptionalLibrary.pulseAudio.packageName
        )
      case .noServer:
        (
          .mendMachine,
          "no sound server answers for '\(device)'; start PulseAudio or PipeWire, or choose "
            + "another device (\(error))"
        )
      case .timeout:
        (.tryAgain, "the sound server does not answer for '\(device)'; try again (\(error))")
      case .forbidden:
        (
          .mendMachine,
          "the sound server refuses this user for '\(device)'; run this as the user of the "
            + "session (\(error))"
        )
      case .noDevice:
        (
          .mendMachine,
          "the sound server has no device for '\(device)'; connect it, or choose another "
            + "(\(error))"
        )
      case .unsupported, .other:
        (.mendMachine, "'\(device)' cannot be opened; choose another device (\(error))")
      }
    self.init(remedy, message)
  }
}
