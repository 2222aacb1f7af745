import Diagnosis
import MediaComposition
import SystemPackage
import Testing
import TestSupport

@testable import JobFile

/// Files that include others, and what all jobs have in common.
@Suite struct IncludeTests {
  private func bench(_ texts: [String: String]) -> Bench {
    var bench = Bench()
    bench.texts = texts
    bench.media += ["lib/raw/x.wav"]
    return bench
  }

  private let common = """
    version: 1
    vars: { show: Deep Fields }
    sources: { take: raw/x.wav 1s.. }
    defaults: { metadata: { artist: "${show}" }, sample_rate: 48 kHz }
    jobs:
      lib: { clip: take, output: out/lib.mp3 }
    """

  @Test("Included keys count as if they stood before, and their paths from their own folder")
  func included() throws {
    let jobs = try bench(["lib/common.yaml": common]).load(
      """
      include: lib/common.yaml
      defaults: { metadata: { album: Sea } }
      vars: { title: "${show} 2" }
      jobs:
        a: { clip: take, metadata: { title: "${title}", artist: Me }, output: "${show}.mp3" }
        b: { for_each: raw/*.wav, concat: [take, "${input}"], output: "${n}.mp3" }
      """
    ).jobs
    #expect(jobs.map(\.name) == ["lib", "a", "b/ch1", "b/ch2", "b/ch10"])
    #expect(
      jobs.map { $0.media.map(\.location.file) }.prefix(3) == [
        ["lib/raw/x.wav"], ["lib/raw/x.wav"], ["lib/raw/x.wav", "raw/ch1.wav"],
      ])
    #expect(jobs.prefix(2).map { $0.outputs[0].path } == ["lib/out/lib.mp3", "Deep Fields.mp3"])
    let tags = ["artist", "album", "title"]
    #expect(
      jobs.prefix(2).map { job in tags.map { job.metadata[$0] } } == [
        ["Deep Fields", "Sea", nil], ["Me", "Sea", "Deep Fields 2"],
      ])
    #expect(jobs.allSatisfy { $0.sampleRate == 48_000 })
  }

  @Test("A job's key in a file that is included hides nothing else of the file")
  func misplacedKey() {
    expect(
      bench(["lib/c.yaml": "vars: { show: Sea }\ngain: 2 dB\n"]).screen(
        "include: lib/c.yaml\nclip: a.wav\noutput: \"${show}.mp3\"\nmetadata: { title: \"${show}\" }"
      ),
      """
      lib/c.yaml:2:1: error: 'gain' in a file that is included
          2 | gain: 2 dB
            | ^~~~
        help: put the job under 'jobs', with a name
      job.yaml:1:10: note: the file is included here
          1 | include: lib/c.yaml
            |          ^~~~~~~~~~
      """)
  }

  @Test("Variables of a file that cannot be included are not reported as unknown")
  func missingInclude() {
    let screen = bench([:]).screen(
      "include: lib/c.yaml\nclip: a.wav\noutput: x.mp3\nmetadata: { title: \"${show}\" }")
    #expect(screen.contains("there is no file 'lib/c.yaml'"), "\(screen)")
    #expect(!screen.contains("unknown variable"), "\(screen)")
  }

  @Test("A file that two others include is read once; a job may stand beside included ones")
  func diamond() throws {
    let texts = [
      "a.yaml": "include: lib/c.yaml\nvars: { a: \"${c}a\" }",
      "b.yaml": "include: [lib/c.yaml]\nvars: { b: \"${c}b\" }", "lib/c.yaml": "vars: { c: C }",
    ]
    let file = try bench(texts).load(
      "include: [a.yaml, b.yaml]\nclip: a.wav\nmetadata: { title: \"${a}${b}\" }\noutput: x.mp3")
    #expect(file.jobs.map { $0.metadata["title"] } == ["CaCb"])
    #expect(Set(file.files) == ["job.yaml", "a.yaml", "b.yaml", "lib/c.yaml"])
  }

  @Test("The input of a loop is the same file wherever it is named")
  func inputElsewhere() throws {
    let texts = ["lib/d.yaml": "defaults: { concat: [\"${input}\", raw/x.wav] }"]
    let jobs = try bench(texts).load(
      "include: lib/d.yaml\nfor_each: raw/ch1.wav\noutput: x.mp3"
    ).jobs
    #expect(
      jobs.map { $0.media.map(\.location.file) } == [["/home/show/raw/ch1.wav", "lib/raw/x.wav"]])
  }

  @Test("A name that stands in two files is refused with both places")
  func duplicates() {
    expect(
      bench(["lib/common.yaml": common]).screen(
        """
        include: [lib/common.yaml]
        vars: { show: X }
        sources: { take: a.wav }
        defaults: { sample_rate: 44.1 kHz, metadata: { artist: You } }
        jobs:
          lib: { clip: take, output: a.mp3 }
        """),
      """
      job.yaml:2:9: error: 'show' of 'vars' stands in two files
          2 | vars: { show: X }
            |         ^~~~
        help: keep one of them
      lib/common.yaml:2:9: note: the other one is here
          2 | vars: { show: Deep Fields }
            |         ^~~~
      job.yaml:3:12: error: 'take' of 'sources' stands in two files
          3 | sources: { take: a.wav }
            |            ^~~~
        help: keep one of them
      lib/common.yaml:3:12: note: the other one is here
          3 | sources: { take: raw/x.wav 1s.. }
            |            ^~~~
      job.yaml:4:13: error: 'sample_rate' of 'defaults' stands in two files
          4 | defaults: { sample_rate: 44.1 kHz, metadata: { artist: You } }
            |             ^~~~~~~~~~~
        help: keep one of them
      lib/common.yaml:4:46: note: the other one is here
          4 | defaults: { metadata: { artist: "${show}" }, sample_rate: 48 kHz }
            |                                              ^~~~~~~~~~~
      job.yaml:4:48: error: 'artist' stands in two files
          4 | defaults: { sample_rate: 44.1 kHz, metadata: { artist: You } }
            |                                                ^~~~~~
        help: keep one of them
      lib/common.yaml:4:25: note: the other one is here
          4 | defaults: { metadata: { artist: "${show}" }, sample_rate: 48 kHz }
            |                         ^~~~~~
      job.yaml:6:3: error: 'lib' of 'jobs' stands in two files
          6 |   lib: { clip: take, output: a.mp3 }
            |   ^~~
        help: keep one of them
      lib/common.yaml:6:3: note: the other one is here
          6 |   lib: { clip: take, output: out/lib.mp3 }
            |   ^~~
      """)
  }

  @Test("Files that include one another are refused")
  func circles() {
    let texts = [
      "l.yaml": "include: job.yaml", "lib/c.yaml": "include: d.yaml",
      "lib/d.yaml": "include: c.yaml\nclip: a.wav",
    ]
    expect(
      bench(texts).screen(
        """
        include: [l.yaml, lib/c.yaml]
        jobs: { a: { clip: a.wav, output: x.mp3 } }
        """),
      """
      l.yaml:1:10: error: 'job.yaml' includes itself
          1 | include: job.yaml
            |          ^~~~~~~~
        help: leave it out
      job.yaml:1:11: note: by way of 'l.yaml'
          1 | include: [l.yaml, lib/c.yaml]
            |           ^~~~~~
      job.yaml:1:11: note: the file is included here
          1 | include: [l.yaml, lib/c.yaml]
            |           ^~~~~~
      lib/d.yaml:1:10: error: 'lib/c.yaml' includes itself
          1 | include: c.yaml
            |          ^~~~~~
        help: leave it out
      lib/c.yaml:1:10: note: by way of 'lib/d.yaml'
          1 | include: d.yaml
            |          ^~~~~~
      lib/c.yaml:1:10: note: the file is included here
          1 | include: d.yaml
            |          ^~~~~~
      job.yaml:1:19: note: the file is included here
          1 | include: [l.yaml, lib/c.yaml]
            |                   ^~~~~~~~~~
      lib/d.yaml:2:1: error: 'clip' in a file that is included
          2 | clip: a.wav
            | ^~~~
        help: put the job under 'jobs', with a name
      lib/c.yaml:1:10: note: the file is included here
          1 | include: d.yaml
            |          ^~~~~~
      job.yaml:1:19: note: the file is included here
          1 | include: [l.yaml, lib/c.yaml]
            |                   ^~~~~~~~~~
      """)
  }

  @Test("Files that cannot be included")
  func refused() {
    let texts = [
      "lib/c.yaml": "include: d.yaml", "single.yaml": "clip: a.wav\noutput: x.mp3",
    ]
    expect(
      bench(texts).screen(
        """
        include: [no.yaml, "${x}.yaml", lib, single.yaml, { a: b }]
        jobs: { a: { clip: a.wav, output: x.mp3 } }
        """),
      """
      job.yaml:1:11: error: there is no file 'no.yaml'
          1 | include: [no.yaml, "${x}.yaml", lib, single.yaml, { a: b }]
            |           ^~~~~~~
        help: put it there, or name another one
      job.yaml:1:20: error: a variable in 'include'
          1 | include: [no.yaml, "${x}.yaml", lib, single.yaml, { a: b }]
            |                    ^~~~~~~~~~~
        help: files are included before variables are read: write the path out
      job.yaml:1:33: error: 'lib' is a folder
          1 | include: [no.yaml, "${x}.yaml", lib, single.yaml, { a: b }]
            |                                 ^~~
        help: name a file in it
      job.yaml:1:51: error: a path belongs here, not a map
          1 | include: [no.yaml, "${x}.yaml", lib, single.yaml, { a: b }]
            |                                                   ^
        help: write include: [shows.yaml, defaults.yaml]
      single.yaml:1:1: error: 'clip' in a file that is included
          1 | clip: a.wav
            | ^~~~
        help: put the job under 'jobs', with a name
      job.yaml:1:38: note: the file is included here
          1 | include: [no.yaml, "${x}.yaml", lib, single.yaml, { a: b }]
            |                                      ^~~~~~~~~~~
      """)
  }

  @Test("Bombs of files: too many, too deep, too large")
  func bombs() {
    var texts: [String: String] = [:]
    for index in 0..<200 { texts["w\(index).yaml"] = "vars: { v\(index): x }" }
    let all = (0..<200).map { "w\($0).yaml" }.joined(separator: ", ")
    let job = "\nclip: a.wav\noutput: x.mp3"
    let wide = bench(texts).screen("include: [\(all)]\(job)")
    #expect(wide.contains("error: more than 100 files are included\n"))
    for index in 0..<200 { texts["d\(index).yaml"] = "include: d\(index + 1).yaml" }
    let deep = bench(texts).screen("include: d0.yaml\(job)")
    #expect(deep.contains("d15.yaml:1:10: error: more than 16 files within one another\n"))
    let large = "vars: { x: \"\(String(repeating: "x", count: 3 << 20))\" }"
    let heavy = bench(["a.yaml": large, "b.yaml": large, "c.yaml": large])
      .screen("include: [a.yaml, b.yaml, c.yaml]\(job)")
    #expect(
      heavy.contains(
        "job.yaml:1:27: error: with what it includes, the file has more than 8 MiB\n"))
  }

  @Test(
    "Of a file in a newer language nothing else is reported, included or not",
    arguments: [("2", "version 2"), ("1.2", "version 1.2"), ("10", "version 10")])
  func newer(version: String, shown: String) {
    let yaml = "version: \(version)\njbos: { a: { clip: a.wav, output: x.mp3 } }"
    let caret = "^" + String(repeating: "~", count: version.count - 1)
    let screen = """
      FILE:1:10: error: this file is in \(shown) of the job language
          1 | version: \(version)
            |          \(caret)
        help: this avjob reads version 1: take a newer avjob, or write the file for version 1
      """
    expect(bench([:]).screen(yaml), screen.replacing("FILE", with: "job.yaml"))
    expect(
      bench(["n.yaml": yaml]).screen("include: n.yaml\nclip: nope.wav"),
      screen.replacing("FILE", with: "n.yaml") + """

        job.yaml:1:10: note: the file is included here
            1 | include: n.yaml
              |          ^~~~~~
        """)
  }

  @Test("Defaults replace missing keys of a job; tags are merged one by one")
  func defaults() throws {
    let jobs = try bench([:]).load(
      """
      defaults:
        clip: a.wav
        to: 10s
        gain: -3 dB
        metadata: { artist: Deep Fields, album: Sea }
        output: out/${n}.flac
      jobs:
        one: { for_each: [x], metadata: { album: Sky, title: "${input}" } }
        two: { concat: [b.wav], duration: 2s, gain: 0 dB, output: two.mp3 }
        three: { silence: 1m, metadata: { artist: "" }, output: three.mp3 }
      """
    ).jobs
    #expect(jobs.map { $0.outputs[0].path } == ["out/1.flac", "two.mp3", "three.mp3"])
    #expect(
      jobs.map { job in ["artist", "album", "title"].map { job.metadata[$0] } } == [
        ["Deep Fields", "Sky", "x"], ["Deep Fields", "Sea", nil], ["", "Sea", nil],
      ])
    #expect(jobs.map { $0.item.gain?.value == Gain(decibels: -3) } == [true, false, true])
    #expect(jobs.map { $0.media.map(\.location.file) } == [["a.wav"], ["b.wav"], []])
  }

  @Test("The error of a default is reported once")
  func wrongDefaults() {
    expect(
      bench([:]).screen(
        """
        defaults: { gain: 3, fade_inn: 2s }
        jobs:
          a: { clip: a.wav, output: x.mp3 }
          b: { clip: a.wav, output: y.mp3 }
        """),
      """
      job.yaml:1:19: error: '3' has no unit
          1 | defaults: { gain: 3, fade_inn: 2s }
            |                   ^
        help: write '3 dB', or a factor as '50 %'
      job.yaml:1:22: error: unknown key 'fade_inn'
          1 | defaults: { gain: 3, fade_inn: 2s }
            |                      ^~~~~~~~
        help: did you mean 'fade_in'?
      """)
  }

  @Test("A file without jobs is no mistake where it stands in a folder of job files")
  func noJobs() throws {
    var bench = bench([:])
    #expect(bench.screen("vars: { a: b }").contains("a job needs an 'output'"))
    bench.options.allowsNoJobs = true
    #expect(try bench.load("vars: { a: b }\nsources: { x: a.wav }").jobs.isEmpty)
    #expect(bench.screen("clip: a.wav").contains("a job needs an 'output'"))
  }

  @Test("The job files of a folder, in the order of counting")
  func folder() throws {
    let files = MemoryFiles([
      "jobs/ep10.yaml", "jobs/ep2.yml", "jobs/.hidden.yaml", "jobs/notes.txt", "jobs/sub/x.yaml",
      "jobs/EP1.YAML", "raw/a.wav",
    ])
    #expect(
      try JobFile.paths(in: "jobs", files: files) == [
        "jobs/EP1.YAML", "jobs/ep2.yml", "jobs/ep10.yaml",
      ])
    #expect {
      try JobFile.paths(in: "raw", files: files)
    } throws: { error in
      (error as? Diagnostics)?.render(in: SourceMap())
        == "error: there is no job file in the folder 'raw'\n  help: job files end in '.yaml' or "
        + "'.yml'"
    }
  }
}
