import Glibc
import TestSupport
import Testing

@Suite struct PreviewEndTests {
  @Test("each entry is told before the end, however fast a device takes them")
  func tellsAll() throws {
    let sound = try SoundStage()
    try sound.stage.make(
      """
      for n in a b c d; do
        sox -n -r 48000 -c 2 -e float -b 32 $n.wav synth 0.01 sine 300 gain -10
      done
      """)
    let result = try sound.run(
      """
      unset ALSA_CONFIG_PATH
      for n in $(seq 25); do
        avjob preview a.wav b.wav c.wav d.wav --device file:heard.raw || exit
      done
      """)
    #expect(result.status == 0)
    #expect(result.errors == "")
    let once = """
      1 of 4: a.wav (0:00.0)
      2 of 4: b.wav (0:00.0)
      3 of 4: c.wav (0:00.0)
      4 of 4: d.wav (0:00.0)
      d.wav: ended at 0:00.0 of 0:00.0

      """
    #expect(result.text == String(repeating: once, count: 25))
  }

  @Test(
    "a terminal that was stopped, or that nobody reads, does not keep it",
    arguments: [true, false])
  func unread(isStopped: Bool) throws {
    let sound = try SoundStage("speed 1")
    try sound.make()
    // The wider the sooner is the terminal full.
    let terminal = try sound.start("one.wav", "--loop", columns: 1000)
    let settings = terminal.settingsBefore
    try terminal.wait(for: "playing  one.wav")
    #expect(terminal.settings != settings)
    if isStopped { terminal.stopOutput() }
    usleep(1_500_000)
    terminal.signal(SIGTERM)
    #expect(terminal.waitUnread() == 128 + SIGTERM)
    #expect(terminal.settings == settings)
  }

  @Test(
    "a device whose server hangs keeps no key and no signal from ending it",
    arguments: [0, SIGINT, SIGTERM, SIGHUP])
  func hangs(signal: Int32) throws {
    let sound = try SoundStage("speed 1 hangs \"$/hangs\"")
    try sound.make()
    let terminal = try sound.start("one.wav", "--loop")
    let settings = terminal.settingsBefore
    try terminal.wait(for: "playing  one.wav")
    try SoundCard.wait(for: "start", in: sound.folder.path("log"))
    try writeFile(sound.folder.path("hangs"), [])
    if signal == 0 { terminal.type("q") } else { terminal.signal(signal) }
    #expect(terminal.wait() == (signal == 0 ? 0 : 128 + signal))
    #expect(terminal.settings == settings)
  }

  /// A pipe `full` that is full of zeros, and open for reading and writing as descriptor 9.
  private static let fullPipe = """
    mkfifo full
    exec 9<>full
    dd if=/dev/zero of=full bs=4096 oflag=nonblock status=none 2>/dev/null

    """

  @Test("a pipe that nobody reads does not keep it from playing to the end, nor from being ended")
  func fullPipe() throws {
    let sound = try SoundStage()
    try sound.make()
    // What cannot be played is told on standard error, and nobody reads that, either.
    try sound.stage.write("bad.wav", "no sound")
    let result = try sound.run(
      """
      HEARD=\(sound.folder.path("heard"))
      \(Self.fullPipe)
      avjob preview one.wav bad.wav two.wav >&9 2>&9
      echo $?
      "$AVJOB" preview one.wav --loop >&9 2>&9 & job=$!
      for n in $(seq 1000); do [ $(stat -c %s $HEARD) -gt 3000000 ] && break; sleep 0.02; done
      kill $job
      wait $job
      echo $?
      """)
    #expect(result.text == "1\n143\n")
    // Five seconds, and of the second preview some more.
    #expect(sound.heard.count > 3_000_000)
  }

  @Test("what a pipe did not take is told as soon as somebody reads, all of it and in order")
  func readLate() throws {
    let sound = try SoundStage()
    try sound.make()
    let result = try sound.run(
      """
      HEARD=\(sound.folder.path("heard"))
      \(Self.fullPipe)
      "$AVJOB" preview one.wav two.wav --loop >&9 2>&9 & job=$!
      for n in $(seq 1000); do [ -s $HEARD ] && break; sleep 0.02; done
      timeout 60 sed -u 's/^\\x00*//; 6q' <&9
      kill $job
      wait $job
      echo $?
      """)
    let round = "1 of 2: one.wav (0:03.0)\n2 of 2: two.wav (0:02.0)\n"
    #expect(result.text == round + round + round + "143\n")
  }

