import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import JobFile
@testable import YAML

/// What a split job becomes. Every file lasts a minute unless a test says otherwise.
@Suite struct SplitTests {
  private func exports(_ yaml: String, _ bench: Bench = Bench()) throws -> [Export] {
    try bench.exports(yaml)
  }

  private func ranges(_ split: String, _ bench: Bench = Bench()) throws -> [String] {
    try exports("clip: a.wav\nsplit: \(split)\noutput: x/${part.n}.flac", bench)
      .map { $0.timeRange.map { "\($0)" } ?? "whole" }
  }

  @Test("Maps, texts, labels, sheets, lengths: each part lasts to the next, the last to the end")
  func kinds() throws {
    var bench = Bench()
    bench.texts = [
      "times.txt": "0:00 One\n12.5s Two\n40s Three", "labels.txt": "0\t0\ta\n12.5\t12.5\tb",
      "regions.txt": "1\t2\ta\n10\t12.5\tb\n50\t60.0009\tc\n",
      "x.cue": "FILE \"a\" WAVE\nTRACK 1 AUDIO\nINDEX 1 0:0:0\nTRACK 2 AUDIO\nINDEX 0 0:9:0\n"
        + "INDEX 1 0:10:1",
    ]
    #expect(try ranges("times.txt", bench) == ["0s..12.5s", "12.5s..40s", "40s..1:00"])
    #expect(
      try ranges("{ 0s: One, 12.5s: Two, end-20s: Three }") == [
        "0s..12.5s", "12.5s..40s", "40s..1:00",
      ])
    #expect(try ranges("labels.txt", bench) == ["0s..12.5s", "12.5s..1:00"])
    // Regions are as long as they are drawn; one that leaves the end by less than 1 ms ends there.
    #expect(try ranges("regions.txt", bench) == ["1s..2s", "10s..12.5s", "50s..1:00"])
    #expect(try ranges("x.cue", bench) == ["0s..751/75s", "751/75s..1:00"])
    #expect(try ranges("{ every: 25s }") == ["0s..25s", "25s..50s", "50s..1:00"])
    #expect(try ranges("{ every: 30s }") == ["0s..30s", "30s..1:00"])
    #expect(try ranges("{ every: 2m }") == ["0s..1:00"])
    #expect(try ranges("{ every: 960001 samples }").count == 3)
  }

  @Test("Parts of any list add up to the whole, and share its composition")
  func sum() throws {
    var random = Dice(1)
    for _ in 0..<50 {
      var times = [Time.zero]
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        times.append(Time(value: Int64.random(in: 1..<(60 * 997), using: &random), timescale: 997))
      }
      times = Array(Set(times)).sorted()
      var bench = Bench()
      bench.texts["t.txt"] = times.map { "\($0) x" }.joined(separator: "\n")
      let parts = try exports(
        "concat: [a.wav ..30s, b.wav ..30s]\nsplit: t.txt\noutput: ${part.n}.wav", bench)
      #expect(parts.compactMap(\.timeRange?.start) == times)
      #expect(parts.reduce(.zero) { $0 + $1.duration } == Time(value: 60, timescale: 1))
      #expect(Set(parts.map(\.composition)).count == 1)
    }
  }

  @Test("A split is of the job's timeline, after all modifiers")
  func modifiers() throws {
    let parts = try exports(
      """
      concat: [a.wav, b.wav]
      from: 30s
      split: { every: 1m }
      output: ${part.n}.mp3
      """)
    #expect(parts.map { $0.timeRange.map { "\($0)" } } == ["0s..1:00", "1:00..1:30"])
    #expect(parts.map { "\($0.composition.duration)" } == ["1:30", "1:30"])
  }

  @Test("Chapters: of the items, or of the only clip; the first part begins with the timeline")
  func chapters() throws {
    var bench = Bench()
    var book = Asset.fake("a.wav", seconds: 60)
    book.chapters = [
      Chapter(start: Time(value: 1, timescale: 2), title: "One"),
      Chapter(start: Time(value: 20, timescale: 1), title: "Two"),
    ]
    bench.assets["a.wav"] = book
    let own = try exports(
      "clip: a.wav\nsplit: chapters\noutput: \"${part.n} ${part.title}.mp3\"", bench)
    #expect(own.map { $0.timeRange.map { "\($0)" } } == ["0s..20s", "20s..1:00"])
    #expect(own.map { $0.outputs[0].path } == ["1 One.mp3", "2 Two.mp3"])
    let items = try exports(
      """
      concat: [{ clip: a.wav, chapter: A }, { clip: b.wav ..10s, chapter: B }]
      split: chapters
      output: "${part.title}.mp3"
      """)
    #expect(items.map { $0.timeRange.map { "\($0)" } } == ["0s..1:00", "1:00..1:10"])
    #expect(items.map { $0.outputs[0].path } == ["A.mp3", "B.mp3"])
  }

  @Test("Names of parts, and variables in paths and tags")
  func variables() throws {
    var bench = Bench()
    bench.texts["x.cue"] = """
      PERFORMER "Band"
      TRACK 09 AUDIO
      TITLE "Nine"
      INDEX 01 00:00:00
      TRACK 10 AUDIO
      TITLE "Ten"
      PERFORMER "Guest"
      ISRC GB1
      INDEX 01 00:10:00
      """
    let parts = try exports(
      """
      vars: { show: Deep $ }
      jobs:
        album:
          clip: a.wav
          split: x.cue
          metadata:
            comment: "${show}: ${part.n:03} of ${part.count} ${part.isrc:-none} $${part.n}"
          output:
            - "~/${show}/${part.performer}/${part.n:02} $${x} ${part.title}.mp3"
            - { file: "b/${part.n}.flac", metadata: { artist: "${part.title}!" } }
      """, bench)
    #expect(parts.map(\.name) == ["album/09 Nine", "album/10 Ten"])
    #expect(
      parts.map { $0.outputs.map(\.path) } == [
        ["/home/ann/Deep $/Band/09 ${x} Nine.mp3", "b/9.flac"],
        ["/home/ann/Deep $/Guest/10 ${x} Ten.mp3", "b/10.flac"],
      ])
    #expect(
      parts.map { $0.metadata["comment"] } == [
        "Deep $: 009 of 2 none ${part.n}", "Deep $: 010 of 2 GB1 ${part.n}",
      ])
    #expect(parts.map { $0.outputs[1].metadata["artist"] } == ["Nine!", "Ten!"])
    #expect(parts.map { $0.metadata["track"] } == ["9/10", "10/10"])
  }

  @Test("A title never leads out of its place in the path")
  func hostileTitles() throws {
    var bench = Bench()
    bench.texts["t.txt"] = "0:00 ../../etc\n0:10 ..\n0:20 .\n0:30 /abs\n0:40 a\u{7}b\n0:50 ~\n"
    let parts = try exports(
      "clip: a.wav\nsplit: t.txt\noutput: \"out/${part.title}/${part.performer:-}/x.mp3\"", bench)
    #expect(
      parts.map { $0.outputs[0].path } == [
        "out/.._.._etc/_/x.mp3", "out/__/_/x.mp3", "out/_/_/x.mp3", "out/_abs/_/x.mp3",
        "out/a_b/_/x.mp3", "out/~/_/x.mp3",
      ])
    #expect(parts[0].metadata["title"] == "../../etc")
  }

  @Test("A folder takes the input's name and the part's number")
  func folder() throws {
    var bench = Bench()
    bench.texts["raw/x$${n}.txt"] = "0:00"
    let parts = try exports(
      "for_each: raw/**/*.wav\nsplit: { every: 40s }\noutput: { folder: out, mp3: V2 }", bench)
    #expect(
      parts.map { $0.outputs[0].path } == [
        "out/ch1 01.mp3", "out/ch1 02.mp3", "out/ch2 01.mp3", "out/ch2 02.mp3", "out/ch10 01.mp3",
        "out/ch10 02.mp3", "out/extra/bonus 01.mp3", "out/extra/bonus 02.mp3",
      ])
    #expect(parts.map(\.name).prefix(3) == ["ch1/01", "ch1/02", "ch2/01"])
    bench.media = ["raw/a${part.n}.b.wav"]
    let odd = try bench.exports(
      "for_each: raw/*.wav\nsplit: { every: 40s }\noutput: { folder: out, mp3: V2 }",
      named: "j${x}/job.yaml")
    #expect(
      odd.map { $0.outputs[0].path } == [
        "j${x}/out/a${part.n}.b 01.mp3", "j${x}/out/a${part.n}.b 02.mp3",
      ])
  }

  @Test("Tags: the clip's own below, the list's over them, the job's on top")
  func tags() throws {
    var bench = Bench()
    var live = Asset.fake("a.wav", seconds: 60)
    for (key, value) in [
      ("title", "The whole"), ("track", "7"), ("artist", "Old"), ("encoder", "x"), ("isrc", "y"),
    ] { live.metadata[key] = value }
    bench.assets["a.wav"] = live
    bench.texts["x.cue"] = """
      TITLE "Live"
      PERFORMER "Band"
      REM GENRE Rock
      TRACK 01 AUDIO
      TITLE "One"
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      INDEX 01 00:30:00
      """
    func tags(_ split: String) throws -> [[String]] {
      try exports(
        "clip: a.wav\nsplit: \(split)\nmetadata: { genre: Jazz }\noutput: ${part.n}.mp3", bench
      ).map { $0.metadata.items.map { "\($0.key)=\($0.value)" } }
    }
    #expect(
      try tags("x.cue") == [
        [
          "title=One", "artist=Band", "encoder=x", "album=Live", "genre=Jazz", "album_artist=Band",
          "track=1/2",
        ],
        [
          "title=The whole", "artist=Band", "encoder=x", "album=Live", "genre=Jazz",
          "album_artist=Band", "track=2/2",
        ],
      ])
    #expect(
      try tags("{ every: 40s }") == [
        ["title=The whole", "artist=Old", "encoder=x", "track=1/2", "genre=Jazz"],
        ["title=The whole", "artist=Old", "encoder=x", "track=2/2", "genre=Jazz"],
      ])
  }

  @Test("Chapters from every kind of list, in the item's own time")
  func listedChapters() throws {
    var bench = Bench()
    bench.texts = [
      "c.txt": "0:00 Intro\n0:05 News\n", "l.txt": "1.5\t2\tA\n3\t3\tB\n",
      "x.cue": "TRACK 1 AUDIO\nTITLE X\nINDEX 1 0:1:0",
    ]
    let export = try #require(
      try exports(
        """
        concat:
          - { clip: a.wav 10s..20s, chapters: c.txt }
          - { clip: a.wav, chapters: l.txt }
        chapters: x.cue
        output: x.mp3
        """, bench
      ).first)
    #expect(export.chapters.map { "\($0.start) \($0.title)" } == ["1s X"])
    #expect(
      export.composition.chapters.map { "\($0.start) \($0.title)" } == [
        "0s Intro", "5s News", "11.5s A", "13s B",
      ])
  }

  @Test("A cut may be a file of labels over ranges, each mistake at its line")
  func cutByFile() throws {
    var bench = Bench()
    bench.texts = ["cuts.txt": "1.0\t2.5\tcough\n10\t20\tbreak\n", "late.txt": "50s..70s"]
    let export = try #require(
      try exports("clip: a.wav\ncut: cuts.txt\noutput: x.mp3", bench).first)
    #expect("\(export.composition.duration)" == "48.5s")
    expect(
      bench.exportScreen("clip: a.wav\ncut: late.txt\noutput: x.mp3"),
      """
      late.txt:1:6: error: the range ends at 1:10, but 'a.wav' lasts 1:00
          1 | 50s..70s
            |      ^~~
        help: leave the end out, or write 'end'
      job.yaml:2:6: note: the list is named here
          2 | cut: late.txt
            |      ^~~~~~~~
      """)
  }

  @Test("Ranges of a file, for keys that need ranges")
  func rangesOfAFile() throws {
    let files = MemoryFiles(texts: ["l.txt": "1\t2\ta\n3\t3\tb\n", "t.txt": "1:00..2:00\n"])
    let map = SourceMap()
    let decoder = Decoder(
      map: map, files: files, folder: "", quotedFolder: "/home/show", sink: DiagnosticSink())
    let scope = Scope(globals: [:], environment: [:])
    func ranges(_ name: String) -> Int {
      let node = YAMLNode(.scalar(YAMLScalar(text: name)), origin: .unknown)
      return decoder.listedRanges(node, scope).count
    }
    #expect(ranges("t.txt") == 1 && decoder.sink.diagnostics.isEmpty)
    #expect(ranges("l.txt") == 1)
    expect(
      decoder.sink.diagnostics.render(in: map),
      """
      l.txt:2:1: error: a moment, where a range is meant
          2 | 3\t3\tb
            | ^
        help: give it an end: a label over a range, or a line as '12:00..13:30'
      """)
  }
}
