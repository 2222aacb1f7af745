import TestSupport
import Testing

@testable import JobFile

/// What is said of edits by words that are written in another way.
@Suite struct WordEditScreens {
  @Test("what is written in another way is refused at its place")
  func notations() {
    expect(
      Bench().screen(
        """
        jobs:
          a: { clip: a.wav, from: { after: true }, output: a.mp3 }
          b: { clip: a.wav, to: { text: so, occurrence: 0 }, output: b.mp3 }
          c: { clip: a.wav, cut: { words: ["..."] }, output: c.mp3 }
          d: { clip: a.wav, cut: { cues: [44..40, 0] }, output: d.mp3 }
          e: { concat: [a.wav, { clip: b.wav, at: { text: so } }], output: e.mp3 }
          f: { clip: a.wav, cut: [1s..2s], keep: { cues: 1 }, output: f.mp3 }
          g: { clip: a.wav, keep: { crossfade: 1s }, output: g.mp3 }
          h: { clip: a.wav, cut: { words: [] }, output: h.mp3 }
        """),
      """
      job.yaml:2:27: error: a phrase needs a 'text'
          2 |   a: { clip: a.wav, from: { after: true }, output: a.mp3 }
            |                           ^
        help: write { text: so let us begin }
      job.yaml:3:49: error: '0' is no number of an occurrence
          3 |   b: { clip: a.wav, to: { text: so, occurrence: 0 }, output: b.mp3 }
            |                                                 ^
        help: write '2' for the second one
      job.yaml:4:36: error: '...' has no words
          4 |   c: { clip: a.wav, cut: { words: ["..."] }, output: c.mp3 }
            |                                    ^~~~~
        help: write words as they are said: case and punctuation do not count
      job.yaml:5:35: error: '44..40' ends before it begins
          5 |   d: { clip: a.wav, cut: { cues: [44..40, 0] }, output: d.mp3 }
            |                                   ^~~~~~
        help: write '40..44'
      job.yaml:5:43: error: '0' is no number of a cue
          5 |   d: { clip: a.wav, cut: { cues: [44..40, 0] }, output: d.mp3 }
            |                                           ^
        help: write '12' or '40..44': cues count from 1
      job.yaml:6:51: error: 'so' are words of a source, and no time of a timeline
          6 |   e: { concat: [a.wav, { clip: b.wav, at: { text: so } }], output: e.mp3 }
            |                                                   ^~
        help: write seconds, as '4.2s', or the time of another item, as 'talk.end'
      job.yaml:7:36: error: 'keep' beside 'cut'
          7 |   f: { clip: a.wav, cut: [1s..2s], keep: { cues: 1 }, output: f.mp3 }
            |                                    ^~~~
        help: keep one of them
      job.yaml:7:21: note: the other one is here
          7 |   f: { clip: a.wav, cut: [1s..2s], keep: { cues: 1 }, output: f.mp3 }
            |                     ^~~
      job.yaml:8:27: error: a keep needs 'words', 'speaker' or 'cues'
          8 |   g: { clip: a.wav, keep: { crossfade: 1s }, output: g.mp3 }
            |                           ^
        help: write { speaker: Ann } or { cues: [12, 40..44] }
      job.yaml:9:35: error: an empty list
          9 |   h: { clip: a.wav, cut: { words: [] }, output: h.mp3 }
            |                                   ^
        help: write words, or a list, as [um, uh, you know]
      """)
  }

  @Test("a word that resembles one which is said is asked for, and nothing is edited for it")
  func misspelt() throws {
    let yaml = WordEditTests.clip + "mute: { words: [um, begni] }\noutput: x.wav"
    expect(
      WordEditTests.bench().exportScreen(yaml),
      """
      job.yaml:3:21: warning: 'begni' is not in the transcript of 'a.wav'
          3 | mute: { words: [um, begni] }
            |                     ^~~~~
        help: did you mean 'begin' at 1.9s? 'begni' silences nothing
      """)
    let cut = WordEditTests.bench().exportScreen(
      WordEditTests.clip + "cut: { words: yess }\noutput: x.wav")
    #expect(cut.hasSuffix("help: did you mean 'yes' at 3.1s?"), "\(cut)")
    // Neither a word that another phrase names, nor one that is not heard.
    for keys in ["cut: { words: [um, uum] }", "from: 10s\ncut: { words: begni }"] {
      let said = WordEditTests.bench().exportScreen(WordEditTests.clip + keys + "\noutput: x.wav")
      #expect(said.hasSuffix("what is not said needs no edit"), "\(said)")
    }
  }

  @Test("a muted name that is also a speaker's stays there, which a note says")
  func speakers() {
    var bench = WordEditTests.bench()
    bench.texts["n.vtt"] =
      "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Dr. Jane Doe>Jane Doe\n\n"
      + "00:03.000 --> 00:04.000\n<v Ben>Hello\n"
    func screen(_ words: String) -> String {
      bench.exportScreen("clip: a.wav\ntranscript: n.vtt\nmute: { words: \(words) }\noutput: x.wav")
    }
    let found = screen("[Hello, Jane Doe]")
    #expect(
      found.contains(
        "job.yaml:3:24: note: 'Jane Doe' stays in names of speakers in the transcript of 'a.wav'"),
      "\(found)")
    #expect(found.contains("help: give the speaker another name in the transcript"), "\(found)")
    #expect(!screen("[Hello]").contains("names of speakers"))
  }
}
