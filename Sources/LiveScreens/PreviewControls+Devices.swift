import Diagnosis
import Playback

/// The sound devices of a preview.
extension PreviewControls {
  /// Opens a list of this machine's devices; the present one is in it in any case.
  mutating func openDevices() {
    trackCursor = nil
    var devices: [SoundDevice] = []
    do throws(Failure) {
      devices = try AudioSession.sharedInstance().playbackDevices()
    } catch {
      message = error.message
    }
    var rows = devices.map { found in
      (name: found.name, text: [found.name, found.summary].filter { !$0.isEmpty })
    }
    if !rows.contains(where: { $0.name == device }) { rows.insert((device, [device]), at: 0) }
    let present = rows.firstIndex { $0.name == device } ?? 0
    list = PreviewList(
      rows.enumerated().map { index, row in
        PreviewList.Row(
          kind: .device(row.name), entry: index, number: index + 1,
          text: row.text.joined(separator: "  "))
      }, at: present, .zero)
  }

  /// Plays through another device from here on.
  mutating func goOver(toDevice name: String) {
    if name != device { formerDevice = formerDevice ?? device }
    device = name
    player.setOutput(opening: opener(name))
  }

  /// Goes back to the device that was left, for one that cannot be opened.
  mutating func goBack(toDevice former: String, for failure: Failure) {
    message = "'\(device)' cannot be opened, and '\(former)' plays on: \(failure.message)"
    (device, formerDevice) = (former, nil)
    player.setOutput(opening: opener(former))
  }
}
