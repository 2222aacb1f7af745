import ExportEngine
import JSON
import MediaComposition
import MediaTime
import RunPlan
import SystemPackage
import TestSupport
import Testing

@testable import Diagnosis
@testable import Reports

/// Names that mean something in every format that a report is written in.
private let hostile = "</td>|`a`*b*\u{1B}[2J\u{0}]]>&amp;\"'\n@me #1 www.x.org"

/// Two files with jobs that ended in every way there is.
private let report: RunReport = {
  let place = { Place(source: 0, file: "jobs.yaml", line: $0, column: 3, length: 1) }
  var done = RunReport.Job(name: "episode/01", job: "episode", place: place(2), status: .done)
  done.start = .milliseconds(12)
  done.elapsed = .milliseconds(500)
  done.attempts = 2
  done.reason = "'a.wav' has changed"
  done.inputs = [
    RunReport.Input(
      Asset(
        location: .file("a.wav"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
        sampleRate: 44_100,
        channelLayout: .stereo, frameCount: 882_000, identity: .predicted))
  ]
  done.outputs = [
    RunReport.Output(
      path: "out/a.mp3", format: "MP3 V2", bytes: 171_429,
      sound: RunReport.Sound(.sample("out/a.mp3", frames: 441_000, peak: 0.5))),
    RunReport.Output(path: "out/a.psc", format: "Podlove Simple Chapters", bytes: 312),
    RunReport.Output(
      path: FilePath(platformString: [98, -1, 46, 97, 0]), format: "WAV 16 bit", bytes: 1_764_044,
      sound: RunReport.Sound(
        .sample(
          "b.a", frames: 441_000, peak: 1.25, clipped: 17,
          sha256: [UInt8](repeating: 0, count: 31) + [255]))),
  ]
  done.messages = [
    RunReport.Message(
      diagnostic: Diagnostic(.warning, "17 samples are over full scale", at: .unknown),
      place: place(5),
      screen: "jobs.yaml:5:3: warning: 17 samples are over full scale")
  ]
  var failed = RunReport.Job(name: hostile, job: hostile, place: place(9), status: .failed)
  failed.start = .milliseconds(20)
  failed.elapsed = .milliseconds(30)
  failed.attempts = 1
  failed.outputs = [RunReport.Output(path: "b.mp3", format: "MP3 V2")]
  var error = Diagnostic(Failure(.mendInput, hostile))
  error.help = "mend it"
  failed.messages = [
    RunReport.Message(
      diagnostic: error, place: place(9),
      screen: "jobs.yaml:9:3: error: \(hostile)")
  ]
  var blocked = RunReport.Job(name: "c", job: "c", place: place(12), status: .blocked)
  blocked.blockedBy = hostile
  let idle = RunReport.Job(name: "d", job: "d", place: place(15), status: .upToDate)
  var other = RunReport.Job(name: "e", job: "e", place: nil, status: .notStarted)
  other.place = Place(source: 1, file: "more.yaml", line: 1, column: 1, length: 1)
  return RunReport(
    versions: [("avjob", "0.1.0"), ("ffmpeg", "5.1.9"), ("lame", "3.100")],
    system: "Linux 6.1 x86_64", cores: 2, files: ["jobs.yaml", "more.yaml", "broken.yaml"],
    started: Timestamp(seconds: 1_767_323_045, milliseconds: 7), elapsed: .milliseconds(1234),
    exitStatus: 1,
    messages: [
      RunReport.Message(
        diagnostic: Diagnostic("unknown key 'clp'", at: .unknown),
        place: Place(source: 2, file: "broken.yaml", line: 1, column: 1, length: 1),
        screen: "broken.yaml:1:1: error: unknown key 'clp'\n    1 | clp: a\n      | ^~~")
    ],
    jobs: [done, failed, blocked, idle, other])
}()

@Suite struct ReportTests {
  @Test("The JSON report tells all of a run, whatever its names hold")
  func json() throws {
    let text = JSONReport.text(report)
    #expect(text == jsonReport)
    try JSONSchema.validate(text, as: "report")
    // An independent reader finds the names as they were, and the bytes of what is no text.
    let folder = TestFolder()
    try writeFile(folder.path("report.json"), text.utf8)
    let script = """
      import json, sys
      r = json.load(open(sys.argv[1], encoding='utf-8'))
      print(r['jobs'][1]['name'] == sys.argv[2].replace('NUL', chr(0)))
      print(bytes.fromhex(r['jobs'][0]['outputs'][2]['path_hex']))
      """
    let name = hostile.replacing("\u{0}", with: "NUL")
    let read = try Tool.succeed(
      "/usr/bin/python3", "-c", script, folder.path("report.json"), name)
    #expect(read.text == "True\nb'b\\xff.a'\n")
  }

  @Test("A report that is read is the one that was written")
  func reading() throws {
    var report = report
    report.shard = Shard(number: 2, count: 3)
    report.shards = RunReport.Shards(count: 3, missing: [1])
    let text = JSONReport.text(report)
    var read = try RunReport(JSONValue(reading: text.utf8))
    #expect(JSONReport.text(read) == text)
    #expect(MarkdownReport.text(read) == MarkdownReport.text(report))
    // Whose screen is none that a run prints.
    (report.jobs[1].messages, read.jobs[1].messages) = ([], [])
    #expect(JUnitReport.text(read) == JUnitReport.text(report))
    for removed in ["  \"elapsed\": 1.234,\n", "      \"status\": \"done\",\n"] {
      #expect(text.contains(removed))
      #expect(throws: ForeignDocument.self) {
        try RunReport(JSONValue(reading: text.replacing(removed, with: "").utf8))
      }
    }
  }

  @Test(
    "Lists of files are in a report, and in a merged one as the shard of the last file has them")
  func manifests() throws {
    func list(_ name: String, missing: Int) -> RunReport.Manifest {
      RunReport.Manifest(
        DataSetManifest(path: FilePath(name), form: .nemo), fileCount: 3, missingCount: missing,
        isWhole: missing == 0)
    }
    var (first, second) = (report, report)
    first.shard = Shard(number: 1, count: 2)
    second.shard = Shard(number: 2, count: 2)
    first.manifests = [list("a.jsonl", missing: 0), list("b.jsonl", missing: 2)]
    second.manifests = [list("a.jsonl", missing: 1), list("b.jsonl", missing: 1)]
    let text = JSONReport.text(first)
    try JSONSchema.validate(text, as: "report")
    #expect(try RunReport(JSONValue(reading: text.utf8)).manifests == first.manifests)
    let merged = try RunReport.merged([("1.json", first), ("2.json", second)])
    #expect(merged.manifests == [list("a.jsonl", missing: 0), list("b.jsonl", missing: 1)])
    #expect(
      MarkdownReport.text(merged).contains(
        """
        #### Manifests

        - <code>a.jsonl</code>: 3 files
        - <code>b.jsonl</code>: 1 of 3 files is missing

        """))
  }

  @Test("Merging moves all times of a job to the clock of the whole run")
  func merging() throws {
    var first = report
    (first.shard, first.jobs) = (Shard(number: 1, count: 2), [first.jobs[0]])
    var second = report
    (second.shard, second.jobs) = (Shard(number: 2, count: 2), [second.jobs[1]])
    second.started = Timestamp(seconds: 1_767_323_047, milliseconds: 7)
    second.jobs[0].tries = [
      .init(start: .milliseconds(5), elapsed: .milliseconds(10), end: .retried),
      .init(start: .milliseconds(20), elapsed: .milliseconds(30), end: .failed),
    ]
    let merged = try RunReport.merged([("a", first), ("b", second)])
    let moved = try #require(merged.jobs.first { $0.name == second.jobs[0].name })
    #expect(moved.start == .milliseconds(2020))
    #expect(moved.tries.map(\.start) == [.milliseconds(2005), .milliseconds(2020)])
    #expect(moved.tries.map(\.elapsed) == second.jobs[0].tries.map(\.elapsed))
    // Whose clock is that of the whole run.
    #expect(merged.jobs.first { $0.name == first.jobs[0].name }?.start == first.jobs[0].start)
    // No other member of a job, or of a try, is a time of the run.
    for (one, names) in [
      (Mirror(reflecting: moved), ["start", "elapsed"]),
      (Mirror(reflecting: moved.tries[0]), ["start", "elapsed"]),
    ] {
      let times = one.children.filter { child in
        let type = type(of: child.value)
        return type == Duration.self || type == Duration?.self
      }
      #expect(times.compactMap(\.label) == names)
    }
  }

  @Test("Lists of statuses have each once, in the page as elsewhere")
  func statuses() {
    typealias Status = RunReport.Status
    #expect(Status.byAttention.count == Status.allCases.count)
    #expect(Set(Status.byAttention) == Set(Status.allCases))
    let page = Page(title: "", summary: "", data: "{}").text
    for list in [Status.allCases, Status.byAttention] {
      let names = list.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      #expect(page.contains("[\(names)]"))
    }
    for ending in RunReport.Try.Ending.allCases { #expect(page.contains("\(ending.rawValue): '")) }
  }

  @Test("The JUnit report has a suite for each file, a case for each job, and nothing but XML")
  func junit() throws {
    let text = JUnitReport.text(report)
    #expect(text == junitReport)
    let folder = TestFolder()
    try writeFile(folder.path("report.xml"), text.utf8)
    // A reader of JUnit XML that nobody here wrote, and the language's own of XML.
    let script = """
      import sys, xml.etree.ElementTree as tree, junitparser
      name = tree.parse(sys.argv[1]).getroot()[1][1].get('name')
      print(ascii(name))
      for suite in junitparser.JUnitXml.fromfile(sys.argv[1]):
        print(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped, suite.time)
        for case in suite:
          print(case.classname, case.time, [type(r).__name__ + ' ' + str(r.type) for r in case.result])
      """
    let read = try Tool.succeed(
      "/usr/bin/python3", "-c", script, folder.path("report.xml"))
    #expect(
      read.text == #"""
        '</td>|`a`*b*\ufffd[2J\ufffd]]>&amp;"\'\n@me #1 www.x.org'
        broken.yaml 1 0 1 0 0.0
        broken.yaml 0.0 ['Error job']
        jobs.yaml 4 1 0 1 0.53
        jobs.yaml 0.5 []
        jobs.yaml 0.03 ['Failure input']
        jobs.yaml 0.0 ['Skipped None']
        jobs.yaml 0.0 []
        more.yaml 1 0 0 1 0.0
        more.yaml 0.0 ['Skipped None']

        """#)
  }

  @Test("The Markdown report shows what went wrong first, and names stay names")
  func markdown() {
    #expect(MarkdownReport.text(report) == markdownReport)
  }

  @Test("The Markdown report of a hundred thousand jobs is short enough for a step's summary")
  func manyJobs() {
    var many = report
    many.jobs = (0..<20_000).map {
      RunReport.Job(name: "job-\($0)", job: "job", status: $0 == 19_999 ? .failed : .done)
    }
    let text = MarkdownReport.text(many)
    #expect(text.utf8.count < 1 << 20)
    #expect(
      text.contains("\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n| <code>job-19999"))
    #expect(text.hasSuffix(" more jobs are not shown.\n"))
  }

  @Test(
    "--report goes by the ending, and 'github' to the step's summary or the screen",
    arguments: [
      ("report.json", "", .json("report.json")), ("a/b.XML", "", .junit("a/b.XML")),
      ("summary.md", "s", .markdown("summary.md")), ("github", "", .output),
      ("github", "/tmp/step", .step("/tmp/step")), ("./github", "/tmp/step", nil),
      ("report.txt", "", nil), ("json", "", nil), ("", "", nil),
    ] as [(String, String, ReportTarget?)])
  func targets(word: String, stepSummary: String, target: ReportTarget?) {
    #expect(ReportTarget(word, stepSummary: stepSummary) == target)
  }

  @Test(
    "A moment is written as RFC 3339 has it",
    arguments: [
      (0, 0, "1970-01-01T00:00:00.000Z"), (951_827_696, 5, "2000-02-29T12:34:56.005Z"),
      (1_767_323_045, 678, "2026-01-02T03:04:05.678Z"),
    ] as [(Int64, Int, String)])
  func timestamp(seconds: Int64, milliseconds: Int, text: String) {
    #expect(Timestamp(seconds: seconds, milliseconds: milliseconds).text == text)
    #expect(Timestamp(text) == Timestamp(seconds: seconds, milliseconds: milliseconds))
    #expect(Timestamp(String(text.dropLast())) == nil)
  }
}
