import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Jobs that are repeated or split for the cues of a transcript. Every file lasts a minute.
@Suite struct CueTests {
  private func bench() -> Bench {
    var bench = Bench()
    bench.texts["a.vtt"] = """
      WEBVTT

      00:01.000 --> 00:03.000
      <v Ann>Either / or</v>

      00:03.500 --> 00:04.000
      Um

      00:10.000 --> 00:40.000
      <v Ben>Two
      lines</v>

      """
    return bench
  }

  // MARK: Parts

  @Test("Each cue is a part, whose text and speaker are variables; a name has no '/' of a text")
  func parts() throws {
    let exports = try bench().exports(
      """
      clip: a.wav
      transcript: a.vtt
      split: cues
      metadata: { title: "${part.text}", artist: "${part.speaker:-nobody}" }
      output: "${part.n:03} ${part.text} (${part.count}).wav"
      """)
    #expect(exports.map { $0.timeRange.map { "\($0)" } } == ["1s..3s", "3.5s..4s", "10s..40s"])
    #expect(
      exports.map { $0.outputs.map(\.path) } == [
        ["001 Either _ or (3).wav"], ["002 Um (3).wav"], ["003 Two lines (3).wav"],
      ])
    #expect(exports.map { $0.metadata["title"] } == ["Either / or", "Um", "Two lines"])
    #expect(exports.map { $0.metadata["artist"] } == ["Ann", "nobody", "Ben"])
    #expect(exports.map(\.name) == ["job/01", "job/02", "job/03"])
  }

  @Test("Cues are those of the whole job, after all modifiers")
  func edited() throws {
    let exports = try bench().exports(
      """
      concat: [{ clip: b.wav ..10s }, { clip: a.wav ..30s, transcript: a.vtt, speed: 2 }]
      split: { cues: { longer: 1s, margin: 1s } }
      output: "${part.n}.wav"
      """)
    // 1 s to 3 s, and 10 s to the end of the clip, at twice the speed, 10 s later.
    #expect(
      exports.map { $0.timeRange.map { "\($0)" } } == ["9.5s..11.625s", "14s..25s"])
  }

  @Test("Cues that are left out are named in a note; a value that a cue has not is an error")
  func bounds() {
    expect(
      bench().exportScreen(
        """
        clip: a.wav
        transcript: a.vtt
        split: { cues: { longer: 1s, shorter: 10s } }
        output: "${part.n}.wav"
        """),
      """
      job.yaml:3:8: note: 2 of 3 cues are no parts: 1 shorter than 1s, 1 longer than 10s ('Um' at 3.5s, 'Two lines' at 10s)
          3 | split: { cues: { longer: 1s, shorter: 10s } }
            |        ^
      """)
    expect(
      bench().exportScreen(
        "clip: a.wav\ntranscript: a.vtt\nsplit: cues\noutput: \"${part.n} ${part.speaker}.wav\""),
      """
      job.yaml:4:9: error: part 2 has no 'part.speaker'
          4 | output: "${part.n} ${part.speaker}.wav"
            |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        help: give a default: '${part.speaker:-text}'
      """)
    expect(
      bench().exportScreen("clip: a.wav\nsplit: cues\noutput: \"${part.n}.wav\""),
      """
      job.yaml:2:8: error: 'job' has no transcript to be split at
          2 | split: cues
            |        ^~~~
        help: give the clip one, as 'transcript: talk.json'
      """)
  }

  // MARK: Repetition

  @Test(
    "An item is repeated for each cue of a source, with the clip, the text and the speaker of each")
  func repeated() throws {
    let job = try #require(
      try bench().load(
        """
        sources: { reader: { file: a.wav, transcript: a.vtt, gain: -3 dB } }
        concat:
          - each: cue
            of: reader
            concat:
              - { clip: "${cue.clip}", chapter: "${cue.n} of ${cue.count}: ${cue.text}" }
              - 2s
              - { clip: "${cue.clip}", speed: 0.8, name: "${cue.speaker:-nobody}" }
        output: lesson.wav
        """
      ).jobs.first)
    guard case .concat(let sequence) = job.item.content else {
      Issue.record("no list")
      return
    }
    let lessons = sequence.items.compactMap { item -> [Item]? in
      if case .concat(let inner) = item.content { inner.items } else { nil }
    }
    #expect(lessons.map(\.count) == [3, 3, 3])
    #expect(
      lessons.map { $0[0].chapter?.title } == [
        "1 of 3: Either / or", "2 of 3: Um", "3 of 3: Two lines",
      ])
    #expect(lessons.map { $0[2].name?.value } == ["Ann", "nobody", "Ben"])
    #expect(lessons.allSatisfy { $0[0].gain != nil && $0[0].transcript != nil })
    // 32.5 s of speech, once more at 0.8 times the speed, and three pauses.
    let export = try job.export(assets: Bench().asset)
    #expect("\(export.composition.duration)" == "1:19.125")
  }

  @Test("A cue across the end of its file ends there, and one after the end is an error")
  func beyond() throws {
    var bench = bench()
    let yaml = """
      sources: { reader: { file: a.wav, transcript: a.vtt } }
      concat: [{ each: cue, of: reader, clip: "${cue.clip}" }]
      output: lesson.wav
      """
    let more = "\n00:50.000 --> 01:10.000\nThe end\n"
    bench.texts["a.vtt"]? += more
    #expect("\(try bench.exports(yaml)[0].composition.duration)" == "42.5s")
    // Of more than a tenth of such cues it would be said that they are of another file.
    let words = (0..<9).map { "\n00:45.\($0)00 --> 00:45.\($0)50\nWord\n" }.joined()
    bench.texts["a.vtt"]? += words + "\n01:12.000 --> 01:13.000\nThanks for watching\n"
    expect(
      bench.exportScreen(yaml),
      """
      job.yaml:2:42: error: the cue starts at 1:12, but 'a.wav' lasts 1:00
          2 | concat: [{ each: cue, of: reader, clip: "${cue.clip}" }]
            |                                          ^~~~~~~~~~~
        help: take it out of the transcript: recognisers invent words after the end
      """)
  }

  @Test("Only cues with their middle in the source's range count, and their clips end with it")
  func range() throws {
    func clips(_ keys: String) throws -> [String] {
      try Shapes.tracks(
        """
        sources: { reader: { file: a.wav, transcript: a.vtt, \(keys) } }
        concat: [{ each: cue, of: reader, clip: "${cue.clip}" }]
        """, bench())
    }
    #expect(
      try clips("from: 1.5s, to: 4s") == ["a.wav 1.5s..3s @ 0s, a.wav 3.5s..4s @ 1.5s"])
    #expect(
      try clips("from: 3.2s, duration: 30s") == ["a.wav 3.5s..4s @ 0s, a.wav 10s..33.2s @ 0.5s"])
    #expect(try clips("from: 2.5s, to: 9s") == ["a.wav 3.5s..4s @ 0s"])
  }

  @Test("The text of a cue is refused where 'mute', 'cut' or 'keep' would take words of it away")
  func removals() throws {
    let each = "{ each: cue, of: reader, clip: \"${cue.clip}\""
    let cases = [
      ("transcript: a.vtt, mute: { words: um }", "[\(each), chapter: \"${cue.text}\" }]"),
      ("transcript: a.vtt, cut: { cues: 1 }", "[\(each), name: \"${cue.text}\" }]"),
      ("transcript: a.vtt, keep: { words: um }", "[\(each), chapter: \"${cue.text}\" }]"),
      ("transcript: a.vtt", "[\(each), mute: { words: um }, chapter: \"${cue.text}\" }]"),
      (
        "transcript: a.vtt",
        "[{ concat: [\(each), chapter: \"${cue.text}\" }], mute: { words: um } }]"
      ),
      (
        "transcript: a.vtt",
        "[{ each: cue, of: reader, chapter: \"${cue.text}\", "
          + "concat: [{ clip: \"${cue.clip}\", mute: { words: um } }] }]"
      ),
    ]
    for (keys, list) in cases {
      let screen = bench().screen(
        "sources: { reader: { file: a.wav, \(keys) } }\nconcat: \(list)\noutput: x.wav")
      #expect(screen.contains("error: 'cue.text' would say words that '"), "\(screen)")
      #expect(screen.contains("help: write '${cue.n}' instead"), "\(screen)")
    }
    // Without the text nothing leaks.
    let quiet = bench().screen(
      "sources: { reader: { file: a.wav, transcript: a.vtt, mute: { words: um } } }\n"
        + "concat: [\(each), chapter: \"${cue.n}\", mute: false }]\noutput: x.wav")
    let beside = bench().screen(
      "sources: { reader: { file: a.wav, transcript: a.vtt } }\nconcat: "
        + "[{ clip: b.wav, mute: [1s..2s] }, \(each), chapter: \"${cue.text}\" }]\noutput: x.wav")
    #expect(beside.isEmpty, "\(beside)")
    #expect(quiet.isEmpty, "\(quiet)")
  }

  @Test("Where no cue is left to repeat an item for, the error says what the cues are like")
  func noCue() {
    var bench = bench()
    bench.texts["still.vtt"] = """
      WEBVTT

      00:01.000 --> 00:01.000
      Now

      00:02.000 --> 00:02.001
      Then

      """
    for (keys, message) in [
      ("transcript: still.vtt", "no cue of 'reader' has a length"),
      ("transcript: still.vtt, from: 30s", "no cue is in the range of 'reader'"),
      ("transcript: a.vtt, from: 50s", "no cue is in the range of 'reader'"),
      ("transcript: { file: a.vtt, offset: -50s }", "no cue with a length starts in 'reader'"),
    ] {
      let screen = bench.screen(
        """
        sources: { reader: { file: a.wav, \(keys) } }
        concat: [{ each: cue, of: reader, clip: "${cue.clip}" }]
        output: x.wav
        """)
      #expect(screen.contains("error: " + message), "\(screen)")
      #expect(!screen.contains("left out"), "\(screen)")
    }
  }

  @Test("Edits of a source that single cues cannot have are refused by name")
  func sourceEdits() {
    for (keys, message) in [
      ("cut: [1s..2s]", "the ranges of 'cut' count in the source 'reader'"),
      ("mute: [1s..2s]", "the ranges of 'mute' count in the source 'reader'"),
      ("to: end-1s", "the range of 'reader' is not known before its file is opened"),
    ] {
      let screen = bench().screen(
        """
        sources: { reader: { file: a.wav, transcript: a.vtt, \(keys) } }
        concat: [{ each: cue, of: reader, clip: "${cue.clip}" }]
        output: x.wav
        """)
      #expect(screen.contains("error: " + message), "\(screen)")
    }
  }

  @Test("What is wrong with a repetition for cues")
  func refusals() {
    // tidy: long because the screen stands here whole.
    expect(
      bench().screen(
        """
        sources: { reader: { file: a.wav, transcript: a.vtt }, mute: b.wav, kept: { file: a.wav, transcript: keep } }
        jobs:
          a: { concat: [{ each: cue, clip: "${cue.clip}" }], output: a.wav }
          b: { concat: [{ each: cue, of: raeder, clip: "${cue.clip}" }], output: b.flac }
          c: { concat: [{ each: cue, of: mute, clip: "${cue.clip}" }], output: c.wav }
          d: { concat: [{ each: cue, of: kept, clip: "${cue.clip}" }], output: d.wav }
          e: { concat: [{ of: reader, clip: a.wav }], output: e.wav }
          f: { concat: [{ each: cue, of: reader, clip: "${cue.clip}", name: "${cue.name}" }], output: f.wav }
          g: { concat: [{ clip: a.wav, name: "${cue.text}" }], output: g.wav }
          h: { concat: [{ each: cue, of: reader, clip: "${cue.clip}", name: "${cue.speaker}" }], output: h.wav }
        """),
      """
      job.yaml:3:19: error: 'each: cue' needs a source
          3 |   a: { concat: [{ each: cue, clip: "${cue.clip}" }], output: a.wav }
            |                   ^~~~
        help: name one that has a transcript, as 'of: reader'
      job.yaml:4:34: error: there is no source 'raeder'
          4 |   b: { concat: [{ each: cue, of: raeder, clip: "${cue.clip}" }], output: b.flac }
            |                                  ^~~~~~
        help: did you mean 'reader'?
      job.yaml:5:34: error: the source 'mute' has no transcript
          5 |   c: { concat: [{ each: cue, of: mute, clip: "${cue.clip}" }], output: c.wav }
            |                                  ^~~~
        help: give it one, as 'transcript: reader.vtt'
      job.yaml:6:34: error: the cues of 'kept' are in its own file, which is opened after the job file is read
          6 |   d: { concat: [{ each: cue, of: kept, clip: "${cue.clip}" }], output: d.wav }
            |                                  ^~~~
        help: name a file of them, as 'transcript: reader.vtt'
      job.yaml:1:102: note: they are kept here
          1 | sources: { reader: { file: a.wav, transcript: a.vtt }, mute: b.wav, kept: { file: a.wav, transcript: keep } }
            |                                                                                                      ^~~~
      job.yaml:7:19: error: 'of' belongs to 'each: cue'
          7 |   e: { concat: [{ of: reader, clip: a.wav }], output: e.wav }
            |                   ^~
        help: write { each: cue, of: reader, clip: "${cue.clip}" }
      job.yaml:8:70: error: unknown variable 'cue.name'
          8 |   f: { concat: [{ each: cue, of: reader, clip: "${cue.clip}", name: "${cue.name}" }], output: f.wav }
            |                                                                      ^~~~~~~~~~~
        help: a cue has 'cue.clip', 'cue.text', 'cue.speaker', 'cue.n', 'cue.count'
      job.yaml:9:39: error: unknown variable 'cue.text'
          9 |   g: { concat: [{ clip: a.wav, name: "${cue.text}" }], output: g.wav }
            |                                       ^~~~~~~~~~~
        help: 'cue' is bound by 'each: cue' of an item
      job.yaml:10:70: error: cue 2 of 'reader' has no 'cue.speaker'
         10 |   h: { concat: [{ each: cue, of: reader, clip: "${cue.clip}", name: "${cue.speaker}" }], output: h.wav }
            |                                                                      ^~~~~~~~~~~~~~
        help: give a default: '${cue.speaker:-text}'
      """)
  }
}
