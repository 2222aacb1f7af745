import Glibc
import TestSupport
import Testing

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

@Suite struct PreviewTests {
  @Test("what is heard is what an export as float WAV holds, of each entry, without a gap")
  func content() throws {
    let sound = try SoundStage()
    try sound.make()
    try sound.stage.write(
      "both.yaml",
      """
      jobs:
        a: { clip: one.wav, gain: -3 dB, output: { file: a.wav, wav: 32 bit float } }
        b: { concat: [two.wav, one.wav], output: { file: b.wav, wav: 32 bit float } }
      """)
    let before = try sound.stage.make("ls -A").text
    let result = try sound.run("avjob preview both.yaml two.wav")
    #expect(try sound.stage.make("ls -A").text == before)
    #expect(result.errors == "")
    #expect(result.status == 0)
    #expect(
      result.text == """
        1 of 3: a (0:03.0)
        2 of 3: b (0:05.0)
        3 of 3: two.wav (0:02.0)
        two.wav: ended at 0:02.0 of 0:02.0

        """)
    try sound.stage.make("avjob run -q both.yaml")
    let expected = try ["a.wav", "b.wav", "two.wav"].flatMap {
      try WAVFile(sound.stage.path($0)).data
    }
    #expect(sound.heard == expected)
  }

  @Test("a range, another output and a chosen job are heard, and nothing is written")
  func choices() throws {
    let sound = try SoundStage()
    try sound.make()
    let before = try sound.stage.listing()
    let result = try sound.run("avjob preview one.wav --from 1s --to end-500ms")
    #expect(result.status == 0)
    let whole = try WAVFile(sound.stage.path("one.wav"))
    #expect(sound.heard == Array(whole.slice(48_000..<120_000)))
    #expect(try sound.stage.listing() == before)
    #expect(try sound.run("avjob preview job.yaml --job job").status == 0)
  }

  @Test("both ends of a range are times of the whole")
  func range() throws {
    let sound = try SoundStage()
    try sound.make()
    #expect(try sound.run("avjob preview one.wav --from end-2s --to end-500ms").status == 0)
    let whole = try WAVFile(sound.stage.path("one.wav"))
    #expect(sound.heard == Array(whole.slice(48_000..<120_000)))
  }

  @Test("a card with ten channels and no other number plays sound in its first two")
  func manyChannels() throws {
    let sound = try SoundStage("speed 50 stall yes channels [ 10 ] formats [ S16_LE ]")
    try sound.make()
    let result = try sound.run("avjob preview two.wav")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let heard = sound.heard
    #expect(heard.count == 2 * 48_000 * 10 * 2)
    let isSilent = stride(from: 4, to: heard.count, by: 20).allSatisfy { start in
      heard[start..<start + 16].allSatisfy { $0 == 0 }
    }
    #expect(isSilent)
    let isHeard = heard.contains { $0 != 0 }
    #expect(isHeard)
  }

  @Test("refusals are those of run, with what to do")
  func refusals() throws {
    let sound = try SoundStage()
    try sound.make()
    let unknown = try sound.run("avjob preview job.yaml --job jop")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("error: there is no job 'jop'"))
    #expect(unknown.errors.contains("help: did you mean 'job'?"))
    let outside = try sound.run("avjob preview one.wav --from 5s")
    #expect(outside.status == 2)
    #expect(
      outside.errors.hasPrefix(
        "error: --from: '5s' is outside of 'one.wav', which lasts 0:03.0\n"))
    let backwards = try sound.run("avjob preview one.wav --from 2s --to 1s")
    #expect(backwards.status == 2)
    #expect(
      backwards.errors
        == "error: --to: '0:01.0' of 'one.wav' is not behind 0:02.0, where it begins\n")
    let short = try sound.run("avjob preview one.wav --from 2s --to '96100 samples' --loop")
    #expect(short.status == 2)
    #expect(
      short.errors.hasPrefix(
        "Error: --loop: what is to be heard of 'one.wav' lasts less than 10 ms, which is no loop\n")
    )
    let missing = try sound.run("avjob preview three.wav")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("error: 'three.wav' does not exist"))
    let device = try sound.run("avjob preview one.wav --device nothing")
    #expect(device.status == 1)
    #expect(device.errors.contains("the sound device 'nothing' is not there; connect it"))
  }

  @Test("what another job writes is heard as it is there, and is to be made first where it is not")
  func needed() throws {
    let sound = try SoundStage()
    try sound.make()
    try sound.stage.write(
      "chain.yaml",
      """
      jobs:
        raw: { clip: one.wav, output: { file: raw.wav, wav: 32 bit float } }
        cut: { clip: raw.wav 1s..2s, output: { file: cut.wav, wav: 32 bit float } }
      """)
    let early = try sound.run("avjob preview chain.yaml --job cut")
    #expect(early.status == 2)
    #expect(
      early.errors == """
        chain.yaml:3:16: error: there is no file 'raw.wav' yet: 'raw' writes it
            3 |   cut: { clip: raw.wav 1s..2s, output: { file: cut.wav, wav: 32 bit float } }
              |                ^~~~~~~
          help: run that first: 'avjob run … --only raw'

        """)
    let both = try sound.run("avjob run chain.yaml --quiet && avjob preview chain.yaml --job cut")
    #expect(both.status == 0)
    #expect(both.errors == "")
  }

  @Test("devices are listed")
  func devices() throws {
    let sound = try SoundStage("hint { show on description \"A card\" }")
    let result = try sound.run("avjob preview --list-devices")
    #expect(result.status == 0)
    #expect(result.text.contains("default"))
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

  @Test("on a terminal keys steer it, q ends it, and the terminal is as it was")
  func keys() throws {
    let sound = try SoundStage("speed 1")
    // Longer than any machine takes for this.
    try sound.make(seconds: 240)
    let terminal = try sound.start("job.yaml")
    let settings = terminal.settings
    try terminal.wait(for: "playing  job", "48 kHz stereo", "Opening: one.wav")
    #expect(terminal.settings != settings)
    terminal.type(" ")
    try terminal.wait(for: "paused")
    terminal.type("\u{1B}[Hn")
    try terminal.wait(for: "Middle")
    terminal.type("2")
    try terminal.wait(for: "2 M  second")
    terminal.type("?")
    try terminal.wait(for: "mute a track")
    terminal.type("?g0:0")
    try terminal.wait(for: "go to: 0:0_")
    terminal.type("9:00\r")
    try terminal.wait(for: "'0:09:00' is outside of 'job', which lasts 4:00.0")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.hasSuffix("job: ended at 2:00.0 of 4:00.0\r\n\u{1B}[?25h"))
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
    let settings = terminal.settings
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
    let settings = terminal.settings
    try terminal.wait(for: "playing  one.wav")
    #expect(terminal.settings != settings)
    try writeFile(sound.folder.path("now"), [])
    #expect(terminal.wait() == 128 + SIGSEGV)
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.hasSuffix("\u{1B}[?25h"))
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
    let terminal = try PseudoTerminal()
    let settings = terminal.settings
    try terminal.start(
      [
        "bash", "-c",
        "set -m; cd \(sound.stage.folder.root); \(Command.path) preview one.wav --loop; "
          + "echo STOP''PED; read line; fg; echo ENDED''HERE $?",
      ], environment: sound.environment)
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

  @Test("xruns and a device that goes and comes back are told")
  func mishaps() throws {
    let sound = try SoundStage(
      "speed 20 stall yes xrun_at 30000 unplug_at 100000 unplugged \"$/gone\"")
    try sound.make()
    let result = try sound.run(
      """
      avjob preview one.wav & job=$!
      for n in $(seq 6000); do [ -e \(sound.folder.path("gone")) ] && break; sleep 0.02; done
      rm -f \(sound.folder.path("gone"))
      wait $job
      """)
    #expect(result.status == 0)
    #expect(result.text.contains("xrun at 0:0"))
    #expect(result.text.contains("default is gone; waiting for it at 0:0"))
    #expect(result.text.contains("default is back"))
  }
}
