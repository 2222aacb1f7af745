import MediaComposition
import MediaTime
import Testing
import TestSupport

@testable import JobFile

/// What is taken out and put in, and what becomes of chapters and tags. Every file lasts a minute.
@Suite struct CutAndInsertTests {
  @Test("Cuts take out ranges of the item as it is, in any order and overlapping")
  func cut() throws {
    #expect(
      try Shapes.tracks("clip: a.wav 10s..\ncut: [40s..end, 5s..10s, 8s..+4s, ..1s]")
        == [
          "[a.wav 11s..15s @ 0s, a.wav 22s..50s @ 4s] 0s..32s @ 0s"
        ].map { String($0.dropFirst().prefix { $0 != "]" }) })
    let keys = "cut: [{ from: 10s, duration: 5s }, { from: end-10s }]"
    #expect(
      try Shapes.tracks("clip: a.wav\n\(keys)") == ["a.wav 0s..10s @ 0s, a.wav 15s..50s @ 10s"])
  }

  @Test("A cut may be a file that lists ranges")
  func cutFromFile() throws {
    var bench = Bench()
    bench.texts["cuts.txt"] = "10.0\t20.0\tcough\n30.5\t31.0\tdoor\n"
    #expect(
      try Shapes.tracks("clip: a.wav\ncut: cuts.txt", bench) == [
        "a.wav 0s..10s @ 0s, a.wav 20s..30.5s @ 10s, a.wav 31s..1:00 @ 20.5s"
      ])
  }

  @Test("Insertions go to times of the unedited item, each after those before it")
  func insert() throws {
    let yaml = """
      clip: a.wav
      insert:
        - { clip: b.wav ..5s, at: end-10s }
        - { clip: b.wav ..2s, at: 0s }
        - { clip: b.wav ..3s, at: 50s }
        - { silence: 1s, at: end }
        - { concat: [b.wav ..1s, b.wav ..1s], crossfade: 500ms, at: 20s, gain: 50 % }
      """
    #expect(
      try Shapes.tracks(yaml) == [
        "b.wav 0s..2s @ 0s, a.wav 0s..20s @ 2s, "
          + "[b.wav 0s..1s @ 0s | b.wav 0s..1s @ 0.5s] 0s..1.5s @ 22s, a.wav 20s..50s @ 23.5s, "
          + "b.wav 0s..5s @ 53.5s, b.wav 0s..3s @ 58.5s, a.wav 50s..1:00 @ 1:01.5, "
          + "silence 0s..1s @ 1:11.5"
      ])
  }

  @Test("Both count in the unedited item; an insertion in a cut stays at its place")
  func both() throws {
    #expect(
      try Shapes.tracks("clip: a.wav\ncut: [10s..20s]\ninsert: [{ clip: b.wav ..5s, at: 15s }]")
        == ["a.wav 0s..10s @ 0s, b.wav 0s..5s @ 10s, a.wav 20s..1:00 @ 15s"])
    #expect(
      try Shapes.tracks("clip: a.wav\ncut: [start..end]\ninsert: [{ clip: b.wav, at: start }]")
        == ["b.wav 0s..1:00 @ 0s"])
  }

  @Test("A group is cut as one, and an insertion stops all of its tracks")
  func groups() throws {
    let yaml = """
      tracks:
        talk:
          at: 8s
          tracks: { host: a.wav, guest: b.wav }
          insert: [{ clip: intro.mp3 ..10s, at: 30s, chapter: Advertisement }]
          chapters: { 0s: One, 40s: Two }
      """
    let export = try Shapes.export(yaml)
    let group = "[a.wav 0s..1:00 @ 0s | b.wav 0s..1:00 @ 0s]"
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "[\(group) 0s..30s @ 0s, intro.mp3 0s..10s @ 30s, \(group) 30s..1:00 @ 40s] 0s..1:10 @ 8s"
      ])
    #expect(
      Shapes.chapters(export) == [
        "One @ 8s", "Advertisement @ 38s", "One @ 48s", "Two @ 58s",
      ])
  }

  @Test(
    "An inserted chapter ends where its item goes on, also where that has no chapter of its own",
    arguments: [
      ("clip: a.wav", "a @ 0s, Ad @ 30s, a @ 35s"),
      ("clip: a.wav\nname: talk", "talk @ 0s, Ad @ 30s, talk @ 35s"),
      ("clip: a.wav\nchapter: Talk", "Talk @ 0s, Ad @ 30s, Talk @ 35s"),
      ("clip: a.wav\nchapters: { 40s: Two }", "a @ 0s, Ad @ 30s, a @ 35s, Two @ 45s"),
      ("concat: [a.wav, b.wav]", "a @ 0s, Ad @ 30s, a @ 35s"),
    ])
  func insertedChapters(item: String, expected: String) throws {
    let yaml = item + "\ninsert: [{ clip: b.wav ..5s, at: 30s, chapter: Ad }]"
    #expect(Shapes.chapters(try Shapes.export(yaml)).joined(separator: ", ") == expected)
    #expect(Shapes.chapters(try Shapes.export(yaml.replacing(", chapter: Ad", with: ""))).count < 3)
  }

  @Test("A point of a curve that a cut moves is noted with both of its times")
  func clocks() {
    let yaml = """
      clip: a.wav
      cut: [10s..22s]
      volume: { 0s: 0 dB, 30s: -6 dB, end-2s: 0 dB }
      output: x.wav
      """
    let bench = Bench()
    #expect(
      bench.exportScreen(yaml) == """
        job.yaml:3:21: note: this point is at 30s after 'cut', which is 42s before it
            3 | volume: { 0s: 0 dB, 30s: -6 dB, end-2s: 0 dB }
              |                     ^~~
          help: times of 'cut' count before the cut, those of 'volume' after it; for 30s before it write '18s', or name a 'clock'
        """)
    #expect(bench.exportScreen(yaml.replacing("10s..22s", with: "40s..50s")) == "")
    #expect(bench.exportScreen(yaml.replacing("cut: [10s..22s]\n", with: "")) == "")
  }

  @Test("The channels of a file are picked before it is cut, and effects hear the whole")
  func surroundings() throws {
    let segment = try Shapes.segment(
      """
      { clip: a.wav, channels: left, cut: [0s..10s], reverse: true, speed: 2, effects: [denoise],
        insert: [{ clip: b.wav ..4s, at: end, speed: { rate: 2, pitch: follow } }] }
      """)
    #expect(
      Shapes.text(segment)
        == "[a.wav 10s..1:00 @ 0s, [b.wav 0s..4s @ 0s for 2s] 0s..2s @ 50s] 0s..52s @ 0s for 26s "
        + "reversed (denoise 12 dB)")
    guard case .composition(let inner) = segment.content else { return }
    #expect(inner.tracks[0].segments[0].channels == .channel(0))
    #expect(segment.channels == nil)
  }

  @Test(
    "A moment stays in its chapter, whatever is done to its item",
    arguments: [
      ("from: 10s", "A @ 0s, B @ 10s, C @ 30s"), ("cut: [10s..30s]", "A @ 0s, B @ 10s, C @ 20s"),
      ("cut: [10s..45s]", "A @ 0s, C @ 10s"), ("cut: [..20s]", "B @ 0s, C @ 20s"),
      ("reverse: true", "C @ 0s, B @ 20s, A @ 40s"), ("speed: 2", "A @ 0s, B @ 10s, C @ 20s"),
      ("loop: 2", "A @ 0s, B @ 20s, C @ 40s, A @ 1:00, B @ 1:20, C @ 1:40"),
      ("insert: [{ clip: b.wav ..5s, at: 30s }]", "A @ 0s, B @ 20s, C @ 45s"),
      ("insert: [{ clip: b.wav ..5s, at: 20s }]", "A @ 0s, B @ 25s, C @ 45s"),
      (
        "insert: [{ clip: b.wav ..5s, at: 30s, chapter: Ad }]",
        "A @ 0s, B @ 20s, Ad @ 30s, B @ 35s, C @ 45s"
      ),
      (
        "insert: [{ clip: b.wav ..5s, at: 40s, chapter: Ad }]", "A @ 0s, B @ 20s, Ad @ 40s, C @ 45s"
      ),
      ("insert: [{ clip: b.wav ..5s, at: 0s, chapter: Ad }]", "Ad @ 0s, A @ 5s, B @ 25s, C @ 45s"),
      ("gain: -3 dB", "A @ 0s, B @ 20s, C @ 40s"),
      ("{ from: 10s, reverse: true, speed: 1/2 }", "C @ 0s, B @ 40s, A @ 1:20"),
    ])
  func chapters(modifiers: String, expected: String) throws {
    let keys =
      modifiers.hasPrefix("{")
      ? String(modifiers.dropFirst(2).dropLast(2)).replacing(", ", with: "\n") : modifiers
    let bench = Bench.chaptered(at: 0, 20, 40)
    let job = try Shapes.export("clip: a.wav\n\(keys)", bench)
    #expect(Shapes.chapters(job).joined(separator: ", ") == expected)
    #expect(job.metadata["title"] == "Old")
    // The same for chapters of its own, and for those of what it holds.
    guard !keys.contains("from") else { return }
    let own = try Shapes.export("clip: b.wav\nchapters: { 0s: A, 20s: B, 40s: C }\n\(keys)")
    #expect(Shapes.chapters(own).joined(separator: ", ") == expected)
    let nested = try Shapes.export(
      """
      concat: [{ clip: a.wav ..20s, chapter: A }, { clip: b.wav ..40s, chapters: { 0s: B, 20s: C } }]
      \(keys)
      """)
    #expect(Shapes.chapters(nested).joined(separator: ", ") == expected)
  }

  @Test("The chapter of an item begins with it, whatever is done to it")
  func ownChapter() throws {
    let keys = "reverse: true\nloop: 3\ncut: [0s..10s]\ninsert: [{ clip: b.wav, at: 0s }]"
    let export = try Shapes.export("clip: a.wav\nchapter: All\n\(keys)", .chaptered(at: 0, 20))
    #expect(Shapes.chapters(export) == ["All @ 0s"])
  }

  @Test("Inserted files are sources, so no output may replace them")
  func inputs() throws {
    let yaml = "clip: a.wav\ninsert: [{ clip: b.wav, at: 0s }]"
    let job = try #require(try Bench().load(yaml + "\noutput: x.wav").jobs.first)
    #expect(job.media.map(\.location.file) == ["a.wav", "b.wav"])
    expect(
      Bench().screen(yaml + "\noutput: b.wav"),
      """
      job.yaml:3:9: error: output 'b.wav' is a source
          3 | output: b.wav
            |         ^~~~~
        help: write to another path: a source is never overwritten
      job.yaml:2:18: note: it is read here
          2 | insert: [{ clip: b.wav, at: 0s }]
            |                  ^~~~~
      """)
  }

  @Test("A wildcard inserts its files one after the other")
  func wildcard() throws {
    #expect(
      try Shapes.tracks(
        "clip: a.wav\ninsert: [{ clip: raw/ch*.wav, to: 1s, at: 10s }]"
      ).first?.contains("raw/ch1.wav 0s..1s @ 10s, raw/ch2.wav 0s..1s @ 11s") == true)
  }
}
