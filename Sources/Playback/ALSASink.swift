import Diagnosis
import Glibc
import MediaComposition

internal import ALSA

/// A device of ALSA's, as a player writes to it.
final class ALSASink: AudioSink {
  let format: SinkFormat
  private let device: PCMDevice
  private var liveness = DeviceLiveness()
  /// What the device said last, which stays while it has nothing to say.
  private var lastDelay = 0
  /// The same before the first of several xruns; nil where frames were taken since the last one.
  private var delayBeforeXruns: Int?
  private var isDraining = false
  /// Whether the system has stopped it, and made it forget what it held.
  private var isStopped = false
  /// Until when one that the system has stopped is asked to go on; nil where it was not stopped.
  private var resumeDeadline: ContinuousClock.Instant?
  /// Where frames are put into the device's order of channels; nil where that is ours.
  private let reordering: ChannelReordering?

  /// For how long hardware may take to wake up, and how often it is asked, in milliseconds.
  private static let resumePatience = Duration.seconds(1)
  private static let resumePause: Int32 = 50

  init(_ device: PCMDevice) {
    self.device = device
    let agreed = device.format
    format = SinkFormat(
      sampleRate: agreed.sampleRate, channelCount: agreed.channelCount,
      encoding: SampleEncoding(agreed.sampleFormat), periodFrames: agreed.periodFrames,
      bufferFrames: agreed.bufferFrames)
    reordering = ChannelReordering(
      for: agreed.channelCount, positions: agreed.channelPositions?.map(\.description),
      sampleSize: agreed.sampleFormat.byteCount)
  }

  var delay: Int {
    if !isStopped, let delay = device.delay() { lastDelay = delay }
    return lastDelay
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
      // The device may be gone before it is asked again, and these were not heard.
      lastDelay += count
      return .wrote(count)
    case .notReady: return liveness.noteStall() ? .gone : .full
    case .xrun:
      // Of several without a frame between them, the first counts.
      let isFirst = delayBeforeXruns == nil
      let held = delayBeforeXruns ?? lastDelay
      delayBeforeXruns = held
      guard !liveness.noteXrun() else {
        // It was dead at the first of them, and what it held then was not heard.
        lastDelay = held
        return .gone
      }
      return prepare(holding: 0, as: isFirst ? .ranDry : .full)
    case .suspended: return goOn()
    case .gone: return .gone
    case .failed(let code): throw Failure(writing: device.error(code, of: "snd_pcm_writei"))
    }
  }

  /// Asks a device that the system has stopped to go on, once for each `wait`: some need a while.
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
      // The newest that it can tell: some was played since it was asked last.
      return prepare(holding: delay, as: .interrupted)
    }
  }

  /// Makes a device that has stopped ready for sound; what it held is lost.
  private func prepare(holding held: Int, as outcome: SinkOutcome) -> SinkOutcome {
    resumeDeadline = nil
    do throws(ALSAError) {
      try device.prepare()
      lastDelay = held
      isStopped = outcome == .interrupted
      return outcome
    } catch {
      // Hardware that is being unplugged has many words for it; opened anew, it says more.
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
    // A draining device has room, and would say so without end.
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
    // A device that is gone says so when it is written to.
    _ = try? device.drop()
  }

  func drain() throws(Failure) -> Bool {
    isDraining = true
    do throws(ALSAError) {
      return try device.drain()
    } catch {
      // What a device held that went away, or slept, is over, one way or another. One that says in words
      // why it could not do it is there.
      guard error.code != EIO || error.message == nil else { throw Failure(writing: error) }
      guard error.code == ESTRPIPE || ALSAError.saysGone(error.code) else {
        throw Failure(writing: error)
      }
      return true
    }
  }
}

extension SampleEncoding {
  /// How a device of ALSA's has its samples.
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
