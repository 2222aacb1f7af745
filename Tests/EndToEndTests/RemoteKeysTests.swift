import TestSupport
import Testing

/// Addresses wherever a job file or a command line takes a path. Each job is compared with the same
/// one of the files themselves.
@Suite("Keys that take addresses") struct RemoteKeysTests {
  /// Runs a job of addresses, then of local files, and compares all that they write.
  ///
  /// - Parameters:
  ///   - yaml: The job, which writes into `OUT/`; `URL` stands before names of files.
  ///   - stage: Has the files.
  ///   - options: Of both runs.
  /// - Throws: What commands of the test itself end with.
  private func compare(_ yaml: String, in stage: RemoteStage, options: String = "") throws {
    let query = "?\(stage.query)"
    let server = "http://\(stage.host)/plain/"
    func text(_ out: String, _ address: (String) -> String) -> String {
      var parts = yaml.replacing("OUT/", with: out + "/").split(
        separator: "URL", omittingEmptySubsequences: false)
      let first = parts.removeFirst()
      return parts.reduce(String(first)) { text, part in
        let name = part.prefix { $0.isLetter || $0.isNumber || ".-".contains($0) }
        return text + address(String(name)) + part.dropFirst(name.count)
      }
    }
    try stage.stage.write("there.yaml", text("there") { server + $0 + query })
    try stage.stage.write("here.yaml", text("here") { $0 })
    let before = try stage.requests().count
    try stage.make(
      """
      avjob run -q --allow-host $host \(options) there.yaml
      avjob run -q \(options) here.yaml
      test "$(find here -type f | wc -l)" -gt 0
      diff -r here there
      """)
    #expect(try stage.requests().count > before)
    // All of it is in the cache.
    let asked = try stage.requests().count
    try stage.make(
      "rm -r .avjob there; avjob run -q --offline \(options) there.yaml; diff -r here there")
    #expect(try stage.requests().count == asked)
  }

  private func stage() throws -> RemoteStage {
    let stage = try RemoteStage(servingItself: true)
    try stage.make(
      """
      sox -R -n -r 44100 -c 2 -b 16 a.wav synth 3 pinknoise gain -6
      sox -R -n -r 44100 -c 2 -b 16 b.wav synth 2 sine 300 gain -6
      """)
    return stage
  }

  @Test("lists of chapters, of cuts and of muted ranges are read from servers, as files are")
  func lists() throws {
    let stage = try stage()
    try stage.stage.write("chapters.txt", "0:00 One\n0:02 Two\n")
    try stage.stage.write("cuts.txt", "1.0\t1.5\tcough\n")
    try compare(
      """
      jobs:
        named: { clip: a.wav, chapters: "URLchapters.txt", output: { file: OUT/a.mp3, mp3: V2 } }
        points: { clip: a.wav, chapters: { points: "URLchapters.txt" }, output: OUT/b.mp3 }
        cut: { clip: a.wav, cut: "URLcuts.txt", output: OUT/c.flac }
        mute: { clip: "URLa.wav", mute: { ranges: "URLcuts.txt" }, output: OUT/d.flac }
      """, in: stage)
  }

