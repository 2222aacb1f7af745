import TestSupport
import Testing

/// What the command makes of servers that misbehave.
@Suite("Media of servers with faults") struct RemoteFaultTests {
  private static let name = "feelings.ogg"

  /// What the same commands make of the file itself.
  private struct Local {
    let clip: [UInt8]
    let probe: Substring

    init(_ path: String) throws {
      let stage = Stage()
      try stage.make("avjob clip -q \(path) --from 5s --to 8s -o a.wav")
      clip = try readFile(stage.path("a.wav"))
      probe = Self.facts(try stage.make("avjob probe \(path)").text)
    }

    /// All but the name.
    static func facts(_ probe: String) -> Substring { probe.drop { $0 != "\n" } }
  }

  private static let local = Result { try Local(Fixture.path(name)) }

  @Test(
    "the right bytes come of a server that can be read, and are all there without it",
    arguments: [
      "plain", "drop=5000", "drop=70000,times=2", "weak+drop=70000", "noetag+drop=70000",
      "rate=900000", "delay=30", "noranges", "noranges+drop=70000,times=1",
      "noranges+dateonly+drop=300000,times=2", "noetag", "weak", "dateonly", "maxage=60", "busy=1",
      "busy=2,after=0", "chunked", "chunked+drop=70000,times=1", "closes", "stall=700000",
      "head=8000",
    ])
  func readable(fault: String) throws {
    let local = try Self.local.get()
    let stage = try RemoteStage()
    let url = stage.url(fault, Self.name)
    try stage.stage.write(
      "job.yaml", "clip: \(url) 5s..8s\noutput: b.wav\n")
    let probe = try stage.make("avjob probe --allow-host $host '\(url)'")
    #expect(Local.facts(probe.text) == local.probe)
    try stage.make("avjob clip -q --allow-host $host '\(url)' --from 5s --to 8s -o a.wav")
    #expect(try readFile(stage.stage.path("a.wav")) == local.clip)
    // Played, and made once more, from the server.
    try stage.make(
      """
      avjob cache clear
      avjob preview --allow-host $host '\(url)' --from 5s --to 6s --device null
      avjob cache clear
      avjob run -q --allow-host $host job.yaml
      mv b.wav c.wav
      """)
    #expect(try readFile(stage.stage.path("c.wav")) == local.clip)
    let before = try stage.requests().count
    try stage.make("avjob run -q --offline job.yaml; avjob cache verify")
    #expect(try readFile(stage.stage.path("b.wav")) == local.clip)
    #expect(try stage.requests().count == before)
  }

