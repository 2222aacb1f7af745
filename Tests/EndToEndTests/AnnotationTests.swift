import Testing

/// `--annotate github`: messages as GitHub Actions puts them on lines.
@Suite struct AnnotationTests {
  @Test("Each message is a workflow command on standard output, escaped as GitHub reads it")
  func commands() throws {
    let stage = Stage()
    try stage.write(
      "50%, a:b.yaml",
      """
      clip: nope.wav
      fade_inn: 2s
      clip: other.wav
      metadata:
        title: Ice #1
      output: x.mp3
      """)
    let result = try stage.run("avjob check --annotate github '50%, a:b.yaml'")
    #expect(result.status == 2)
    #expect(
      result.text == """
        ::error file=50%25%2C a%3Ab.yaml,line=1,col=7,endColumn=15,title=avjob::there is no file 'nope.wav'%0Ahelp: put it there, or name another one
        ::error file=50%25%2C a%3Ab.yaml,line=2,col=1,endColumn=9,title=avjob::unknown key 'fade_inn'%0Ahelp: did you mean 'fade_in'?
        ::error file=50%25%2C a%3Ab.yaml,line=3,col=1,endColumn=5,title=avjob::duplicate key 'clip'%0Ahelp: keep one of them%0A50%25, a:b.yaml:1:1: note: first written here
        ::warning file=50%25%2C a%3Ab.yaml,line=5,col=14,endColumn=16,title=avjob::'#' begins a comment: the text ends before it%0Ahelp: quote the text if the '#' belongs to it: "Ice #1"

        """)
    #expect(result.errors.contains("fade_inn: 2s"))
  }

  @Test("What has no place in a file is told without one; nothing is said where all is fine")
  func placeless() throws {
    let stage = Stage()
    #expect(
      try stage.run("avjob run --annotate github nope.yaml").text
        == "::error title=avjob::'nope.yaml' does not exist%0A"
        + "help: 'avjob init nope.yaml' writes one to start from\n")
    try stage.make("sox -n -r 8000 -c 1 a.wav synth 1 sine 300")
    try stage.write("job.yaml", "clip: a.wav\noutput: x.flac\n")
    #expect(
      try stage.run("avjob plan --set x=1 --annotate github job.yaml").text
        == "::error title=avjob::'job.yaml' has no variable 'x'\n")
    #expect(try stage.make("avjob check --annotate github job.yaml").text == "1 job is fine\n")
    let both = try stage.run("avjob plan --json --annotate github job.yaml")
    #expect(both.status == 2 && both.text.contains("\"exit_status\": 2,"))
    #expect(!both.text.contains("::error"))
  }

  @Test("A medium that is none is told where it is named")
  func media() throws {
    let stage = Stage()
    try stage.write("a.wav", "no sound\n")
    try stage.write("job.yaml", "clip: a.wav\noutput: x.flac\n")
    // GitHub has no files in `jobs/..`.
    let result = try stage.run("mkdir jobs; avjob run --quiet --annotate github jobs/../job.yaml")
    #expect(result.status == 1)
    #expect(
      result.text.hasPrefix(
        "::error file=job.yaml,line=1,col=7,endColumn=12,title=avjob::'jobs/../a.wav': "))
  }

  @Test("No name and no title begins a line of an output, and none is a command to the runner")
  func commandsOfStrangers() throws {
    let stage = Stage()
    try stage.make("sox -n -r 8000 -c 1 $'a\\n::error::b.wav' synth 1 sine 300")
    try stage.write(
      "job.yaml",
      """
      jobs:
        "::error::one":
          concat:
            - { clip: "a\\n::error::b.wav", name: "##[error]item", chapter: "c\\n::error::d" }
          metadata: { "::error::key": "e\\n::error::f", title: "##[error]g" }
          output: "::error::h\\n::error::i.mp3"
      """)
    let file = "$'::error::h\\n::error::i.mp3'"
    for command in [
      "check job.yaml", "plan job.yaml", "plan --json job.yaml", "run --verbose job.yaml",
      "run --progress json --force job.yaml", "run --explain job.yaml", "probe \(file)",
      "probe --json \(file)",
      "clip --from 5s -o x.wav \(file)", "check $'::error::j\\n::error::k.yaml'",
      "run --report report.md job.yaml; cat report.md",
      "clip '##[error]x.wav' -o '::error::y.wav' --title '##[error]z' --print-job",
    ] {
      let result = try stage.run("avjob \(command)")
      #expect(result.text + result.errors != "")
      for line in (result.text + result.errors).split(whereSeparator: \.isNewline) {
        let isCommand = line.drop(while: \.isWhitespace).hasPrefix("::") || line.contains("##[")
        #expect(!isCommand, "\(command): \(line)")
      }
    }
    #expect(
      try stage.make("avjob plan job.yaml").text == """
        \u{FFFD}:error::one: 0:01.000, mixed at 8 kHz mono
          timeline
            0:00.000 – 0:01.000  a\u{FFFD}::error::b.wav from 0:00.000
          chapters
            0:00.000  c\u{FFFD}::error::d
          outputs
            \u{FFFD}:error::h\u{FFFD}::error::i.mp3  MP3 V2, 8 kHz mono

        """)
  }

  @Test("What goes wrong while jobs run is told at its place, too, but not among events")
  func running() throws {
    let stage = Stage()
    try stage.make("sox -n -r 8000 -c 1 a.wav synth 10 sine 300")
    try stage.write("job.yaml", "clip: a.wav\noutput: x.wav\n")
    let result = try stage.run("(ulimit -f 40; avjob run --quiet --annotate github job.yaml)")
    #expect(result.status == 1)
    #expect(
      result.text.hasPrefix(
        "::error file=job.yaml,line=2,col=9,endColumn=14,title=avjob::'x.wav': "))
    let both = try stage.run("avjob run --progress json --annotate github job.yaml")
    #expect(both.status == 2 && both.text.contains("\"exit_status\":2,"))
    #expect(!both.text.contains("::error"))
    #expect(
      both.errors.hasPrefix(
        "error: --annotate writes to standard output, where --progress json has all lines to itself"
      ))
  }
}
