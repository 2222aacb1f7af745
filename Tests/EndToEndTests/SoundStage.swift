import Glibc
import TestSupport

/// A stage with a sound card that is not there.
struct SoundStage {
  let stage = Stage()
  let folder = TestFolder()
  let environment: [String: String]

  /// A device `default` of the tests' plugin, with what a definition says beside its files.
  init(_ definition: String = "speed 50 stall yes") throws {
    let card =
      "type avpaced heard \"\(folder.path("heard"))\" log \"\(folder.path("log"))\" "
      + definition.replacing("$", with: folder.root)
    environment = [
      "ALSA_CONFIG_PATH": try SoundCard.configuration(["default": card], in: folder),
      // Where Swift is installed, its runtime would ask on the terminal what to do with a crash.
      "SWIFT_BACKTRACE": "enable=no",
      // The desktop of whoever runs the tests is not theirs.
      "DBUS_SESSION_BUS_ADDRESS": "none:",
    ]
  }

  /// What the card has played.
  var heard: [UInt8] { (try? readFile(folder.path("heard"))) ?? [] }

  func run(_ script: String) throws -> ToolResult {
    try stage.run(script, environment: environment)
  }

  /// The command on a terminal.
  func start(
    _ arguments: String..., columns: UInt16 = 80, rows: UInt16 = 24,
    environment added: [String: String] = [:]
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: columns, rows: rows)
    let words = ["env", "-C", stage.folder.root, Command.path, "preview"] + arguments
    try terminal.start(words, environment: environment.merging(added) { $1 })
    return terminal
  }

  /// A shell with jobs on a terminal, and the terminal's settings before.
  func startShell(_ script: String) throws -> (PseudoTerminal, settings: String) {
    let terminal = try PseudoTerminal()
    let settings = terminal.settings
    try terminal.start(
      ["bash", "-c", "set -m; cd \(stage.folder.root); " + script], environment: environment)
    return (terminal, settings)
  }

  /// Two recordings and a job of two tracks, 48 kHz stereo, the longer of so many seconds.
  func make(seconds: Int = 3) throws {
    try stage.make(
      """
      sox -n -r 48000 -c 2 -e float -b 32 one.wav synth \(seconds) sine 300 sine 400 gain -10
      sox -n -r 48000 -c 2 -e float -b 32 two.wav synth 2 sine 500 sine 600 gain -10
      """)
    try stage.write(
      "job.yaml",
      """
      tracks:
        first: one.wav
        second: { clip: two.wav, at: 500ms }
      chapters: { 0s: Opening, \(seconds / 2)s: Middle }
      output: nowhere/that/is/out.wav
      """)
  }
}
