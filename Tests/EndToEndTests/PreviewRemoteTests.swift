import Glibc
import TestSupport
import Testing

@Suite("avjob preview, of media of servers") struct PreviewRemoteTests {
  private let sound = Result { try SoundStage("speed 1") }

  private func preview(_ remote: RemoteStage, _ sources: String...) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal()
    let words = ["preview"] + sources + ["--allow-host", remote.host]
    try terminal.start(
      ["env", "-C", remote.stage.folder.root, Command.path] + words,
      environment: remote.environment.merging(try sound.get().environment) { $1 })
    return terminal
  }

  // MARK: Opening

  @Test(
    "q and signals end it while a server is silent, before its head and behind it",
    arguments: [
      ("delay=60000", "waiting for the server"), ("stall=0", "fetching 0 B of 66 kB"),
    ], [0, SIGINT, SIGTERM, SIGHUP])
  func opening(fault: (name: String, shown: String), signal: Int32) throws {
    let remote = try RemoteStage()
    let terminal = try preview(remote, remote.url(fault.name, "feelings.ogg"))
    let settings = terminal.settingsBefore
    try terminal.wait(for: "\ropening localhost/feelings.ogg, \(fault.shown)\u{1B}[K")
    if signal == 0 { terminal.type("q") } else { terminal.signal(signal) }
    #expect(terminal.wait() == (signal == 0 ? 0 : 128 + signal))
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.hasSuffix("\u{1B}[K\r\u{1B}[K\u{1B}[?25h"))
    #expect(!terminal.transcript.contains("error"))
  }

  @Test(
    "q and signals end it while a server of a job is silent", arguments: [0, SIGINT, SIGTERM])
  func openingOfJob(signal: Int32) throws {
    let remote = try RemoteStage()
    let medium = remote.url("delay=60000", "feelings.ogg")
    try remote.stage.write("job.yaml", "clip: \(medium)\noutput: a.flac\n")
    let terminal = try preview(remote, "job.yaml")
    let settings = terminal.settingsBefore
    try terminal.wait(for: "\ropening job.yaml\u{1B}[K")
    if signal == 0 { terminal.type("q") } else { terminal.signal(signal) }
    #expect(terminal.wait() == (signal == 0 ? 0 : 128 + signal))
    #expect(terminal.settings == settings)
    #expect(!terminal.transcript.contains("error"))
  }

  @Test("Ctrl-C gives the terminal back while a job's medium arrives, and the last line is printed")
  func interrupt() throws {
    let remote = try RemoteStage(servingItself: true)
    try remote.stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 60 sine 300 gain -6")
    let medium = remote.url("noranges+rate=60000", "a.wav")
    try remote.stage.write("job.yaml", "jobs: { talk: { clip: \"\(medium)\", output: a.flac } }\n")
    let terminal = try preview(remote, "job.yaml")
    let settings = terminal.settingsBefore
    try terminal.wait(for: "playing  talk")
    try terminal.wait(for: "ms buffered")
    #expect(terminal.settings != settings)
    terminal.signal(SIGINT)
    #expect(terminal.wait() == 128 + SIGINT)
    #expect(terminal.settings == settings)
    #expect(terminal.transcript.contains("talk: ended at 0:0"))
  }

  @Test("an entry that is still opened at the end of the one before it is waited for")
  func nextEntry() throws {
    let remote = try RemoteStage()
    try remote.stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 0.5 sine 300 gain -6")
    let terminal = try preview(remote, "a.wav", remote.url("delay=60000", "feelings.ogg"))
    try terminal.wait(for: "buffering  a.wav")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(!terminal.transcript.contains("paused"))
  }

  @Test("during a pause the time line shows what arrives")
  func pause() throws {
    let remote = try RemoteStage(servingItself: true)
    try remote.stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 20 sine 300 gain -6")
    let terminal = try preview(remote, remote.url("hold=100000-310000", "a.wav"))
    try terminal.wait(for: "playing  a.wav")
    try terminal.wait(for: "ms buffered")
    terminal.type(" ")
    try terminal.wait(for: "paused")
    // The parts that are missing have dots.
    #expect(!terminal.transcript.contains("─  0:20.0"))
    try remote.server.release()
    try terminal.wait(for: "─  0:20.0")
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test("an address without a file is skipped, whatever its place; alone it is a wrong argument")
  func missing() throws {
    let remote = try RemoteStage()
    let (bad, good) = (remote.url("plain", "none.ogg"), remote.url("plain", "sweep.mp3"))
    for (sources, status) in [
      ("'\(bad)' '\(good)'", 1), ("'\(good)' '\(bad)'", 1), ("'\(bad)'", 2),
    ] as [(String, Int32)] {
      let result = try remote.run("avjob preview --device null --allow-host $host \(sources)")
      #expect(result.status == status, "\(sources): \(result.errors)")
      #expect(result.errors.contains("404 (Not Found)"))
      #expect(result.text.contains("ended at") == sources.contains("sweep.mp3"))
    }
  }

  @Test("the bytes that come before the first sound have a line, which the screen replaces")
  func line() throws {
    let remote = try RemoteStage()
    let terminal = try preview(remote, remote.url("rate=60000", "feelings.ogg"))
    try terminal.wait(for: "\ropening localhost/feelings.ogg, fetching ")
    try terminal.wait(for: " kB/s, 0:0")
    try terminal.wait(for: "\r\u{1B}[K\u{1B}[?25h")
    try terminal.wait(for: "playing  feelings.ogg")
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }

  @Test("a signal ends the measuring of a sound that is on its way, whose bytes have a line")
  func measuring() throws {
    let remote = try RemoteStage(servingItself: true)
    try remote.stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 20 sine 300 gain -6")
    try remote.stage.write(
      "job.yaml",
      "jobs: { talk: { clip: \"\(remote.url("hold=100000-320000", "a.wav"))\", "
        + "loudness: -30 LUFS, output: a.flac } }\n")
    let terminal = try preview(remote, "job.yaml")
    try terminal.wait(for: " talk", ", fetching ")
    terminal.signal(SIGTERM)
    #expect(terminal.wait() == 128 + SIGTERM)
    #expect(!terminal.transcript.contains("error"))
  }

  @Test("what a server fails to give for now ends it with 75, whichever way that was named")
  func temporary() throws {
    let remote = try RemoteStage()
    let (busy, good) = (
      remote.url("status=503,after=100", "a.ogg"), remote.url("plain", "sweep.mp3")
    )
    try remote.stage.write("busy.yaml", "clip: \(busy)\noutput: a.flac\n")
    try remote.stage.write(
      "both.yaml",
      """
      jobs:
        busy: { clip: "\(busy)", output: a.flac }
        good: { clip: "\(good) 0s..1s", output: b.flac }
      """)
    try remote.stage.write("bad.wav", "no sound")
    let preview = "avjob preview --device null --allow-host $host"
    for (sources, status) in [
      ("busy.yaml", 75), ("'\(busy)'", 75), ("both.yaml", 75), ("both.yaml '\(busy)'", 75),
      ("bad.wav '\(busy)'", 1), ("both.yaml bad.wav", 1), ("'\(good)'", 0),
    ] as [(String, Int32)] {
      let result = try remote.run("\(preview) \(sources)")
      #expect(result.status == status, "\(sources): \(result.errors)")
      #expect(result.text.contains("ended at") == sources.contains("both") || status == 0)
    }
  }

  // MARK: Requests

  /// The requests of a preview of three minutes of noise.
  private func requests(of name: String, made script: String, _ options: String) throws
    -> [[String: String]]
  {
    let remote = try RemoteStage(servingItself: true)
    try remote.stage.make(
      "sox -R -n -r 44100 -c 2 -b 16 a.wav synth 180 pinknoise gain -6\n" + script)
    let result = try remote.run(
      "avjob preview --device null --allow-host $host \(options) '\(remote.url("plain", name))'")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return try remote.requests()
  }

  /// Formats of media, and how they are made.
  private static let formats = [
    ("a.wav", ""), ("a.flac", "flac --silent a.wav"), ("a.mp3", "lame --quiet -V2 a.wav"),
    ("b.mp3", "ffmpeg -v error -i a.wav -c:a libmp3lame -b:a 128k b.mp3"),
    ("a.m4a", "ffmpeg -v error -i a.wav -c:a aac a.m4a"), ("a.ogg", "oggenc --quiet a.wav"),
    ("a.opus", "ffmpeg -v error -i a.wav -c:a libopus a.opus"),
  ]

  @Test("the first sound takes one connection and five requests at most", arguments: formats)
  func begins(name: String, script: String) throws {
    let requests = try requests(of: name, made: script, "--to 100ms")
    #expect(requests.count <= 5, "\(requests.map { $0["range"] ?? "all" })")
  }

  @Test("a place near the end takes four requests more at most", arguments: formats)
  func beginsInside(name: String, script: String) throws {
    let requests = try requests(of: name, made: script, "--from 170s --to 170.1s")
    // Three for the place, and one where what the player wants next parts what is being read.
    #expect(requests.count <= 9, "\(requests.map { $0["range"] ?? "all" })")
  }
}
