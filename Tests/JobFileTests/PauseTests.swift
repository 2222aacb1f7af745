import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// What is made of pauses that are found. Every file lasts a minute.
@Suite struct PauseTests {
  /// A bench on which every sound has pauses of so many seconds, of which those that are removed lie at
  /// the given tenths.
  private func bench(
    _ pauses: [(from: Int64, to: Int64, removed: Range<Int64>?)], uneven: Bool = true
  ) -> Bench {
    var bench = Bench()
    bench.listen = { search in
      guard search.shortening != nil else { return SilenceFindings([]) }
      return SilenceFindings(
        [],
        pauses: pauses.map { pause in
          let steps = pause.from * 100..<pause.to * 100
          guard let removed = pause.removed else {
            return Pause(steps, keptAs: uneven ? .uneven : .spoken)
          }
          return Pause(steps, removing: removed.lowerBound * 10..<removed.upperBound * 10)
        })
    }
    return bench
  }

  private let keys = "{ longer_than: 1s, to: 400ms, below: -45 dB }"

  /// Three pauses, of which the second one stays.
  private var three: Bench { bench([(10, 12, 102..<118), (20, 22, nil), (30, 34, 302..<338)]) }

  @Test("Pauses are cut, with cross-fades into what is removed")
  func cuts() throws {
    let export = try Shapes.export("clip: a.wav\npauses: \(keys)", three)
    #expect(
      export.composition.tracks.map(Shapes.text) == [
        "a.wav 0s..10.225s @ 0s, a.wav 33.775s..1:00 @ 28.575s",
        "a.wav 11.775s..30.225s @ 10.175s",
      ])
    #expect(export.composition.duration == Time(value: 548, timescale: 10))
    let ramps = export.composition.tracks.flatMap(\.segments).map {
      $0.mix.envelopes.flatMap(\.ramps).map { "\($0.timeRange)" }
    }
    #expect(ramps == [["10.175s..10.225s"], ["0s..0.05s"], ["0s..0.05s", "18.4s..18.45s"]])
    // A picture is cut.
    #expect(
      export.composition.tracks.flatMap(\.segments).flatMap(\.mix.envelopes).flatMap(\.ramps)
        .allSatisfy { $0.picture == .cut && $0.curve == .equalPower })
  }

  @Test("What is listened to is the item after its cuts, with the least length and what is left")
  func searches() throws {
    var bench = three
    let asked = Asked()
    let answer = bench.listen
    bench.listen = { search in
      asked.list.append(search)
      return answer(search)
    }
    let duration = try Shapes.export(
      """
      clip: a.wav
      cut: [..5s]
      pauses: { longer_than: 1s, to: 250ms, below: -45 dB }
      trim: -50 dB
      gain: -6 dB
      """, bench
    ).composition.duration
    #expect(asked.list.count == 2)
    #expect(
      asked.list.first?.composition.tracks.map(Shapes.text) == [
        "[a.wav 5s..1:00 @ 0s] 0s..55s @ 0s"
      ])
    #expect(asked.list.first?.least == Time(value: 1, timescale: 1))
    #expect(asked.list.first?.shortening == PauseShortening(to: Time(value: 250, timescale: 1000)))
    #expect(asked.list.map { Int($0.threshold.decibels.rounded()) } == [-45, -50])
    #expect(asked.list.last?.shortening == nil)
    #expect(asked.list.last?.composition.duration == Time(value: 498, timescale: 10))
    #expect(duration == Time(value: 498, timescale: 10))
  }

  private final class Asked { var list: [SilenceSearch] = [] }

  @Test("Chapters and points of the source stay with their sound")
  func chapters() throws {
    let yaml = """
      clip: a.wav
      chapters: { 0s: One, 11s: Two, 32s: Three, 40s: Four }
      cut: [..1s]
      pauses: \(keys)
      """
    // Each pause lies a second later in the file.
    #expect(
      Shapes.chapters(try Shapes.export(yaml, three)) == [
        "One @ 0s", "Two @ 10s", "Three @ 28.6s", "Four @ 33.8s",
      ])
  }

  @Test("What is shortened is a remark, and what is kept is named")
  func remarks() throws {
    let yaml = """
      jobs:
        a: { clip: a.wav, pauses: \(keys), output: x.wav }
        b: { clip: b.wav, name: talk, pauses: \(keys), output: y.wav }
      """
    func remarks(_ bench: Bench) throws -> String {
      let map = SourceMap()
      var found = Diagnostics()
      for job in try bench.load(yaml, into: map).jobs {
        let made = try job.exports(assets: bench.asset, listen: bench.listen)
        found.append(contentsOf: made.remarks)
        #expect(made.warnings.isEmpty)
      }
      return found.all.map(\.message).joined(separator: "\n")
    }
    expect(
      try remarks(three),
      """
      2 pauses of 'a.wav' are shortened to 0.4s, which removes 5.2s; the longest lasts 4s, at 30s; 1 is kept, of changing level, as a fade or a breath
      2 pauses of 'talk' are shortened to 0.4s, which removes 5.2s; the longest lasts 4s, at 30s; 1 is kept, of changing level, as a fade or a breath
      """)
    expect(
      try remarks(bench([(10, 12, nil), (14, 16, nil)], uneven: false)),
      """
      no pause of 'a.wav' is shortened; 2 are kept, for the words there
      no pause of 'talk' is shortened; 2 are kept, for the words there
      """)
    expect(
      try remarks(bench([(10, 12, 102..<118)])),
      """
      1 pause of 'a.wav' is shortened to 0.4s, which removes 1.6s; the longest lasts 2s, at 10s
      1 pause of 'talk' is shortened to 0.4s, which removes 1.6s; the longest lasts 2s, at 10s
      """)
  }

  @Test(
    "On a track alone they move it against the others, which a note says; on all tracks they do not"
  )
  func tracks() {
    let notes = three.exportScreen(
      """
      tracks:
        voice: [a.wav, { clip: b.wav, pauses: \(keys) }]
        music: [b.wav]
      output: x.wav
      """)
    expect(
      notes,
      """
      job.yaml:2:41: note: shortened pauses move 'b.wav' by up to 5.2s against the tracks beside 'voice'
          2 |   voice: [a.wav, { clip: b.wav, pauses: \(keys) }]
            |                                         ^
        help: write 'pauses' beside 'tracks' to shorten those that all of them share
      """)
    #expect(
      three.exportScreen(
        "tracks: { voice: [a.wav], music: [b.wav] }\npauses: \(keys)\noutput: x.wav\n") == "")
    #expect(
      three.exportScreen("tracks: { voice: [{ clip: a.wav, pauses: \(keys) }] }\noutput: x.wav\n")
        == "")
  }

  @Test("Tracks are named whose pauses count, and all tracks are cut")
  func only() throws {
    var bench = three
    let asked = Asked()
    let answer = bench.listen
    bench.listen = { search in
      asked.list.append(search)
      return answer(search)
    }
    let mix = "tracks: { voice: [a.wav], music: [b.wav] }\ncut: [..1s]\npauses: "
    let some = "{ longer_than: 1s, to: 400ms, below: -45 dB, only: voice }"
    let composition = try Shapes.export(mix + some, bench).composition
    #expect(composition.duration == Time(value: 538, timescale: 10))
    func heard(_ composition: Composition) -> [String] {
      composition.tracks.filter(\.isEnabled).flatMap(\.segments).flatMap { segment -> [String] in
        switch segment.content {
        case .asset(let asset): ["\(asset.location)"]
        case .composition(let inner): heard(inner)
        case .silence: []
        }
      }
    }
    #expect(asked.list.map { heard($0.composition) } == [["a.wav"]])
    #expect(Set(heard(composition)) == ["a.wav", "b.wav"])
    expect(
      bench.exportScreen(
        """
        jobs:
          a: { tracks: { voice: a.wav, music: b.wav }, pauses: { longer_than: 1s, to: 400ms, below: -45 dB, only: [voice, talk] }, output: x.wav }
          b: { clip: a.wav, pauses: { longer_than: 1s, to: 400ms, below: -45 dB, only: voice }, output: y.wav }
        """),
      """
      job.yaml:2:115: error: there is no track 'talk' in the mix
          2 |   a: { tracks: { voice: a.wav, music: b.wav }, pauses: { longer_than: 1s, to: 400ms, below: -45 dB, only: [voice, talk] }, output: x.wav }
            |                                                                                                                   ^~~~
        help: its tracks are 'voice', 'music'
      job.yaml:3:80: error: 'only' names tracks, and 'a.wav' is no mix
          3 |   b: { clip: a.wav, pauses: { longer_than: 1s, to: 400ms, below: -45 dB, only: voice }, output: y.wav }
            |                                                                                ^~~~~
        help: write 'pauses' beside 'tracks', or leave 'only' out
      """)
  }

  @Test("Times in an item with shortened pauses are not fixed")
  func references() {
    #expect(
      three.exportScreen(
        """
        tracks:
          talk: { concat: [{ clip: a.wav, name: news }], pauses: \(keys) }
          music: [{ clip: b.wav, at: news.end }]
        output: x.wav
        """
      ).contains("'news.end' has no fixed time here"))
  }

  @Test("Pieces of an item that was cut before hold what they play")
  func excerpts() throws {
    let tracks = try Shapes.tracks(
      "clip: a.wav\ncut: [5s..6s, 12s..13s, 40s..41s]\npauses: \(keys)", three)
    #expect(
      tracks == [
        "[a.wav 0s..5s @ 0s, a.wav 6s..12s @ 5s] 0s..10.225s @ 0s, "
          + "[a.wav 6s..12s @ 5s, a.wav 13s..40s @ 11s, a.wav 41s..1:00 @ 38s] 33.775s..57s @ 28.575s",
        "[a.wav 6s..12s @ 5s, a.wav 13s..40s @ 11s] 11.775s..30.225s @ 10.175s",
      ])
  }

  @Test("Ten thousand pauses are cut in no time")
  func many() throws {
    var bench = Bench()
    bench.assets["a.wav"] = .fake("a.wav", seconds: 3 * 3600)
    bench.listen = { _ in
      SilenceFindings(
        [],
        pauses: (1..<10_000).map {
          Pause($0 * 108..<$0 * 108 + 100, removing: $0 * 108 + 20..<$0 * 108 + 80)
        })
    }
    let composition = try Shapes.export("clip: a.wav\npauses: \(keys)", bench).composition
    #expect(composition.tracks.map(\.segments.count) == [5000, 5000])
    #expect(composition.duration == Time(value: 1_080_000 - 9_999 * 60, timescale: 100))
  }

  @Test("Pauses that are none")
  func notations() {
    expect(
      Bench().exportScreen(
        """
        jobs:
          a: { clip: a.wav, pauses: 1s, output: a.mp3 }
          b: { clip: a.wav, pauses: { to: 400ms, below: -45 dB }, output: b.mp3 }
          c: { clip: a.wav, pauses: { longer_than: 1s, below: -45 dB }, output: c.mp3 }
          d: { clip: a.wav, pauses: { longer_than: 1s, to: 400ms }, output: d.mp3 }
          e: { clip: a.wav, pauses: { longer_than: 1s, to: 400ms, below: -45 dB, keep: 1s }, output: e.mp3 }
        """),
      """
      job.yaml:2:29: error: 'pauses' is a map, not a text
          2 |   a: { clip: a.wav, pauses: 1s, output: a.mp3 }
            |                             ^~
        help: write { longer_than: 1s, to: 400ms, below: -45 dB }
      job.yaml:3:29: error: 'pauses' needs 'longer_than'
          3 |   b: { clip: a.wav, pauses: { to: 400ms, below: -45 dB }, output: b.mp3 }
            |                             ^
        help: write { longer_than: 1s, to: 400ms, below: -45 dB }
      job.yaml:4:29: error: 'pauses' needs 'to'
          4 |   c: { clip: a.wav, pauses: { longer_than: 1s, below: -45 dB }, output: c.mp3 }
            |                             ^
        help: write { longer_than: 1s, to: 400ms, below: -45 dB }
      job.yaml:5:29: error: 'pauses' needs 'below'
          5 |   d: { clip: a.wav, pauses: { longer_than: 1s, to: 400ms }, output: d.mp3 }
            |                             ^
        help: write { longer_than: 1s, to: 400ms, below: -45 dB }
      job.yaml:6:74: error: unknown key 'keep'
          6 |   e: { clip: a.wav, pauses: { longer_than: 1s, to: 400ms, below: -45 dB, keep: 1s }, output: e.mp3 }
            |                                                                          ^~~~
        help: 'keep' is a key of an item, not of a shortening
      """)
    expect(
      Bench().exportScreen(
        """
        jobs:
          a: { clip: a.wav, pauses: { longer_than: 290ms, to: 100ms, below: -45 dB }, output: a.mp3 }
          b: { clip: a.wav, pauses: { longer_than: 1s, to: 1s, below: -45 dB }, output: b.mp3 }
        """),
      """
      job.yaml:2:44: error: pauses of 0.29s are too short to be shortened
          2 |   a: { clip: a.wav, pauses: { longer_than: 290ms, to: 100ms, below: -45 dB }, output: a.mp3 }
            |                                            ^~~~~
        help: write 0.3s or more: shorter ones are within words
      job.yaml:3:52: error: pauses that last 1s or more do not become shorter by lasting 1s
          3 |   b: { clip: a.wav, pauses: { longer_than: 1s, to: 1s, below: -45 dB }, output: b.mp3 }
            |                                                    ^~
        help: write a shorter time than that of 'longer_than'
      job.yaml:3:44: note: that is here
          3 |   b: { clip: a.wav, pauses: { longer_than: 1s, to: 1s, below: -45 dB }, output: b.mp3 }
            |                                            ^~
      """)
  }

  // MARK: Parts between bounds

  /// A bench with silences of half a second at these seconds.
  private func silences(at seconds: Int64...) -> Bench {
    var bench = Bench()
    bench.listen = { _ in
      SilenceFindings(
        seconds.map {
          TimeRange(
            start: Time(value: $0 * 4 - 1, timescale: 4), duration: Time(value: 1, timescale: 2))
        })
    }
    return bench
  }

  private func parts(_ lengths: String, _ bench: Bench) throws -> [String] {
    try bench.exports(
      """
      clip: a.wav
      split: { silence: 300ms, below: -40 dB, \(lengths) }
      output: "${part.n}.wav"
      """
    ).map { "\($0.timeRange ?? .zero)" }
  }

  @Test("Parts between silences keep to the bounds of their length")
  func packed() throws {
    let bench = silences(at: 3, 8, 12, 20, 33, 47, 52)
    #expect(
      try parts("shortest: 5s", bench) == [
        "0s..12s", "12s..20s", "20s..33s", "33s..47s", "47s..52s", "52s..1:00",
      ])
    #expect(
      try parts("shortest: 10s, longest: 15s", silences(at: 4, 12, 14, 26, 40, 46)) == [
        "0s..14s", "14s..26s", "26s..46s", "46s..1:00",
      ])
  }

  @Test("Parts that no silence divides are named, and bounds that exclude each other are refused")
  func bounds() {
    expect(
      silences(at: 20, 28).exportScreen(
        """
        clip: a.wav
        split: { silence: 300ms, below: -40 dB, shortest: 5s, longest: 15s }
        output: "${part.n}.wav"
        """),
      """
      job.yaml:2:64: note: longer than 15s, since no silence divides them: part 1 at 0s (20s), part 3 at 28s (32s)
          2 | split: { silence: 300ms, below: -40 dB, shortest: 5s, longest: 15s }
            |                                                                ^~~
        help: ask for shorter silences, for a higher level, or for shorter parts
      """)
    expect(
      Bench().exportScreen(
        """
        jobs:
          a: { clip: a.wav, split: { silence: 300ms, below: -40 dB, shortest: 5s, longest: 4s }, output: "a${part.n}.wav" }
        """),
      """
      job.yaml:2:84: error: no part lasts 5s or more, and 4s or less
          2 |   a: { clip: a.wav, split: { silence: 300ms, below: -40 dB, shortest: 5s, longest: 4s }, output: "a${part.n}.wav" }
            |                                                                                    ^~
        help: write a longer time than that of 'shortest'
      job.yaml:2:71: note: that is here
          2 |   a: { clip: a.wav, split: { silence: 300ms, below: -40 dB, shortest: 5s, longest: 4s }, output: "a${part.n}.wav" }
            |                                                                       ^~
      """)
    expect(
      Bench().screen(
        """
        clip: a.wav
        split: { every: 10s, longest: 4s }
        output: "a${part.n}.wav"
        """),
      """
      job.yaml:2:22: error: 'longest' belongs to 'silence'
          2 | split: { every: 10s, longest: 4s }
            |                      ^~~~~~~
        help: write { silence: 300ms, below: -50 dB, longest: 5s }
      """)
  }
}
