import TestSupport
import Testing

/// Media on which a decoder crashes, hangs or eats memory, in a batch with others.
@Suite("Hostile media") struct HostileMediaTests {
  /// Four good files of five seconds, and `names`; each is a job that makes a FLAC of it.
  private func stage(_ names: [String]) throws -> Stage {
    let stage = Stage()
    try stage.make("mkdir in; sox -n -r 8000 -c 1 in/a.wav synth 5 sine 300")
    for name in ["b", "c", "d"] + names { try stage.make("cp in/a.wav in/\(name).wav") }
    try stage.write(
      "job.yaml", "for_each: in/*.wav\nclip: ${input}\noutput: 'out/${input.stem}.flac'\n")
    return stage
  }

  private func run(_ stage: Stage, _ options: String) throws -> ToolResult {
    // The peak of memory of the program before stays that of the process (getrusage(2)).
    try stage.run(
      """
      large='import os, sys; x = b"x" * (400 << 20); os.execvp(sys.argv[1], sys.argv[1:])'
      exec python3 -c "$large" env LD_PRELOAD=\(try Rig.decoders.get()) \
        "$AVJOB" run --quiet --retry 0 \(options) job.yaml
      """)
  }

  private let crash =
    "its process crashed (SIGSEGV); the other jobs are not touched: please report it, with the job "
    + "and its sources"

  private let memory =
    "'in/eat-[a-z]*.wav': .*([Cc]annot allocate memory|needs more memory than its limit, 300 MB)"

  @Test(
    "A file on which probing fails is the only one that is not made",
    arguments: ["--isolate", "--root ."])
  func probing(options: String) throws {
    let stage = try stage(["crash-probing", "hang-probing", "eat-probing"])
    let result = try run(stage, options + " --max-time 20s --max-memory 300MB")
    #expect(result.status == 1)
    #expect(result.errors.contains("'in/crash-probing.wav': \(crash)"))
    #expect(
      result.errors.contains(
        "'in/hang-probing.wav': could not be examined within 20 seconds; convert it to another "
          + "format, or leave it out"))
    // It may die of a null pointer, or say that there is no memory.
    #expect(try Regex(memory).firstMatch(in: result.errors) != nil, "\(result.errors)")
    #expect(try stage.run("cd out; echo *").text == "a.flac b.flac c.flac d.flac\n")
  }

  @Test(
    "A file that a job cannot open, or read to its end, is the only one that is not made",
    arguments: [("--isolate", "reading"), ("--root .", "reading"), ("--root .", "opening")])
  func reading(options: String, place: String) throws {
    let stage = try stage(["crash-\(place)", "hang-\(place)", "eat-\(place)"])
    let result = try run(stage, options + " --max-time 20s --max-memory 300MB")
    #expect(result.status == 1)
    #expect(result.errors.contains("'in/crash-\(place).wav': \(crash)"))
    #expect(
      result.errors.contains("'in/hang-\(place).wav': took longer than its limit of 20 s; raise"))
    #expect(try Regex(memory).firstMatch(in: result.errors) != nil, "\(result.errors)")
    #expect(try stage.run("cd out; echo *").text == "a.flac b.flac c.flac d.flac\n")
  }

  @Test("A crash in the midst of a mix names the file that was read")
  func mix() throws {
    let stage = try stage(["crash-reading"])
    try stage.write(
      "job.yaml",
      "tracks: { a: in/a.wav, b: in/b.wav, x: in/crash-reading.wav, c: in/c.wav, d: in/d.wav }\n"
        + "output: x.flac\n")
    let result = try run(stage, "--isolate")
    #expect(result.status == 1)
    #expect(result.errors.contains("'in/crash-reading.wav': \(crash)"), "\(result.errors)")
  }

  @Test("A file is made that is probed after one that damaged its process")
  func damage() throws {
    let stage = try stage(["0-damage-probing"])
    let result = try run(stage, "--isolate")
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(try stage.run("ls out | wc -l").text == "5\n")
  }

  @Test("A file with more tags than a process may tell is refused, and the others are made")
  func endless() throws {
    let stage = try stage([])
    try stage.make(
      """
      awk 'BEGIN {
        title = sprintf("%1000s", "x")
        print ";FFMETADATA1"
        for (n = 0; n < 900; n++) printf "tag%d=%8000s\\n", n, "x"
        for (n = 0; n < 10000; n++)
          printf "[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=%d\\nEND=%d\\ntitle=%s\\n", n, n + 1, title
      }' >chapters
      ffmpeg -v error -f lavfi -i anullsrc=d=41 -i chapters -map_chapters 1 -map_metadata 1 -c:a flac \
        -f matroska in/e.wav
      """)
    let result = try stage.run("avjob run --quiet --isolate job.yaml")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "'in/e.wav': has more than 16 MiB of tags, chapters and words; remove some"))
    #expect(try stage.run("cd out; echo *").text == "a.flac b.flac c.flac d.flac\n")
  }

  @Test(
    "No process that probes outlives the command, however that ends", arguments: ["INT", "KILL"])
  func orphans(signal: String) throws {
    let stage = try stage(["hang-probing"])
    let result = try stage.run(
      """
      set -m
      LD_PRELOAD=\(try Rig.decoders.get()) "$AVJOB" run --quiet --root . job.yaml & job=$!
      until probes=$(cat /proc/$job/task/*/children) && [ "$probes" ]; do sleep 0.01; done
      kill -\(signal) $job
      wait $job
      echo $?
      for probe in $probes; do
        while [ -e /proc/$probe ] && ! grep -q '^State:.Z' /proc/$probe/status; do sleep 0.01; done
      done
      """)
    #expect(result.text == (signal == "INT" ? "130\n" : "137\n"))
  }

  @Test("'check' of a root names the file on which probing crashes, and looks at the others")
  func checking() throws {
    let stage = try stage(["crash-probing"])
    let result = try stage.run(
      "LD_PRELOAD=\(try Rig.decoders.get()) \"$AVJOB\" check --root . job.yaml")
    #expect(result.status == 1)
    #expect(result.errors.contains("'in/crash-probing.wav': \(crash)"))
  }
}
