import Glibc
import TestSupport
import Testing

@Suite("avjob preview, at a terminal") struct PreviewTerminalTests {
  @Test("on a terminal keys steer it, q ends it, and the terminal is as it was")
  func keys() throws {
    let sound = try SoundStage("speed 1")
    // Longer than any machine takes for this.
    try sound.make(seconds: 240)
    let terminal = try sound.start("job.yaml")
    let settings = terminal.settingsBefore
    try terminal.wait(for: "playing  job", "48 kHz stereo", "Opening: one.wav")
    #expect(terminal.settings != settings)
    terminal.type(" ")
    try terminal.wait(for: "paused")
    terminal.type("\u{1B}[Hn")
    try terminal.wait(for: "Middle")
    terminal.type("2")
    try terminal.wait(for: "2 M  second")
    // All of the help.
    terminal.resize(columns: 80, rows: 40)
    terminal.type("?")
    try terminal.wait(for: "mute or unmute a track")
    terminal.type("?g0:0")
    try terminal.wait(for: "go to: 0:0_")
    terminal.type("9:00\r")
    try terminal.wait(for: "'0:09:00' is outside of 'job', which lasts 4:00.0")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.hasSuffix("job: ended at 2:00.0 of 4:00.0\r\n\u{1B}[?25h"))
  }

  @Test("joins are played one after the other, and marks are in their file at the end")
  func marks() throws {
    let sound = try SoundStage("speed 1")
    // Longer than any machine takes for this.
    try sound.make(seconds: 240)
    try sound.stage.write(
      "joins.yaml", "concat: [one.wav, one.wav, two.wav]\noutput: out.wav\n")
    let terminal = try sound.start("joins.yaml", "--marks", "marks.txt")
    // The thread that finds the overview has its turn whenever it comes.
    try terminal.wait(for: "playing  joins", "one.wav", "joins.yaml:1")
    terminal.type(" r")
    try terminal.wait(for: "join 1 of 2")
    terminal.type("j")
    try terminal.wait(for: "join 2 of 2")
    terminal.type(" \u{1B}[Hm")
    try terminal.wait(for: "mark 1 at 0:00.000; Enter names it")
    terminal.type("\rthe start\r")
    try terminal.wait(for: "mark 1 is 'the start' now")
    terminal.type("\"\"")
    try terminal.wait(for: "at 0:00.000042")
    terminal.type("lx")
    try terminal.wait(for: "find: x_")
    terminal.type("\u{1B}")
    try terminal.wait(for: "space pause")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.transcript.contains("the marks are in 'marks.txt'\r\n"))
    #expect(try sound.run("cat marks.txt").text == "0.000000\t0.000000\tthe start\n")
    let again = try sound.run("avjob preview joins.yaml --marks marks.txt")
    #expect(again.status == 2)
    #expect(
      again.errors == "error: 'marks.txt' exists already; --force replaces it with new marks\n")
  }

  @Test("in the locale C nothing but ASCII is drawn")
  func ascii() throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    let terminal = try sound.start("job.yaml", "--loop", environment: ["LC_ALL": "C"])
    try terminal.wait(for: "playing  job", "loop 0:00.0 ... 0:03.0", "===")
    // All of the help.
    terminal.resize(columns: 80, rows: 40)
    terminal.type("?")
    try terminal.wait(for: "1 ... 9")
    terminal.type("l")
    try terminal.wait(for: "Opening")
    terminal.type("\u{1B}")
    try terminal.wait(for: "1 ... 9")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.transcript.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("a track of a job that cross-fades is one, with one meter and one key")
  func crossfade() throws {
    let sound = try SoundStage("speed 1")
    try sound.make(seconds: 240)
    try sound.stage.write(
      "fade.yaml",
      """
      tracks:
        voice: [one.wav 0s..100s, { clip: one.wav 100s..200s, crossfade: 500ms }]
        bed: { clip: two.wav, loop: 100 }
      output: out.wav
      """)
    let terminal = try sound.start("fade.yaml")
    try terminal.wait(for: "1    voice", "2    bed")
    terminal.type("2")
    try terminal.wait(for: "2 M  bed")
    terminal.type("3")
    try terminal.wait(for: "there is no track 3")
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test(
    "whatever ends it, the terminal is put back",
    arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGQUIT, SIGBUS, SIGILL, SIGVTALRM, SIGPROF, SIGIO,
      // The first and the last of real time that programs have.
      SIGSTKFLT, SIGPWR, 34, 64,
    ])
  func signals(signal: Int32) throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    let terminal = try sound.start("one.wav", "--loop")
    let settings = terminal.settingsBefore
    try terminal.wait(for: "playing  one.wav")
    #expect(terminal.settings != settings)
    terminal.signal(signal)
    #expect(terminal.wait() == 128 + signal)
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.contains("\u{1B}[?25h"))
  }

  @Test(
    "a stack that overflows ends it, and the terminal is put back", arguments: ["main", "thread"])
  func overflow(thread: String) throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    let terminal = try sound.start(
      "one.wav", "--loop",
      environment: [
        "LD_PRELOAD": try Rig.mishaps.get(), "MISHAP": thread,
        "MISHAP_WHEN": sound.folder.path("now"),
      ])
    let settings = terminal.settingsBefore
    try terminal.wait(for: "playing  one.wav")
    #expect(terminal.settings != settings)
    try writeFile(sound.folder.path("now"), [])
    #expect(terminal.wait() == 128 + SIGSEGV)
    #expect(terminal.settings == settings)
    // Another thread may draw once more before the process ends.
    #expect(terminal.transcript.contains("\u{1B}[?25h"))
  }

  @Test("Ctrl-C ends it with silence")
  func interrupt() throws {
    let sound = try SoundStage("speed 1")
    try sound.make(seconds: 240)
    let terminal = try sound.start("one.wav")
    try SoundCard.wait(for: "start", in: sound.folder.path("log"))
    terminal.type("\u{03}")
    #expect(terminal.wait() == 130)
    let events = SoundCard.events(sound.folder.path("log")).map(\.name)
    #expect(events.contains("drop"))
    #expect(!events.contains("drained"))
  }

  @Test("Ctrl-Z gives the terminal back, and fg goes on")
  func suspend() throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    let (terminal, settings) = try sound.startShell(
      "\(Command.path) preview one.wav --loop; echo STOP''PED; read line; fg; echo ENDED''HERE $?")
    try terminal.wait(for: "playing  one.wav")
    try terminal.wait(for: "loop 0:00.0 … 0:03.0")
    terminal.type("\u{1A}")
    try terminal.wait(for: "STOPPED")
    #expect(terminal.settings == settings)
    terminal.type("\n")
    try terminal.wait(for: "playing  one.wav")
    terminal.type("q")
    try terminal.wait(for: "ENDEDHERE 0")
    _ = terminal.wait()
    #expect(terminal.settings == settings)
  }

  @Test("started in the background it plays, and fg gives it the terminal")
  func foreground() throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    let (terminal, settings) = try sound.startShell(
      "\(Command.path) preview one.wav --loop & read line; fg; echo ENDED''HERE $?")
    try SoundCard.wait(for: "start", in: sound.folder.path("log"))
    #expect(terminal.settings == settings)
    terminal.type("\n")
    try terminal.wait(for: "playing  one.wav")
    #expect(terminal.settings != settings)
    terminal.type("q")
    try terminal.wait(for: "ENDEDHERE 0")
    _ = terminal.wait()
    #expect(terminal.settings == settings)
  }

  @Test("a message is there until the next key")
  func message() throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    let terminal = try sound.start("one.wav", "--loop")
    try terminal.wait(for: "playing  one.wav")
    terminal.type("9")
    try terminal.wait(for: "there is no track 9")
    terminal.type(" ")
    try terminal.wait(for: "paused")
    let before = terminal.transcript.utf8.count
    terminal.type("?")
    try terminal.wait(for: "next, previous item")
    terminal.type("?q")
    #expect(terminal.wait() == 0)
    let after = String(decoding: terminal.transcript.utf8.dropFirst(before), as: UTF8.self)
    #expect(!after.contains("there is no track 9"))
  }

  @Test("a window that changes its size gets lines that fit")
  func resize() throws {
    let sound = try SoundStage("speed 1 stall yes")
    try sound.make()
    let terminal = try sound.start("one.wav", "--loop")
    try terminal.wait(for: "space pause   arrows 5 s   g 1:23")
    terminal.resize(columns: 40, rows: 24)
    try terminal.wait(for: "space pause   ? help   q quit")
    terminal.resize(columns: 80, rows: 4)
    try terminal.wait(for: "left")
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }
}
