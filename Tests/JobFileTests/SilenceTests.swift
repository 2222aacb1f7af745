import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// What is made of silences that are found. Every file lasts a minute.
@Suite struct SilenceTests {
  /// A bench on which every sound is silent for so many tenths of a second at its ends.
  private func bench(_ head: Int64, _ tail: Int64) -> Bench {
    var bench = Bench()
    bench.listen = { search in
      let end = search.composition.duration
      return SilenceFindings([
        TimeRange(start: .zero, duration: Time(value: head, timescale: 10)),
        TimeRange(start: end - Time(value: tail, timescale: 10), end: end),
      ])
    }
    return bench
  }

  @Test("Silence at both ends goes, but for what is kept, after cuts and before all else")
  func trim() throws {
    let bench = bench(20, 35)
    #expect(
      try Shapes.tracks("clip: a.wav 10s..\ntrim: -50 dB", bench) == ["a.wav 12s..56.5s @ 0s"])
    #expect(
      try Shapes.tracks("clip: a.wav\ntrim: { below: -50 dB, keep: 300ms }", bench)
        == ["a.wav 1.7s..56.8s @ 0s"])
    // No more than there is.
    #expect(
      try Shapes.tracks("clip: a.wav\ntrim: { below: -50 dB, keep: 2.5s }", bench)
        == ["a.wav 0s..59s @ 0s"])
    #expect(
      try Shapes.tracks("clip: a.wav\ntrim: { below: -50 dB, keep: 9s }", bench)
        == ["a.wav 0s..1:00 @ 0s"])
    let segment = try Shapes.segment(
      "{ clip: a.wav, trim: -50 dB, cut: [..5s], reverse: true, speed: 2, effects: [denoise] }",
      bench)
    #expect(
      Shapes.text(segment)
        == "[a.wav 5s..1:00 @ 0s] 2s..51.5s @ 0s for 24.75s reversed (denoise 12 dB)")
    #expect(segment.mix.isUnity)
  }

  @Test("What is listened to is the item after its cuts, as it is, and each sound for itself")
  func searches() throws {
    var bench = bench(10, 10)
    let asked = Asked()
    let answer = bench.listen
    bench.listen = { search in
      asked.list.append(search)
      return answer(search)
    }
    _ = try Shapes.export(
      """
      concat:
        - { clip: a.wav ..20s, trim: -50 dB, gain: -6 dB, fade_in: 1s, chapter: One }
        - { clip: b.wav, cut: [..40s], insert: [{ clip: a.wav ..5s, at: end, trim: -40 dB }], trim: -60 dB }
      """, bench)
    #expect(
      asked.list.map { $0.composition.tracks.map(Shapes.text) } == [
        ["a.wav 0s..20s @ 0s"], ["a.wav 0s..5s @ 0s"],
        ["[b.wav 40s..1:00 @ 0s, a.wav 1s..4s @ 20s] 0s..23s @ 0s"],
      ])
    #expect(asked.list.map { Int($0.threshold.decibels.rounded()) } == [-50, -40, -60])
    #expect(asked.list.allSatisfy { $0.least == nil && $0.mix.isUnity })
  }

  private final class Asked { var list: [SilenceSearch] = [] }

  /// A bench on which every sound is silent in the middle of each quarter of a minute but the last.
  private var quarters: Bench {
    var bench = Bench()
    bench.listen = { _ in
      SilenceFindings(
        [15, 30, 45].map {
          TimeRange(
            start: Time(value: $0 - 1, timescale: 1), end: Time(value: $0 + 1, timescale: 1))
        })
    }
    return bench
  }

  @Test("A job's chapters begin where a split at the same silences would part it")
  func chapterSearch() throws {
    let rule = "silence: 2s, below: -50 dB"
    func chapters(_ keys: String) throws -> [String] {
      Shapes.chapters(try Shapes.export("clip: a.wav\nchapters: { \(keys) }", quarters))
    }
    #expect(
      try chapters(rule) == [
        "Chapter 1 @ 0s", "Chapter 2 @ 15s", "Chapter 3 @ 30s", "Chapter 4 @ 45s",
      ])
    #expect(
      try chapters(rule + ", shortest: 20s, title: 'Teil ${part.n:02} von ${part.count}'")
        == ["Teil 01 von 2 @ 0s", "Teil 02 von 2 @ 30s"])
    let parts = try quarters.exports(
      """
      clip: a.wav
      split: { \(rule), longest: 30s }
      output: "${part.n}.wav"
      """)
    #expect(
      try chapters(rule + ", longest: 30s").count == parts.count && parts.count == 4)
  }

  @Test("A job that is split takes its parts from chapters at silences, and its parts have them")
  func splitChapterSearch() throws {
    let exports = try quarters.exports(
      """
      concat: [a.wav, b.wav]
      chapters: { silence: 2s, below: -50 dB, title: "Track ${part.n}" }
      split: chapters
      output: "${part.n} ${part.title}.flac"
      """)
    #expect(
      exports.map { $0.outputs[0].path.string } == [
        "1 Track 1.flac", "2 Track 2.flac", "3 Track 3.flac", "4 Track 4.flac",
      ])
  }

  @Test(
    "Chapters at silences: of a sound without others, of a job, with a level and known variables")
  func chapterSearchRefusals() {
    expect(
      quarters.exportScreen(
        #"""
        jobs:
          a: { concat: [{ clip: a.wav, chapter: One }], chapters: { silence: 2s, below: -50 dB }, output: a.m4b }
          b: { clip: a.wav, chapters: { silence: 2s, below: -50 dB, title: "${part.title}" }, output: b.m4b }
        """#),
      #"""
      job.yaml:2:59: error: chapters are sought in 'a', which has some: 'One' at 0s
          2 |   a: { concat: [{ clip: a.wav, chapter: One }], chapters: { silence: 2s, below: -50 dB }, output: a.m4b }
            |                                                           ^
        help: leave one of them out
      job.yaml:2:41: note: that is here
          2 |   a: { concat: [{ clip: a.wav, chapter: One }], chapters: { silence: 2s, below: -50 dB }, output: a.m4b }
            |                                         ^~~
      job.yaml:3:31: error: part 1 has no 'part.title'
          3 |   b: { clip: a.wav, chapters: { silence: 2s, below: -50 dB, title: "${part.title}" }, output: b.m4b }
            |                               ^
        help: give a default: '${part.title:-text}'
      """#)
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { concat: [{ clip: a.wav, chapters: { silence: 2s, below: -50 dB } }], output: a.m4b }
          b: { clip: a.wav, chapters: { silence: 2s }, output: b.m4b }
        """#),
      #"""
      job.yaml:2:42: error: chapters at silences belong to the job, not to an item
          2 |   a: { concat: [{ clip: a.wav, chapters: { silence: 2s, below: -50 dB } }], output: a.m4b }
            |                                          ^
        help: write 'chapters' beside the job's 'output'
      job.yaml:3:33: error: 'silence' needs a level
          3 |   b: { clip: a.wav, chapters: { silence: 2s }, output: b.m4b }
            |                                 ^~~~~~~
        help: write { silence: 2s, below: -50 dB }
      """#)
  }

  @Test("Chapters stay with their sound")
  func chapters() throws {
    let yaml = "clip: a.wav\nchapters: { 0s: One, 20s: Two, 59s: Three }\ntrim: -50 dB"
    #expect(Shapes.chapters(try Shapes.export(yaml, bench(20, 20))) == ["One @ 0s", "Two @ 18s"])
  }

  @Test("What is removed is a remark")
  func remarks() throws {
    let yaml = """
      concat:
        - { clip: a.wav, trim: -50 dB }
        - { clip: b.wav, name: talk, trim: { below: -50 dB, keep: 1s } }
        - { clip: b.wav ..10s, trim: { below: -50 dB, keep: 4s } }
      output: x.wav
      """
    let map = SourceMap()
    let bench = bench(20, 5)
    var found = Diagnostics()
    for job in try bench.load(yaml, into: map).jobs {
      let made = try job.exports(assets: bench.asset, listen: bench.listen)
      found.append(contentsOf: made.remarks)
      #expect(made.warnings.isEmpty)
    }
    expect(
      found.render(in: map),
      """
      job.yaml:2:26: note: 2s at the start and 0.5s at the end of 'a.wav' are removed, and 2s to 59.5s of it are left
          2 |   - { clip: a.wav, trim: -50 dB }
            |                          ^~~~~~
      job.yaml:3:47: note: 1s at the start of 'talk' is removed, and 1s to 1:00 of it are left
          3 |   - { clip: b.wav, name: talk, trim: { below: -50 dB, keep: 1s } }
            |                                               ^~~~~~
      job.yaml:4:41: note: nothing of 'b.wav' is removed
          4 |   - { clip: b.wav ..10s, trim: { below: -50 dB, keep: 4s } }
            |                                         ^~~~~~
      """)
  }

  @Test("Silences that cannot be")
  func screens() throws {
    var bench = Bench()
    bench.listen = { search in
      let all = TimeRange(start: .zero, duration: search.composition.duration)
      return SilenceFindings(
        [all],
        loudest: search.threshold.decibels < -70 ? .silence : Gain(decibels: -62.34))
    }
    expect(
      bench.exportScreen(
        """
        jobs:
          a: { clip: a.wav, trim: -50 dB, output: a.mp3 }
          b: { clip: a.wav, name: talk, trim: { below: -80 dB, keep: 1s }, output: b.mp3 }
          c: { tracks: { talk: { clip: a.wav, trim: -50 dB }, music: { clip: b.wav, at: talk.end } }, output: c.mp3 }
          d: { clip: a.wav, trim: { below: -50 dB, keep: 10 samples }, output: d.mp3 }
        """),
      """
      job.yaml:2:27: error: all of 'a.wav' is below -50.0 dB: its loudest 10 ms have -62.3 dB
          2 |   a: { clip: a.wav, trim: -50 dB, output: a.mp3 }
            |                           ^~~~~~
        help: leave the item out, or trim below a lower level
      job.yaml:3:48: error: all of 'talk' is digital silence
          3 |   b: { clip: a.wav, name: talk, trim: { below: -80 dB, keep: 1s }, output: b.mp3 }
            |                                                ^~~~~~
        help: leave the item out
      job.yaml:4:45: error: all of 'a.wav' is below -50.0 dB: its loudest 10 ms have -62.3 dB
          4 |   c: { tracks: { talk: { clip: a.wav, trim: -50 dB }, music: { clip: b.wav, at: talk.end } }, output: c.mp3 }
            |                                             ^~~~~~
        help: leave the item out, or trim below a lower level
      job.yaml:5:36: error: all of 'a.wav' is below -50.0 dB: its loudest 10 ms have -62.3 dB
          5 |   d: { clip: a.wav, trim: { below: -50 dB, keep: 10 samples }, output: d.mp3 }
            |                                    ^~~~~~
        help: leave the item out, or trim below a lower level
      """)
  }

  @Test("Levels and splits that are none")
  func notations() {
    expect(
      Bench().screen(
        """
        jobs:
          a: { clip: a.wav, trim: 50 dB, output: a.mp3 }
          b: { clip: a.wav, trim: -inf dB, output: b.mp3 }
          c: { clip: a.wav, trim: { keep: 1s }, output: c.mp3 }
          d: { clip: a.wav, trim: -50, output: d.mp3 }
          e: { clip: a.wav, trim: 1 %, output: e.mp3 }
          f: { clip: a.wav, split: { silence: 2s }, output: "f${part.n}.mp3" }
          g: { clip: a.wav, split: { below: -50 dB }, output: "g${part.n}.mp3" }
          h: { clip: a.wav, split: { silence: 0s, below: -50 dB }, output: "h${part.n}.mp3" }
          i: { clip: a.wav, split: { every: 1s, silence: 2s, below: -50 dB }, output: "i${part.n}.mp3" }
        """),
      """
      job.yaml:2:27: error: '50 dB' is no level of silence
          2 |   a: { clip: a.wav, trim: 50 dB, output: a.mp3 }
            |                           ^~~~~
        help: write decibels below full scale, as '-50 dB'
      job.yaml:3:27: error: '-inf dB' is no level of silence
          3 |   b: { clip: a.wav, trim: -inf dB, output: b.mp3 }
            |                           ^~~~~~~
        help: write decibels below full scale, as '-50 dB'
      job.yaml:4:27: error: a trim needs 'below'
          4 |   c: { clip: a.wav, trim: { keep: 1s }, output: c.mp3 }
            |                           ^
        help: write { below: -50 dB }
      job.yaml:5:27: error: '-50' has no unit
          5 |   d: { clip: a.wav, trim: -50, output: d.mp3 }
            |                           ^~~
        help: write '-50 dB', or a factor as '50 %'
      job.yaml:6:27: error: '1 %' is no level of silence
          6 |   e: { clip: a.wav, trim: 1 %, output: e.mp3 }
            |                           ^~~
        help: write decibels below full scale, as '-50 dB'
      job.yaml:7:30: error: 'silence' needs a level
          7 |   f: { clip: a.wav, split: { silence: 2s }, output: "f${part.n}.mp3" }
            |                              ^~~~~~~
        help: write { silence: 2s, below: -50 dB }
      job.yaml:8:28: error: a split needs 'every', 'silence' or 'cues'
          8 |   g: { clip: a.wav, split: { below: -50 dB }, output: "g${part.n}.mp3" }
            |                            ^
        help: write { every: 10m } or { silence: 2s, below: -50 dB }
      job.yaml:9:39: error: silences of no length
          9 |   h: { clip: a.wav, split: { silence: 0s, below: -50 dB }, output: "h${part.n}.mp3" }
            |                                       ^~
        help: write { silence: 2s, below: -50 dB }
      job.yaml:10:41: error: 'silence' beside 'every'
         10 |   i: { clip: a.wav, split: { every: 1s, silence: 2s, below: -50 dB }, output: "i${part.n}.mp3" }
            |                                         ^~~~~~~
        help: keep one of them
      job.yaml:10:30: note: the other one is here
         10 |   i: { clip: a.wav, split: { every: 1s, silence: 2s, below: -50 dB }, output: "i${part.n}.mp3" }
            |                              ^~~~~
      """)
  }

  @Test("Times in a trimmed item are not fixed")
  func references() {
    expect(
      bench(10, 10).exportScreen(
        """
        tracks:
          talk: { concat: [{ clip: a.wav, name: news }], trim: -50 dB }
          music: [{ clip: b.wav, at: news.end }]
        output: x.wav
        """),
      """
      job.yaml:3:30: error: 'news.end' has no fixed time here
          3 |   music: [{ clip: b.wav, at: news.end }]
            |                              ^~~~~~~~
        help: write the time itself
      job.yaml:2:9: note: between the two is an item that is cut, inserted into, trimmed, reversed, repeated or played at another speed
          2 |   talk: { concat: [{ clip: a.wav, name: news }], trim: -50 dB }
            |         ^
      """)
  }

  // MARK: Split

  @Test("A timeline is split in the middle of its inner silences")
  func split() throws {
    var bench = Bench()
    bench.listen = { search in
      let ranges: [(Int64, Int64)] = [(0, 30), (100, 120), (305, 340), (580, 600)]
      return SilenceFindings(
        ranges.map { range in
          TimeRange(
            start: Time(value: range.0, timescale: 10), end: Time(value: range.1, timescale: 10))
        })
    }
    let yaml = """
      clip: a.wav
      gain: -6 dB
      split: { silence: 2s, below: -50 dB }
      output: "${part.n}.wav"
      """
    let exports = try bench.exports(yaml)
    #expect(
      exports.map { "\($0.timeRange ?? .zero)" } == ["0s..11s", "11s..32.25s", "32.25s..1:00"])
    #expect(exports.map { $0.outputs[0].path.string } == ["1.wav", "2.wav", "3.wav"])
    let asked = Asked()
    bench.listen = { search in
      asked.list.append(search)
      return SilenceFindings([])
    }
    expect(
      bench.exportScreen(yaml),
      """
      job.yaml:3:8: warning: no silence parts 'job': it becomes one part
          3 | split: { silence: 2s, below: -50 dB }
            |        ^
        help: ask for shorter silences, or for a higher level
      """)
    #expect(asked.list.map(\.least) == [Time(value: 2, timescale: 1)])
    #expect(asked.list.map { Int($0.mix.gain.decibels.rounded()) } == [-6])
  }

  @Test("A text that is no level of silence is reported with the right form")
  func levels() {
    for (text, width) in [("yes", 3), ("50 %", 4), ("-inf dB", 7), ("3 dB", 4)] {
      expect(
        Bench().screen("clip: a.wav\ntrim: \(text)\noutput: x.mp3\n"),
        """
        job.yaml:2:7: error: '\(text)' is no level of silence
            2 | trim: \(text)
              |       ^\(String(repeating: "~", count: width - 1))
          help: write decibels below full scale, as '-50 dB'
        """)
    }
  }
}