  @Test(
    "a server that cannot be read is reported with the right status, and leaves nothing wrong behind",
    arguments: [
      ("wrongrange", 1, "the server sent other bytes than those requested"),
      ("gzip", 1, "the server sent compressed data, which was not requested"),
      ("status=404", 2, "the server answered 404 (Not Found); check the path of the address"),
      ("status=401", 2, "the server answered 401 (Unauthorized); add the server's user"),
      ("status=429,after=100", 75, "429 (Too Many Requests); try again in 100 s"),
      ("status=503,after=100", 75, "503 (Service Unavailable); try again in 100 s"),
      ("status=416", 2, "the server answered 416 (Range Not Satisfiable); check the address"),
      ("raw=hello", 1, "the head of the server's answer is malformed"),
      ("head=70000", 1, "the head of the server's answer is too large"),
      ("header=Content-Length:5", 1, "malformed: its Content-Length is not a number"),
      ("loop", 2, "the server redirects more than 8 times"),
      ("huge", 1, "holds no sound in a known format"),
      ("huge-noranges", 1, "the whole is more than the cache may hold; set AVJOB_CACHE_SIZE"),
    ])
  func unreadable(fault: String, status: Int32, message: String) throws {
    let local = try Self.local.get()
    let stage = try RemoteStage()
    let url = stage.url(fault, Self.name)
    let clip = "avjob clip -q --allow-host $host '\(url)' --from 5s --to 8s -o a.wav"
    try stage.stage.write("job.yaml", "clip: \(url) 5s..8s\noutput: a.wav\n")
    let others = [
      "avjob run -q --allow-host $host job.yaml", "avjob probe --allow-host $host '\(url)'",
      "avjob preview --device null --allow-host $host '\(url)' >/dev/null",
    ]
    for command in [clip] + others {
      let failed = try stage.run(command)
      #expect(
        failed.status == status && failed.errors.contains(message), "\(command): \(failed.errors)")
    }
    #expect(try !stage.stage.listing().contains { $0.contains(".wav") })
    #expect(try stage.run("avjob cache verify").status == 0)
    try stage.server.heal(stage.path(fault: fault, Self.name))
    try stage.make(clip)
    #expect(try readFile(stage.stage.path("a.wav")) == local.clip)
    try stage.make(
      "rm a.wav; avjob cache verify; avjob clip -q --offline '\(url)' --from 5s --to 8s -o a.wav")
    #expect(try readFile(stage.stage.path("a.wav")) == local.clip)
  }

  @Test("a server that fails is asked for a medium twice four times, however many jobs read it")
  func deadServer() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -R -n -r 44100 -b 16 a.wav synth 1 sine 300 gain -6")
    let url = stage.url("status=503", "a.wav")
    let jobs = (1...5).map { "  j\($0): { clip: \"\(url)\", output: \($0).flac }\n" }
    try stage.stage.write("job.yaml", "jobs:\n" + jobs.joined())
    #expect(try stage.run("avjob run -q --allow-host $host job.yaml").status == 75)
    #expect(try stage.requests().count == 8)
  }

  @Test(
    "an MP3 of which frames are missing fails where they count, and is read as a file the next time"
  )
  func damagedMP3() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      """
      sox -R -n -r 44100 -c 2 -b 16 a.wav synth 180 pinknoise gain -6
      lame --quiet -b 128 a.wav a.mp3
      dd if=/dev/zero of=a.mp3 bs=1 seek=1000000 count=2090 conv=notrunc status=none
      avjob clip -q a.mp3 --from end-10s --to end-5s -o here.wav
      """)
    func job(_ name: String, _ url: String) throws {
      try stage.stage.write("\(name).yaml", "clip: \(url) end-10s..end-5s\noutput: \(name).wav\n")
    }
    for options in ["", "--isolate"] {
      try job("there", stage.url("plain", "a.mp3"))
      let command = "avjob run -q \(options) --allow-host $host there.yaml"
      let first = try stage.run("avjob cache clear; rm -rf .avjob there.wav; \(command)")
      #expect(first.status == 75 && first.errors.contains("run the job again"), "\(first.errors)")
      try stage.make("\(command); cmp here.wav there.wav")
    }
    // What is not kept tells no next run.
    try job("unkept", stage.url("header=Cache-Control:no-store", "a.mp3"))
    try stage.make("avjob run -q --allow-host $host unkept.yaml; cmp here.wav unkept.wav")
  }

  @Test("jobs of a server that breaks its protocol fail, and no others")
  func otherJobs() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -R -n -r 44100 -b 16 a.wav synth 1 sine 300 gain -6")
    try stage.stage.write(
      "job.yaml",
      """
      jobs:
        bad: { clip: "\(stage.url("gzip", "a.wav"))", output: bad.flac }
        good: { clip: "\(stage.url("plain", "a.wav"))", output: good.flac }
      """)
    #expect(try stage.run("avjob run -q --allow-host $host job.yaml").status == 1)
    #expect(try stage.run("ls *.flac").text == "good.flac\n")
  }

  @Test(
    "a file that is another one midway is reported as temporary, and the next run reads it anew",
    arguments: [
      ("changes=1", "the server's file was changed while it was read; run again"),
      (
        "noranges+noetag+drop=70000",
        "the server broke off, sends no parts, and does not say which version its file is"
      ),
    ])
  func midway(fault: String, message: String) throws {
    for command in ["probe '$url'", "preview --device null '$url'"] {
      try midway(fault, message, command)
    }
  }

  private func midway(_ fault: String, _ message: String, _ command: String) throws {
    let stage = try RemoteStage()
    let url = stage.url(fault, Self.name)
    try stage.stage.write("job.yaml", "clip: \(url)\noutput: a.wav\n")
    let failed = try stage.run(
      "avjob \(command.replacing("$url", with: url)) --allow-host $host >/dev/null")
    #expect(failed.status == 75 && failed.errors.contains(message), "\(command): \(failed.errors)")
    try stage.server.heal(stage.path(fault: fault, Self.name))
    try stage.make(
      """
      avjob cache verify
      avjob clip -q --allow-host $host '\(url)' --from 5s --to 8s -o a.wav
      """)
    #expect(try readFile(stage.stage.path("a.wav")) == Self.local.get().clip)
  }

  @Test("a run opens a file anew whose first answer could not be continued")
  func anew() throws {
    let stage = try RemoteStage()
    let url = stage.url("noranges+noetag+drop=70000,times=1", Self.name)
    try stage.stage.write("job.yaml", "clip: \(url) 5s..8s\noutput: a.wav\n")
    try stage.make("avjob run -q --allow-host $host job.yaml")
    #expect(try readFile(stage.stage.path("a.wav")) == Self.local.get().clip)
  }

  @Test("a body that was cut off and looks whole is fetched again by the next run")
  func cutOff() throws {
    let stage = try RemoteStage()
    let url = stage.url("closes+maxage=60+drop=70000,times=1", Self.name)
    _ = try stage.run("avjob probe --allow-host $host '\(url)'")
    #expect(try stage.requests().count == 1)
    try stage.make(
      "avjob clip -q --allow-host $host '\(url)' --from 5s --to 8s -o a.wav")
    #expect(try readFile(stage.stage.path("a.wav")) == Self.local.get().clip)
  }

  @Test("an answer without an end is refused at the limit of the cache, where nothing of it stays")
  func endless() throws {
    let stage = try RemoteStage()
    let result = try stage.run(
      """
      AVJOB_CACHE_SIZE=2MB avjob probe --allow-host $host '\(stage.url("endless", "sweep.mp3"))'
      echo $?
      avjob cache list
      """)
    #expect(result.text == "1\nthe cache is empty\n")
    #expect(
      result.errors.contains(
        "the server sends no parts of its file, and the whole is more than the cache may hold"))
  }

  @Test("a list of times without an end is refused, and not fetched beyond the limit of lists")
  func endlessList() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 1 sine 300 gain -6; seq 20000 >live.cue")
    try stage.stage.write(
      "job.yaml",
      """
      clip: a.wav
      split: \(stage.url("endless", "live.cue"))
      output: "${part.n}.flac"

      """)
    let result = try stage.run("avjob run -q --allow-host $host job.yaml")
    #expect(result.status == 2 && result.errors.contains("has more than 8 MiB"), "\(result.errors)")
    let sent = try stage.requests()
    #expect(sent.count == 1 && sent.bodyBytes < 16 << 20, "\(sent)")
  }

  @Test("a signal ends a job that waits for a server at once, and nothing more is asked")
  func stopped() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 20 sine 300 gain -6")
    let url = stage.url("hold=100000-320000", "a.wav")
    try stage.stage.write("job.yaml", "clip: \(url) 10s..15s\noutput: out.wav\n")
    for option in ["", "--isolate"] {
      let before = try stage.requests().count
      let result = try stage.run(
        """
        "$AVJOB" run -q \(option) --allow-host $host job.yaml 2>errors & job=$!
        until find cache -name '*.map' -size +0c | grep -q . || ! kill -0 $job; do
          sleep 0.01
        done 2>/dev/null
        sleep 0.2
        kill -INT $job
        wait $job
        echo $?
        rm -r cache
        """)
      #expect(result.text == "130\n", "\(result.errors)")
      let asked = try stage.requests().count - before
      #expect((1...4).contains(asked))
    }
    #expect(try !stage.stage.listing().contains { $0.hasSuffix(".wav") && $0 != "a.wav" })
  }

  @Test("a byte that the server has wrong is wrong in the sound, as in a file with that byte")
  func corrupt() throws {
    let stage = try RemoteStage(servingItself: true)
    var bytes = try readFile(Fixture.path("voice-8k.wav"))
    try writeFile(stage.stage.path("voice.wav"), bytes)
    bytes[100_000] ^= 0xFF
    try writeFile(stage.stage.path("wrong.wav"), bytes)
    try stage.make(
      """
      avjob clip -q --allow-host $host \(stage.url("corrupt=100000", "voice.wav")) -o remote.flac
      avjob clip -q wrong.wav -o local.flac
      avjob cache verify
      """)
    let local = try readFile(stage.stage.path("local.flac"))
    #expect(try readFile(stage.stage.path("remote.flac")) == local)
  }

  @Test("a file that changed between two runs is read anew, and its jobs are done again")
  func changed() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 3 sine 300 gain -6")
    try stage.stage.write(
      "job.yaml", "clip: \(stage.url("plain", "a.wav")) 1s..2s\noutput: out.flac\n")
    let run = "avjob run -q --allow-host $host job.yaml"
    try stage.make(run)
    let first = try readFile(stage.stage.path("out.flac"))
    try stage.make("sox -n -r 8000 -c 1 -b 16 a.wav synth 3 sine 500 gain -6; \(run)")
    let second = try readFile(stage.stage.path("out.flac"))
    #expect(first != second)
    try stage.make("avjob clip -q a.wav --from 1s --to 2s -o local.flac; avjob cache verify")
    #expect(try readFile(stage.stage.path("local.flac")) == second)
  }
}
