import MediaTime
import Testing
import Transcripts

@testable import MediaComposition

/// The rules by which a composition's words follow its edits, one by one.
@Suite struct TranscriptTests {
  private let words = Cue(
    "one two three", in: range(0, 9),
    words: [
      Word("one", in: range(0, 3)), Word("two", in: range(3, 3)), Word("three", in: range(6, 3)),
    ])
  private let plain = Cue("ten seconds", in: range(10, 10))

  private func segment(_ cues: [Cue], lasting duration: Int64 = 100) -> Segment {
    var segment = clip(sound("a.wav"), from: 0, lasting: duration, at: 0)
    segment.transcript = Transcript(cues)
    return segment
  }

  private func lines(_ track: Track) -> [String] { lines(Composition(tracks: [track])) }

  private func lines(_ composition: Composition) -> [String] {
    composition.transcript.cues.map {
      "\($0.range.start)-\($0.range.end)\($0.speaker.map { " \($0)" } ?? ""): \($0.text)"
    }
  }

  @Test("parts of a cue that a cut brings together are one cue with the words that are heard")
  func cut() throws {
    var track = Track(segments: [segment([words, plain])])
    try track.removeTimeRange(range(3, 3))
    #expect(lines(track) == ["0s-6s: one three", "7s-17s: ten seconds"])
    try track.removeTimeRange(range(9, 4))
    #expect(lines(track) == ["0s-6s: one three", "7s-13s: ten seconds"])
    try track.removeTimeRange(range(7, 2))
    #expect(lines(track) == ["0s-6s: one three"])
  }

  @Test(
    "an insertion divides a cue: words go where they are said, a text without them to the longest")
  func insertion() throws {
    var track = Track(segments: [segment([words, plain])])
    try track.insertEmptyTimeRange(range(14, 5))
    try track.insertEmptyTimeRange(range(4, 1))
    #expect(lines(track) == ["0s-4s: one", "5s-10s: two three", "20s-26s: ten seconds"])
    var tied = Track(segments: [segment([plain])])
    try tied.insertEmptyTimeRange(range(15, 5))
    #expect(lines(tied) == ["10s-15s: ten seconds"])
  }

  @Test("cues that touch go on touching at any speed")
  func speed() throws {
    let cues = (0..<9).map { Cue("\($0)", in: range($0, 1)) }
    var track = Track(segments: [segment(cues)])
    try track.scaleTimeRange(
      range(0, 100), toDuration: Time(value: 100 * 1000, timescale: 1001))
    try track.insertEmptyTimeRange(range(50, 1))
    let found = Composition(tracks: [track]).transcript.cues
    #expect(found.count == 9)
    for (before, next) in zip(found, found.dropFirst()) {
      #expect(before.range.end == next.range.start)
    }
    #expect(found[3].range.start == Time(value: 3000, timescale: 1001))
  }

  @Test("moments in a text move with it")
  func moments() throws {
    var cue = words
    cue.markup = "one <00:00:03.000>two <c.loud>three</c>"
    (cue.settings, cue.identifier) = ("line:0", "a")
    var track = Track(segments: [segment([cue])])
    try track.insertEmptyTimeRange(range(0, 2))
    try track.scaleTimeRange(range(2, 100), toDuration: seconds(50))
    let moved = try #require(Composition(tracks: [track]).transcript.cues.first)
    #expect(moved.markup == "one <00:00:03.500>two <c.loud>three</c>")
    #expect(moved.settings == "line:0")
    #expect(moved.words.map(\.range?.end.seconds) == [3.5, 5, 6.5])
    try track.removeTimeRange(range(0, 3))
    let part = try #require(Composition(tracks: [track]).transcript.cues.first)
    #expect(part.markup == nil)
    #expect(part.settings == nil)
    #expect(part.text == "two three")
    #expect(part.identifier == "a")
  }

