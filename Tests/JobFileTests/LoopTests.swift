import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// One job becomes many by lists of values.
@Suite struct LoopTests {
  private func jobs(_ yaml: String, _ bench: Bench = Bench()) throws -> [Job] {
    try bench.load(yaml).jobs
  }

  private func titles(_ yaml: String, _ bench: Bench = Bench()) throws -> [String?] {
    try jobs(yaml, bench).map { $0.metadata["title"] }
  }

  @Test("Words that are no files are values: 'input' is each of them")
  func values() throws {
    let jobs = try jobs(
      """
      for_each: [en, "-3 dB", 44.1 kHz, v1.0, 30s]
      clip: a.wav
      metadata: { title: "${input}|${input.stem}|${input.name}|${input.dir}|${input.ext}|${n}/${count}" }
      output: out/${n}.mp3
      """)
    #expect(jobs.map(\.name) == ["en", "-3 dB", "44.1 kHz", "v1.0", "30s"])
    #expect(
      jobs.map { $0.metadata["title"] } == [
        "en|en|en|||1/5", "-3 dB|-3 dB|-3 dB|||2/5", "44.1 kHz|44.1 kHz|44.1 kHz|||3/5",
        "v1.0|v1.0|v1.0|||4/5", "30s|30s|30s|||5/5",
      ])
  }

  @Test("A word among files is a file, too, and so is one that looks like a file's name")
  func filesAmongWords() {
    expect(
      Bench().screen(
        """
        jobs:
          a: { for_each: [a.wav, en], output: { folder: o, mp3: V2 } }
          b: { for_each: [x.wav, y.wav], output: { folder: p, mp3: V2 } }
        """),
      """
      job.yaml:2:26: error: 'en' is a value, and the list has files, too
          2 |   a: { for_each: [a.wav, en], output: { folder: o, mp3: V2 } }
            |                          ^~
        help: write { input: [a.wav, b.wav], lang: [en, de] }; a file is './en'
      job.yaml:3:19: error: there is no file 'x.wav'
          3 |   b: { for_each: [x.wav, y.wav], output: { folder: p, mp3: V2 } }
            |                   ^~~~~
        help: did you mean 'a.wav'?
      job.yaml:3:26: error: there is no file 'y.wav'
          3 |   b: { for_each: [x.wav, y.wav], output: { folder: p, mp3: V2 } }
            |                          ^~~~~
        help: did you mean 'a.wav'?
      """)
  }

  @Test("A product is every combination once, in the order of counting, under names of its own")
  func product() throws {
    var dice = Dice(5)
    for _ in 0..<40 {
      let lists = (0..<Int.random(in: 1...4, using: &dice)).map { list in
        (0..<Int.random(in: 1...4, using: &dice)).map { "v\(list)-\($0)" }
      }
      let map = lists.enumerated().map { "k\($0): [\($1.joined(separator: ", "))]" }
      let title = lists.indices.map { "${k\($0)}" }.joined(separator: " ")
      let jobs = try jobs(
        """
        for_each: { \(map.joined(separator: ", ")) }
        clip: a.wav
        metadata: { title: "\(title)", track: "${n}/${count}" }
        output: ${n}.mp3
        """)
      var expected = [""]
      for list in lists { expected = expected.flatMap { head in list.map { "\(head) \($0)" } } }
      #expect(jobs.map { " " + ($0.metadata["title"] ?? "") } == expected)
      #expect(
        jobs.map { $0.metadata["track"] } == (1...jobs.count).map { "\($0)/\(jobs.count)" })
      #expect(Set(jobs.map(\.name)).count == jobs.count)
    }
  }

  @Test("Names of jobs stay unique where values join to the same text")
  func ambiguousNames() throws {
    func names(_ lists: String) throws -> [String] {
      try jobs("for_each: { \(lists) }\nclip: a.wav\noutput: ${n}.mp3").map(\.name)
    }
    #expect(try names("a: [x], b: [y, z]") == ["x-y", "x-z"])
    #expect(
      try names("a: [x, x-y], b: [y-z, z]") == ["x, y-z", "x, z", "x-y, y-z", "x-y, z"])
    #expect(try names("a: [x, 'x-y, z'], b: ['y, z-q', 'z, z-q', 'q', 'z-q']").count == 8)
    let keyed = try jobs(
      """
      jobs:
        t: { for_each: { l: [en, de] }, clip: a.wav, output: "${l}.mp3" }
        "u-${l}": { for_each: { l: [en, de] }, clip: a.wav, output: "u${l}.mp3" }
      """)
    #expect(keyed.map(\.name) == ["t/en", "t/de", "u-en", "u-de"])
  }

  @Test("Files and values multiply: 'input' is the list of files")
  func filesTimesValues() throws {
    let jobs = try jobs(
      """
      for_each: { quality: [V0, V4], input: raw/*.wav }
      output: { folder: "out/${quality}", mp3: "${quality}" }
      """)
    #expect(jobs.map(\.name) == ["V0-ch1", "V0-ch2", "V0-ch10", "V4-ch1", "V4-ch2", "V4-ch10"])
    #expect(jobs.map { $0.outputs[0].path }.first == "out/V0/ch1.mp3")
    #expect(jobs.last?.media.map(\.location.file) == ["raw/ch10.wav"])
  }

  @Test("Values that jobs of other loops share are read again for each loop")
  func sharedByLoops() throws {
    let jobs = try jobs(
      """
      vars: { x: global }
      sources:
        take: "${file}.wav 1s.."
        plain: { file: a.wav, gain: -3 dB }
      jobs:
        one: { for_each: { file: [a, b] }, concat: [take, plain], output: "${file}1.mp3" }
        two: { for_each: { file: [b, a] }, concat: [take, plain], output: "${file}2.mp3" }
      """)
    #expect(
      jobs.map { $0.media.map(\.location.file) } == [
        ["a.wav"], ["b.wav", "a.wav"], ["b.wav", "a.wav"], ["a.wav"],
      ])
  }

  @Test("A source may be one of many: its path, and lists of chapters, name the job's variables")
  func clipTemplates() throws {
    var bench = Bench()
    bench.media = ["raw/1/host.wav", "raw/2/host.wav"]
    bench.texts["raw/1/chapters.txt"] = "0:00 One\n"
    bench.texts["raw/2/chapters.txt"] = "0:05 Two\n"
    let jobs = try jobs(
      """
      sources: { host: { clip: "raw/${episode}/host.wav 2s..", gain: +2 dB, fade_in: 1s } }
      for_each: { episode: [1, 2] }
      clip: host
      chapters: raw/${episode}/chapters.txt
      output: ${episode}.mp3
      """, bench)
    #expect(jobs.map { $0.media.map(\.location.file) } == [["raw/1/host.wav"], ["raw/2/host.wav"]])
    #expect(jobs.map { $0.item.chapters.map(\.title) } == [["One"], ["Two"]])
    #expect(jobs.allSatisfy { $0.item.gain != nil && $0.item.fadeIn != nil })
  }

  @Test("A source that no job can complete is reported")
  func unboundSource() {
    expect(
      Bench().screen(
        """
        sources: { host: "raw/${episode}.wav", typo: "raw/${epsode}.wav" }
        jobs:
          a: { for_each: { episode: [ch1, ch2] }, clip: host, output: "${episode}.mp3" }
        """),
      """
      job.yaml:1:51: error: unknown variable 'epsode'
          1 | sources: { host: "raw/${episode}.wav", typo: "raw/${epsode}.wav" }
            |                                                   ^~~~~~~~~
        help: add it to 'vars', or pass --set epsode=VALUE
      """)
  }

  @Test("Values bring no clip along, and a job without a table has no rows")
  func lacking() {
    expect(
      Bench().screen(
        """
        jobs:
          d: { for_each: [en, de], output: "${input}-d.mp3" }
          f: { concat: [{ each: row, clip: a.wav }], output: f.mp3 }
        """),
      """
      job.yaml:2:6: error: nothing sounds here
          2 |   d: { for_each: [en, de], output: "${input}-d.mp3" }
            |      ^
        help: 'for_each' has values here, which are no files: add 'clip: ${input}.wav'
      job.yaml:3:19: error: 'each: row' belongs to 'rows', which this job has not
          3 |   f: { concat: [{ each: row, clip: a.wav }], output: f.mp3 }
            |                   ^~~~
        help: name a table, as 'rows: words.csv'
      """)
  }

  @Test("Mistakes in lists of values")
  func mistakes() {
    expect(
      Bench().screen(
        """
        vars: { lang: en }
        for_each:
          lang: [en, de]
          n: [1]
          take: [1, 1]
          file: raw/*.wav
          one: two
          none: []
          "a b": [x]
        clip: a.wav
        gain: 3
        output: ${lang}.mp3
        """),
      """
      job.yaml:3:3: error: 'lang' has a text already
          3 |   lang: [en, de]
            |   ^~~~
        help: choose another name
      job.yaml:1:9: note: it is given here
          1 | vars: { lang: en }
            |         ^~~~
      job.yaml:4:3: error: 'n' is a name of the language's own
          4 |   n: [1]
            |   ^
        help: choose another name
      job.yaml:5:13: error: '1' twice
          5 |   take: [1, 1]
            |             ^
        help: leave one of them out
      job.yaml:5:10: note: first written here
          5 |   take: [1, 1]
            |          ^
      job.yaml:6:9: error: 'file' is a list of values, not a text
          6 |   file: raw/*.wav
            |         ^~~~~~~~~
        help: files are gone through as 'input': { input: ... }
      job.yaml:7:8: error: 'one' is a list of values, not a text
          7 |   one: two
            |        ^~~
        help: write { lang: [en, de], length: [30s, 60s] }
      job.yaml:8:9: error: an empty list
          8 |   none: []
            |         ^
        help: write a pattern of files, as 'raw/**/*.wav', an address, a list of them, or lists of \
      values, as { lang: [en, de] }
      job.yaml:9:3: error: 'a b' cannot be a variable's name
          9 |   "a b": [x]
            |   ^~~~~
        help: a name is made of letters, digits, '_', '-' and '.'
      job.yaml:11:7: error: '3' has no unit
         11 | gain: 3
            |       ^
        help: write '3 dB', or a factor as '50 %'
      """)
  }

  @Test("A loop's variable cannot be set, nor be repeated for two things")
  func setAndBoth() {
    var bench = Bench()
    bench.options.variables = [.init("id", "x")]
    bench.texts["t.csv"] = "id\n1\n"
    expect(
      bench.screen(
        """
        jobs:
          a: { rows: t.csv, clip: a.wav, output: "${id}.mp3" }
          b: { for_each: [x], rows: t.csv, clip: a.wav, output: "b${id}.mp3" }
        """),
      """
      job.yaml:3:23: error: 'rows' beside 'for_each'
          3 |   b: { for_each: [x], rows: t.csv, clip: a.wav, output: "b${id}.mp3" }
            |                       ^~~~
        help: a job is repeated for one of them
      job.yaml:3:8: note: the other one is here
          3 |   b: { for_each: [x], rows: t.csv, clip: a.wav, output: "b${id}.mp3" }
            |        ^~~~~~~~
      error: 'id' is bound by a loop of 'job.yaml'
        help: its values stand in the file
      """)
  }

  @Test("A thousand million jobs are refused before one is made, by the limit")
  func limit() {
    let list = "[" + (1...1_000).map(String.init).joined(separator: ",") + "]"
    let maps = ["a", "b", "c"].map { "  \($0): \(list)\n" }.joined()
    let screen = Bench().screen(
      "for_each:\n\(maps)clip: a.wav\noutput: \"${a}${b}${c}.mp3\"")
    #expect(
      screen.hasPrefix(
        "job.yaml:2:3: error: 1,000 × 1,000 × 1,000 are 1,000,000,000 jobs: a file makes at most "
          + "200,000\n"))
    let lists = (0..<30).map { "  k\($0): \(list)\n" }.joined()
    #expect(
      Bench().screen("for_each:\n\(lists)clip: a.wav\noutput: \"${k1}.mp3\"").contains(
        " are more jobs than can be counted: a file makes at most 200,000\n"))
  }
}
