import Glibc
import TestSupport
import Testing

@Suite("avjob record --into") struct TakeTests {
  let microphone = Microphone()
  private var stage: Stage { microphone.stage }

  private static let text = """
    # My show: who writes here?
    tracks:
      voice:   # a list
        - host.wav ..1s   # the greeting

      bed: { clip: 'host.wav', gain: -6 dB }
    output: out.mp3

    """

  /// A job file, its medium, a card `card` that records and one `out` that plays.
  private func prepare() throws -> [String: String] {
    let (_, _) = try microphone.card(seconds: 5)
    try Tool.succeed(
      "sox", "-R", "-n", "-r", "48000", "-c", "2", "-b", "16", stage.path("host.wav"), "synth", "4",
      "noise", "gain", "-20")
    mkdir(stage.path("show"), 0o755)
    try stage.write("show/job.yaml", Self.text.replacing("host.wav", with: "../host.wav"))
    try stage.write("job.yaml", Self.text)
    let path = try SoundCard.configuration(
      [
        "card": """
        type avpaced file "\(stage.path("source"))" stall yes formats [ S16_LE ] rates [ 48000 ]
        channels [ 2 ]
        """,
        "out":
          """
        type avpaced stall yes heard "\(stage.path("heard"))" formats [ S16_LE ] rates [ 48000 ]
        channels [ 2 ]
        """,
      ], in: stage.folder)
    return ["ALSA_CONFIG_PATH": path, "SWIFT_BACKTRACE": "enable=no"]
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try readFile(stage.path(name)), as: UTF8.self)
  }

  private let common = "--device card --playback out --pre 0.2s --duration 0.3s"

  @Test("the mix is heard, the take recorded and put into the job file, which keeps its bytes")
  func take() throws {
    let environment = try prepare()
    let done = try stage.run(
      "avjob record --into show/job.yaml --track voice --at 1.5s \(common)",
      environment: environment)
    #expect(
      done.errors == """
        recording a take from 'card': 48 kHz stereo, as WAV 16 bit, to 'job' at 1.5s, which is heard \
        from 1.3s on
        note: the take is in 'show/job.yaml', on the track 'voice' at 1.5s

        """)
    #expect(done.text == "show/takes/voice-001.wav  0:00.300 (14400 samples), 58 kB\n")
    #expect(done.status == 0)
    let line = "    - { clip: takes/voice-001.wav, at: 1.5s }\n"
    let original = Self.text.replacing("host.wav", with: "../host.wav")
    #expect(
      try text("show/job.yaml")
        == original.replacing("# the greeting\n", with: "# the greeting\n" + line))
    #expect(try stage.run("avjob check show/job.yaml", environment: environment).status == 0)
    try requireHeard(from: 1.3)
    let more = try stage.run(
      "avjob record more.flac --into show/job.yaml --track new --at 0s --format s16 \(common)",
      environment: environment)
    #expect(more.status == 0, "\(more.errors)")
    #expect(try text("show/job.yaml").contains("  new:\n    - { clip: ../more.flac, at: 0s }\n"))
    try Tool.succeed("flac", "-t", "-s", "-w", stage.path("more.flac"))
  }

  /// Requires that the mix, where it is the medium alone with -6 dB, was heard from a time on.
  private func requireHeard(from seconds: Double) throws {
    func samples(_ bytes: some Collection<UInt8>) -> [Double] {
      let bytes = Array(bytes)
      return stride(from: 0, to: bytes.count - 3, by: 4).map {
        Double(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8))
      }
    }
    let heard = samples(try readFile(stage.path("heard")))
    let medium = samples(try WAVFile(stage.path("host.wav")).data)
    try #require(heard.count >= 9600)
    func difference(at start: Int) -> Double {
      (0..<2400).reduce(0) { $0 + abs(heard[$1] - medium[start + $1] * 0.501187) } / 2400
    }
    // No other place of noise is like it, up to a frame.
    let place = Int(seconds * 48_000)
    let best = (place - 480...place + 480).min { difference(at: $0) < difference(at: $1) } ?? 0
    #expect(difference(at: best) < 3, "\(best - place) frames from \(seconds) s")
  }

  @Test("a take that has no place is refused before anything is recorded")
  func refused() throws {
    let environment = try prepare()
    for (arguments, message) in [
      ("--track voice --at 0.5s", "error: items overlap"),
      ("--track bed --at 1s", "the track 'bed' is a single item, and a take needs a list"),
      ("--track voice --at 9s", "--at: '9s' is outside of"),
      ("--track voice --at 2s --job x", "there is no job 'x'"),
      ("host.wav --track voice --at 2s", "exists already, and a take replaces no file"),
      ("--into . --track voice --at 2s", "error: '.' is a folder"),
    ] {
      let done = try stage.run(
        "avjob record --into job.yaml \(arguments) \(common)", environment: environment)
      #expect(done.errors.contains(message), "\(done.errors)")
      #expect(done.status == 2, "\(done.errors)")
      #expect(try text("job.yaml") == Self.text)
      #expect(access(stage.path("takes"), F_OK) != 0)
    }
  }

  @Test("a time outside of the mix is refused at no place of the job file, with the mix's length")
  func outside() throws {
    let environment = try prepare()
    let done = try stage.run(
      "avjob record --into job.yaml --track voice --at 9s \(common)", environment: environment)
    #expect(done.errors.hasPrefix("error: --at: '9s' is outside of 'job', which lasts 0:04.0\n"))
    #expect(done.errors.contains("help: give --at a time from 0s to 4s\n"), "\(done.errors)")
    let over = try stage.run("avjob record long.wav --pre 10m")
    #expect(
      over.errors.contains("--pre: '10m' is more than memory holds; write --pre 5:00 at most"))
    #expect(over.status == 2)
  }

  @Test("options that a take lacks, or that it does not have, are refused without a job file")
  func options() throws {
    for (arguments, message) in [
      ("--at 2s", "error: --into needs a track: --track voice"),
      ("--track '' --at 2s", "error: --into needs a track: --track voice"),
      ("--track voice --at 2s --force", "error: --force is not for a take; leave it out"),
      ("--track voice --at 2s --until 1s", "--until and --duration exclude each other"),
    ] {
      let done = try stage.run("avjob record --into none.yaml \(arguments) --duration 1s")
      #expect(done.errors.contains(message), "\(done.errors)")
      #expect(done.status == 2, "\(done.errors)")
    }
  }

  @Test("a job file behind a symbolic link stays there, with its permissions")
  func link() throws {
    let environment = try prepare()
    try Tool.succeed("mv", stage.path("job.yaml"), stage.path("show/real.yaml"))
    chmod(stage.path("show/real.yaml"), 0o600)
    symlink("show/real.yaml", stage.path("job.yaml"))
    let done = try stage.run(
      "avjob record --into job.yaml --track voice --at 1.5s \(common)", environment: environment)
    #expect(done.status == 0, "\(done.errors)")
    #expect(
      try stage.run("readlink job.yaml; stat -c '%a %F' show/real.yaml").text
        == "show/real.yaml\n600 regular file\n")
    #expect(try text("show/real.yaml").contains("- { clip: takes/voice-001.wav, at: 1.5s }\n"))
    #expect(try stage.run("avjob check job.yaml", environment: environment).status == 0)
  }

  @Test("SIGKILL during a take leaves the job file as it was, and a take that can be played")
  func killed() throws {
    let environment = try prepare()
    let terminal = try beginTake(environment)
    try microphone.waitForSound(in: "takes/voice-001.wav")
    terminal.signal(SIGKILL)
    #expect(terminal.wait() == 137)
    #expect(try text("job.yaml") == Self.text)
    #expect(try microphone.decoded("takes/voice-001.wav").count > 10_000)
  }

  @Test("without a device for the mix, nothing is recorded, and the reason is told")
  func noPlayback() throws {
    let environment = try prepare()
    let done = try stage.run(
      "avjob record --into job.yaml --track voice --at 2s --device card --playback nothing",
      environment: environment)
    #expect(
      done.errors.contains("error: the sound device 'nothing' is not there"), "\(done.errors)")
    #expect(done.status == 1)
    #expect(done.text.isEmpty)
    #expect(try text("job.yaml") == Self.text)
    #expect(access(stage.path("takes/voice-001.wav"), F_OK) != 0)
  }

  @Test("whichever descriptor is lacking, a take that cannot begin ends, with the reason")
  func descriptors() throws {
    var environment = try prepare()
    environment["LD_PRELOAD"] = try Rig.mishaps.get()
    environment["MISHAP"] = "eventfd"
    var reasons: [String] = []
    // The first call is for the signals.
    for call in 2...30 {
      environment["MISHAP_CALL"] = "\(call)"
      let done = try stage.run(
        "AVJOB_PATIENCE=20; avjob record --into job.yaml --track voice --at 1.5s \(common)",
        environment: environment)
      if done.status == 0 { break }
      #expect(done.status == 75, "\(call): \(done.errors)")
      #expect(try text("job.yaml") == Self.text)
      #expect(access(stage.path("takes/voice-001.wav"), F_OK) != 0)
      reasons.append(done.errors)
    }
    // The recorder's, the player's, and at last the session's, which has both.
    #expect(reasons.contains { $0.hasPrefix("error: playback cannot start: eventfd") })
    #expect(reasons.last?.hasPrefix("error: recording cannot start: eventfd") == true, "\(reasons)")
  }

  @Test("options of a take are refused where there is none")
  func withoutJobFile() throws {
    for (arguments, message) in [
      ("--at 1s", "--at is for a take; name its job file with --into"),
      ("--set a=b", "--set is for the job file of a take; name it with --into"),
      ("--playback out", "--playback is for --monitor and --into; give one of them"),
    ] {
      let done = try stage.run("avjob record take.wav \(arguments)")
      #expect(done.errors.contains(message), "\(done.errors)")
      #expect(done.status == 2)
    }
  }

  /// A take on the track 'voice', at 1.5 s of the mix, that is being recorded.
  private func beginTake(_ environment: [String: String]) throws -> PseudoTerminal {
    let terminal = try microphone.start(
      "--into", "job.yaml", "--track", "voice", "--at", "1.5s", "--pre", "0.2s", "--device", "card",
      "--playback", "out", environment: environment, columns: 100)
    try terminal.wait(for: "recording  0:0")
    return terminal
  }

  @Test("a job file that changes while the take is recorded is edited as it is then")
  func changed() throws {
    let environment = try prepare()
    let terminal = try beginTake(environment)
    let changed = Self.text.replacing("# My show", with: "# Our show")
    try stage.write("job.yaml", changed)
    terminal.type(" ")
    #expect(terminal.wait() == 0)
    #expect(terminal.transcript.contains("the job file had changed meanwhile"))
    let line = "    - { clip: takes/voice-001.wav, at: 1.5s }\n"
    #expect(
      try text("job.yaml")
        == changed.replacing("# the greeting\n", with: "# the greeting\n" + line))
  }

  @Test("where the job file cannot be edited any more, the take is kept, and its path is told")
  func kept() throws {
    let environment = try prepare()
    let terminal = try beginTake(environment)
    try stage.write("job.yaml", "clip: host.wav\noutput: out.mp3\n")
    terminal.type("q")
    #expect(terminal.wait() == 2)
    #expect(
      terminal.transcript.contains(
        "the take is kept in 'takes/voice-001.wav'; the job file is as it was"))
    #expect(
      terminal.transcript.contains(
        "help: write the take on the track 'voice' yourself: - { clip: takes/voice-001.wav, at: 1.5s }"
      ))
    #expect(try text("job.yaml") == "clip: host.wav\noutput: out.mp3\n")
    #expect(try !microphone.decoded("takes/voice-001.wav").isEmpty)
  }

  @Test("a mistake that the job file has got while the take is recorded is reported at its place")
  func broken() throws {
    let environment = try prepare()
    let terminal = try beginTake(environment)
    let broken = Self.text.replacing("\noutput", with: "\n bad: [output")
    try stage.write("job.yaml", broken)
    terminal.type("q")
    #expect(terminal.wait() == 2)
    let found = try stage.run("avjob check job.yaml", environment: environment).errors
    let place = try #require(found.split(separator: "\n").first { $0.contains("job.yaml:7:2") })
    #expect(terminal.transcript.contains(place), "\(found) \(terminal.transcript)")
    #expect(terminal.transcript.contains("the take is kept in 'takes/voice-001.wav'"))
    #expect(try text("job.yaml") == broken)
  }

  @Test("Ctrl-Z ends a take and puts it into the job file, and does not stop the command")
  func suspended() throws {
    let environment = try prepare()
    let terminal = try PseudoTerminal()
    try terminal.start(
      [
        "bash", "-c",
        "set -m; cd \(stage.folder.root); \(Command.path) record --into job.yaml --track voice "
          + "--at 1.5s --pre 0.2s --device card --playback out; echo ENDED''HERE $? $(jobs -s | wc -l)",
      ], environment: environment)
    try terminal.wait(for: "recording  0:0")
    try microphone.waitForSound(in: "takes/voice-001.wav")
    terminal.type("\u{1A}")
    try terminal.wait(for: "ENDEDHERE 0 0")
    _ = terminal.wait()
    #expect(terminal.transcript.contains("the take is in 'job.yaml', on the track 'voice'"))
    #expect(try text("job.yaml").contains("- { clip: takes/voice-001.wav, at: 1.5s }"))
  }

  @Test("q before the place ends it without a take and without a file")
  func early() throws {
    let environment = try prepare()
    let terminal = try microphone.start(
      "--into", "job.yaml", "--track", "voice", "--at", "3.5s", "--device", "card",
      "--playback", "out", environment: environment, columns: 100)
    try terminal.wait(for: "count-in   0:0")
    terminal.type("q")
    #expect(terminal.wait() == 1)
    #expect(terminal.transcript.contains("no take was recorded"))
    #expect(!terminal.transcript.contains("(0 samples)"))
    #expect(try text("job.yaml") == Self.text)
    #expect(access(stage.path("takes/voice-001.wav"), F_OK) != 0)
  }

  @Test("what is recorded is heard through the monitor, and its delay is on the line")
  func monitor() throws {
    let environment = try prepare()
    let terminal = try microphone.start(
      "take.wav", "--monitor", "--playback", "out", "--device", "card", environment: environment,
      columns: 110)
    try terminal.wait(for: "  monitor ")
    try terminal.wait(for: " ms")
    try wait(until: "something is heard") {
      try access(stage.path("heard"), F_OK) == 0 && !readFile(stage.path("heard")).isEmpty
    }
    terminal.type("q")
    #expect(terminal.wait() == 0)
    let gone = try microphone.start(
      "gone.wav", "--monitor", "--playback", "nothing", "--device", "card",
      environment: environment, columns: 110)
    try gone.wait(for: "warning: the recording is not heard: the sound device 'nothing'")
    try gone.wait(for: "monitor: no device")
    try gone.wait(for: "recording  0:01")
    gone.type("q")
    #expect(gone.wait() == 0)
    #expect(try !microphone.decoded("gone.wav").isEmpty)
  }
}
