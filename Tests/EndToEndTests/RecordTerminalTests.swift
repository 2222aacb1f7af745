import Glibc
import TestSupport
import Testing

@Suite("avjob record, at a terminal") struct RecordTerminalTests {
  let microphone = Microphone()

  @Test("keys pause and stop, a line shows what is recorded, and nothing is left of it")
  func keys() throws {
    let (environment, _) = try microphone.card("speed 5 loop yes", seconds: 1)
    let terminal = try microphone.start(
      "take.wav", "--device", "card", environment: environment)
    let settings = terminal.settingsBefore
    try terminal.wait(for: "recording from 'card': 48 kHz stereo, as WAV 16 bit; space pauses")
    try terminal.wait(for: "recording  0:")
    #expect(terminal.settings != settings)
    try microphone.waitForSound(in: "take.wav")
    terminal.type(" ")
    try terminal.wait(for: "paused   ")
    try terminal.wait(for: "space: continue")
    terminal.type(" ")
    try terminal.wait(for: "recording  0:0")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.contains("\u{1B}[1A\r\u{1B}[J\u{1B}[?25htake.wav  0:0"))
    #expect(try microphone.decoded("take.wav").count > 0)
  }

  @Test(
    "whatever ends it, the terminal is put back",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGQUIT])
  func signals(signal: Int32) throws {
    let isEnd = [SIGINT, SIGTERM, SIGHUP].contains(signal)
    let (environment, sound) = try microphone.card("speed 5 loop yes")
    let terminal = try microphone.start(
      "take.flac", "--device", "card", environment: environment)
    let settings = terminal.settingsBefore
    try terminal.wait(for: "recording  0:")
    #expect(terminal.settings != settings)
    try microphone.waitForSound(in: "take.flac")
    terminal.signal(signal)
    #expect(terminal.wait() == (isEnd ? 0 : 128 + signal))
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.contains("\u{1B}[?25h"))
    guard isEnd else { return }
    // Finished: its header has the digest of all samples.
    try Tool.succeed("flac", "-t", "-s", "-w", microphone.stage.path("take.flac"))
    let bytes = try microphone.decoded("take.flac")
    let isWhole = stride(from: 0, to: bytes.count, by: sound.count).allSatisfy { start in
      bytes[start...].prefix(sound.count) == sound.prefix(bytes.count - start)
    }
    #expect(isWhole)
  }

  @Test("a terminal that was stopped does not keep it from ending, and the file is whole")
  func stopped() throws {
    let (environment, _) = try microphone.card("speed 5 loop yes", seconds: 1)
    let terminal = try microphone.start(
      "take.flac", "--device", "card", environment: environment)
    let settings = terminal.settingsBefore
    try terminal.wait(for: "recording  0:")
    terminal.stopOutput()
    try microphone.waitForSound(in: "take.flac")
    terminal.signal(SIGTERM)
    #expect(terminal.waitUnread() == 0)
    #expect(terminal.settings == settings)
    try Tool.succeed("flac", "-t", "-s", "-w", microphone.stage.path("take.flac"))
  }

  @Test("where the disk keeps it from ending, a second Ctrl-C ends it, and puts the terminal back")
  func twice() throws {
    var (environment, _) = try microphone.card("speed 5 loop yes")
    environment["LD_PRELOAD"] = try Rig.mishaps.get()
    environment["MISHAP"] = "flush"
    environment["MISHAP_WHEN"] = microphone.stage.path("stuck")
    let terminal = try microphone.start("take.wav", "--device", "card", environment: environment)
    let settings = terminal.settingsBefore
    try terminal.wait(for: "recording  0:")
    try microphone.waitForSound(in: "take.wav")
    try microphone.stage.write("stuck", "")
    terminal.type("\u{03}")
    try terminal.wait(for: "finishing")
    // One that is closed as well is no second wish to end.
    terminal.signal(SIGHUP)
    try terminal.wait(for: "finishing")
    terminal.type("\u{03}")
    #expect(terminal.wait() == 130)
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.hasSuffix("\u{1B}[1A\r\u{1B}[J\u{1B}[?25h"))
    #expect(try microphone.decoded("take.wav").count > 0)
  }

  @Test(
    "a device whose server hangs keeps no key and no signal from ending it, and the file is whole",
    arguments: [0, SIGINT, SIGTERM, SIGHUP])
  func hangs(signal: Int32) throws {
    let (environment, _) = try microphone.card("speed 5 loop yes hangs \"$/hangs\"")
    let terminal = try microphone.start(
      "take.flac", "--device", "card", environment: environment)
    let settings = terminal.settingsBefore
    try terminal.wait(for: "recording  0:")
    try microphone.waitForSound(in: "take.flac")
    try microphone.stage.write("hangs", "")
    if signal == 0 { terminal.type("q") } else { terminal.signal(signal) }
    #expect(terminal.wait() == 0)
    #expect(terminal.settings == settings)
    try Tool.succeed("flac", "-t", "-s", "-w", microphone.stage.path("take.flac"))
  }

  @Test("a device that hangs while it is opened does not keep it from being stopped")
  func hangsAtStart() throws {
    let (environment, _) = try microphone.card("speed 5 loop yes hangs \"$/hangs\"")
    try microphone.stage.write("hangs", "")
    let terminal = try microphone.start(
      "take.flac", "--device", "card", environment: environment)
    try terminal.wait(for: "opening")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(access(microphone.stage.path("take.flac"), F_OK) != 0)
  }

  @Test("a device that gives nothing for two seconds is told to be gone, and to be back")
  func stalls() throws {
    let (environment, _) = try microphone.card("speed 1 loop yes hangs \"$/hangs\"")
    let terminal = try microphone.start(
      "take.flac", "--device", "card", environment: environment)
    try terminal.wait(for: "recording  0:")
    try microphone.waitForSound(in: "take.flac")
    try microphone.stage.write("hangs", "")
    try terminal.wait(
      for:
        "warning: the device has disconnected; the recording continues when it is connected again")
    unlink(microphone.stage.path("hangs"))
    try terminal.wait(for: "warning: device disconnected at 0:0")
    try terminal.wait(for: "recording  0:")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    try Tool.succeed("flac", "-t", "-s", "-w", microphone.stage.path("take.flac"))
  }

  @Test("Ctrl-Z is a pause: the shell has the terminal, and fg goes on without a gap or a loss")
  func suspend() throws {
    // Not `stall`: a card that nobody reads overruns.
    let (environment, sound) = try microphone.card("speed 1 stall no loop yes log \"$/log\"")
    let terminal = try PseudoTerminal()
    let settings = terminal.settings
    try terminal.start(
      [
        "bash", "-c",
        "set -m; cd \(microphone.stage.folder.root); \(Command.path) record take.wav --device card; "
          + "echo STOP''PED; read line; fg; echo ENDED''HERE $?",
      ], environment: environment)
    try terminal.wait(for: "recording  0:")
    try microphone.waitForSound(in: "take.wav")
    terminal.type("\u{1A}")
    try terminal.wait(for: "paused   ")
    try terminal.wait(for: "STOPPED")
    #expect(terminal.settings == settings)
    // Longer than its buffer.
    usleep(700_000)
    let size = microphone.size(of: "take.wav")
    terminal.type("\n")
    try terminal.wait(for: "recording  0:0")
    try microphone.waitForSound(in: "take.wav", beyond: size)
    terminal.type("q")
    try terminal.wait(for: "ENDEDHERE 0")
    _ = terminal.wait()
    #expect(terminal.settings == settings)
    let overruns = SoundCard.events(microphone.stage.path("log")).count { $0.name == "xrun" }
    try #require(overruns > 0)
    // A machine may be too busy for a card that keeps time, and then something is lost.
    if overruns == 1 {
      #expect(!terminal.transcript.contains("lost"), "\(terminal.transcript)")
    }
    let bytes = try microphone.decoded("take.wav")
    // Two stretches of the sound, the second one from behind the overrun.
    let first = bytes.commonPrefix(with: sound)
    #expect(first > 4000 && first < bytes.count, "\(first) of \(bytes.count)")
    #expect(!bytes.contains(0))
  }

  @Test(
    "a recording that is ended while it listens leaves no file, and the next one can have its name",
    arguments: ["take.wav", "take.mp3"], ["q", "\u{03}"])
  func listening(name: String, key: String) throws {
    let (environment, _) = try microphone.card("speed 5 loop yes", seconds: 1)
    let terminal = try microphone.start(
      name, "--pre", "5s", "--device", "card", environment: environment)
    try terminal.wait(for: "space records from 0:05.0 before")
    try terminal.wait(for: "listening  0:")
    terminal.type(key)
    #expect(terminal.wait() == 1)
    #expect(terminal.transcript.contains("error: nothing was recorded"))
    #expect(terminal.transcript.contains("press space to begin"))
    #expect(!terminal.transcript.contains("samples"))
    #expect(access(microphone.stage.path(name), F_OK) != 0)
  }

  @Test("a recording over another one leaves that as it is until there is sound")
  func listeningInPlace() throws {
    let (environment, _) = try microphone.card("speed 5 loop yes", seconds: 1)
    let path = microphone.stage.path("take.wav")
    try writeFile(path, Array("the only take".utf8))
    let terminal = try microphone.start(
      "take.wav", "--force", "--pre", "5s", "--device", "card", environment: environment)
    try terminal.wait(for: "listening  0:")
    terminal.type("q")
    #expect(terminal.wait() == 1)
    #expect(terminal.transcript.contains("error: nothing was recorded"))
    #expect(try readFile(path) == Array("the only take".utf8))
  }

  @Test("a line in a window that becomes narrow leaves nothing behind")
  func narrowing() throws {
    let (environment, _) = try microphone.card("speed 1")
    let terminal = try microphone.start(
      "take.wav", "--device", "card", environment: environment, columns: 100)
    try terminal.wait(for: "q: stop\u{1B}[K")
    try terminal.wait(for: "\u{1B}[1A\rrecording")
    terminal.resize(columns: 30, rows: 24)
    // 98 columns take four rows of 30.
    try terminal.wait(for: "\u{1B}[4A\r\u{1B}[2Krecording")
    try terminal.wait(for: "\u{1B}[1A\rrecording")
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }
}
