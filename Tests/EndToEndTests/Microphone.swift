import Glibc
import TestSupport

/// A stage with a microphone that is not there.
struct Microphone {
  let stage = Stage()

  /// A card `card` of the test's plugin that records noise of 16 bits, for `ALSA_CONFIG_PATH`; the
  /// sound, too. Six seconds of it fit into the recorder's own memory, so that no busy machine loses
  /// any.
  func card(_ definition: String = "speed 10", seconds: Int = 5) throws -> (
    environment: [String: String], sound: [UInt8]
  ) {
    var dice = Dice(9)
    var sound: [UInt8] = []
    sound.reserveCapacity(seconds * 192_000)
    while sound.count < seconds * 192_000 {
      withUnsafeBytes(of: dice.next() | 0x0101_0101_0101_0101) { sound += $0 }
    }
    try writeFile(stage.path("source"), sound)
    let path = try SoundCard.configuration(
      [
        "card": """
        type avpaced file "\(stage.path("source"))" stall yes formats [ S16_LE ] rates [ 48000 ]
        channels [ 2 ] \(definition.replacing("$", with: stage.folder.root))
        """
      ], in: stage.folder)
    // Where Swift is installed, its runtime would ask on the terminal what to do with a crash.
    return (["ALSA_CONFIG_PATH": path, "SWIFT_BACKTRACE": "enable=no"], sound)
  }

  /// The command on a terminal.
  func start(
    _ arguments: String..., environment: [String: String], columns: UInt16 = 80
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: columns)
    let words = ["env", "-C", stage.folder.root, Command.path, "record"] + arguments
    try terminal.start(words, environment: environment)
    return terminal
  }

  /// What ffmpeg makes of a file, with 16 bits.
  func decoded(_ name: String) throws -> [UInt8] {
    try Tool.succeed("ffmpeg", "-v", "error", "-i", stage.path(name), "-f", "s16le", "-").output
  }

  /// Waits until a file of a recording has more than so many bytes, of which headers, with what they
  /// leave free, have less than half: the line that tells of it is there before its first sample.
  ///
  /// Nothing is decoded, since a reader may never get to the end of a file that grows.
  func waitForSound(in name: String, beyond count: Int = 20_000) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while size(of: name) <= count {
      guard ContinuousClock.now < deadline else {
        throw ToolFailure(description: "'\(name)' has no more than \(size(of: name)) bytes")
      }
      usleep(20_000)
    }
  }

  /// How many bytes a file has; 0 where it is not there.
  func size(of name: String) -> Int {
    var facts = Glibc.stat()
    return stat(stage.path(name), &facts) == 0 ? Int(facts.st_size) : 0
  }
}
