import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Edits by words of a transcript. Every file lasts a minute, and every edge is as quiet as any other.
@Suite struct WordEditTests {
  /// Words of 200 ms with 100 ms between them, from a second on, in cues: `Ann: so um` is one of Ann's,
  /// and what has a star has no time.
  private static func transcript(_ cues: [String]) -> String {
    var time = 1.0
    var segments: [String] = []
    for cue in cues {
      let parts = cue.split(separator: ": ").map(String.init)
      var words: [String] = []
      let first = time
      for word in (parts.last ?? "").split(separator: " ") {
        let (start, end) = (rounded(time), rounded(time + 0.2))
        words.append(
          word.hasSuffix("*")
            ? #"{"word":"\#(word.dropLast())"}"#
            : #"{"word":"\#(word)","start":\#(start),"end":\#(end)}"#)
        time += 0.3
      }
      let text = (parts.last ?? "").filter { $0 != "*" }
      let speaker = parts.count > 1 ? #","speaker":"\#(parts[0])""# : ""
      segments.append(
        #"{"start":\#(rounded(first)),"end":\#(rounded(time - 0.1)),"text":"\#(text)"\#(speaker),"#
          + #""words":[\#(words.joined(separator: ","))]}"#)
    }
    return #"{"segments":[\#(segments.joined(separator: ","))]}"#
  }

  private static func rounded(_ time: Double) -> String {
    let hundredths = Int((time * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// Words at 1, 1.3, 1.6 s and so on: `so um we` are 0, 1 and 2.
  static func bench() -> Bench {
    var bench = Bench()
    bench.texts["a.json"] = transcript([
      "Ann: so um we begin", "Ben: you know uh yes", "Ann: so we end in 2014* then",
    ])
    bench.texts["a.srt"] =
      "1\n00:00:01,000 --> 00:00:03,000\nso um we\n\n"
      + "2\n00:00:04,000 --> 00:00:05,000\nyou know\n"
    return bench
  }

  /// Moves each edge as far as it may, to a later place if there is one.
  private static func outermost(_ search: SilenceSearch) -> SilenceFindings {
    var found = SilenceFindings([])
    found.edges = search.edges.map { $0.time == $0.latest ? $0.earliest : $0.latest }
    return found
  }

  static let clip = "clip: a.wav\ntranscript: a.json\n"

  private func tracks(_ yaml: String, _ bench: Bench = Self.bench()) throws -> [String] {
    try Shapes.tracks(yaml, bench)
  }

  // MARK: Ranges

  @Test(
    "a range begins and ends at words",
    arguments: [
      ("from: { text: we begin }", "1.6s..1:00"),
      ("from: { text: 'So, we', after: true }", "3.9s..1:00"),
      ("to: { text: you know }", "0s..2.2s"),
      ("to: { text: YOU KNOW, after: true }", "0s..2.7s"),
      ("to: { text: you know, after: true, plus: 500ms }", "0s..3.2s"),
      ("from: { text: so, occurrence: 2 }\nduration: 1s", "3.4s..4.4s"),
      ("from: { text: begin you }\nto: { text: yes, after: true }", "1.9s..3.3s"),
    ])
  func ranges(keys: String, range: String) throws {
    #expect(try tracks(Self.clip + keys) == ["a.wav \(range) @ 0s"])
  }

  @Test("a cut goes from one sentence to another, with a cross-fade of 10 ms")
  func sentences() throws {
    let cut = "cut: { ranges: [{ from: { text: um }, to: { text: uh, after: true } }] }"
    #expect(
      try tracks(Self.clip + cut)
        == ["a.wav 0s..1.305s @ 0s", "a.wav 2.995s..1:00 @ 1.295s"])
    // After a range, words count that are in it.
    #expect(
      try tracks(
        Self.clip + "from: 3s\ncut: [{ from: { text: so }, to: { text: end } }]")
        == ["a.wav 3s..3.405s @ 0s", "a.wav 3.995s..1:00 @ 0.395s"])
  }

  @Test("an item is inserted at words")
  func insertion() throws {
    let yaml = Self.clip + "insert: [{ clip: b.wav ..1s, at: { text: we begin } }]"
    #expect(
      try tracks(yaml) == ["a.wav 0s..1.6s @ 0s, b.wav 0s..1s @ 1.6s, a.wav 1.6s..1:00 @ 2.6s"])
  }

  // MARK: Selections

  /// What a cut of words leaves, without its cross-fades.
  private func left(_ keys: String, _ bench: Bench = Self.bench()) throws -> [String] {
    let export = try Shapes.export("clip: a.wav\n" + keys, bench)
    return export.composition.tracks.flatMap(\.segments).map { segment in
      let fades = segment.mix.envelopes.flatMap(\.ramps)
      var source = segment.source
      for ramp in fades {
        let half = ramp.timeRange.duration.multiplied(by: 1, over: 2)
        if ramp.startVolume == .silence { source.start = source.start + half }
        source.duration = source.duration - half
      }
      return source
    }
    .sorted { $0.start < $1.start }.map { "\($0)" }
  }

  @Test(
    "words, speakers and cues are cut, and those that follow one another together",
    arguments: [
      ("cut: { words: um }", ["0s..1.3s", "1.5s..1:00"]),
      ("cut: { words: [um, UH, you know] }", ["0s..1.3s", "1.5s..2.2s", "3s..1:00"]),
      ("cut: { words: [um], ranges: [10s..20s] }", ["0s..1.3s", "1.5s..10s", "20s..1:00"]),
      ("cut: { speaker: ben }", ["0s..2.2s", "3.3s..1:00"]),
      ("cut: { cues: [2, 1] }", ["0s..1s", "3.3s..1:00"]),
      ("cut: { cues: 1..2 }", ["0s..1s", "3.3s..1:00"]),
      ("keep: { speaker: Ben }", ["2.2s..3.3s"]),
      ("keep: { cues: [1, 3] }", ["1s..2.1s", "3.4s..5.1s"]),
      ("from: 1.4s\ncut: { words: [so, um] }", ["1.5s..3.4s", "3.6s..1:00"]),
      ("from: 2s\nto: 3.3s\nkeep: { cues: [1, 2] }", ["2s..3.3s"]),
    ])
  func selections(keys: String, ranges: [String]) throws {
    #expect(try left("transcript: a.json\n" + keys) == ranges)
  }

  @Test("without times of words, whole cues are cut")
  func cues() throws {
    #expect(try left("transcript: a.srt\ncut: { cues: 2 }") == ["0s..4s", "5s..1:00"])
    #expect(try left("transcript: a.srt\ncut: { words: you know }") == ["0s..4s", "5s..1:00"])
    #expect(
      try tracks("clip: a.wav\ntranscript: a.srt\nto: { text: so um we, after: true }") == [
        "a.wav 0s..3s @ 0s"
      ])
  }

  @Test("edges are where the sound is quietest, within bounds that neighbours set")
  func edges() throws {
    var bench = Self.bench()
    var asked: [SilenceSearch] = []
    bench.listen = { search in
      asked.append(search)
      return Self.outermost(search)
    }
    #expect(
      try left("from: 1s\ntranscript: a.json\ncut: { words: um }", bench)
        == ["1s..1.34s", "1.58s..1:00"])
    #expect(asked.map { $0.composition.tracks.map(Shapes.text) } == [["a.wav 0s..1:00 @ 0s"]])
    asked = []
    #expect(
      try tracks(Self.clip + "from: { text: um }\nto: { text: we begin }", bench)
        == ["a.wav 1.22s..1.52s @ 0s"])
    #expect(asked.count == 2)
    #expect(
      try tracks(Self.clip + "from: { text: um, plus: 0.1s }", bench) == ["a.wav 1.4s..1:00 @ 0s"])
    #expect(asked.count == 2)
  }

  @Test("an edge that leaves hardly any sound at an end of the item is moved to that end")
  func rims() throws {
    let keys = "transcript: a.json\nfrom: 0.99s\nto: 5.11s\n"
    #expect(try left(keys + "cut: { words: so }") == ["1.2s..3.4s", "3.6s..5.11s"])
    #expect(try left(keys + "cut: { words: then }") == ["0.99s..4.9s"])
    // What is left of a word stays.
    var bench = Self.bench()
    bench.texts["a.json"] = #"""
      {"segments":[{"start":1,"end":2,"text":"so um we","words":[
        {"word":"so","start":1,"end":1.5},{"word":"um","start":1.5,"end":1.6},
        {"word":"we","start":1.6,"end":2}]}]}
      """#
    let kept = try left("transcript: a.json\nfrom: 1.49s\ncut: { words: um }", bench)
    #expect(kept == ["1.49s..1.5s", "1.6s..1:00"])
  }

  @Test("a phrase that is said elsewhere in the file is not called missing from its transcript")
  func elsewhere() throws {
    let yaml = Self.clip + "to: 3s\ncut: { words: [um, yes, then] }\noutput: x.wav"
    #expect(Self.bench().exportScreen(yaml).isEmpty)
  }

  @Test("what is not listened to yet is asked for once, and a cut after a range then")
  func rounds() throws {
    var known: [SilenceSearch] = []
    for _ in 0..<3 {
      let job = try Self.bench().load(
        Self.clip
          + "from: { text: um }\nto: { text: yes }\ncut: { words: uh }\noutput: x.wav"
      ).jobs[0]
      #expect(job.listens)
      var asked: [SilenceSearch] = []
      _ = try? job.exports(
        assets: Bench().asset,
        listen: { search in
          if known.contains(search) {
            var found = SilenceFindings([])
            found.edges = search.edges.map(\.time)
            return found
          }
          asked.append(search)
          return nil
        })
      known += asked
    }
    // The edges of the range, one after the other, and then those of the word.
    #expect(known.map(\.edges.count) == [1, 1, 2])
  }

  @Test("a cross-fade at words is no longer than a quarter of the cut and of what is left")
  func crossfades() throws {
    func fades(_ keys: String, _ bench: Bench = Self.bench()) throws -> [String] {
      let tracks = try Shapes.export(Self.clip + keys, bench).composition.tracks
      return tracks.flatMap(\.segments).flatMap { $0.mix.envelopes.flatMap(\.ramps) }
        .filter { $0.startVolume == .silence }.map { "\($0.timeRange.duration)" }
    }
    #expect(try fades("cut: { words: um }") == ["0.01s"])
    #expect(try fades("cut: { words: um, crossfade: 15ms }") == ["0.015s"])
    #expect(try fades("cut: { words: um, crossfade: 1s }") == ["0.05s"])
    #expect(try fades("cut: { words: [um, begin], crossfade: 1s }") == ["0.05s", "0.05s"])
    #expect(try fades("cut: { words: [um, begin], crossfade: 0s }") == [])
    #expect(try fades("cut: [1s..2s]") == [])
  }

  @Test("muted words are silent whole, and their text is replaced")
  func mutes() throws {
    var bench = Self.bench()
    bench.listen = Self.outermost
    let keys = Self.clip + "mute: { words: [you know], text: '[redacted]' }"
    let item = try bench.load(keys + "\noutput: x.wav").jobs[0].item
    #expect(item.redaction == "[redacted]" && item.mutes.isEmpty)
    let export = try Shapes.export(keys, bench)
    let ramps = export.composition.tracks.flatMap(\.segments).flatMap(\.mix.envelopes)
      .flatMap(\.ramps).map { "\($0.timeRange)" }
    #expect(ramps == ["2.115s..2.12s", "2.78s..2.785s"])
    #expect(export.transcript?.cues.map(\.text).contains("[redacted] uh yes") == true)
  }

  @Test("a muted word is silent whole, also where another word overlaps it")
  func overlaps() throws {
    var bench = Self.bench()
    bench.texts["o.json"] =
      #"{"segments":[{"start":1,"end":2,"text":"I Jane do","words":[{"word":"I","start":1,"end":1.3},"#
      + #"{"word":"Jane","start":1.2,"end":1.6},{"word":"do","start":1.5,"end":2}]}]}"#
    let export = try Shapes.export("clip: a.wav\ntranscript: o.json\nmute: { words: jane }", bench)
    let ramps = export.composition.tracks.flatMap(\.segments).flatMap(\.mix.envelopes)
      .flatMap(\.ramps).map { "\($0.timeRange)" }
    #expect(ramps == ["1.195s..1.2s", "1.6s..1.605s"])
    #expect(export.transcript?.cues.map(\.text) == ["…"])
  }

  // MARK: Words

  @Test("what is cut is a remark: when, between which words, and how far the edges moved")
  func remarks() throws {
    var bench = Self.bench()
    bench.listen = Self.outermost
    let yaml = """
      clip: a.wav
      transcript: a.json
      from: { text: so um }
      cut: { words: [um, uh], crossfade: 15ms }
      output: x.wav
      """
    let map = SourceMap()
    var found = Diagnostics()
    for job in try bench.load(yaml, into: map).jobs {
      found.append(contentsOf: try job.exports(assets: bench.asset, listen: bench.listen).remarks)
    }
    expect(
      found.render(in: map),
      """
      job.yaml:3:15: note: 'so um' begins at 0.92s of 'a.wav', moved by -80 ms
          3 | from: { text: so um }
            |               ^~~~~
      job.yaml:4:16: note: 'so [um] we' is cut: 0.42s to 0.66s of 'a.wav', its edges moved by +40 ms and +80 ms
          4 | cut: { words: [um, uh], crossfade: 15ms }
            |                ^~
      job.yaml:4:20: note: 'know [uh] yes' is cut: 1.92s to 2.16s of 'a.wav', its edges moved by +40 ms and +80 ms
          4 | cut: { words: [um, uh], crossfade: 15ms }
            |                    ^~
      """)
  }

  @Test("fillers that nobody says are a note, and nothing is edited for them")
  func fillers() throws {
    let yaml = Self.clip + "cut: { words: [hm, er] }\noutput: x.wav"
    expect(
      Self.bench().exportScreen(yaml),
      """
      job.yaml:3:16: note: 'hm', 'er' are not in the transcript of 'a.wav'
          3 | cut: { words: [hm, er] }
            |                ^~
        help: what is not said needs no edit
      """)
    #expect(try tracks(Self.clip + "cut: { words: hm }") == ["a.wav 0s..1:00 @ 0s"])
    // A name that is misspelt would stay.
    expect(
      Self.bench().exportScreen(Self.clip + "mute: { words: hm }\noutput: x.wav"),
      """
      job.yaml:3:16: warning: 'hm' is not in the transcript of 'a.wav'
          3 | mute: { words: hm }
            |                ^~
        help: what is not said needs no edit
      """)
  }

  @Test(
    "words that are not there, or several times, or without times, are refused with their places",
    arguments: [
      (
        "transcript: a.json\nfrom: { text: so we begin }",
        "'so we begin' is not in the transcript of 'a.wav'; the nearest words are 'um we begin', at 1.3s"
      ),
      (
        "transcript: a.json\nfrom: { text: zebra }",
        "'zebra' is not in the transcript of 'a.wav'; write words as they stand in the transcript"
      ),
      (
        "transcript: a.json\nfrom: { text: so }",
        "'so' is 2 times in the transcript of 'a.wav': at 1s, 3.4s; name the one that is meant, as "
          + "'occurrence: 2'"
      ),
      (
        "transcript: a.json\nfrom: { text: um, occurrence: 2 }",
        "'um' is once in the transcript of 'a.wav': at 1.3s; leave 'occurrence' out"
      ),
      (
        "transcript: a.json\nto: { text: in 2014, after: true }",
        "'2014' has no time in the transcript of 'a.wav', and can be no edge: 'in 2014 then'; name "
          + "words that begin and end with others, or write a time"
      ),
      (
        "transcript: a.srt\ncut: { words: um }",
        "'um' has no time in the transcript of 'a.wav', and can be no edge: 'so um we'; name whole "
          + "cues, or take a transcript that has times of words"
      ),
      (
        "transcript: a.json\ncut: { speaker: Bem }",
        "nobody called 'Bem' speaks in the transcript of 'a.wav'; did you mean 'Ben'?"
      ),
      (
        "transcript: a.srt\ncut: { speaker: Ben }",
        "nobody called 'Ben' speaks in the transcript of 'a.wav'; its cues have no speakers; write "
          + "'words' or 'cues'"
      ),
      (
        "transcript: a.json\ncut: { cues: 2..9 }",
        "the transcript of 'a.wav' has 3 cues, and no number 9; cues go from 1 to 3"
      ),
      (
        "from: { text: so }",
        "'so' is looked for in a transcript, and 'a.wav' has none; name one beside it, as "
          + "'transcript: talk.vtt'"
      ),
      (
        "cut: { words: um }",
        "a word is looked for in a transcript, and 'a.wav' has none; name one beside it, as "
          + "'transcript: talk.vtt'"
      ),
      (
        "transcript: a.json\nkeep: { words: hm }",
        "'hm' is not in the transcript of 'a.wav', and nothing else of it is kept; name words that are "
          + "said"
      ),
    ])
  func refused(keys: String, refusal: String) {
    do throws(Diagnostics) {
      _ = try Self.bench().exports("clip: a.wav\n" + keys + "\noutput: x.wav")
      Issue.record("not refused")
    } catch {
      #expect(error.all.map { "\($0.message); \($0.help ?? "")" } == [refusal])
    }
  }
}
