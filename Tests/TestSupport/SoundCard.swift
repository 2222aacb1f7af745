import Glibc

/// Sound cards that are not there: `Tests/Rigs/paced.c`, and alsa-lib's own `file` and `null`.
public enum SoundCard {
  /// The plugin.
  public static let plugin = Result<String, ToolFailure> { () throws(ToolFailure) in
    try Rig.library("paced", options: ["-lasound"])
  }

  /// Writes a configuration of alsa-lib that has these devices and no others, for
  /// `PCMDevice.open(configuration:)` or for `ALSA_CONFIG_PATH` of a command.
  ///
  /// - Parameters:
  ///   - devices: What stands between the braces of `pcm.NAME { … }`; the type `avpaced` is known.
  ///     One that is to be listed has `hint { show on description "…" }`.
  ///   - folder: Where the file is written.
  /// - Returns: The file's path.
  /// - Throws: Where the plugin cannot be compiled, or the file not written.
  public static func configuration(
    _ devices: [String: String], in folder: TestFolder
  ) throws -> String {
    var text = "pcm_type.avpaced { lib \"\(try plugin.get())\" }\n"
    for (name, definition) in devices.sorted(by: { $0.key < $1.key }) {
      text += "pcm.\(name) { \(definition) }\n"
    }
    let path = folder.path("asound.conf")
    try writeFile(path, Array(text.utf8))
    return path
  }

  /// One line of the plugin's log.
  public struct Event: Sendable, Hashable {
    /// `open`, `transfer` (the first since it was ready), `start`, `xrun`, `suspend`, `resume`,
    /// `unplug`, `pause`, `unpause`, `drop`, `drained`, `close`.
    public let name: String
    /// Of CLOCK_MONOTONIC.
    public let nanoseconds: Int64
    /// Frames that the card had played, or recorded.
    public let clock: Int64
    /// Frames that had gone over.
    public let moved: Int64
  }

  /// What the plugin wrote into its `log`; nothing where there is no such file.
  public static func events(_ path: String) -> [Event] {
    let text = String(decoding: (try? readFile(path)) ?? [], as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int64($0) }
      guard words.count == 4, numbers.count == 3 else { return nil }
      return Event(
        name: String(words[0]), nanoseconds: numbers[0], clock: numbers[1], moved: numbers[2])
    }
  }

  /// Waits until an event stands in the plugin's `log`.
  ///
  /// - Throws: Where it does not come within two minutes.
  public static func wait(for event: String, in path: String) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !events(path).contains(where: { $0.name == event }) {
      guard ContinuousClock.now < deadline else {
        throw ToolFailure(description: "no '\(event)' but \(events(path).map(\.name))")
      }
      usleep(5000)
    }
  }
}
