import Diagnosis
import Glibc
import MediaComposition

internal import ALSA

/// A device of ALSA as a sink.
final class ALSASink: AudioSink {
  let format: SinkFormat
  private let device: PCMDevice
  private var liveness = DeviceLiveness()
  /// The last delay that the device gave; kept while it gives none.
  private var lastDelay = 0
  /// The delay before the first of several xruns; nil if frames were taken since the last one.
  private var delayBeforeXruns: Int?
  private var isDraining = false
  /// Whether the system has stopped the device and discarded its frames.
  private var isStopped = false
  /// When to give up resuming a device that the system has stopped; nil if it was not stopped.
  private var resumeDeadline: ContinuousClock.Instant?
  /// Brings frames into the device's order of channels; nil if that is ours.
  private let reordering: ChannelReordering?

  /// How long hardware may take to resume, and milliseconds between two attempts.
  private static let resumePatience = Duration.seconds(1)
  private static let resumePause: Int32 = 50

  init(_ device: PCMDevice) {
    self.device = device
    let agreed = device.format
    let positions = agreed.channelPositions?.map(\.description)
    // A file has no loudspeakers: whoever reads it expects the order of a WAV, as of `aplay`.
    let isFile = device.isFile && positions == nil
    var format = SinkFormat(
      sampleRate: agreed.sampleRate, channelCount: agreed.channelCount,
      encoding: SampleEncoding(agreed.sampleFormat), periodFrames: agreed.periodFrames,
      bufferFrames: agreed.bufferFrames)
    format.channelLayout =
      isFile ? .counted(agreed.channelCount) : positions.flatMap(ChannelReordering.layout)
    self.format = format
    reordering =
      isFile
      ? nil
      : ChannelReordering(
        for: agreed.channelCount, positions: positions, sampleSize: agreed.sampleFormat.byteCount)
  }

  var delay: Int {
    if !isStopped, let delay = device.delay() { lastDelay = delay }
    return lastDelay
  }

  var fill: SinkFill {
    let delay = delay
    return SinkFill(
      delay: delay, buffered: min(delay, device.bufferedFrames ?? delay),
      isPlaying: device.state == .running)
  }

  func write(_ frames: UnsafeRawPointer, count: Int) throws(Failure) -> SinkOutcome {
    isDraining = false
    if resumeDeadline != nil { return goOn() }
    let outcome =
      if let reordering {
        device.write(reordering.reordered(frames, count: count), count: reordering.fitting(count))
      } else {
        device.write(frames, count: count)
      }
    switch outcome {
    case .transferred(let count):
      liveness.noteTransfer()
      delayBeforeXruns = nil
      // If the device is gone before the next call, these frames were not heard.
      lastDelay += count
      return .wrote(count)
    case .notReady: return liveness.noteStall() ? .gone : .full
    case .xrun:
      // Of several xruns without a frame between them, the first is counted.
      let isFirst = delayBeforeXruns == nil
      let held = delayBeforeXruns ?? lastDelay
      delayBeforeXruns = held
      guard !liveness.noteXrun() else {
        // The device was dead at the first xrun, and its frames were not heard.
        lastDelay = held
        return .gone
      }
      return prepare(holding: 0, as: isFirst ? .ranDry : .full)
    case .suspended: return goOn()
    case .gone: return .gone
    case .failed(let code): throw Failure(writing: device.error(code, of: "snd_pcm_writei"))
    }
  }

  /// Tries to resume a device that the system has stopped, once for each `wait`: some need a while.
  private func goOn() -> SinkOutcome {
    let now = ContinuousClock.now
    let deadline = resumeDeadline ?? now + Self.resumePatience
    switch device.tryResume() {
    case .resumed:
      resumeDeadline = nil
      return .full
    case .notYet where now < deadline:
      resumeDeadline = deadline
      return .full
    case .notYet, .refused:
      // Read again, since some frames were played meanwhile.
      return prepare(holding: delay, as: .interrupted)
    }
  }

  /// Makes a stopped device ready for sound; its frames are lost.
  private func prepare(holding held: Int, as outcome: SinkOutcome) -> SinkOutcome {
    resumeDeadline = nil
    do throws(ALSAError) {
      try device.prepare()
      lastDelay = held
      isStopped = outcome == .interrupted
      return outcome
    } catch {
      // Hardware that is being unplugged has many errors; opening it again gives a clear one.
      return .gone
    }
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard resumeDeadline == nil else {
      poll(&polled, 1, min(milliseconds, Self.resumePause))
      return
    }
    guard isDraining else {
      _ = device.wait(upTo: .milliseconds(milliseconds), or: descriptor)
      return
    }
    // A draining device has room, so its descriptors would be ready without end.
    let left = Int32(clamping: delay * 1000 / max(1, format.sampleRate) + 1)
    poll(&polled, 1, min(milliseconds, left))
  }

  func drop() {
    isDraining = false
    liveness.noteTransfer()
    delayBeforeXruns = nil
    isStopped = false
    resumeDeadline = nil
    lastDelay = 0
    // The next write reports a device that is gone.
    _ = try? device.drop()
  }

  func drain() throws(Failure) -> Bool {
    isDraining = true
    do throws(ALSAError) {
      return try device.drain()
    } catch {
      // A disconnected or suspended device loses its frames. A device with an error message is
      // there.
      guard error.code != EIO || error.message == nil else { throw Failure(writing: error) }
      guard error.code == ESTRPIPE || ALSAError.saysGone(error.code) else {
        throw Failure(writing: error)
      }
      return true
    }
  }
}

extension SampleEncoding {
  /// The encoding of a device's samples.
  init(_ format: PCMSampleFormat) {
    switch format {
    case .float32: self = .float32
    case .int32: self = .int32
    case .int24: self = .int24
    case .packedInt24: self = .packedInt24
    case .int16: self = .int16
    }
  }
}
