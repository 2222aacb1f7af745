import TestSupport
import Testing

@Suite("A batch with broken media in it")
struct BrokenBatchTests {
  /// A way to be broken.
  private struct Way {
    /// Makes it; FILE is the file.
    var script: String
    /// What is said, with FILE for its path.
    var says: String
    /// What a report says whose affair it is; nil where it is no file.
    var remedy: String?

    init(_ script: String, _ says: String, remedy: String? = "input") {
      self.script = script
      self.says = remedy == nil ? says : "'FILE': " + says
      self.remedy = remedy
    }
  }

  private static let unknown =
    "holds no sound in a known format (a text, a playlist, a damaged header?)"
  private static let ways = [
    Way(": > FILE", "is empty (0 bytes)"),
    Way("seq 1000 > FILE", unknown),
    Way("head -c 44 tone.wav > FILE", "holds no sound (its header is all there is)"),
    Way("head -c 20 tone.wav > FILE", unknown),
    Way("cp silent.mkv FILE", "holds no sound, only video (ffv1)"),
    Way("cp tone.wav FILE; chmod 000 FILE", "may not be read", remedy: "machine"),
    Way("mkdir FILE", "'FILE' is a folder", remedy: nil),
    Way("mkfifo FILE", "'FILE' is no regular file", remedy: nil),
    Way(":", "there is no file 'FILE'", remedy: nil),
    Way("cp nan.wav FILE", "holds samples that are no numbers (NaN or infinity)"),
  ]
  private static let later = Way(
    "cp broken.m4a FILE",
    "breaks off at 0.464 s and not at 1.000 s; copy or download it again, or clip a "
      + "range before that"
  )

  /// A folder with 160 sounds, each another one, and 40 files that are none, and a job for each.
  private func stage(_ ways: [Way]) throws -> Stage {
    let stage = Stage()
    var script = """
      mkdir in
      sox -R -r 8000 -n -c 1 -b 16 all.wav synth 16 pinknoise vol 0.3
      sox all.wav in/good.wav trim 0 0.1 : newfile : restart
      for n in $(seq 99); do mv in/good$(printf %03d $n).wav in/good$n.wav; done
      cp in/good1.wav tone.wav
      ffmpeg -v error -f lavfi -i testsrc=size=16x16 -frames:v 1 -c:v ffv1 silent.mkv
      head -c 4000 /dev/zero | tr '\\0' '\\377' | ffmpeg -v error -f f32le -ar 8000 -ac 1 -i - \
        -c:a copy nan.wav
      \(Stage.brokenMedium)

      """
    var jobs = "jobs:\n"
    for number in 1...160 {
      jobs += "  good\(number): { clip: in/good\(number).wav, output: out/good\(number).flac }\n"
    }
    for number in 0..<40 {
      script += ways[number % ways.count].script.replacing("FILE", with: Self.file(number)) + "\n"
      jobs += Self.line(number) + "\n"
    }
    try stage.make(script)
    try stage.write("job.yaml", jobs)
    return stage
  }

  private static func file(_ number: Int) -> String { "in/bad\(number).wav" }

  /// The line of the job file about a broken file.
  private static func line(_ number: Int) -> String {
    "  bad\(number): { clip: \(file(number)), output: out/bad\(number).flac }"
  }

  /// What the screen says of it: place, what is wrong, and the line with its place marked.
  private static func block(_ number: Int, _ way: Way) -> String {
    let before = "  bad\(number): { clip: ".count
    let caret = String(repeating: " ", count: before) + "^"
    return """
      job.yaml:\(162 + number):\(before + 1): error: \(way.says.replacing("FILE", with: file(number)))
        \(162 + number) | \(line(number))
            | \(caret)\(String(repeating: "~", count: file(number).count - 1))

      """
  }

  /// Without the one that root, who may read everything, does not know.
  private static var usableWays: [Way] {
    get throws {
      let isRoot = try Tool.run(["id", "-u"]).text == "0\n"
      return ways.filter { !(isRoot && $0.script.contains("chmod")) }
    }
  }

  private func expectOthersDone(_ result: ToolResult, _ stage: Stage, _ ways: [Way]) throws {
    #expect(result.status == 1)
    // In whatever order the jobs failed, with help below it where there is some; of those that say
    // the same, the first is shown and the others are counted. The report has each.
    var rest = result.errors
    var reported = 0
    for number in 0..<40 {
      let way = ways[number % ways.count]
      let block = Self.block(number, way)
      let isFirst = ways.firstIndex { $0.says == way.says } == number
      #expect(rest.contains(block) || !isFirst, "\(block) is not in \(result.errors)")
      if rest.contains(block) { reported += 1 }
      rest = rest.replacing(block, with: "")
    }
    var others: [Substring] = []
    for line in rest.split(separator: "\n") where !line.hasPrefix("  help: ") {
      let words = line.split(separator: " ")
      if line.hasPrefix("  and "), line.contains(" more like it: job.yaml:") {
        reported += Int(words[1]) ?? 0
      } else {
        others.append(line)
      }
    }
    #expect(reported == 40)
    #expect(others == ["40 of 200 jobs failed"])
    // Each is decoded, and compared with the sound that its job was given.
    let decoded = try stage.make(
      """
      ls out | LC_ALL=C sort > found
      cd out; flac -s -d *.flac
      for f in *.wav; do cmp -s $f ../in/$f && echo $f; done | wc -l; cat ../found
      """)
    let lines = decoded.text.split(separator: "\n").map(String.init)
    #expect(lines == ["160"] + (1...160).map { "good\($0).flac" }.sorted())
  }

  /// Runs the batch with a report, which must say of each what the screen says.
  private func expectReported(_ stage: Stage, _ ways: [Way]) throws {
    try expectOthersDone(
      try stage.run("avjob run --quiet --report report.json job.yaml"), stage, ways)
    let reported = try stage.make(
      """
      /usr/bin/python3 - <<'END'
      import json
      for job in json.load(open('report.json'))['jobs']:
          for message in job['messages']:
              place = [message[key] for key in ('file', 'line', 'column')]
              print(job['name'], job['status'], message['class'], *place, message['message'])
      END
      """)
    let expected = (0..<40).map { number in
      let way = ways[number % ways.count]
      let says = way.says.replacing("FILE", with: Self.file(number))
      let column = "  bad\(number): { clip: ".count + 1
      return "bad\(number) failed \(way.remedy ?? "") job.yaml \(162 + number) \(column) \(says)"
    }
    #expect(reported.text.split(separator: "\n").map(String.init) == expected)
  }

  @Test("40 broken media among 200 fail their jobs, each by name and line, and no other")
  func found() throws {
    let ways = try Self.usableWays.filter { $0.remedy != nil }
    try expectReported(try stage(ways), ways)
  }

  @Test("With --keep-going so do sources that are no files, and other mistakes of one job")
  func mistakes() throws {
    let ways = try Self.usableWays
    let stage = try stage(ways)
    let before = try stage.listing()
    let refused = try stage.run("avjob run --quiet job.yaml")
    #expect(refused.status == 2)
    #expect(try stage.listing() == before)
    try expectOthersDone(try stage.run("avjob run --quiet --keep-going job.yaml"), stage, ways)
  }

  @Test("40 media of 200 that break when they are read fail their jobs and no other")
  func later() throws {
    let stage = try stage([Self.later])
    let check = try stage.run("avjob check job.yaml")
    #expect(check.status == 0 && check.text == "200 jobs are fine\n")
    try expectReported(stage, [Self.later])
  }
}
