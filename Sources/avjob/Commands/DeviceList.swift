import ArgumentParser
import Diagnosis
import MediaComposition
import Playback
import Reports
import Terminal

/// `--list-devices` of `preview` and `record`.
enum DeviceList {
  /// What to do where a device cannot be opened.
  static func help(for command: String) -> String {
    "'avjob \(command) --list-devices' lists the devices; --device selects one"
  }

  /// The devices that `--device` selects.
  static func devices(_ direction: SoundDevice.Direction) throws(Failure) -> [SoundDevice] {
    switch direction {
    case .playback: try AudioSession.sharedInstance().playbackDevices()
    case .capture: try SoundDevice.all(.capture)
    }
  }

  /// Prints the devices that sound can go out of, or come from.
  ///
  /// - Throws: An `ExitCode` where there is none, after saying so.
  static func print(_ direction: SoundDevice.Direction) throws {
    do throws(Failure) {
      let devices = try devices(direction)
      guard !devices.isEmpty else {
        throw Failure(
          .mendMachine,
          direction == .playback
            ? "there is no sound device; connect one, or start a sound server"
            : "there is no device that can be recorded; connect one, or start a sound server")
      }
      let width = devices.map(\.name.printable.columns).max() ?? 0
      for device in devices {
        let line = device.name.printable.padded(to: width) + "  " + device.summary.printable
        StandardStream.output.write(String(line.reversed().drop { $0 == " " }.reversed()) + "\n")
      }
    } catch {
      ReportedDiagnostics.refuse(error.message)
      throw ExitCode.jobFailed
    }
  }
}
