import Glibc
import MediaComposition

internal import ALSA

/// A sound device of this machine, as ALSA names it.
public struct SoundDevice: Sendable, Hashable {
  /// What `opener` takes.
  public let name: String
  /// What it is, in one line; empty where nobody says.
  public let summary: String

  /// Those that may be played to, `default` first. That one is named does not mean that it can be
  /// opened now. O(devices); asks all cards.
  ///
  /// - Throws: `mendMachine` where ALSA's configuration cannot be read.
  public static func all() throws(Failure) -> [SoundDevice] {
    do throws(ALSAError) {
      return try PCMDevices.list(.playback).map { SoundDevice(name: $0.name, summary: $0.summary) }
    } catch {
      throw Failure(.mendMachine, "the sound devices cannot be listed: \(error)")
    }
  }

  /// Opens a device for a player.
  ///
  /// The device is asked for the rate and the channels of the sound, and gives the nearest that it
  /// has; of the samples that it takes, for those that need least rounding.
  ///
  /// - Parameter name: One of `all`, or any other that ALSA knows.
  /// - Returns: What a player opens it with, and opens it again where it was gone.
  public static func opener(_ name: String = "default") -> SinkOpener {
    { request throws(Failure) in
      do throws(ALSAError) {
        let device = try PCMDevice.open(
          name, direction: .playback,
          request: PCMRequest(
            sampleRate: request.sampleRate, channelCount: request.channelCount,
            startThreshold: startThreshold),
          waker: PCMWaker())
        return ALSASink(device)
      } catch {
        throw failure(error, of: name)
      }
    }
  }

  /// Rendered in some milliseconds; with less inside, a device that begins runs dry where other work
  /// comes between the first slots.
  private static let startThreshold = Duration.milliseconds(100)

  private static func failure(_ error: ALSAError, of name: String) -> Failure {
    let device = "the sound device '\(name)'"
    let reason = error.message ?? error.reason
    return switch error.kind {
    case .absent:
      Failure(.mendMachine, "\(device) is not there; connect it, or choose another (\(reason))")
    case .busy:
      Failure(.tryAgain, "\(device) is in use; end the program that has it, or choose another")
    case .forbidden:
      Failure(.mendMachine, "\(device) is not for this user; join the group 'audio' (\(reason))")
    case .unsupported:
      Failure(.mendMachine, "\(device) takes nothing that can be given; choose another (\(reason))")
    case .exhausted:
      Failure(.tryAgain, "\(device) finds no room in this machine (\(reason))")
    case .other:
      Failure(.mendMachine, "\(device) cannot be opened; choose another (\(reason))")
    }
  }
}

/// A device of ALSA's, as a player writes to it.
final class ALSASink: AudioSink {
  let format: SinkFormat
  private let device: PCMDevice
  /// What the device said last, which stays while it has nothing to say.
  private var lastDelay = 0
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

  func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
    isDraining = false
    if resumeDeadline != nil { return goOn() }
    let outcome =
      if let reordering {
        device.write(reordering.reordered(frames, count: count), count: reordering.fitting(count))
      } else {
        device.write(frames, count: count)
      }
    switch outcome {
    case .transferred(let count): return .wrote(count)
    case .notReady: return .full
    case .xrun: return prepare(holding: 0, as: .ranDry)
    case .suspended: return goOn()
    case .gone: return .gone
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
    isStopped = false
    resumeDeadline = nil
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
  fileprivate init(_ format: PCMSampleFormat) {
    switch format {
    case .float32: self = .float32
    case .int32: self = .int32
    case .int24: self = .int24
    case .packedInt24: self = .packedInt24
    case .int16: self = .int16
    }
  }
}
