import TestSupport
import Testing

@Suite("avjob preview, of files that are written to without end") struct PreviewBusyFilesTests {
  @Test("a file that is written to without end does not keep later entries from being heard")
  func endlessWrites() throws {
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
        (while [ ! -e heard-all ]; do echo '#'; read -t 0.003 -u 4; done >> common.yaml) &
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