  @Test("a cue is said once a round, and then has no name of its own")
  func loop() {
    var named = plain
    named.identifier = "a"
    let round = Composition(tracks: [Track(segments: [segment([named], lasting: 20)])])
    let rounds = (0..<3).map {
      Segment(.composition(round), source: range(0, 20), at: seconds($0 * 20))
    }
    let found = Composition(tracks: [Track(segments: rounds)]).transcript.cues
    #expect(found.map(\.range.start) == [10, 30, 50].map(seconds))
    #expect(found.allSatisfy { $0.identifier == nil })
  }

  @Test("what is played backwards or silenced is gone, what is reversed twice is there")
  func silence() {
    var reversed = segment([plain], lasting: 20)
    reversed.isReversed = true
    #expect(lines(Track(segments: [reversed])) == [])
    var again = Segment(
      .composition(Composition(tracks: [Track(segments: [reversed])])), source: range(0, 20),
      at: .zero)
    again.isReversed = true
    #expect(lines(Track(segments: [again])) == ["10s-20s: ten seconds"])
    var silent = segment([plain])
    silent.mix.gain = .silence
    #expect(lines(Track(segments: [silent])) == [])
    #expect(lines(Track(segments: [segment([plain])], isEnabled: false)) == [])
    #expect(lines(Track(mediaType: .video, segments: [segment([plain])])) == [])
  }

