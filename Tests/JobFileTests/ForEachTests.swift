import Diagnosis
import MediaComposition
import Synchronization
import SystemPackage
import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// Jobs made from patterns and variables.
@Suite struct ForEachTests {
  private func jobs(_ yaml: String, _ bench: Bench = Bench(), named name: String = "job.yaml")
    throws -> [Job]
  {
    try bench.load(yaml, named: name).jobs
  }

  @Test("One job for each file, in natural order, its clip the file")
  func folder() throws {
    let jobs = try jobs(
      "for_each: raw/**/*.wav\noutput: { folder: out, mp3: abr 96k, channels: mono }")
    #expect(jobs.map(\.name) == ["ch1", "ch2", "ch10", "bonus"])
    #expect(
      jobs.map { $0.media.map(\.location.file) } == [
        ["raw/ch1.wav"], ["raw/ch2.wav"], ["raw/ch10.wav"], ["raw/extra/bonus.wav"],
      ])
    // `folder` keeps the tree below the pattern's fixed part.
    #expect(
      jobs.map { $0.outputs.map(\.path) } == [
        ["out/ch1.mp3"], ["out/ch2.mp3"], ["out/ch10.mp3"], ["out/extra/bonus.mp3"],
      ])
  }

  @Test("Paths are relative to the job file, and '~' is the user's folder")
  func relativePaths() throws {
    let jobs = try jobs(
      """
      for_each: [raw/*.wav]
      concat: [a.wav ..1s, "${input}", /home/show/jobs/b.wav]
      output: ["out/${input.name}.mp3", "~/out/${n}.mp3"]
      """, named: "jobs/all.yaml")
    let first = try #require(jobs.first)
    #expect(
      first.media.map(\.location.file) == [
        "jobs/a.wav", "jobs/raw/ch1.wav", "/home/show/jobs/b.wav",
      ])
    #expect(first.outputs.map(\.path) == ["jobs/out/ch1.wav.mp3", "/home/ann/out/1.mp3"])
  }

  @Test("The variables of a loop")
  func bindings() throws {
    let jobs = try jobs(
      """
      for_each: raw/**/*.wav
      metadata:
        title: "${input} ${input.dir} ${input.stem} ${input.ext} ${input.name}"
        track: ${n:02}/${count}
      output: out/${n:03}.mp3
      """)
    #expect(
      jobs.map { $0.metadata["title"] } == [
        "raw/ch1.wav  ch1 wav ch1.wav", "raw/ch2.wav  ch2 wav ch2.wav",
        "raw/ch10.wav  ch10 wav ch10.wav", "raw/extra/bonus.wav extra bonus wav bonus.wav",
      ])
    #expect(jobs.map { $0.metadata["track"] } == ["01/4", "02/4", "03/4", "04/4"])
    #expect(jobs.first?.outputs.map(\.path) == ["out/001.mp3"])
  }

  @Test("A file that several patterns find is one job; patterns keep their order")
  func patterns() throws {
    let jobs = try jobs("for_each: [raw/ch2.wav, raw/*.wav]\noutput: { folder: out, mp3: V2 }")
    #expect(jobs.map(\.name) == ["ch2", "ch1", "ch10"])
  }

  @Test("Names are unique: by path where stems repeat, with extensions where those repeat")
  func names() throws {
    var bench = Bench()
    let yaml = "for_each: \"raw/**/*.{wav,mp3}\"\noutput: out/${n}.mp3"
    bench.media += ["raw/extra/ch1.wav"]
    #expect(
      try jobs(yaml, bench).map(\.name) == ["ch1", "ch2", "ch10", "extra/bonus", "extra/ch1"])
    bench.media += ["raw/ch1.mp3"]
    #expect(
      try jobs(yaml, bench).map(\.name) == [
        "ch1.mp3", "ch1.wav", "ch2.wav", "ch10.wav", "extra/bonus.wav", "extra/ch1.wav",
      ])
    let keys = "jobs:\n  a: { clip: a.wav, output: x.mp3 }\n  all:\n    for_each: raw/*.wav\n"
    #expect(
      try jobs(keys + "    output: ${n}.mp3").map(\.name) == [
        "a", "all/ch1", "all/ch2", "all/ch10",
      ])
    let named = "vars: { e: 7 }\njobs:\n  ch-${e}-${n:02}:\n    for_each: raw/*.wav\n"
    #expect(
      try jobs(named + "    output: ${n}.mp3").map(\.name) == ["ch-7-01", "ch-7-02", "ch-7-03"])
  }

  @Test("Names with odd characters stand for themselves")
  func oddNames() throws {
    var bench = Bench()
    bench.media = ["in/[x] {y} *.wav", "in/x.wav", "sea [live].wav"]
    let jobs = try jobs(
      "for_each: in/*.wav\nconcat: [\"${input}\", sea [live].wav]\noutput: { folder: o, wav: 16 bit }"
        .replacing("sea [live].wav]", with: "\"sea [live].wav\"]"), bench)
    #expect(
      jobs.map { $0.media.map(\.location.file) } == [
        ["in/[x] {y} *.wav", "sea [live].wav"], ["in/x.wav", "sea [live].wav"],
      ])
    #expect(jobs.map { $0.outputs.map(\.path) } == [["o/[x] {y} *.wav"], ["o/x.wav"]])
  }

  @Test("Variables: the file's, the user's over them, defaults, the environment's, literals")
  func variables() throws {
    var bench = Bench()
    bench.options.variables = [
      .init("title", "Ice #1: the ${core}"), .init("extra", "a.wav"),
    ]
    bench.options.environment = ["HOST": "radio", "UNSET": nil]
    let job = try #require(
      try jobs(
        """
        vars: { title: untitled, show: "Deep ${title}", n2: 7 }
        clip: ${extra}
        metadata:
          title: ${title}
          show: ${show}
          a: ${nope:-none given}${nope:-}
          b: ${env.HOST} ${env.UNSET:-unset}
          c: $${title} $5 $$ ${n2:03}
        output: x.mp3
        """, bench
      ).first)
    #expect(job.media.map(\.location.file) == ["a.wav"])
    let tags = ["title", "show", "a", "b", "c"].map { job.metadata[$0] }
    #expect(
      tags == [
        "Ice #1: the ${core}", "Deep Ice #1: the ${core}", "none given", "radio unset",
        "${title} $5 $$ 007",
      ])
  }

  @Test("An unused variable on the command line is refused there")
  func unusedVariable() {
    let map = SourceMap()
    let origins = map.add(arguments: ["avjob", "run", "job.yaml", "--set", "epsiode=43"])
    var bench = Bench()
    bench.options.variables = [.init("epsiode", "43", origin: origins[4])]
    let yaml = "vars: { episode: 42 }\nclip: a.wav\noutput: ${episode}.mp3"
    do throws(Diagnostics) {
      _ = try bench.load(yaml, into: map)
      Issue.record("nothing was refused")
    } catch {
      expect(
        error.render(in: map),
        """
        command line:1:26: error: 'job.yaml' has no variable 'epsiode'
            1 | avjob run job.yaml --set epsiode=43
              |                          ^~~~~~~~~~
          help: did you mean 'episode'?
        """)
    }
  }

  @Test("Values that jobs share are checked once, for any number of jobs")
  func sharedWork() throws {
    let yaml = """
      for_each: in/*.wav
      concat: [room.wav ..1s, "${input} ..30s", room.wav ..2s]
      metadata: { album: The Sea, cover: cover.jpg }
      output: { folder: out, mp3: V2 }
      """
    let inputs = (0..<300).map { "in/\($0).wav" }
    let files = CountingFiles(
      MemoryFiles(inputs + ["room.wav", "cover.jpg"], texts: ["job.yaml": yaml]))
    let file = try JobFile.load("job.yaml", into: SourceMap(), files: files)
    #expect(file.jobs.count == 300)
    #expect(files.count(of: "room.wav") == 1)
    #expect(files.count(of: "cover.jpg") == 1)
    #expect(inputs.allSatisfy { files.count(of: $0) == 1 })
  }

  @Test("A place that is wrong in every job is reported five times, not a hundred thousand")
  func limit() {
    var bench = Bench()
    bench.media = (0..<50).map { "in/\($0).wav" }
    let screen = bench.screen(
      "for_each: in/*.wav\nclip: ${input}x\noutput: { folder: o, mp3: V2 }")
    #expect(screen.split(separator: "\n").count { $0.contains("there is no file") } == 5)
    #expect(screen.hasSuffix("\nerror: 45 more are not shown"))
  }

  @Test("A name that only --set has is not suggested, unless the file uses it")
  func strayNames() {
    func helps(_ yaml: String) -> [Substring] {
      var bench = Bench()
      bench.options.variables = [.init("dri", ".")]
      return bench.screen(yaml).split(separator: "\n").filter { $0.contains("help:") }
    }
    #expect(
      helps("clip: ${dir}/a.wav\noutput: x.mp3") == [
        "  help: add it to 'vars', or pass --set dir=VALUE", "  help: did you mean 'dir'?",
      ])
    #expect(
      helps("vars: { here: \"${dir}\" }\nclip: ${here}/a.wav\noutput: x.mp3").first
        == "  help: add it to 'vars', or pass --set dir=VALUE")
    #expect(
      helps("clip: ${dir}/a.wav\noutput: ${dri}/x.mp3") == ["  help: did you mean '${dri}'?"])
  }

  @Test("One error that all jobs share is reported once")
  func sharedFaults() {
    expect(
      Bench().screen(
        "for_each: raw/*.wav\nconcat: [\"${input}\", nope.wav]\ngain: 3\noutput: { folder: o, mp3: V2 }"
      ),
      """
      job.yaml:2:22: error: there is no file 'nope.wav'
          2 | concat: ["${input}", nope.wav]
            |                      ^~~~~~~~
        help: put it there, or name another one
      job.yaml:3:7: error: '3' has no unit
          3 | gain: 3
            |       ^
        help: write '3 dB', or a factor as '50 %'
      """)
  }

  @Test("Errors of a job are reported, also if its loop is empty")
  func emptyLoop() {
    expect(
      Bench().screen(
        "for_each: raw/*.aiff\nclip: ${input} 1:75..2:00\ngain: 3\noutput: ${input.stem}.mp3"),
      """
      job.yaml:1:11: error: no file in 'raw' matches 'raw/*.aiff'
          1 | for_each: raw/*.aiff
            |           ^~~~~~~~~~
        help: the files in it end in '.wav'
      job.yaml:2:16: error: '1:75' needs two digits below 60 after each colon: write 2:15
          2 | clip: ${input} 1:75..2:00
            |                ^~~~
      job.yaml:3:7: error: '3' has no unit
          3 | gain: 3
            |       ^
        help: write '3 dB', or a factor as '50 %'
      """)
  }
}

/// A disk that counts how often it is asked what a path leads to.
private final class CountingFiles: FileSystem {
  private let files: MemoryFiles
  private let counts = Mutex<[FilePath: Int]>([:])

  init(_ files: MemoryFiles) { self.files = files }

  func count(of path: String) -> Int { counts.withLock { $0[FilePath(path), default: 0] } }

  var homeDirectory: FilePath? { files.homeDirectory }
  var currentDirectory: FilePath { files.currentDirectory }
  func entries(of folder: FilePath) -> [FolderEntry]? { files.entries(of: folder) }
  func contents(of path: FilePath, limit: Int) throws -> FileContents {
    try files.contents(of: path, limit: limit)
  }
  func kind(of path: FilePath) -> FileKind? {
    counts.withLock { $0[path, default: 0] += 1 }
    return files.kind(of: path)
  }
}
