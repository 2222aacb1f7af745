import TestSupport
import Testing

/// Words where people look and listen: in a preview, and in the page of a run.
@Suite("Words that are shown") struct SaidWordsTests {
  private static let words = """
    WEBVTT

    00:02.000 --> 00:04.000
    <v Ann>So let us begin

    00:05.500 --> 00:07.500
    <v Ben>Lost

    00:10.000 --> 00:12.000
    <v Ben>Let us &lt;/script> wait

    """

  private static let job = """
    clip: talk.wav
    transcript: talk.vtt
    cut: [5s..8s]

    """

  private func write(_ output: String, on stage: Stage) throws {
    try stage.share("sox -n -r 48000 -c 1 -b 16 talk.wav synth 120 sine 300 gain -10")
    try stage.write("talk.vtt", Self.words)
    try stage.write("job.yaml", Self.job + "output: \(output)\n")
  }

  @Test("what is said after all edits is on the screen of a preview, is found, and marked")
  func preview() throws {
    let sound = try SoundStage("speed 1")
    try write("out.wav", on: sound.stage)
    let terminal = try sound.start("job.yaml", environment: ["NO_COLOR": ""])
    try terminal.wait(for: "playing  job")
    terminal.type(" \u{1B}[H")
    try terminal.wait(for: "at 0:00.000000")
    terminal.type("/let us")
    try terminal.wait(for: "find words: let us_")
    terminal.type("\r")
    try terminal.wait(for: "'let us' at 0:02.000, 1 of 2", "Ann: So let us begin")
    terminal.type("a")
    try terminal.wait(for: "'let us' at 0:07.000, 2 of 2", "Ben: Let us </script> wait")
    terminal.type("k")
    try terminal.wait(for: "let us at 0:07.000 to 0:09.000; Enter names it")
    terminal.type("Wm")
    try terminal.wait(for: "mark 2 at 0:02.000, Ann: So let us begin; Enter names it")
    terminal.type("/lost\r")
    try terminal.wait(for: "'lost' is not said")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(
      terminal.transcript.contains(
        """
        marks of job:\r
        2.000000\t2.000000\tmark 2 (Ann: So let us begin)\r
        7.000000\t9.000000\tlet us\r

        """))
  }

  @Test("reports in JSON and HTML have what is said in an output")
  func report() throws {
    let stage = Stage()
    try write("{ file: ep.wav, transcript: vtt }", on: stage)
    let said = try stage.make(
      """
      avjob run --quiet --report r.json --report r.html job.yaml >/dev/null
      /usr/bin/python3 - <<'END'
      import json, re
      def show(report):
        output = report['jobs'][0]['outputs'][0]
        print(output['transcript']['cues'], [list(cue.values()) for cue in output['cues']])
      show(json.load(open('r.json')))
      page = open('r.html').read()
      show(json.loads(re.search('id="data">(.*?)</script>', page, re.S)[1])['report'])
      END
      """)
    let line =
      "2 [[2, 4, 'Ann', 'So let us begin'], [7, 9, 'Ben', 'Let us </script> wait']]\n"
    #expect(said.text == line + line)
    try JSONSchema.validate(stage.run("cat r.json").text, as: "report")
  }
}
