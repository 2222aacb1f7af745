import TestSupport
import Testing

/// What is asked of servers, kept of them, and said of them.
@Suite("Media of servers") struct RemoteTests {
  @Test("twenty sources cost twenty conditional requests in the next run, and none with --offline")
  func secondRun() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      "for i in {1..20}; do sox -n -r 8000 -c 1 -b 16 $i.wav synth 2 sine $((200 + i)) gain -6; done"
    )
    let jobs = (1...20).map { number in
      "  j\(number): { clip: \"\(stage.url("plain", "\(number).wav")) 1s..2s\", "
        + "output: \(number).flac }\n"
    }
    try stage.stage.write("job.yaml", "jobs:\n" + jobs.joined())
    try stage.make("avjob run -q --allow-host $host job.yaml")
    let first = try stage.requests()
    #expect(first.bodyBytes == 20 * 32_044)
    let again = try stage.make("avjob run --allow-host $host job.yaml")
    #expect(again.text == "20 jobs were up to date\n", "\(again.text)")
    let second = try stage.requests().dropFirst(first.count)
    #expect(second.count <= 20 && Array(second).bodyBytes == 0)
    #expect(second.allSatisfy { $0["status"] == "304" && $0["If-None-Match"] != nil })
    let total = first.count + second.count
    let offline = try stage.make("avjob run --offline job.yaml")
    #expect(offline.text == "20 jobs were up to date\n", "\(offline.text)")
    try stage.make("rm -r .avjob *.flac; avjob run -q --offline job.yaml")
    #expect(try stage.requests().count == total)
    try stage.make(
      "for i in {1..20}; do avjob clip -q $i.wav --from 1s --to 2s -o $i-local.flac; done")
    for number in 1...20 {
      #expect(
        try readFile(stage.stage.path("\(number).flac"))
          == readFile(stage.stage.path("\(number)-local.flac")))
    }
  }

  @Test("inside of max-age, the next run asks nothing")
  func maxAge() throws {
    let stage = try RemoteStage()
    let url = stage.url("maxage=3600", "sweep.mp3")
    try stage.make("avjob clip -q --allow-host $host '\(url)' -o a.wav")
    let count = try stage.requests().count
    try stage.make("avjob clip -q --allow-host $host '\(url)' -o b.wav; cmp a.wav b.wav")
    #expect(try stage.requests().count == count)
  }

  @Test("what is not in the cache is refused with --offline, and leaves nothing there")
  func offline() throws {
    let stage = try RemoteStage()
    let url = stage.url("plain", "sweep.mp3")
    let shown = "http://\(stage.host)/plain/sweep.mp3?…"
    let result = try stage.run("avjob probe --offline '\(url)'; echo $?; avjob cache list")
    #expect(result.text == "2\nthe cache is empty\n")
    #expect(
      result.errors == """
        error: '\(shown)': it is not in the cache, and --offline refuses to fetch it; run once \
        without it

        """)
    #expect(try stage.requests().isEmpty)
  }

  @Test("a part costs few requests on few connections, and is not the whole where it is repeated")
  func repeated() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 44100 -c 2 -b 16 a.wav synth 60 sine 300 gain -6")
    let part = "\(stage.url("plain", "a.wav")) 20s..25s"
    let parts = repeatElement("'\(part)'", count: 12).joined(separator: ", ")
    try stage.stage.write("job.yaml", "concat: [\(parts)]\noutput: out.wav\n")
    try stage.make("avjob run -q --allow-host $host job.yaml")
    let requests = try stage.requests()
    #expect(requests.bodyBytes <= 5 * 176_400 + (512 << 10))
    #expect(requests.count <= 6 && Set(requests.map { $0["connection"] }).count <= 2)
  }

  @Test("an MP3 is fetched up to where it is read, if its encoder has counted its frames")
  func partOfMP3() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      """
      sox -n -r 44100 -c 2 -b 16 a.wav synth 120 pinknoise gain -6
      lame --quiet -V 2 a.wav a.mp3
      lame --quiet -t -b 128 a.wav untagged.mp3
      """)
    let size = try readFile(stage.stage.path("a.mp3")).count
    try stage.make("avjob probe --json --allow-host $host '\(stage.url("plain", "a.mp3"))' >probe")
    #expect(try stage.requests().bodyBytes <= 512 << 10)
    for (name, bytes) in [("a.mp3", size * 25 / 120 + 512 << 10), ("untagged.mp3", 1_920_000)] {
      let count = try stage.requests().count
      let clip = "--from 20s --to 25s"
      try stage.make(
        """
        avjob clip -q --allow-host $host '\(stage.url("plain", name))' \(clip) -o there.wav
        avjob clip -q \(name) \(clip) -o here.wav
        cmp here.wav there.wav; rm here.wav there.wav
        """)
      let requests = Array(try stage.requests().dropFirst(count))
      #expect(requests.bodyBytes <= bytes + 1000 && requests.count <= 6, "\(name)")
    }
    // The rest is fetched once, and the file is as long as its tag says.
    try stage.make(
      """
      avjob clip -q --allow-host $host '\(stage.url("plain", "a.mp3"))' --from 119s -o there.wav
      avjob clip -q a.mp3 --from 119s -o here.wav
      cmp here.wav there.wav
      avjob probe --json --offline '\(stage.url("plain", "a.mp3"))' | grep -v url >again
      grep -v url probe | cmp - again
      """)
    let all = try stage.requests().filter { $0["path"]?.contains("/a.mp3") == true }
    #expect(all.bodyBytes <= size)
  }

  @Test("a cover comes from an address, once")
  func cover() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i color=red:size=64x64 -frames:v 1 c.jpg
      sox -n -r 44100 -c 1 a.wav synth 1 sine 300 gain -6
      """)
    try stage.stage.write(
      "job.yaml",
      """
      clip: \(stage.url("plain", "a.wav"))
      metadata: { cover: "\(stage.url("plain", "c.jpg"))" }
      output: out.mp3
      """)
    try stage.make(
      """
      avjob run -q --allow-host $host job.yaml
      ffmpeg -v error -i out.mp3 -map 0:v -c copy -f image2 found.jpg
      cmp c.jpg found.jpg
      """)
    let count = try stage.requests().count
    try stage.make("rm -r .avjob; avjob run -q --offline job.yaml")
    #expect(try stage.requests().count == count)
    try stage.stage.write(
      "absent.yaml",
      """
      clip: a.wav
      metadata: { cover: "\(stage.url("status=404", "c.jpg"))" }
      output: absent.mp3
      """)
    let absent = try stage.run("avjob run -q --allow-host $host absent.yaml")
    #expect(absent.status != 0 && absent.errors.contains("the server answered 404 (Not Found)"))
  }

  @Test("user, password and query are in no stream, report, receipt or file of the cache")
  func secrets() throws {
    let stage = try RemoteStage(servingItself: true)
    try stage.make("sox -n -r 8000 -c 1 a.wav synth 2 sine 300 gain -6; mkdir jobs runs")
    let secret = "ann:s3cr3t@\(stage.host)"
    func url(_ fault: String) -> String { "http://\(secret)/\(fault)/a.wav?token=t0ps3cret" }
    try stage.stage.write(
      "jobs/job.yaml",
      """
      jobs:
        good: { clip: "\(url("plain"))", output: ../runs/good.mp3, chapters: keep }
        bad: { clip: "\(url("status=404")) 1s..", output: ../runs/bad.flac }
        worse: { clip: "\(url("plain")) 5s..7s", output: ../runs/worse.flac }
      """)
    try stage.stage.write(
      "jobs/each.yaml",
      """
      for_each: { take: ["\(url("plain"))"], q: [a, b] }
      clip: ${take}
      output: "../runs/each-${q}.flac"
      """)
    // Each run shows it in another way.
    let result = try stage.run(
      """
      cd runs
      for i in 1 2; do
        avjob run --allow-host $host ../jobs/job.yaml --report r$i.json --report r$i.md \\
          --report r$i.xml --verbose
      done
      avjob run --force --allow-host $host ../jobs/job.yaml --only good --progress json --isolate
      avjob run --allow-host $host ../jobs/job.yaml --annotate github
      avjob plan --allow-host $host ../jobs/job.yaml --json
      avjob run --allow-host $host ../jobs/each.yaml --report e.json --report e.xml --verbose
      avjob plan --allow-host $host ../jobs/each.yaml --json
      avjob plan --allow-host $host ../jobs/job.yaml --only good
      avjob check --json ../jobs/job.yaml
      avjob probe --json --allow-host $host '\(url("plain"))' '\(url("status=404"))'
      avjob probe --loudness --allow-host $host '\(url("plain"))' '\(url("gzip"))'
      avjob clip --allow-host $host '\(url("status=404"))' -o x.wav
      avjob cache list; avjob cache list --json; avjob cache verify
      """)
    #expect(result.text.contains("a.wav?…") && result.errors.contains("a.wav?…"))
    let words = ["s3cr3t", "t0ps3cret", "YW5uOnMzY3IzdA"]
    for word in words {
      #expect(!result.text.contains(word) && !result.errors.contains(word), "\(result.errors)")
    }
    let found = try stage.run("grep -rlE '\(words.joined(separator: "|"))' . | LC_ALL=C sort")
    #expect(found.text == "./jobs/each.yaml\n./jobs/job.yaml\n")
    let records = try stage.server.requests(for: "token=t0ps3cret")
    #expect(records.contains { $0["Authorization"] == "Basic YW5uOnMzY3IzdA==" })
  }
}