  @Test("a queue that loops keeps its order, also where it is over before all entries are ready")
  func loops() throws {
    let sound = try SoundStage()
    try sound.stage.make(
      "for n in a b c; do sox -n -r 48000 -c 2 -e float -b 32 $n.wav synth 0.3 sine 300; done")
    let result = try sound.run(
      """
      "$AVJOB" preview a.wav b.wav c.wav --loop > out.txt & job=$!
      for n in $(seq 6000); do [ $(wc -l < out.txt) -ge 8 ] && break; sleep 0.02; done
      kill $job
      wait $job
      head -8 out.txt
      """)
    let round = "1 of 3: a.wav (0:00.3)\n2 of 3: b.wav (0:00.3)\n3 of 3: c.wav (0:00.3)\n"
    #expect(
      result.text == String(
        (round + round + round).split(separator: "\n").prefix(8).joined(separator: "\n")) + "\n")
  }

  @Test("media that are damaged are told, once for each file, as a run tells it")
  func damages() throws {
    let sound = try SoundStage()
    try sound.make()
    try sound.stage.make(
      """
      sox one.wav -b 16 hurt.flac
      printf 'no sound at all, and much of it' | dd of=hurt.flac bs=1 seek=60000 conv=notrunc status=none
      """)
    try sound.stage.write(
      "hurt.yaml", "clip: hurt.flac\noutput: { file: out.wav, wav: 32 bit float }\n")
    let run = try sound.run("avjob run --quiet hurt.yaml")
    #expect(run.errors.contains("warning: "))
    let result = try sound.run("avjob preview hurt.yaml hurt.yaml hurt.flac")
    #expect(result.status == 0)
    #expect(result.errors == run.errors)
  }

  @Test("no line tells of a place in an entry before one has named it")
  func namesFirst() throws {
    let sound = try SoundStage()
    try sound.stage.make("sox -n -r 8000 -c 1 long.wav synth 30 sine 300")
    let result = try sound.run(
      """
      unset ALSA_CONFIG_PATH
      for n in $(seq 20); do avjob preview long.wav --from 23s --device null | head -1; done
      """)
    #expect(result.text == String(repeating: "long.wav (0:30.0)\n", count: 20))
  }

  @Test("closed standard streams stay closed: no file of the preview's gets their numbers")
  func closedStreams() throws {
    let sound = try SoundStage()
    try sound.make()
    let result = try sound.run("\"$AVJOB\" preview two.wav <&- >&-")
    #expect(result.status == 1)
    #expect(
      result.errors == "error: standard output cannot be written: Bad file descriptor\n")
    let isWhole = try sound.heard == Array(WAVFile(sound.stage.path("two.wav")).data)
    #expect(isWhole)
  }

  @Test("what is odd about a media file is told once, as of a job's")
  func oddities() throws {
    let sound = try SoundStage()
    try sound.make()
    try sound.stage.make("head -c $((44 + ($(stat -c %s one.wav) - 44) * 2 / 3)) one.wav > cut.wav")
    try sound.stage.write(
      "cut.yaml", "clip: cut.wav\noutput: { file: out.wav, wav: 32 bit float }\n")
    let odd = "'cut.wav': its header announces 3.000 s, 2.000 s can be decoded\n"
    let job = try sound.run("avjob preview cut.yaml")
    #expect(job.errors.hasPrefix("cut.yaml:1:7: warning: \(odd)"), "\(job.errors)")
    let media = try sound.run("avjob preview two.wav cut.wav cut.wav")
    #expect(media.errors == "warning: \(odd)")
    #expect(try sound.run("avjob preview cut.wav two.wav cut.wav").errors == "warning: \(odd)")
  }

  @Test("a job is looked for in all job files, wherever media files stand between them")
  func unknownNames() throws {
    let sound = try SoundStage()
    try sound.make()
    for (file, name) in [("a.yaml", "here"), ("b.yaml", "there")] {
      try sound.stage.write(
        file,
        """
        vars: { of_\(name): 1 }
        jobs:
          \(name): { clip: one.wav, gain: "-${of_\(name)} dB", output: \(name).wav }
        """)
    }
    let found = try sound.run(
      "avjob preview a.yaml two.wav b.yaml --job there --set of_here=2 --set of_there=3")
    #expect(found.errors == "")
    #expect(found.status == 0)
    #expect(found.text.hasPrefix("1 of 2: two.wav (0:02.0)\n2 of 2: there (0:03.0)\n"))
    let unknown = try sound.run("avjob preview a.yaml two.wav b.yaml --job ther")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("there is no job 'ther'"))
    #expect(unknown.errors.contains("did you mean 'there'?"))
    let unused = try sound.run("avjob preview a.yaml two.wav b.yaml --set of_where=2")
    #expect(unused.status == 2)
    #expect(unused.errors.contains("none of the 2 files has a variable 'of_where'"))
  }

  @Test(
    "options that are about job files are refused where only media files are named",
    arguments: ["--job x", "--output 1", "--set a=1", "--env HOME"])
  func optionsOfJobs(option: String) throws {
    let sound = try SoundStage()
    try sound.make()
    let result = try sound.run("avjob preview one.wav \(option)")
    #expect(result.status == 2)
    let name = option.prefix { $0 != " " }
    #expect(
      result.errors.hasPrefix(
        "error: \(name) is for job files, and only media files are named; leave it out, or name a "
          + "job file\n"))
  }
}
