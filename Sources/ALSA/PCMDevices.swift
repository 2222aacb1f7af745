import Glibc

internal import CALSA

/// A device in alsa-lib's configuration.
package struct PCMDeviceName: Sendable, Hashable {
  /// The name for `PCMDevice.open`.
  package let name: String
  /// A description in one line; empty if there is none.
  package let summary: String
}

/// The devices of this machine.
package enum PCMDevices {
  /// The devices that alsa-lib lists (`snd_device_name_hint`), `default` first, the others in its
  /// order. A listed device may still not be ready to be opened.
  ///
  /// O(n) in the devices; reads configuration files and queries all cards, so not for the real-time
  /// path.
  ///
  /// - Parameter direction: The direction of the sound.
  /// - Returns: Each name once; an empty list without a card and a configuration.
  /// - Throws: alsa-lib's error for a configuration that cannot be read.
  package static func list(_ direction: PCMDirection) throws(ALSAError) -> [PCMDeviceName] {
    try loadALSA()
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    try check("snd_device_name_hint", nil) { alsa.device_name_hint(-1, "pcm", &hints) }
    guard let hints else { return [] }
    defer { _ = alsa.device_name_free_hint(hints) }
    var found: [Hint] = []
    var entry = hints
    while let hint = entry.pointee {
      found.append(
        Hint(
          name: text(of: hint, "NAME"), description: text(of: hint, "DESC"),
          direction: text(of: hint, "IOID")))
      entry += 1
    }
    return sorted(found, direction)
  }

  /// alsa-lib's hint for one device; each part may be missing.
  struct Hint {
    let name: String?
    let description: String?
    /// `Input`, `Output`, or nil for both.
    let direction: String?
  }

  static func sorted(_ hints: [Hint], _ direction: PCMDirection) -> [PCMDeviceName] {
    let unwanted = direction == .playback ? "Input" : "Output"
    var seen: Set<String> = []
    let devices = hints.compactMap { hint -> PCMDeviceName? in
      guard let name = hint.name, !name.isEmpty, hint.direction != unwanted,
        seen.insert(name).inserted
      else { return nil }
      let lines = (hint.description ?? "").split(whereSeparator: \.isNewline)
      return PCMDeviceName(name: name, summary: lines.joined(separator: ", "))
    }
    return devices.filter { $0.name == "default" } + devices.filter { $0.name != "default" }
  }

  private static func text(of hint: UnsafeMutableRawPointer, _ key: String) -> String? {
    guard let text = alsa.device_name_get_hint(hint, key) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
