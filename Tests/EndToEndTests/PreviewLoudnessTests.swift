import Glibc
import TestSupport
import Testing

@Suite("avjob preview, of sounds with a loudness and effects") struct PreviewLoudnessTests {
  private func make(_ sound: SoundStage, seconds: Int) throws {
    try sound.make(seconds: seconds)
    try sound.stage.write(
      "loud.yaml", "jobs: { talk: { clip: one.wav, loudness: -30 LUFS, output: talk.wav } }\n")
  }

  @Test("it shows how far it has measured, and measures nothing that a run has measured")
  func remembered() throws {
    let sound = try SoundStage("speed 1")
    // Longer than any machine takes without drawing.
    try make(sound, seconds: 720)
    let before = try sound.stage.make("ls -A").text
    for _ in 0..<2 {
      let terminal = try sound.start("loud.yaml")
      try terminal.wait(for: "playing  talk")
      terminal.type("q")
      #expect(terminal.wait() == 0)
      let shown = terminal.transcript.split(separator: "playing")[0]
      #expect(shown.contains("\rmeasuring talk: ") && shown.contains("\r\u{1B}[K"))
      // It keeps nothing, so the next one measures again.
      #expect(try sound.stage.make("ls -A").text == before)
    }
    try sound.stage.make("avjob run -q loud.yaml && ls .avjob/analyses")
    let terminal = try sound.start("loud.yaml")
    try terminal.wait(for: "playing  talk")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(!terminal.transcript.contains("measuring"))
  }

  @Test("what is heard of a measured job is its output, and nothing is shown in a pipe")
  func heard() throws {
    let sound = try SoundStage()
    try make(sound, seconds: 12)
    try sound.stage.write(
      "loud.yaml",
      "{ clip: one.wav, loudness: -30 LUFS, output: { file: talk.wav, wav: 32 bit float } }\n")
    let result = try sound.run("avjob preview loud.yaml")
    #expect(result.status == 0 && result.errors == "")
    #expect(!result.text.contains("measuring"))
    try sound.stage.make("avjob run -q loud.yaml")
    #expect(try sound.heard == Array(WAVFile(sound.stage.path("talk.wav")).data))
  }

  @Test("a signal ends the measuring, and the line is gone")
  func signal() throws {
    let sound = try SoundStage("speed 1")
    try make(sound, seconds: 1200)
    let terminal = try sound.start("loud.yaml")
    try terminal.wait(for: "measuring talk: ")
    terminal.signal(SIGINT)
    #expect(terminal.wait() == 130)
    #expect(terminal.transcript.hasSuffix(" %\u{1B}[K\r\u{1B}[K\u{1B}[?25h"))
    #expect(!terminal.transcript.contains("playing"))
  }

  @Test("in the background the measuring is not shown")
  func background() throws {
    let sound = try SoundStage("speed 1")
    try make(sound, seconds: 30)
    let (terminal, _) = try sound.startShell(
      "\(Command.path) preview loud.yaml --loop & read line; kill %1; wait; echo ENDED''HERE")
    try SoundCard.wait(for: "start", in: sound.folder.path("log"))
    terminal.type("\n")
    try terminal.wait(for: "ENDEDHERE")
    _ = terminal.wait()
    #expect(!terminal.transcript.contains("measuring"))
  }

  @Test("the gain reduction of a duck is beside the meters")
  func duck() throws {
    let sound = try SoundStage("speed 1")
    try sound.make(seconds: 240)
    try sound.stage.write(
      "duck.yaml",
      """
      tracks:
        voice: { clip: one.wav, effects: [{ compressor: { threshold: -30 dB, ratio: 2 } }] }
        music: { clip: two.wav, loop: 100, duck: { under: voice, by: 12 dB } }
      output: out.wav
      """)
    let terminal = try sound.start("duck.yaml")
    try terminal.wait(for: "reduction  voice compressor ", " dB  music duck -12.0 dB")
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }
}