  @Test("tracks are merged by time, and name the speakers of cues that have none")
  func tracks() {
    var said = plain
    said.speaker = "Guest"
    let tracks = [
      Track(name: "Ann", segments: [segment([plain, words])]),
      Track(name: "Ben", segments: [segment([said])]),
    ]
    #expect(
      lines(Composition(tracks: tracks)) == [
        "0s-9s Ann: one two three", "10s-20s Ann: ten seconds", "10s-20s Guest: ten seconds",
      ])
  }

  @Test("words of a composition's segment count instead of those within it")
  func outer() {
    let inner = Composition(tracks: [Track(segments: [segment([plain], lasting: 20)])])
    var outer = Segment(.composition(inner), source: range(5, 15), at: .zero)
    #expect(lines(Track(segments: [outer])) == ["5s-15s: ten seconds"])
    outer.transcript = Transcript([Cue("outer", in: range(6, 2))])
    #expect(lines(Track(segments: [outer])) == ["1s-3s: outer"])
  }

  @Test("cues end with the recording, and those behind it are gone")
  func extent() {
    var asset = segment([Cue("late", in: range(19, 10)), Cue("later", in: range(25, 1))])
    asset.content = .asset(sound("a.wav", lasting: 20))
    asset.source = range(0, 20)
    asset.target = range(0, 20)
    #expect(lines(Track(segments: [asset])) == ["19s-20s: late"])
  }

  @Test(
    "words that are partly muted are redacted, one text for a run; without words the whole text")
  func redaction() throws {
    var muted = segment([words, plain])
    var speech = try #require(muted.speech)
    speech.redactions = [
      .init(TimeRange(start: seconds(5), end: seconds(7))), .init(range(19, 1), text: "[name]"),
    ]
    muted.speech = speech
    #expect(lines(Track(segments: [muted])) == ["0s-9s: one …", "10s-20s: [name]"])
    let redacted = try #require(
      Composition(tracks: [Track(segments: [muted])]).transcript.cues.first)
    #expect(redacted.words.map(\.range) == [range(0, 3), range(3, 6)])
    // The text says more than the words: what else was muted?
    var cue = words
    cue.text = "one two three four"
    muted.speech?.transcript = Transcript([cue])
    #expect(lines(Track(segments: [muted])) == ["0s-9s: …"])
    // A cut leaves redactions where they were.
    muted.speech?.transcript = Transcript([words])
    var track = Track(segments: [muted])
    try track.removeTimeRange(range(0, 3))
    #expect(lines(track) == ["0s-6s: …"])
    try track.scaleTimeRange(range(0, 6), toDuration: seconds(12))
    #expect(lines(track) == ["0s-12s: …"])
  }

  @Test(
    "a whole that has words of its own is redacted where it is silenced and nothing else sounds")
  func silencedParts() {
    let said = (0..<4).map { Cue("\($0)", in: range($0 * 10, 10)) }
    func whole(_ tracks: [Track]) -> Track {
      var whole = Segment(
        .composition(Composition(tracks: tracks)), source: range(0, 40), at: .zero)
      whole.transcript = Transcript(said)
      return Track(segments: [whole])
    }
    var muted = clip(sound("a.wav"), from: 0, lasting: 10, at: 10)
    muted.mix.gain = .silence
    let voice = Track(segments: [
      clip(sound("a.wav"), from: 0, lasting: 10, at: 0), muted,
      clip(sound("a.wav"), from: 20, lasting: 20, at: 20),
    ])
    let redacted = ["0s-10s: 0", "10s-20s: …", "20s-30s: 2", "30s-40s: 3"]
    #expect(lines(whole([voice])) == redacted)
    // A muted group is silent as a whole, and half of its time may be asked for.
    var group = Segment(.composition(Composition(tracks: [voice])), source: range(0, 15), at: .zero)
    group.mix.gain = .silence
    let rest = clip(sound("a.wav"), from: 0, lasting: 25, at: 15)
    #expect(
      lines(whole([Track(segments: [group, rest])])) == [
        "0s-10s: …", "10s-20s: …", "20s-30s: 2", "30s-40s: 3",
      ])
    // Music that is silenced beside a voice hides none of its words, a voice that is silenced all.
    let all = clip(sound("music.wav"), from: 0, lasting: 40, at: 0)
    let every = said.map { "\($0.range.start)-\($0.range.end): \($0.text)" }
    for silenced in [
      Track(segments: [all], mix: AudioMix(gain: .silence)),
      Track(segments: [all], preferredVolume: .silence), Track(segments: [all], isEnabled: false),
    ] {
      #expect(lines(whole([Track(segments: [all]), silenced])) == every)
      #expect(lines(whole([silenced])) == every.map { "\($0.dropLast())…" })
      #expect(lines(whole([silenced, voice])) == redacted)
    }
    #expect(lines(whole([Track(segments: [all]), voice])) == every)
  }

  @Test("what has lost a word to a redaction has no name, no place and no tags that may tell it")
  func redactedNames() throws {
    for redaction in [range(3, 3), range(4, 1)] {
      var cue = words
      (cue.identifier, cue.settings) = ("two", "line:0")
      cue.markup = "one <c.two>two</c> three"
      var muted = segment([cue])
      muted.speech?.redactions = [.init(redaction)]
      for text in [cue.text, cue.text + " four"] {
        cue.text = text
        muted.speech?.transcript = Transcript([cue])
        let found = try #require(
          Composition(tracks: [Track(segments: [muted])]).transcript.cues.first)
        #expect(found.text.contains("…") && !found.text.contains("two"))
        #expect(found.identifier == nil && found.settings == nil && found.markup == nil)
      }
      muted.speech?.redactions = [.init(range(20, 1))]
      muted.speech?.transcript = Transcript([words.named("two")])
      #expect(
        Composition(tracks: [Track(segments: [muted])]).transcript.cues.first?.identifier == "two")
    }
  }

  @Test("words outside of their cue are redacted where they are said, and stay where they sound")
  func straysOfCues() throws {
    let stray = Cue(
      "early one late", in: range(10, 10),
      words: [
        Word("early", in: range(5, 4)), Word("one", in: range(11, 2)),
        Word("late", in: range(21, 4)),
      ])
    #expect(lines(Track(segments: [segment([stray])])) == ["10s-20s: early one late"])
    var muted = segment([stray])
    muted.speech?.redactions = [.init(range(6, 1))]
    #expect(lines(Track(segments: [muted])) == ["10s-20s: … one late"])
    // The muted part of the sound is before a cut that reaches into the cue.
    var track = Track(segments: [muted])
    try track.removeTimeRange(range(9, 2))
    #expect(lines(track) == ["9s-18s: … one late"])
    track = Track(segments: [segment([stray])])
    try track.removeTimeRange(range(0, 20))
    #expect(lines(track) == ["1s-5s: late"])
    track = Track(segments: [segment([stray])])
    try track.removeTimeRange(range(10, 90))
    #expect(lines(track) == ["5s-9s: early"])
    track = Track(segments: [muted])
    try track.removeTimeRange(range(10, 90))
    #expect(lines(track) == ["5s-9s: …"])
    // Where the text says more than the words, all of it goes.
    var more = stray
    more.text += " and more"
    muted.speech?.transcript = Transcript([more])
    #expect(lines(Track(segments: [muted])) == ["10s-20s: …"])
    let index = CueIndex(Transcript([Cue("first", in: range(7, 1)), stray]))
    #expect(index.transcripts(around: [range(8, 1)])[0].cues.map(\.text) == ["early one late"])
    #expect(
      index.transcripts(around: [range(7, 1)])[0].cues.map(\.text) == ["first", "early one late"])
  }

  @Test("words without times stay with those around them")
  func timeless() throws {
    var cue = words
    cue.words[1].range = nil
    var track = Track(segments: [segment([cue])])
    try track.removeTimeRange(range(6, 3))
    #expect(lines(track) == ["0s-6s: one two"])
    cue.words[0].range = nil
    cue.words[2].range = nil
    track = Track(segments: [segment([cue])])
    try track.removeTimeRange(range(6, 3))
    #expect(lines(track) == ["0s-6s: one two three"])
  }

  @Test("an export's transcript is in the time of the written part")
  func export() {
    var export = Export(
      name: "x", composition: Composition(tracks: [Track(segments: [segment([plain])])]),
      timeRange: range(12, 20), outputs: [])
    export.transcript = Transcript([words, Cue("more", in: range(30, 10))])
    let cues = export.transcript(in: 0..<200, rate: 10).cues
    #expect(cues.map(\.text) == ["ten seconds"])
    #expect(cues.map(\.range) == [range(0, 8)])
    export.timeRange = nil
    #expect(
      export.transcript(in: 0..<1000, rate: 10).cues.map(\.text) == [
        "one two three", "ten seconds", "more",
      ])
    export.mix.gain = .silence
    #expect(export.transcript(in: 0..<1000, rate: 10).cues.isEmpty)
  }

  @Test("the map of the sound has what sounds of the written part, and no silenced track")
  func soundMap() {
    let clips = (0..<10).map { clip(sound("a.wav"), from: $0 * 20, lasting: 10, at: $0 * 10) }
    let export = Export(
      name: "x",
      composition: Composition(tracks: [
        Track(segments: clips), Track(segments: clips, mix: AudioMix(gain: .silence)),
      ]), timeRange: range(25, 10), outputs: [])
    #expect(export.heardParts.map(\.source) == [range(45, 5), range(60, 5)])
    #expect(export.heardParts.map(\.target) == [range(0, 5), range(5, 5)])
  }

  @Test(
    "the cues in a range are found among a hundred thousand, long ones that began before it too")
  func index() {
    var cues = (0..<100_000).map { Cue("\($0)", in: range($0, 1)) }
    cues.append(Cue("long", in: range(5, 90_000)))
    cues.append(Cue("short", in: TimeRange(start: seconds(50_000), duration: .zero)))
    let index = CueIndex(Transcript(cues))
    #expect(
      index.transcripts(around: [range(50_000, 2)])[0].cues.map(\.text) == [
        "long", "50000", "short", "50001",
      ])
    #expect(index.transcripts(around: [range(200_000, 2)])[0].cues.isEmpty)
    #expect(CueIndex(Transcript()).transcripts(around: [range(0, 2)])[0].cues.isEmpty)
  }
}

extension Cue {
  fileprivate func named(_ name: String) -> Cue {
    var named = self
    named.identifier = name
    return named
  }
}
