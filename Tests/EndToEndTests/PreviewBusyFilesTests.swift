import TestSupport
import Testing

@Suite("avjob preview, of files that are written to without end") struct PreviewBusyFilesTests {
  /// A loop of the shell that appends to a file until another one exists, and keeps it open, or closes it
  /// each time.
  private static let writers = [
    "while [ ! -e heard-all ]; do echo '#'; read -t 0.003 -u 4; done >> common.yaml",
    "while [ ! -e heard-all ]; do echo '#' >> common.yaml; read -t 0.003 -u 4; done",
  ]

  @Test(
    "a file that is written to without end does not keep later entries from being heard",
    arguments: writers)
  func endlessWrites(writer: String) throws {
    let sound = try SoundStage.noise()
    try sound.stage.write("common.yaml", "vars: { last: two.wav }\n")
    try sound.stage.write(
      "job.yaml",
      """
      include: common.yaml
      jobs:
        a: { clip: one.wav 0s..2s, output: { file: a.wav, wav: 32 bit float } }
        b: { clip: "${last} 0s..3s", output: { file: b.wav, wav: 32 bit float } }
      """)
    let result = try sound.play(
      "job.yaml --follow",
      after: """
        mkfifo silent; exec 4<>silent
        (\(writer)) &
        while [ $(stat -c %s common.yaml) -lt 100 ]; do sleep 0.01; done
        """,
      """
      heard 1000000
      stat -c %s $HEARD > reached
      touch heard-all
      """)
    #expect(result.errors == "")
    let text = try String(decoding: readFile(sound.stage.path("reached")), as: UTF8.self)
    let reached = try #require(Int(text.dropLast()))
    #expect(reached >= 1_000_000)
  }

  @Test("a file that is written to without end keeps no change from being measured and heard")
  func endlessMeasuring() throws {
    let sound = try SoundStage.noise("speed 10 stall yes")
    try sound.stage.write("common.yaml", "vars: { first: one.wav, last: one.wav }\n")
    try sound.stage.write(
      "job.yaml",
      """
      include: common.yaml
      jobs:
        a:
          concat: [{ clip: "${first}", loop: 3 }]
          loudness: -20 LUFS
          output: { file: a.wav, wav: 32 bit float }
        b: { clip: "${last} 0s..3s", output: { file: b.wav, wav: 32 bit float } }
      """)
    let result = try sound.play(
      "job.yaml --follow",
      after: """
        mkfifo silent; exec 4<>silent
        (\(Self.writers[1])) &
        """,
      """
      heard 100000
      sed -i 's/first: one/first: two/; s/last: one/last: three/' common.yaml
      heard 9500000
      stat -c %s $HEARD > reached
      touch heard-all
      """)
    #expect(result.errors == "")
    let text = try String(decoding: readFile(sound.stage.path("reached")), as: UTF8.self)
    #expect(try #require(Int(text.dropLast())) >= 9_500_000)
    try sound.stage.make("avjob run -q job.yaml")
    let last = try WAVFile(sound.stage.path("b.wav")).data
    #expect(sound.heard.suffix(last.count).elementsEqual(last))
  }

  @Test("while a file is open for writing, a change of another one ends the measuring")
  func openFile() throws {
    let sound = try SoundStage.noise()
    let short = "a: { clip: one.wav 0s..1s, output: { file: a.wav, wav: 32 bit float } }"
    try sound.stage.write("common.yaml", "vars: { last: two.wav }\n")
    // Nobody waits until half a day is measured.
    try sound.stage.write(
      "job.yaml",
      """
      include: common.yaml
      jobs:
        \(short)
        b: { concat: [{ clip: one.wav, loop: 5000 }], loudness: -20 LUFS, output: b.wav }
      """)
    try sound.stage.write(
      "new.yaml",
      """
      include: common.yaml
      jobs:
        \(short)
        b: { clip: "${last} 0s..2s", output: { file: b.wav, wav: 32 bit float } }
      """)
    let result = try sound.play(
      "job.yaml --follow",
      """
      heard 100000
      exec 5>>common.yaml
      echo '#' >&5
      mv new.yaml job.yaml
      heard 1000000
      [ $(stat -c %s $HEARD) -ge 1000000 ] || kill $job
      """)
    #expect(result.status == 0)
    #expect(result.errors == "")
    try sound.stage.make("avjob run -q job.yaml")
    let expected = try ["a.wav", "b.wav"].flatMap { try WAVFile(sound.stage.path($0)).data }
    #expect(sound.firstDifference(from: expected) == nil)
  }
}
