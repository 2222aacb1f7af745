import Diagnosis
import ExportEngine
import JobFile
import JobModel
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import RunPlan

@Suite("Whether outputs fit")
struct RoomTests {
  private let folder = TestFolder()

  private func prepare(
    _ yaml: String, _ rules: RunRules = RunRules(), free: Int64 = .max, total: Int64 = .max
  ) throws -> (prepared: Preparation, messages: [String]) {
    try writeFile(folder.path("job.yaml"), yaml.utf8)
    var loaded = LoadedJobs()
    loaded.append(try JobFile.load(FilePath(folder.path("job.yaml")), into: SourceMap()))
    let prepared = Preparation(
      loaded, rules, library: MediaLibrary(), budget: CPUBudget(total: 1)
    ) { _ in DiskRoom(free: free, total: total) }
    let messages = prepared.diagnostics.all.map { diagnostic in
      "\(diagnostic.severity): " + diagnostic.message.replacing(folder.path(""), with: "")
    }
    return (prepared, messages)
  }

  /// 635 MB each.
  private let jobs = """
    jobs:
      a: { silence: 1h, output: a.wav }
      b: { silence: 1h, output: b.wav }
      c: { silence: 1s, needs: a, output: c.wav }
    """

  @Test("An output that is larger than what is free is refused, and the others are made")
  func single() throws {
    let (prepared, messages) = try prepare(
      jobs.replacing("b: { silence: 1h", with: "b: { silence: 1s"), free: 500_000_000)
    #expect(
      messages == [
        "error: 'a.wav': takes 635 MB or more, and its disk has 500 MB free; make room, or write it "
          + "to another disk",
        "error: 'c' needs 'a', which cannot run",
      ])
    #expect(prepared.work.map(\.export.name) == ["b"])
    #expect(prepared.refusals.map(\.name) == ["a", "c"])
    #expect(!prepared.hasJobErrors)
  }

  @Test("Where it is a check, that is a warning: there may be room later")
  func checked() throws {
    let (prepared, messages) = try prepare(jobs, RunRules(.check), free: 500_000_000)
    #expect(messages.count == 2 && messages.allSatisfy { $0.hasPrefix("warning: ") })
    #expect(prepared.readyJobs == 3)
  }

  @Test(
    "An output that is larger than its disk is refused by a check, too", arguments: [true, false])
  func larger(isCheck: Bool) throws {
    let (prepared, messages) = try prepare(
      "silence: 10000h\nsample_rate: 192 kHz\nchannels: 7.1\n"
        + "output: { file: a.wav, wav: 32 bit float }\n", RunRules(isCheck ? .check : .run),
      free: 1 << 40, total: 1 << 42)
    #expect(
      messages == [
        "error: 'a.wav': takes 221 TB or more, and its disk holds 4.4 TB in all; make it shorter, or "
          + "write it to another disk"
      ])
    #expect(prepared.refusedJobs == 1 && !prepared.hasJobErrors)
  }

  @Test("Outputs that fit one by one, and not together, are refused before work starts")
  func together() throws {
    let (prepared, messages) = try prepare(jobs, free: 1_000_000_000)
    let message =
      "all outputs together take 1.3 GB or more, and the disk of 'a.wav' has 1.0 GB free"
    #expect(messages == ["error: " + message])
    #expect(prepared.hasJobErrors)
    let going = try prepare(jobs, RunRules(keepsGoing: true), free: 1_000_000_000)
    #expect(going.messages == ["warning: " + message])
    #expect(going.prepared.work.count == 3 && !going.prepared.hasJobErrors)
    let only = try prepare(
      jobs, RunRules(only: [Located("b", at: .unknown)]), free: 1_000_000_000)
    #expect(only.messages.isEmpty)
  }

  @Test("No more is started than the user allows, also with --keep-going")
  func bounded() throws {
    let limit = 1_000_000_000
    let bounded = try prepare(jobs, RunRules(keepsGoing: true, outputLimit: limit))
    #expect(
      bounded.messages == [
        "error: all outputs together take 1.3 GB or more, and --max-output allows 1.0 GB"
      ])
    #expect(bounded.prepared.hasJobErrors)
    let only = RunRules(only: [Located("b", at: .unknown)], outputLimit: limit)
    #expect(try prepare(jobs, only).messages.isEmpty)
  }

  @Test("Rounds that are few enough for each job are too many for all of them")
  func segments() throws {
    var rules = RunRules()
    rules.segments = SegmentBudget(bytes: 2500 * 1500)
    let yaml = "for_each: { take: [%] }\nsilence: 1s\nloop: 1000\noutput: '${take}.wav'\n"
    #expect(try prepare(yaml.replacing("%", with: "1, 2"), rules).messages.isEmpty)
    #expect(
      try prepare(yaml.replacing("%", with: "1, 2, 3"), rules).messages == [
        "error: with 1000 rounds of the silence all jobs take more than 3 MB of memory"
      ])
  }

  @Test(
    "What jobs, parts, chapters and filters multiply is counted in one budget of memory",
    arguments: [
      (
        "for_each: { take: [1, 2, 3] }\nsilence: 1s\neffects: [%]\noutput: '${take}.wav'\n",
        "highpass: 80 Hz"
      ),
      ("for_each: { take: [1, 2, 3] }\nconcat: [%]\noutput: '${take}.wav'\n", "silence: 1s"),
    ])
  func multiplied(yaml: String, piece: String) throws {
    func messages(_ count: Int) throws -> [String] {
      let pieces = Array(repeating: "{ \(piece) }", count: count).joined(separator: ", ")
      var rules = RunRules()
      rules.segments = SegmentBudget(bytes: 2_000_000)
      let job =
        yaml.replacing("%", with: pieces)
        + "loop: 2\n"
      return try prepare(job, rules).messages
    }
    #expect(try messages(100).isEmpty)
    #expect(try messages(2000).contains { $0.contains("all jobs take more than 2 MB of memory") })
  }

  @Test("A sum of the bytes of several outputs names them")
  func sums() throws {
    let yaml = "silence: 4s\noutput: [a.wav, b.wav, c.wav]\n"
    #expect(
      try prepare(yaml, free: 10_000).messages.map { $0.prefix(63) } == [
        "error: 'a.wav': with 2 other outputs of its job takes 2.1 MB or"
      ])
  }

  @Test("What is wrong with a cover is reported where the job or the output names it")
  func covers() throws {
    func lines(_ yaml: String) throws -> [Int?] {
      try writeFile(folder.path("job.yaml"), yaml.utf8)
      let map = SourceMap()
      var loaded = LoadedJobs()
      loaded.append(try JobFile.load(FilePath(folder.path("job.yaml")), into: map))
      let prepared = Preparation(loaded, library: MediaLibrary(), budget: CPUBudget(total: 1)) {
        _ in
        nil
      }
      return prepared.diagnostics.errors.map { map.place(of: $0.origin)?.line }
    }
    try writeFile(folder.path("cover.png"), "no picture".utf8)
    let cover = "cover: \(folder.path("cover.png"))"
    for yaml in [
      "silence: 1s\nmetadata:\n  \(cover)\noutput: a.mp3\n",
      "silence: 1s\noutput:\n  file: a.mp3\n  metadata:\n    \(cover)\n",
    ] {
      let line = yaml.split(separator: "\n").firstIndex { $0.contains("cover:") }.map { $0 + 1 }
      #expect(try lines(yaml) == [line])
    }
  }

  @Test("What is replaced counts as free")
  func replaced() throws {
    try writeFile(folder.path("a.wav"), [UInt8](repeating: 0, count: 700_000))
    let yaml = "silence: 4s\noutput: a.wav\n"
    #expect(try prepare(yaml, free: 10_000).messages.isEmpty)
    #expect(
      try prepare(yaml.replacing("a.wav", with: "b.wav"), free: 10_000).messages.map {
        $0.prefix(29)
      } == ["error: 'b.wav': takes 706 kB "])
  }

  @Test("Too few descriptors are found before work starts")
  func descriptors() throws {
    try Tool.succeed(
      "sox", "-n", "-r", "8000", "-c", "1", folder.path("a.wav"), "synth", "1", "sine", "300")
    let together = (0..<40).map { "  t\($0): a.wav\n" }
    let later = (0..<40).map { "  t\($0): { clip: a.wav, at: \($0)s }\n" }
    var rules = RunRules()
    rules.openFiles = 40
    let tail = "output: x.wav\n"
    #expect(
      try prepare("tracks:\n" + together.joined() + tail, rules).messages == [
        "error: 'x.wav': has 41 files open at once, and 40 are allowed; raise the limit, as with "
          + "'ulimit -n 105'"
      ])
    #expect(try prepare("tracks:\n" + later.joined() + tail, rules).messages.isEmpty)
  }
}
