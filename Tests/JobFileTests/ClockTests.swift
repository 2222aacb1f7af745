import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile

/// Ranges that are silent, cross-fades at cuts, and in which time points count. Every file lasts a
/// minute.
@Suite struct ClockTests {
  /// The moves of a segment's volume, as `1→0 at 0.995s..1s`.
  private func moves(_ segment: Segment) -> [String] {
    segment.mix.envelopes.flatMap(\.ramps).map {
      "\(number($0.startVolume))→\(number($0.endVolume)) at \($0.timeRange)"
    }
  }

  private func number(_ gain: Gain) -> String { "\(Int((gain.factor * 100).rounded()))" }

  private func segments(_ item: String) throws -> [Segment] {
    try Shapes.export(item).composition.tracks.flatMap(\.segments)
  }

  // MARK: Mute

  @Test("A muted range is silent, with ramps outside it that share the time between two ranges")
  func mute() throws {
    let segments = try segments("clip: a.wav 10s..\nmute: [1s..2s, 2.004s..3s, 1.5s..1.8s, 49s..]")
    #expect(segments.map(Shapes.text) == ["a.wav 10s..1:00 @ 0s"])
    #expect(
      moves(segments[0]) == [
        "100→0 at 0.995s..1s", "0→100 at 2s..2.002s", "100→0 at 2.002s..2.004s",
        "0→100 at 3s..3.005s", "100→0 at 48.995s..49s",
      ])
    let start = try self.segments("clip: a.wav\nmute: [..2ms, 4ms..6ms]")
    #expect(start[0].mix.envelopes[0].initial == .silence)
    #expect(
      moves(start[0]) == [
        "0→100 at 0.002s..0.003s", "100→0 at 0.003s..0.004s", "0→100 at 0.006s..0.011s",
      ])
    let near = try self.segments("clip: a.wav\nmute: [2ms..1s]")
    #expect(moves(near[0]).first == "100→0 at 0s..0.002s")
  }

  @Test("A muted range moves with the sound: cuts and insertions neither shift it nor are muted")
  func mutedPieces() throws {
    let segments = try segments(
      """
      clip: a.wav
      mute: [20s..30s]
      cut: [5s..15s, 25s..27s]
      insert: [{ clip: b.wav ..1s, at: 22s }]
      """)
    #expect(
      segments.map(Shapes.text) == [
        "a.wav 0s..5s @ 0s", "a.wav 15s..22s @ 5s", "b.wav 0s..1s @ 12s", "a.wav 22s..25s @ 13s",
        "a.wav 27s..1:00 @ 16s",
      ])
    #expect(
      segments.map(moves) == [[], ["100→0 at 4.995s..5s"], [], [], ["0→100 at 3s..3.005s"]])
    // Muted throughout, it costs nothing.
    #expect(segments[3].mix.gain == .silence && segments[2].mix.isUnity)
  }

  @Test("A muted item keeps its time, so others may refer to times in it")
  func references() throws {
    let tracks = try Shapes.tracks(
      """
      tracks:
        talk: { concat: [{ clip: a.wav ..10s }, { clip: b.wav ..10s, name: news }], mute: [1s..2s] }
        music: [{ clip: b.wav ..3s, at: news.start }]
      """)
    #expect(tracks.last == "b.wav 0s..3s @ 10s")
  }

  @Test("'mute' takes a boolean, ranges or a file that lists them")
  func muteForms() throws {
    var bench = Bench()
    bench.texts["names.txt"] = "10.0\t20.0\tname\n"
    let listed = try Shapes.export("clip: a.wav\nmute: names.txt", bench)
    let written = try Shapes.export("clip: a.wav\nmute: { ranges: [10s..20s] }")
    #expect(
      listed.composition.tracks.flatMap(\.segments).map(moves) == [
        ["100→0 at 9.995s..10s", "0→100 at 20s..20.005s"]
      ])
    #expect(written.composition.withoutOrigins == listed.composition.withoutOrigins)
    let source = """
      sources: { talk: { file: a.wav, mute: true } }
      concat: [{ clip: talk, mute: [1s..2s] }, { clip: talk, mute: [] }, talk]
      """
    let segments = try Shapes.export(source).composition.tracks[0].segments
    #expect(segments.map { $0.mix.gain == .silence } == [false, false, true])
  }

  // MARK: Cross-fades at cuts

  @Test("Both sides of a cut go on into it by half of the cross-fade, and no part moves")
  func crossfade() throws {
    let tracks = try Shapes.tracks(
      "clip: a.wav\ncut: { ranges: [..5s, 10s..20s, 30s..40s, end-5s..], crossfade: 2s }")
    #expect(
      tracks == [
        "a.wav 5s..11s @ 0s, a.wav 39s..55s @ 14s", "a.wav 19s..31s @ 4s",
      ])
    let segments = try segments("clip: a.wav\ncut: { ranges: [10s..20s], crossfade: 2s }")
    #expect(segments.map(moves) == [["100→0 at 9s..11s"], ["0→100 at 0s..2s"]])
    #expect(
      segments.flatMap { $0.mix.envelopes.flatMap(\.ramps).map(\.curve) } == [
        .equalPower, .equalPower,
      ])
    let curve = "crossfade: { duration: 2s, curve: linear }"
    #expect(
      try self.segments("clip: a.wav\ncut: { ranges: [10s..20s], \(curve) }")
        .flatMap { $0.mix.envelopes.flatMap(\.ramps).map(\.curve) } == [.linear, .linear])
  }

  @Test("A cut with an insertion has no cross-fade, and chapters move as without one")
  func crossfadeAndInsertion() throws {
    let keys = "chapters: { 0s: One, 15s: Two, 45s: Three }\ncut: { ranges: [10s..20s, 30s..40s]"
    let insert = "insert: [{ clip: b.wav ..3s, at: 15s }]"
    let export = try Shapes.export("clip: a.wav\n\(insert)\n\(keys), crossfade: 2s }")
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "a.wav 0s..10s @ 0s, b.wav 0s..3s @ 10s, a.wav 20s..31s @ 13s", "a.wav 39s..1:00 @ 22s",
      ])
    let plain = try Shapes.export("clip: a.wav\n\(insert)\n\(keys) }")
    #expect(Shapes.chapters(export) == ["One @ 0s", "Two @ 13s", "Three @ 28s"])
    #expect(Shapes.chapters(plain) == Shapes.chapters(export))
    #expect(plain.composition.duration == export.composition.duration)
  }

  @Test("Cross-fades at cuts that cannot be")
  func crossfadeScreens() {
    expect(
      Bench().exportScreen(
        """
        jobs:
          a: { clip: a.wav, cut: { ranges: [10s..20s, 30s..30.5s], crossfade: 1s }, output: a.mp3 }
          b: { clip: a.wav, cut: { ranges: [10s..20s, 20.4s..30s], crossfade: 500ms }, output: b.mp3 }
          c: { clip: a.wav, cut: { ranges: [100ms..20s], crossfade: 500ms }, output: c.mp3 }
          d: { clip: a.wav, cut: { ranges: [10s..end-10ms], crossfade: 500ms }, output: d.mp3 }
        """),
      """
      job.yaml:2:47: error: this cut removes 0.5s, less than the cross-fade of 1s
          2 |   a: { clip: a.wav, cut: { ranges: [10s..20s, 30s..30.5s], crossfade: 1s }, output: a.mp3 }
            |                                               ^~~~~~~~~~
        help: make the cross-fade shorter, or cut more
      job.yaml:2:71: note: the cross-fade is here
          2 |   a: { clip: a.wav, cut: { ranges: [10s..20s, 30s..30.5s], crossfade: 1s }, output: a.mp3 }
            |                                                                       ^~
      job.yaml:3:37: error: beside this cut 0.4s are left, less than the 0.5s of its cross-fade
          3 |   b: { clip: a.wav, cut: { ranges: [10s..20s, 20.4s..30s], crossfade: 500ms }, output: b.mp3 }
            |                                     ^~~~~~~~
        help: make the cross-fade shorter, or cut more
      job.yaml:3:71: note: the cross-fade is here
          3 |   b: { clip: a.wav, cut: { ranges: [10s..20s, 20.4s..30s], crossfade: 500ms }, output: b.mp3 }
            |                                                                       ^~~~~
      job.yaml:4:37: error: beside this cut 0.1s are left, less than the 0.25s of its cross-fade
          4 |   c: { clip: a.wav, cut: { ranges: [100ms..20s], crossfade: 500ms }, output: c.mp3 }
            |                                     ^~~~~~~~~~
        help: make the cross-fade shorter, or cut more
      job.yaml:4:61: note: the cross-fade is here
          4 |   c: { clip: a.wav, cut: { ranges: [100ms..20s], crossfade: 500ms }, output: c.mp3 }
            |                                                             ^~~~~
      job.yaml:5:37: error: beside this cut 0.01s are left, less than the 0.25s of its cross-fade
          5 |   d: { clip: a.wav, cut: { ranges: [10s..end-10ms], crossfade: 500ms }, output: d.mp3 }
            |                                     ^~~~~~~~~~~~~
        help: make the cross-fade shorter, or cut more
      job.yaml:5:64: note: the cross-fade is here
          5 |   d: { clip: a.wav, cut: { ranges: [10s..end-10ms], crossfade: 500ms }, output: d.mp3 }
            |                                                                ^~~~~
      """)
  }

  @Test("Ranges and clocks that are none")
  func screens() {
    expect(
      Bench().screen(
        """
        jobs:
          a: { clip: a.wav, cut: { crossfade: 1s }, output: a.mp3 }
          b: { clip: a.wav, cut: { from: 1s, to: 2s }, output: b.mp3 }
          c: { clip: a.wav, mute: 1s..2s, output: c.mp3 }
          d: { clip: a.wav, mute: on, output: d.mp3 }
          e: { clip: a.wav, mute: { ranges: [1s..2s], clock: file }, output: e.mp3 }
          f: { clip: a.wav, pan: { clock: source }, output: f.mp3 }
          g: { clip: a.wav, chapters: { clock: source }, output: g.mp3 }
          h: { clip: a.wav, mute: names.txt, output: h.mp3 }
        """),
      """
      job.yaml:2:26: error: a cut needs 'ranges', 'words', 'speaker' or 'cues'
          2 |   a: { clip: a.wav, cut: { crossfade: 1s }, output: a.mp3 }
            |                          ^
        help: write { ranges: [12:00..13:30] } or { words: [um, uh] }
      job.yaml:3:28: error: unknown key 'from'
          3 |   b: { clip: a.wav, cut: { from: 1s, to: 2s }, output: b.mp3 }
            |                            ^~~~
        help: 'from' is a key of an item, not of a cut
      job.yaml:3:38: error: unknown key 'to'
          3 |   b: { clip: a.wav, cut: { from: 1s, to: 2s }, output: b.mp3 }
            |                                      ^~
        help: 'to' is a key of an item, not of a cut
      job.yaml:4:27: error: '1s..2s' is a range, and a list of them is meant
          4 |   c: { clip: a.wav, mute: 1s..2s, output: c.mp3 }
            |                           ^~~~~~
        help: write [1s..2s]
      job.yaml:5:27: error: 'on' is neither 'true' nor 'false'
          5 |   d: { clip: a.wav, mute: on, output: d.mp3 }
            |                           ^~
        help: write 'true'
      job.yaml:6:54: error: 'file' is no clock
          6 |   e: { clip: a.wav, mute: { ranges: [1s..2s], clock: file }, output: e.mp3 }
            |                                                      ^~~~
        help: write 'source' or 'item'
      job.yaml:7:26: error: a pan needs 'points'
          7 |   f: { clip: a.wav, pan: { clock: source }, output: f.mp3 }
            |                          ^
        help: write { points: { 0s: -100 %, 4s: 100 % }, clock: source }
      job.yaml:8:31: error: chapters need 'points'
          8 |   g: { clip: a.wav, chapters: { clock: source }, output: g.mp3 }
            |                               ^
        help: write { points: { 0s: Intro, 5:00: News }, clock: source }
      job.yaml:9:27: error: there is no file 'names.txt'
          9 |   h: { clip: a.wav, mute: names.txt, output: h.mp3 }
            |                           ^~~~~~~~~
        help: put it there, or name another one
      """)
  }

  // MARK: Clocks

  @Test(
    "With 'clock: source', ranges are those of the file, as far as the item has it",
    arguments: ["cut", "mute"])
  func sourceRanges(key: String) throws {
    let source = try Shapes.export(
      """
      clip: a.wav 10s..40s
      \(key): { ranges: [5s..12s, 20s..21s, end-22s..41s, 50s..55s, ..1s], clock: source }
      """)
    let item = try Shapes.export("clip: a.wav 10s..40s\n\(key): [0s..2s, 10s..11s, 28s..30s]")
    #expect(source.composition.withoutOrigins == item.composition.withoutOrigins)
    let written = try Shapes.export(
      "clip: a.wav 10s..40s\n\(key): { ranges: [0s..2s, 10s..11s, 28s..30s], clock: item }")
    #expect(written.composition.withoutOrigins == item.composition.withoutOrigins)
  }

  @Test("Chapters of the source go with its sound, and one under way begins with the item")
  func sourceChapters() throws {
    let chapters =
      "chapters: { points: { 0s: One, 20s: Two, 30s: Three, 50s: Four }, clock: source }"
    let keys = "clip: a.wav 10s..40s\n\(chapters)"
    #expect(
      Shapes.chapters(try Shapes.export(keys)) == ["One @ 0s", "Two @ 10s", "Three @ 20s"])
    #expect(
      Shapes.chapters(try Shapes.export(keys + "\ncut: [5s..15s]\nspeed: 2"))
        == ["One @ 0s", "Two @ 2.5s", "Three @ 5s"])
    var bench = Bench()
    bench.texts["list.txt"] = "0:00 One\n0:20 Two\n"
    let listed = "clip: a.wav 10s..\nchapters: { points: list.txt, clock: source }"
    #expect(Shapes.chapters(try Shapes.export(listed, bench)) == ["One @ 0s", "Two @ 10s"])
  }

  @Test("A volume of the source rides its sound through cuts, insertions, speed and reversal")
  func sourceVolume() throws {
    let volume = "volume: { points: { 20s: 0 dB, 30s: -inf dB, 40s: 0 dB }, clock: source }"
    let export = try Shapes.export(
      """
      clip: a.wav 10s..
      \(volume)
      cut: [15s..17s, 30s..45s]
      insert: [{ clip: b.wav ..1s, at: 12s }]
      reverse: true
      speed: 2
      gain: -6 dB
      """)
    guard case .composition(let inner) = export.composition.tracks[0].segments[0].content else {
      Issue.record("not nested")
      return
    }
    let segments = inner.tracks[0].segments
    #expect(
      segments.map(Shapes.text) == [
        "a.wav 10s..22s @ 0s", "b.wav 0s..1s @ 12s", "a.wav 22s..25s @ 13s",
        "a.wav 27s..40s @ 16s", "a.wav 55s..1:00 @ 29s",
      ])
    // Whole ramps: a piece plays its share of them.
    #expect(
      segments.map(moves) == [
        ["100→0 at 10s..20s"], [], ["100→0 at -2s..8s"],
        ["100→0 at -7s..3s", "0→100 at 3s..13s"], [],
      ])
    #expect(segments[1].mix.isUnity && segments[4].mix.isUnity)
  }

  @Test("A pan of the source does the same, and one place is the same in both clocks")
  func sourcePan() throws {
    let pan = "pan: { points: { 20s: left, 30s: right }, clock: source }"
    let segments = try segments("clip: a.wav 10s..\n\(pan)\ncut: [15s..30s]")
    #expect(segments.map(Shapes.text) == ["a.wav 10s..25s @ 0s", "a.wav 40s..1:00 @ 15s"])
    #expect(segments.map { $0.mix.pan.ramps.map { "\($0.timeRange)" } } == [["10s..20s"], []])
    #expect(segments[1].mix.pan == PanEnvelope(.right))
  }

  @Test("A clock that is named is meant: nothing is noted of points that a cut moves")
  func silentNotes() {
    let yaml = """
      clip: a.wav
      cut: [10s..22s]
      volume: { points: { 0s: 0 dB, 30s: -6 dB }, clock: item }
      pan: { points: { 0s: left, 30s: right }, clock: source }
      output: x.wav
      """
    #expect(Bench().exportScreen(yaml) == "")
    #expect(Bench().exportScreen(yaml.replacing(", clock: item", with: "")).contains("30s"))
  }

  @Test("When points of the source are heard is a remark, of all that are heard at another time")
  func remarks() throws {
    let yaml = """
      clip: a.wav 10s..50s
      cut: [5s..15s]
      trim: -50 dB
      speed: 2
      volume: { points: { 12s: 0 dB, 20s: -3 dB, 30s: -6 dB, 49s: 0 dB, 55s: -6 dB }, clock: source }
      pan: { points: { 14s: left }, clock: source }
      output: x.wav
      """
    let map = SourceMap()
    let asked = try #require(try Bench().load(yaml, into: map).jobs.first)
    let made = try asked.exports(assets: Bench().asset) { search in
      let (second, end) = (Time(value: 1, timescale: 1), search.composition.duration)
      return SilenceFindings([
        TimeRange(start: .zero, duration: second), TimeRange(start: end - second, end: end),
      ])
    }
    #expect(
      made.remarks.map(\.message) == [
        "1s at the start and 1s at the end of 'a.wav' are removed, and 1s to 29s of it are left",
        "12s of the source is 0.5s of 'a.wav'", "20s of the source is not heard in 'a.wav'",
        "30s of the source is 4.5s of 'a.wav'", "49s of the source is not heard in 'a.wav'",
        "55s of the source is not heard in 'a.wav'",
      ])
  }
}