  @Test("a job is split by a CUE sheet of a server, with the tags of the sheet")
  func split() throws {
    let stage = try stage()
    try stage.stage.write(
      "live.cue",
      """
      PERFORMER "The Band"
      TITLE "Live"
      FILE "a.wav" WAVE
        TRACK 01 AUDIO
          TITLE "Eins"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE "Zwei"
          INDEX 01 00:01:37

      """)
    try compare(
      """
      clip: URLa.wav
      split: URLlive.cue
      output: "OUT/${part.n:02} ${part.title}.flac"
      """, in: stage)
    #expect(
      try stage.make("ls here; metaflac --show-tag=ALBUM 'there/02 Zwei.flac'").text
        == "01 Eins.flac\n02 Zwei.flac\nALBUM=Live\n")
  }

  @Test("covers, images of chapters and the tags of another medium come from servers")
  func pictures() throws {
    let stage = try stage()
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i color=red:size=64x64 -frames:v 1 c.jpg
      ffmpeg -v error -f lavfi -i color=blue:size=32x32 -frames:v 1 d.png
      avjob clip -q b.wav -o t.flac --tag artist='Deep Fields'
      """)
    try compare(
      """
      jobs:
        own:
          clip: a.wav
          metadata: { cover: "URLc.jpg", title: A }
          chapters: { 0s: { title: One, image: "URLd.png" }, 1s: Two }
          output: { file: OUT/a.mp3, mp3: V2 }
        other: { clip: a.wav, metadata: { from: "URLt.flac", cover: "URLd.png" }, output: OUT/b.m4a }
      """, in: stage)
  }

  @Test("an impulse response comes from a server")
  func impulse() throws {
    let stage = try stage()
    try stage.make("sox -R -n -r 48000 -c 1 -b 16 hall.wav synth 0.3 whitenoise fade t 0 0.3 0.3")
    try compare(
      """
      clip: URLa.wav
      effects: [reverb: { impulse: "URLhall.wav", mix: 30 %, tail: 0.3s }]
      output: OUT/a.flac
      """, in: stage)
  }

  @Test("variables are filled into addresses, those of '--set' and of a loop, too")
  func variables() throws {
    let stage = try stage()
    let rest = "/plain/${name}.wav?\(stage.query)"
    try stage.stage.write(
      "vars.yaml",
      """
      vars: { server: nowhere, name: a }
      jobs:
        set: { clip: "http://${server}\(rest) 1s..2s", output: set.flac }
        each:
          for_each: { take: [a, b] }
          clip: "http://${server}/plain/${take}.wav?\(stage.query)"
          output: "${take}.flac"
        mixed:
          for_each: [b.wav, "http://${server}\(rest)"]
          output: { folder: mixed, flac: 16 bit }
      """)
    try stage.make(
      """
      avjob run -q --allow-host $host --set server=$host vars.yaml
      avjob clip -q a.wav --from 1s --to 2s -o here-set.flac
      avjob clip -q a.wav -o here-a.flac
      avjob clip -q b.wav -o here-b.flac
      cmp set.flac here-set.flac; cmp a.flac here-a.flac; cmp b.flac here-b.flac
      cmp mixed/a.flac here-a.flac; cmp mixed/b.flac here-b.flac
      """)
  }

  @Test("'concat' and 'compress' take addresses beside files, and write the same bytes")
  func commandLine() throws {
    let stage = try stage()
    let (a, b) = (stage.url("plain", "a.wav"), stage.url("plain", "b.wav"))
    try stage.make(
      """
      avjob concat -q --allow-host $host '\(a)' b.wav '\(b)' -o there.flac
      avjob concat -q a.wav b.wav b.wav -o here.flac
      cmp here.flac there.flac
      avjob compress -q --allow-host $host '\(a)' -o there.mp3
      avjob compress -q a.wav -o here.mp3
      cmp here.mp3 there.mp3
      mkdir there here
      avjob compress -q --allow-host $host '\(a)' b.wav -o there
      avjob compress -q a.wav b.wav -o here
      diff -r here there
      """)
    let asked = try stage.requests().count
    try stage.make("avjob concat -q --offline '\(a)' '\(b)' -o again.flac")
    #expect(try stage.requests().count == asked)
  }

  @Test("a source with the right SHA-256 is read, and again without a request with '--offline'")
  func digest() throws {
    let stage = try stage()
    try stage.stage.write(
      "job.yaml.in",
      """
      sources:
        there: { file: "\(stage.url("plain", "a.wav"))", sha256: DIGEST }
        here: { file: b.wav, sha256: OTHER }
      concat: [there 1s..2s, here]
      output: out.flac
      """)
    try stage.make(
      """
      sed "s/DIGEST/$(sha256sum <a.wav | cut -c-64)/; s/OTHER/$(sha256sum <b.wav | cut -c-64)/" \\
        job.yaml.in >job.yaml
      avjob run -q --allow-host $host job.yaml
      """)
    let asked = try stage.requests()
    #expect(asked.bodyBytes >= 3 * 176_400)
    try stage.make(
      """
      mv out.flac first.flac; rm -r .avjob
      avjob run -q --offline job.yaml
      cmp first.flac out.flac
      """)
    #expect(try stage.requests().count == asked.count)
  }

  @Test("a source with another SHA-256 is refused before work starts, a server's and a file")
  func wrongDigest() throws {
    let stage = try stage()
    let wrong = String(repeating: "0a", count: 32)
    try stage.stage.write(
      "job.yaml",
      """
      jobs:
        there: { clip: there, output: there.flac }
        here: { clip: here, output: here.flac }
        fine: { clip: b.wav, output: fine.flac }
      sources:
        there: { file: "\(stage.url("plain", "a.wav"))", sha256: \(wrong) }
        here: { file: a.wav, sha256: \(wrong) }
      """)
    let digest = try stage.make("sha256sum <a.wav | cut -c-64 | tr -d '\\n'").text
    let says = "its SHA-256 is \(digest), and the job file says \(wrong); "
    let shown = "http://\(stage.host)/plain/a.wav?…"
    let check = try stage.run("avjob check --allow-host $host job.yaml")
    #expect(check.status == 1)
    let column = 30 + stage.url("plain", "a.wav").count
    let expected: [String] = [
      "job.yaml:6:\(column): error: '\(shown)': \(says)get the right file, or correct 'sha256'",
      "job.yaml:7:32: error: 'a.wav': \(says)get the right file, or correct 'sha256'",
    ]
    let lines = check.errors.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.contains("error:") } == expected)
    let run = try stage.run("avjob run -q --allow-host $host job.yaml")
    #expect(run.status == 1)
    #expect(try stage.run("ls *.flac").text == "fine.flac\n")
  }

  @Test("a list that its server cannot give now ends a run with 75, one that is not there with 2")
  func unread() throws {
    let stage = try stage()
    try stage.stage.write("list.txt", "0:00 One\n0:02 Two\n")
    func screen(_ url: String, _ command: String = "run -q") throws -> (Int32, String) {
      try stage.stage.write("job.yaml", "clip: a.wav\nchapters: \(url)\noutput: out.mp3\n")
      let result = try stage.run("avjob \(command) --allow-host $host job.yaml")
      #expect(try stage.run("ls out.mp3").status != 0)
      return (result.status, String(result.errors.prefix { $0 != "\n" }))
    }
    let busy = try screen(stage.url("status=503,after=100", "list.txt"))
    #expect(
      busy == (
        75,
        "job.yaml:2:11: error: 'http://\(stage.host)/status=503,after=100/list.txt?…': the server "
          + "answered 503 (Service Unavailable); try again in 100 s"
      ))
    #expect(try screen(stage.url("status=429,after=100", "list.txt"), "check").0 == 75)
    let absent = try screen(stage.url("status=404", "list.txt"))
    #expect(
      absent == (
        2,
        "job.yaml:2:11: error: 'http://\(stage.host)/status=404/list.txt?…': the server answered "
          + "404 (Not Found); check the path of the address"
      ))
    #expect(try screen(stage.url("plain", "list.txt"), "run -q --offline").0 == 2)
    // A mistake beside it lasts.
    try stage.stage.write(
      "both.yaml",
      "clip: a.wav\nchapters: \(stage.url("status=503,after=100", "list.txt"))\ngain: 3\n"
        + "output: out.mp3\n")
    #expect(try stage.run("avjob check --allow-host $host both.yaml").status == 2)
  }

  @Test("names of jobs that are made of addresses show no secret in any report")
  func names() throws {
    let stage = try stage()
    let url = "http://ann:s3cr3t@\(stage.host)/plain/a.wav?token=t0ps3cret"
    try stage.stage.write("t.csv", "url\n\(url)\n")
    try stage.make("mkdir runs")
    try stage.stage.write(
      "job.yaml",
      """
      jobs:
        cut-${input}:
          for_each: ["\(url)"]
          clip: "${input} 1s..2s"
          metadata: { title: "Of ${input}" }
          output: runs/cut.mp3
        bad-${input}: { for_each: ["\(url)"], clip: "${input} 5s..", output: runs/bad.flac }
        row: { rows: t.csv, clip: "${url}", needs: "cut-${url}", output: runs/row.flac }
      """)
    let result = try stage.run(
      """
      cd runs
      for i in 1 2; do
        avjob run --allow-host $host ../job.yaml --report r$i.json --report r$i.md \\
          --report r$i.xml --verbose
      done
      avjob run --force --keep-going --allow-host $host ../job.yaml --progress json --explain
      avjob run --force --allow-host $host ../job.yaml --only 'cut-*' --isolate \\
        --report github --annotate github
      GITHUB_STEP_SUMMARY=$PWD/summary.md avjob run --keep-going --allow-host $host ../job.yaml \\
        --report github
      avjob plan --allow-host $host ../job.yaml; avjob plan --json --allow-host $host ../job.yaml
      avjob check --json --allow-host $host ../job.yaml
      avjob probe --json cut.mp3
      avjob compress --allow-host $host --verbose --report c.json -o o.mp3 \\
        'http://ann:s3cr3t@'$host'/?token=t0ps3cret'
      """)
    let shown = "cut-http://\(stage.host)/plain/a.wav?…"
    #expect(result.text.contains(shown) && result.errors.contains(shown), "\(result.errors)")
    for word in ["s3cr3t", "t0ps3cret", "YW5uOnMzY3IzdA"] {
      #expect(!result.text.contains(word) && !result.errors.contains(word), "\(result.text)")
    }
    let found = try stage.run("grep -rlE 's3cr3t|t0ps3cret' . | LC_ALL=C sort")
    #expect(found.text == "./job.yaml\n./t.csv\n")
    #expect(try readFile(stage.stage.path("runs/r1.json")).count > 100)
  }
}
