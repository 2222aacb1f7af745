import TestSupport
import Testing

/// What the thread that writes to the device calls while it plays, as `Tests/Rigs/watched.c` sees it,
/// preloaded into the command.
@Suite("The thread that writes to the device")
struct WriterThreadTests {
  /// A line of the rig's log.
  private struct Call: Hashable {
    let phase, name, library: String
    /// How often it had to wait for a lock.
    let waits: Int

    init?(_ line: Substring) {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 6, let waits = Int(words[5]) else { return nil }
      (phase, name, library, self.waits) = (words[0], words[1], words[2], waits)
    }
  }

  /// Plays music at speed, with all that the listener can do to it.
  ///
  /// - Parameter device: ALSA's definition; `$` is a card that runs dry once.
  /// - Returns: What the thread called, but for what the card called, which is the tests' own.
  /// - Throws: Where the command does not draw what is waited for.
  private func calls(device: String) throws -> Set<Call> {
    let folder = TestFolder()
    let card = "type avpaced speed 20 stall yes xrun_at 100000"
    let environment = [
      "ALSA_CONFIG_PATH": try SoundCard.configuration(
        [
          "default": device.replacing("$", with: card), "narrow": "\(card) formats [ MU_LAW ]",
        ], in: folder),
      "LD_PRELOAD": try Rig.watched.get(), "WATCHED_THREAD": "playback-write",
      "WATCHED_LOG": folder.path("calls"), "SWIFT_BACKTRACE": "enable=no",
    ]
    let terminal = try PseudoTerminal()
    try terminal.start(
      [Command.path, "preview", "--loop", Fixture.path("feelings.ogg")], environment: environment)
    for (keys, drawn) in [
      ("", "playing  feelings.ogg"), ("---", "-3 dB"), (".", "right 10 %"), (">", "1.1×"),
      ("g2s\r", "0:0"), ("1", "1 M"), (" ", "paused"), ("1+ ", "playing"), ("\u{1B}[C", "0:1"),
    ] {
      terminal.type(keys)
      try terminal.wait(for: drawn)
    }
    terminal.type("q")
    #expect(terminal.wait() == 0)
    let log = String(decoding: try readFile(folder.path("calls")), as: UTF8.self)
    let calls = log.split(separator: "\n").compactMap(Call.init)
    return Set(calls.filter { $0.library != "paced.so" })
  }

  @Test(
    "takes and gives back no memory, locks nothing and writes nothing while it plays",
    arguments: ["$", "$ formats [ S16_LE ]", "type plug slave.pcm narrow", "type null"])
  func calls(ofDevice device: String) throws {
    let calls = try calls(device: device)
    // The rig sees what there is.
    #expect(calls.contains { $0.phase == "opening" && $0.name == "malloc" })
    let playing = calls.filter { $0.phase == "playing" }
    #expect(!playing.isEmpty)
    // alsa-lib's own lock of a device, which nobody else takes.
    let ours = playing.filter {
      $0.name != "pthread_mutex_lock" || !$0.library.hasPrefix("libasound") || $0.waits > 0
    }
    #expect(ours == [])
  }
}
