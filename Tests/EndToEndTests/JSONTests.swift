import TestSupport
import Testing

@Suite("JSON documents")
struct JSONTests {
  /// A job that runs, with all that a document can say of one, a split one, and a medium that is none.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      sox -n -r 8000 -c 1 -b 16 a.wav synth 2 sine 300 gain -6
      echo no sound >bad.wav
      """)
    try stage.write(
      "jobs.yaml",
      """
      jobs:
        one:
          concat: [a.wav 0s..1.5s, a.wav ..1001/30000s]
          pan: { 0s: left, 1s: right }
          chapters: { 0s: Intro, 1s: { title: Rest, url: "https://example.org/x" } }
          metadata: { title: One }
          output: [one.mp3, one.flac, { file: one.json, json: sidecar }]
        two: { clip: a.wav, split: { every: 0.5s }, output: "two-${part.n}.flac" }
        three: { clip: bad.wav, output: three.flac }
      """)
    return stage
  }

  @Test("each document keeps to its schema, where jobs are done and where they fail")
  func schemas() throws {
    let stage = try stage()
    for (command, schema) in [
      ("plan --json --only one --only two jobs.yaml", "plan"), ("check --json jobs.yaml", "check"),
      ("check --json --only one jobs.yaml", "check"), ("check --json nope.yaml", "check"),
      ("probe --json a.wav", "probe"), ("probe --json a.wav bad.wav", "probe"),
    ] {
      try JSONSchema.validate(try stage.run("avjob \(command)").text, as: schema)
    }
    let run = try stage.run("avjob run --progress json --report r.json jobs.yaml")
    #expect(run.status == 1)
    try JSONSchema.validate(lines: run.text, as: "event")
    for (file, schema) in [("r.json", "report"), ("one.json", "record")] {
      let text = String(decoding: try readFile(stage.path(file)), as: UTF8.self)
      try JSONSchema.validate(text, as: schema)
    }
    let probe = try stage.make("avjob probe --json one.mp3").text
    try JSONSchema.validate(probe, as: "probe")
    #expect(probe.contains("\"start_exact\": \"1s\""))
  }

  @Test(
    "a document, or a stream of events, is printed where the arguments or the job file are wrong",
    arguments: [
      ("check --json jobs.yaml --set a", "check"), ("check jobs.yaml --nope --json", "check"),
      ("check --json nope.yaml", "check"), ("plan --json jobs.yaml --set a", "plan"),
      ("plan --format=json --json=yes jobs.yaml", "plan"), ("plan --json nope.yaml", "plan"),
      ("plan --format json wrong.yaml", "plan"), ("probe --json --stream x a.wav", "probe"),
      ("verify --json --nope .", "verify"), ("verify --json", "verify"),
      ("cache list --json --nope", "cache"), ("cache list --json more", "cache"),
      ("run --progress json jobs.yaml --set a", "event"),
      ("run --progress=json nope.yaml", "event"),
    ])
  func refusals(command: String, schema: String) throws {
    let stage = try stage()
    try stage.write("wrong.yaml", "clip: a.wav\nouput: x.mp3\n")
    let result = try stage.run("avjob \(command)")
    #expect(result.status == 2)
    try validate(result.text, as: schema)
    // The first line of the screen, without its place.
    let line = result.errors.split(separator: "\n")[0]
    let message = try #require(line.split(separator: "error: ").last)
    #expect(result.text.contains("\(message)\""), "\(result.text)")
    #expect(result.text.contains(#""file""#) == !result.errors.contains("avjob help"))
  }

  @Test(
    "a document, or a stream of events, is printed where an argument is not UTF-8",
    arguments: [
      ("check --json $'\\xff.yaml'", "check"), ("plan --json jobs.yaml --set $'a=\\xff'", "plan"),
      ("probe --json $'\\xff.wav'", "probe"), ("verify $'\\xff' --json", "verify"),
      ("run jobs.yaml --report $'\\xff.json' --progress json", "event"),
    ])
  func unreadableWords(command: String, schema: String) throws {
    let result = try stage().run("avjob \(command)")
    #expect(result.status == 2)
    try validate(result.text, as: schema)
    #expect(result.text.contains(" is not UTF-8\""), "\(result.text)")
  }

  private func validate(_ text: String, as schema: String) throws {
    if schema == "event" {
      try JSONSchema.validate(lines: text, as: schema)
    } else {
      try JSONSchema.validate(text, as: schema)
    }
  }

  @Test("a plan has the records, as text and as JSON")
  func records() throws {
    let stage = try stage()
    #expect(
      try stage.make("avjob plan --only one jobs.yaml").text.hasSuffix("  JSON record\n"))
    #expect(
      try stage.make("avjob plan --json --only one jobs.yaml").text.contains(
        "\"path\": \"one.json\""))
  }

  @Test("a check as JSON says what is wrong, and ends with the same status")
  func check() throws {
    let stage = try stage()
    let result = try stage.run("avjob check --json jobs.yaml")
    #expect(result.status == 1)
    #expect(result.errors.contains("bad.wav"))
    let script = """
      import json, sys
      d = json.load(sys.stdin)
      print(d['jobs'], d['parts'], d['refused'], d['exit_status'], len(d['messages']))
      print(d['messages'][0]['class'], d['messages'][0]['line'])
      """
    #expect(
      try stage.run("avjob check --json jobs.yaml 2>/dev/null | python3 -c \"\(script)\"").text
        == "2 4 1 1 1\ninput 9\n")
  }
}

@Suite("Who reads the output")
struct ReaderTests {
  @Test(
    "a reader that closes the pipe early is no error, and nothing is said of it",
    arguments: ["schema", "help", "probe a.wav", "plan job.yaml", "run --force job.yaml"])
  func closedPipe(command: String) throws {
    let stage = Stage()
    try stage.make("sox -n -r 8000 -c 1 a.wav synth 1 sine 300")
    try stage.write("job.yaml", "clip: a.wav\noutput: x.flac\n")
    try stage.write(
      "closed.py",
      """
      import os, subprocess, sys
      reader, writer = os.pipe()
      os.close(reader)
      print(subprocess.call(sys.argv[1:], stdout=writer))
      """)
    let result = try stage.run("python3 closed.py \"$AVJOB\" \(command)")
    #expect(result.text == "0\n")
    #expect(result.screen == "")
  }

  @Test("run --quiet prints nothing where all is well, and warnings and errors otherwise")
  func quiet() throws {
    let stage = Stage()
    try stage.make("sox -n -r 8000 -c 1 a.wav synth 1 sine 300; echo no sound >bad.wav")
    try stage.write(
      "job.yaml",
      """
      jobs:
        a: { clip: a.wav, output: a.flac }
        b: { clip: a.flac, output: b.flac }
      """)
    let good = try stage.run("avjob run -q --only b --workers 1000 job.yaml")
    #expect(good.status == 0 && good.text == "" && good.errors == "")
    #expect(try stage.run("avjob run -q job.yaml").text == "")
    try stage.write("job.yaml", "clip: bad.wav\noutput: c.flac\n")
    let bad = try stage.run("avjob run -q job.yaml")
    #expect(bad.status == 1 && bad.text == "")
    #expect(bad.errors.hasPrefix("job.yaml:1:7: error: 'bad.wav': "))
  }
}
