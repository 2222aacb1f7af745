import Diagnosis
import JobFile
import JobModel
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import LiveScreens
@testable import TimeLists

@Suite struct PreviewMarksTests {
  private func range(_ start: Time, _ length: Time = .zero) -> TimeRange {
    TimeRange(start: start, duration: length)
  }

  private var marks: PreviewMarks {
    var marks = PreviewMarks()
    _ = marks.add(range(Time(frames: 544_431, rate: 44_100)), of: 0)
    _ = marks.add(range(Time(value: 5, timescale: 1), Time(value: 1, timescale: 2)), of: 0)
    _ = marks.nameLast("a \"cough\":\t# 1")
    _ = marks.add(range(Time(value: 3600, timescale: 1)), of: 0)
    _ = marks.add(range(.zero), of: 3)
    return marks
  }

  @Test("a place is marked once, and the last mark is the one that is named and removed")
  func setting() {
    var marks = marks
    #expect([0, 3].map { marks.marks(of: $0).count } == [3, 1])
    #expect(marks.add(range(.zero), of: 3) == nil)
    #expect(marks.nameLast("start") == "mark 4")
    #expect(marks.removeLast()?.name == "start")
    #expect([0, 3].map { marks.marks(of: $0).count } == [3, 0])
    // Numbers are not given twice.
    #expect(marks.add(range(.zero), of: 1)?.name == "mark 5")
    var none = PreviewMarks()
    #expect(none.removeLast() == nil)
    #expect(none.nameLast("x") == nil)
  }

  @Test("labels are read back with their times to the frame, and with their names")
  func labels() throws {
    let text = marks.labels(of: 0)
    #expect(
      text == """
        5.000000\t5.500000\ta "cough": # 1
        12.345374\t12.345374\tmark 1
        3600.000000\t3600.000000\tmark 3

        """)
    let (list, sink) = TimeList.read(
      Array(text.utf8), path: "marks.txt", named: .unknown, in: SourceMap())
    #expect(sink.diagnostics.all.isEmpty)
    #expect(list.entries.map(\.title) == ["a \"cough\": # 1", "mark 1", "mark 3"])
    let starts = list.entries.map { $0.start.value.offset.time(atRate: 44_100) }
    #expect(
      starts.map { $0.frames(atRate: 44_100) } == [220_500, 544_431, 158_760_000])
    guard case .moment(let end)? = list.entries[0].end else {
      Issue.record("the range has no end")
      return
    }
    #expect(end.value.offset.time(atRate: 1) == Time(value: 11, timescale: 2))
  }

  @Test("the snippet is part of a job file that is read without a message")
  func snippet() throws {
    let text = marks.snippet(of: 0, named: "sonnets\n\"01\"")
    #expect(
      text == """
        # Marks of "sonnets\\u000A\\"01\\"", in its time as 'avjob preview' plays it.
        chapters:
          0:12.345374: "mark 1"
          1:00:00: "mark 3"
        cut:
          - 5s..5.5s  # "a \\"cough\\":\\u0009# 1"

        """)
    let folder = TestFolder()
    try writeFile(folder.path("talk.wav"), readFile(Fixture.path("lame-testcase.wav")))
    try writeFile(
      folder.path("job.yaml"), Array("clip: talk.wav\noutput: out.flac\n\(text)".utf8))
    let file = try JobFile.load(
      FilePath(folder.path("job.yaml")), into: SourceMap(), files: LocalFileSystem())
    #expect(file.warnings.isEmpty)
    #expect(file.jobs.count == 1)
  }
}

@Suite struct PreviewMarkFilesTests {
  private let folder = TestFolder()

  private func path(_ name: String) -> FilePath { FilePath(folder.path(name)) }

  private func text(_ name: String) throws -> String {
    String(decoding: try readFile(folder.path(name)), as: UTF8.self)
  }

  private func mark(_ seconds: Int64, of entry: Int = 0) -> PreviewMarks {
    var marks = PreviewMarks()
    _ = marks.add(TimeRange(start: Time(value: seconds, timescale: 1), duration: .zero), of: entry)
    return marks
  }

  @Test("the file has the marks as they are now, and is gone with the last one")
  func writes() throws {
    var files = try PreviewMarkFiles(at: path("m.txt"), entries: ["a"], replacing: false)
    #expect(files.files.isEmpty)
    try files.write(mark(1), of: 0, named: "a")
    try files.write(mark(2), of: 0, named: "a")
    #expect(try text("m.txt") == "2.000000\t2.000000\tmark 1\n")
    #expect(files.files == [path("m.txt")])
    try files.write(PreviewMarks(), of: 0, named: "a")
    #expect(throws: (any Error).self) { try text("m.txt") }
    #expect(files.files.isEmpty)
  }

  @Test("each of several entries has a file of its own")
  func entries() throws {
    var files = try PreviewMarkFiles(
      at: path("m.yaml"), entries: ["a/b", "c", "c"], replacing: false)
    for entry in 0..<3 { try files.write(mark(1, of: entry), of: entry, named: "x") }
    #expect(files.files == ["m-a_b.yaml", "m-c.yaml", "m-c-3.yaml"].map(path))
    #expect(try text("m-c.yaml").hasSuffix("chapters:\n  1s: \"mark 1\"\n"))
  }

  @Test("a file that was there is replaced only if that was asked for")
  func refuses() throws {
    try writeFile(folder.path("m.txt"), Array("mine".utf8))
    let refusal = #expect(throws: Failure.self) {
      _ = try PreviewMarkFiles(at: path("m.txt"), entries: ["a"], replacing: false)
    }
    #expect(refusal?.message.contains("exists already; --force") == true)
    // One that comes meanwhile, too.
    var files = try PreviewMarkFiles(at: path("n.txt"), entries: ["a"], replacing: false)
    try writeFile(folder.path("n.txt"), Array("mine".utf8))
    #expect(throws: Failure.self) { try files.write(mark(1), of: 0, named: "a") }
    #expect(try text("n.txt") == "mine")
    var forced = try PreviewMarkFiles(at: path("m.txt"), entries: ["a"], replacing: true)
    #expect(try text("m.txt") == "mine")
    try forced.write(mark(1), of: 0, named: "a")
    #expect(try text("m.txt") != "mine")
    #expect(throws: Failure.self) {
      _ = try PreviewMarkFiles(at: path("m.csv"), entries: ["a"], replacing: false)
    }
  }
}
