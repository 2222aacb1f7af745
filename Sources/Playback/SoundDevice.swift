import Diagnosis
import Glibc
import MediaComposition

internal import ALSA

/// A sound device of this machine, as ALSA names it.
public struct SoundDevice: Sendable, Hashable {
  /// What `opener` takes.
  public let name: String
  /// What it is, in one line; empty where nobody says.
  public let summary: String

  /// Which way sound goes.
  public enum Direction: Sendable, Hashable {
    /// Out of a device that is played to.
    case playback
    /// Into one that is recorded.
    case capture
  }

  /// Those that may be played to, or recorded, `default` first. That one is named does not mean
  /// that it can be opened now. O(devices); asks all cards.
  ///
  /// - Parameter direction: What for.
  /// - Returns: None where there is no card and no sound server.
  /// - Throws: `mendMachine` where ALSA's configuration cannot be read.
  public static func all(_ direction: Direction = .playback) throws(Failure) -> [SoundDevice] {
    do throws(ALSAError) {
      return try PCMDevices.list(direction == .playback ? .playback : .capture)
        .map { SoundDevice(name: $0.name, summary: $0.summary) }
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
            startThreshold: startThreshold))
        return ALSASink(device)
      } catch {
        throw Failure(error, of: name)
      }
    }
  }

  /// Rendered in some milliseconds; with less inside, a device that begins runs dry where other
  /// work comes between the first slots.
  private static let startThreshold = Duration.milliseconds(100)
}

extension Failure {
  /// What ALSA's answer means to whoever wants to use a device.
  init(_ error: ALSAError, of name: String) {
    let device = "the sound device '\(name)'"
    let reason = error.message ?? error.reason
    let (remedy, message): (Remedy, String) =
      switch error.kind {
      case .absent:
        (.mendMachine, "\(device) is not there; connect it, or choose another (\(reason))")
      case .busy:
        (.tryAgain, "\(device) is in use; end the program that has it, or choose another")
      case .forbidden:
        (.mendMachine, "\(device) is not for this user; join the group 'audio' (\(reason))")
      case .unsupported:
        (.mendMachine, "\(device) has nothing of what is asked for; choose another (\(reason))")
      case .exhausted:
        (.tryAgain, "\(device) finds no room in this machine; close other programs (\(reason))")
      case .other:
        (.mendMachine, "\(device) cannot be opened; choose another (\(reason))")
      }
    self.init(remedy, message)
  }

  /// What it means that a device that is there takes no sound: most of all, that a plugin of
  /// alsa-lib cannot write its file.
  init(writing error: ALSAError) {
    let advice =
      switch error.code {
      // Of a file that could not be opened, alsa-lib 1.2.8 says that it is none (EBADF).
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
