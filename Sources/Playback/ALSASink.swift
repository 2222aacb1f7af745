import Glibc

internal import ALSA

/// A device of ALSA's, as a player writes to it.
final class ALSASink: AudioSink {
  let format: SinkFormat
  private let device: PCMDevice
  /// What the device said last, which stays while it has nothing to say.
  private var lastDelay = 0
  private var isDraining = false
  /// Whether the system has stopped it, and made it forget what it held.
  private var isStopped = false
  /// Where frames are put into the device's order of channels; nil where that is ours.
  private let reordering: ChannelReordering?

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

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    isDraining = false
    let outcome =
      if let reordering {
        device.write(reordering.reordered(frames, count: count), count: reordering.fitting(count))
      } else {
        device.write(frames, count: count)
      }
    switch outcome {
    case .transferred(let count): return .wrote(count)
    case .notReady: return .full
    case .xrun, .suspended: return recover(from: outcome)
    case .gone: return .gone
    }
  }

  private func recover(from outcome: PCMOutcome) -> SinkOutcome {
    // The newest that it can tell: some was played since it was asked last.
    let held = outcome == .suspended ? delay : 0
    do throws(ALSAError) {
      if case .resumed = try device.recover() { return .full }
      lastDelay = held
      isStopped = outcome == .suspended
      return isStopped ? .interrupted : .ranDry
    } catch {
      return .gone
    }
  }

  func wait(or descriptor: Int32, milliseconds: Int32) {
    guard isDraining else {
      _ = device.wait(upTo: .milliseconds(milliseconds), or: descriptor)
      return
    }
    // A draining device has room, and would say so without end.
    let left = Int32(clamping: delay * 1000 / max(1, format.sampleRate) + 1)
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, min(milliseconds, left))
  }

  func drop() {
    isDraining = false
    isStopped = false
    lastDelay = 0
    // A device that is gone says so when it is written to.
    _ = try? device.drop()
  }

  func drain() -> Bool {
    isDraining = true
    do throws(ALSAError) {
      return try device.drain(upTo: .zero) == .drained
    } catch {
      // What it held is over, one way or another.
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
