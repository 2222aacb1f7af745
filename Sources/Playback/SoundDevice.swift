import Diagnosis
import ExportEngine
import Glibc
import MediaComposition

internal import ALSA

/// A sound device of this machine, as ALSA names it.
public struct SoundDevice: Sendable, Hashable {
  /// The name for `opener`.
  public let name: String
  /// A description in one line; empty if there is none.
  public let summary: String

  /// The direction of the sound.
  public enum Direction: Sendable, Hashable {
    /// To a device that plays.
    case playback
    /// From a device that records.
    case capture
  }

  /// The devices for playback or capture, `default` first. A listed device may still fail to open.
  /// O(devices); queries all cards.
  ///
  /// - Parameter direction: Playback or capture.
  /// - Returns: An empty list without a card and a sound server.
  /// - Throws: `mendMachine` if ALSA's configuration cannot be read.
  public static func all(
    _ direction: Direction = .playback
  ) async throws(Failure) -> [SoundDevice] {
    try await onThread { _ throws(Failure) in try list(direction) }
  }

  /// The devices for playback or capture: `all(_:)` of a program without tasks. Blocks while ALSA asks
  /// its cards.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public static func all(_ direction: Direction = .playback) throws(Failure) -> [SoundDevice] {
    try list(direction)
  }

  private static func list(_ direction: Direction) throws(Failure) -> [SoundDevice] {
    do throws(ALSAError) {
      return try PCMDevices.list(direction == .playback ? .playback : .capture)
        .map { SoundDevice(name: $0.name, summary: $0.summary) }
    } catch {
      throw error.kind == .libraryMissing
        ? Failure(.mendMachine, "sound devices need ALSA, which is not there; \(installALSA)")
        : Failure(.mendMachine, "the sound devices cannot be listed: \(error)")
    }
  }

  /// Opens a device for a player.
  ///
  /// It is opened at the sound's rate and channels, or the nearest, with samples that need the
  /// least rounding.
  ///
  /// - Parameter name: A name of `all`, or any other name of an ALSA device.
  /// - Returns: The opener for a player.
  public static func opener(_ name: String = "default") -> SinkOpener {
    opener(name, period: .milliseconds(10), start: startThreshold)
  }

  /// Opens a device for a monitor, with a short delay: it starts with the first 10 ms.
  ///
  /// - Parameter name: As for `opener`.
  /// - Returns: The opener for a `RecordingMonitor`.
  public static func monitorOpener(_ name: String = "default") -> SinkOpener {
    opener(
      name, period: .milliseconds(5), buffer: .milliseconds(100), start: .milliseconds(10))
  }

  private static func opener(
    _ name: String, period: Duration, buffer: Duration = .milliseconds(200), start: Duration
  ) -> SinkOpener {
    { request throws(Failure) in
      do throws(ALSAError) {
        let device = try PCMDevice.open(
          name, direction: .playback,
          request: PCMRequest(
            sampleRate: request.sampleRate, channelCount: request.channelCount,
            period: period, buffer: buffer, startThreshold: start))
        return ALSASink(device)
      } catch {
        throw Failure(error, of: name)
      }
    }
  }

  /// The time in which as much is rendered. With less, a device runs dry if other work delays the
  /// first slots.
  static let startThreshold = Duration.milliseconds(100)
}

private let installALSA = "install \(OptionalLibrary.alsa.packageName)"

extension Failure {
  /// The failure for an error of opening a device.
  init(_ error: ALSAError, of name: String) {
    let device = "the sound device '\(name)'"
    let reason = error.message ?? error.reason
    let (remedy, message): (Remedy, String) =
      switch error.kind {
      case .libraryMissing:
        (.mendMachine, "\(device) needs ALSA, which is not there; \(installALSA)")
      case .absent:
        (.mendMachine, "\(device) is not there; connect it, or choose another (\(reason))")
      case .busy:
        (.tryAgain, "\(device) is in use; end the program that has it, or choose another")
      case .forbidden:
        (.mendMachine, "\(device) is not for this user; join the group 'audio' (\(reason))")
      case .unsupported:
        (.mendMachine, "\(device) has none of the requested formats; choose another (\(reason))")
      case .exhausted:
        (.tryAgain, "\(device) finds no room in this machine; close other programs (\(reason))")
      case .other:
        (.mendMachine, "\(device) cannot be opened; choose another (\(reason))")
      }
    self.init(remedy, message)
  }

  /// The failure for a device that is there and takes no sound: mostly a plugin of alsa-lib that
  /// cannot write its file.
  init(writing error: ALSAError) {
    let advice =
      switch error.code {
      // For a file that could not be opened, alsa-lib 1.2.8 reports EBADF.
      case ENOENT, ENOTDIR, EBADF: "make the folder of its file, or change the permissions there"
      case ENOSPC, EDQUOT: "make room on the disk that it writes to"
      case EFBIG: "raise the limit (ulimit -f), or write to another file system"
      case EACCES, EPERM, EROFS: "change the permissions of its file"
      case EIO: "check the disk that it writes to"
      default: "choose another"
      }
    self.init(
      .mendMachine,
      "the sound device '\(error.device ?? "")' takes no sound; \(advice) "
        + "(\(error.message ?? error.reason))")
  }
}
