import Diagnosis
import MediaComposition
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Tags that are read from the names of files.
@Suite struct NameTemplateTests {
  private func tags(_ template: String, of name: String) throws -> [String: String] {
    var bench = Bench()
    bench.media = [name]
    let jobs = try bench.load(
      "clip: \"\(name)\"\nmetadata: { from: \"\(template)\" }\noutput: x.mp3"
    ).jobs
    return Dictionary(uniqueKeysWithValues: jobs[0].metadata.items.map { ($0.key, $0.value) })
  }

  @Test("A name is read by its form: a tag takes as little as it can, the last one the rest")
  func names() throws {
    #expect(
      try tags("${artist} - ${title}", of: "in/Ann - B - C.wav")
        == ["artist": "Ann", "title": "B - C"])
    #expect(
      try tags("${track:02} ${title}", of: "07 Rain.wav") == ["track": "7", "title": "Rain"])
    #expect(
      try tags("${artist}/${album}/${track:02}. ${title}", of: "x/Ann/Sea/12. A. B.flac")
        == ["artist": "Ann", "album": "Sea", "track": "12", "title": "A. B"])
    #expect(
      try tags("${date:%Y%m%d}_${_}_${title}", of: "20261129_take4_News.wav")
        == ["date": "2026-11-29", "title": "News"])
    #expect(
      try tags("${date:%y%m%d}${title}", of: "261129 News.wav")
        == ["date": "2026-11-29", "title": "News"])
  }

  @Test("Every file of a loop has the tags of its own name, and tags that are written win")
  func loops() throws {
    var bench = Bench()
    bench.media = ["in/Ann - One.wav", "in/Ben - Two.wav"]
    bench.options.variables = [.init("show", "x")]
    let jobs = try bench.load(
      """
      vars: { show: Deep }
      for_each: in/*.wav
      metadata: { from: "${artist} - ${title}", artist: "${show}" }
      output:
        - { file: "${input.stem}.mp3", metadata: { from: "${performer} - ${title}", title: "" } }
        - "${input.stem}.flac"
      """
    ).jobs
    #expect(jobs.map { $0.metadata["title"] } == ["One", "Two"])
    #expect(jobs.map { $0.metadata["artist"] } == ["x", "x"])
    #expect(jobs.map { $0.outputs[0].metadata["performer"] } == ["Ann", "Ben"])
    #expect(jobs.map { $0.outputs[0].metadata["title"] } == ["", ""])
    #expect(jobs.allSatisfy { $0.outputs[1].metadata.isEmpty && $0.metadataBase == nil })
  }

  @Test("A variable with a value is part of the form, and a text without tags is a path as before")
  func variables() throws {
    var bench = Bench()
    bench.media = ["Deep - One.wav", "Deep.wav"]
    let job = try bench.load(
      """
      vars: { artist: Deep }
      clip: Deep - One.wav
      metadata: { from: "${artist} - ${title}" }
      output: { file: x.mp3, metadata: { from: "${artist}.wav" } }
      """
    ).jobs[0]
    #expect(job.metadata.items.map(\.key) == ["title"])
    #expect(job.outputBases?[0]?.media?.location == "Deep.wav")
    #expect(
      bench.screen("clip: Deep.wav\nmetadata: { from: \"${episode}.mp3\" }\noutput: x.mp3")
        .contains("unknown variable 'episode'"))
  }

  @Test("Texts of parts keep the characters of a name that look like variables")
  func parts() throws {
    var bench = Bench()
    bench.media = ["Ann - ${part.n}.wav"]
    let exports = try bench.exports(
      """
      clip: "Ann - $${part.n}.wav"
      split: { every: 40s }
      metadata: { from: "${artist} - ${title}" }
      output: "x-${part.n}.mp3"
      """)
    #expect(exports.map { $0.metadata["title"] } == ["${part.n}", "${part.n}"])
  }

  @Test("A name of another form is refused with both, and so are forms that say nothing")
  func refusals() {
    var bench = Bench()
    bench.media = ["in/Ann.wav", "in/Ben - B.wav"]
    expect(
      bench.screen(
        "for_each: in/*.wav\nmetadata: { from: \"${artist} - ${title}\" }\noutput: { folder: o, mp3: V2 }"
      ),
      #"""
      job.yaml:2:19: error: 'Ann' is no name of the form '${artist} - ${title}'
          2 | metadata: { from: "${artist} - ${title}" }
            |                   ^~~~~~~~~~~~~~~~~~~~~~
        help: rename the file, leave it out of the job's files by '!', or write the tags themselves
      """#)
    func message(_ form: String, _ content: String = "clip: in/Ann.wav") -> String {
      bench.screen("\(content)\nmetadata: { from: \"\(form)\" }\noutput: x.mp3")
    }
    #expect(message("${artist}${title}").contains("nothing between"))
    #expect(message("${title} ${title}").contains("'title' twice"))
    #expect(message("${date:%Y} ${title}").contains("does not say which day"))
    #expect(message("${date:%H} ${title}").contains("no way to print a day"))
    #expect(message("${title}", "silence: 1s").contains("no file from whose name"))
    #expect(message("${artits} ${title}").contains("is not a known tag"))
  }
}

/// Days in variables.
@Suite struct DayTests {
  @Test("Days are printed by numbers, with leap years and weeks of ISO 8601")
  func formats() throws {
    func text(_ day: String, _ format: String) throws -> String? {
      let format = try #require(DayFormat(format))
      return CalendarDay(day).map(format.text)
    }
    #expect(try text("2026-11-29", "%d.%m.%Y %y %j %%") == "29.11.2026 26 333 %")
    // ISO 8601: 1 January 2027 is a Friday, in week 53 of 2026; 31 December 2024 in week 1 of 2025.
    #expect(try text("2027-01-01", "%G-W%V") == "2026-W53")
    #expect(try text("2024-12-31", "%G-W%V %j") == "2025-W01 366")
    #expect(try text("2000-02-29", "%Y") == "2000")
    for day in ["1900-02-29", "2026-13-01", "2026-11-31", "2026-1-1", "26-11-29", "2026-11-29 "] {
      #expect(CalendarDay(day) == nil, "\(day)")
    }
    for format in ["%H", "%", "%b", "%Y%"] { #expect(DayFormat(format) == nil, "\(format)") }
  }

  @Test("'date' is today unless something else has that name, and other variables take its formats")
  func variables() throws {
    var bench = Bench()
    bench.options.today = CalendarDay(2026, 11, 29)
    let yaml = """
      clip: a.wav
      metadata: { title: "${date:%d.%m.%Y}", comment: "${date:-never}" }
      output: "out/${date:%Y/%m}/x.mp3"
      """
    let file = try bench.load(yaml)
    #expect(file.usesToday)
    #expect(file.jobs[0].outputs[0].path == "out/2026/11/x.mp3")
    #expect(file.jobs[0].metadata.items.map(\.value) == ["29.11.2026", "never"])
    bench.options.variables = [.init("date", "2025-01-02")]
    let given = try bench.load(yaml)
    #expect(given.jobs[0].outputs[0].path == "out/2025/01/x.mp3" && !given.usesToday)
    bench.options.variables = [.init("date", "yesterday")]
    #expect(
      bench.screen("clip: a.wav\noutput: \"${date:%Y}.mp3\"").contains(
        "'date' is 'yesterday', which is no day"))
  }
}
