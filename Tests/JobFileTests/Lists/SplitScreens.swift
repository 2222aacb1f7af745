import Testing
import TestSupport

@testable import JobFile

/// What is said of splits that cannot be. Every file lasts a minute.
@Suite struct SplitScreens {
  private func job(_ split: String, output: String = "${part.n}.mp3") -> String {
    "clip: a.wav\nsplit: \(split)\noutput: \"\(output)\""
  }

  @Test("Splits that are none")
  func none() {
    expect(
      Bench().screen(
        """
        jobs:
          a: { clip: a.wav, split: times.txt, output: "a${part.n}.mp3" }
          b: { clip: a.wav, split: 10m, output: "b${part.n}.mp3" }
          c: { clip: a.wav, split: { silence: 2s }, output: "c${part.n}.mp3" }
          d: { clip: a.wav, split: { evry: 2s }, output: "d${part.n}.mp3" }
          e: { clip: a.wav, split: [1s, 2s], output: "e${part.n}.mp3" }
          f: { clip: a.wav, split: { 0x: One }, output: "f${part.n}.mp3" }
          g: { clip: a.wav, split: { every: 0s }, output: "g${part.n}.mp3" }
          h: { clip: a.wav, split: raw, output: "h${part.n}.mp3" }
        """),
      """
      job.yaml:2:28: error: there is no file 'times.txt'
          2 |   a: { clip: a.wav, split: times.txt, output: "a${part.n}.mp3" }
            |                            ^~~~~~~~~
        help: put it there, or name another one
      job.yaml:3:28: error: '10m' is a length, not a list
          3 |   b: { clip: a.wav, split: 10m, output: "b${part.n}.mp3" }
            |                            ^~~
        help: write { every: 10m } for parts of that length
      job.yaml:4:30: error: 'silence' needs a level
          4 |   c: { clip: a.wav, split: { silence: 2s }, output: "c${part.n}.mp3" }
            |                              ^~~~~~~
        help: write { silence: 2s, below: -50 dB }
      job.yaml:5:30: error: unknown key 'evry'
          5 |   d: { clip: a.wav, split: { evry: 2s }, output: "d${part.n}.mp3" }
            |                              ^~~~
        help: did you mean 'every'?
      job.yaml:6:28: error: 'split' is a text or a map, not a list
          6 |   e: { clip: a.wav, split: [1s, 2s], output: "e${part.n}.mp3" }
            |                            ^
        help: write the path or address of a list of times, as 'album.cue', \
      or { 0:00: One, 4:10: Two }, { every: 10m }, 'chapters' or 'cues'
      job.yaml:7:30: error: '0x' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          7 |   f: { clip: a.wav, split: { 0x: One }, output: "f${part.n}.mp3" }
            |                              ^~
      job.yaml:8:37: error: parts of no length
          8 |   g: { clip: a.wav, split: { every: 0s }, output: "g${part.n}.mp3" }
            |                                     ^~
        help: write { every: 10m }
      job.yaml:9:28: error: 'raw' is a folder
          9 |   h: { clip: a.wav, split: raw, output: "h${part.n}.mp3" }
            |                            ^~~
        help: name a file in it
      """)
  }

  @Test("Outputs without the part in their path, and unknown variables of parts")
  func outputs() {
    expect(
      Bench().screen(
        #"""
        vars: { price: 5$ }
        clip: ${part.n}.wav
        split: { every: 10s }
        metadata: { cover: "${part.n}.jpg", title: "${part.titel} ${part.title:02}" }
        output: [x.mp3, "x.${part.title}", "${price}${part.n}.mp3"]
        """#),
      #"""
      job.yaml:2:7: error: unknown variable 'part.n'
          2 | clip: ${part.n}.wav
            |       ^~~~~~~~~
        help: 'part' has a value in 'output' and in 'metadata', but for its cover
      job.yaml:4:21: error: unknown variable 'part.n'
          4 | metadata: { cover: "${part.n}.jpg", title: "${part.titel} ${part.title:02}" }
            |                     ^~~~~~~~~
        help: 'part' has a value in 'output' and in 'metadata', but for its cover
      job.yaml:4:45: error: unknown variable 'part.titel'
          4 | metadata: { cover: "${part.n}.jpg", title: "${part.titel} ${part.title:02}" }
            |                                             ^~~~~~~~~~~~~
        help: did you mean '${part.title}'?
      job.yaml:5:10: error: every part would be written to 'x.mp3'
          5 | output: [x.mp3, "x.${part.title}", "${price}${part.n}.mp3"]
            |          ^~~~~
        help: put the part into the path, as with '${part.n:02}'
      job.yaml:5:17: error: 'x.${part.title}' has no fixed extension
          5 | output: [x.mp3, "x.${part.title}", "${price}${part.n}.mp3"]
            |                 ^~~~~~~~~~~~~~~~~
        help: outputs end in .mp3, .wav, .aiff, .caf, .flac, .m4a, .m4b, .ogg, .opus, .amr, .mp4, .mov, .mkv or .webm
      job.yaml:5:45: error: '$' before a variable of the part reads as '$${'
          5 | output: [x.mp3, "x.${part.title}", "${price}${part.n}.mp3"]
            |                                             ^~~~~~~~~
        help: put something between them
      """#)
  }

  @Test("Times beyond the end, twice and backwards, at their own lines")
  func times() {
    var bench = Bench()
    bench.texts["t.txt"] = "0:00 One\n0:30 Two\n0:30 Three\n1:00 Four\n1:10 Five\n"
    expect(
      bench.exportScreen(job("t.txt")),
      """
      t.txt:3:1: error: two parts begin at 30s
          3 | 0:30 Three
            | ^~~~
        help: leave one of them out
      t.txt:2:1: note: the other one is here
          2 | 0:30 Two
            | ^~~~
      job.yaml:2:8: note: the list is named here
          2 | split: t.txt
            |        ^~~~~
      t.txt:4:1: error: the part begins at the end of 'job', 1:00
          4 | 1:00 Four
            | ^~~~
        help: let it begin earlier, or leave it out
      job.yaml:2:8: note: the list is named here
          2 | split: t.txt
            |        ^~~~~
      t.txt:5:1: error: the part begins at 1:10, but 'job' lasts 1:00
          5 | 1:10 Five
            | ^~~~
        help: let it begin earlier, or leave it out
      job.yaml:2:8: note: the list is named here
          2 | split: t.txt
            |        ^~~~~
      """)
    expect(
      bench.exportScreen(job("{ 30s: a, 20s: b, end-70s: c }")),
      """
      job.yaml:2:18: error: this part begins at 20s, before the one above it at 30s
          2 | split: { 30s: a, 20s: b, end-70s: c }
            |                  ^~~
        help: a list is in order of time
      job.yaml:2:10: note: the other one is here
          2 | split: { 30s: a, 20s: b, end-70s: c }
            |          ^~~
      job.yaml:2:26: error: the part begins before the start: 'job' lasts 1:00
          2 | split: { 30s: a, 20s: b, end-70s: c }
            |                          ^~~~~~~
        help: let it begin later
      """)
  }

  @Test("The loss of sound before the first part is reported")
  func beginning() {
    var bench = Bench()
    bench.texts["x.cue"] =
      "TRACK 1 AUDIO\nINDEX 0 0:0:0\nINDEX 1 0:0:33\nTRACK 2 AUDIO\nINDEX 1 0:5:0"
    expect(
      bench.exportScreen(job("x.cue")),
      """
      x.cue:3:9: warning: what sounds before 0.44s is in no part: the list begins there
          3 | INDEX 1 0:0:33
            |         ^~~~~~
        help: let the first part begin at 0 to keep it
      job.yaml:2:8: note: the list is named here
          2 | split: x.cue
            |        ^~~~~
      """)
  }

  @Test("Values that a part has not, names that are too long, no chapters, too many parts")
  func values() {
    expect(
      Bench().exportScreen(job("{ every: 10s }", output: "${part.n} ${part.title}.mp3")),
      """
      job.yaml:3:9: error: part 1 has no 'part.title'
          3 | output: "${part.n} ${part.title}.mp3"
            |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        help: give a default: '${part.title:-text}'
      """)
    let long = String(repeating: "x", count: 252)
    #expect(
      Bench().exportScreen(job("{ 0s: \(long) }", output: "${part.title}.mp3"))
        .contains("of part 1 has more than 255 bytes"))
    expect(
      Bench().exportScreen(job("chapters")),
      """
      job.yaml:2:8: error: 'job' has no chapters to be split at
          2 | split: chapters
            |        ^~~~~~~~
        help: name a list of times, as 'times.txt' or { 0:00: One, 4:10: Two }
      """)
    expect(
      Bench().exportScreen(job("{ every: 0.5ms }")),
      """
      job.yaml:2:17: error: more than 100,000 parts
          2 | split: { every: 0.5ms }
            |                 ^~~~~
        help: make them longer
      """)
  }

  @Test("A list as an output is a source")
  func listAsOutput() {
    var bench = Bench()
    bench.texts["t.mp3"] = "0:00 One"
    expect(
      bench.screen("clip: a.wav\nchapters: t.mp3\noutput: t.mp3"),
      """
      job.yaml:3:9: error: output 't.mp3' is a source
          3 | output: t.mp3
            |         ^~~~~
        help: write to another path: a source is never overwritten
      """)
  }

  @Test("A file of nine megabytes is refused unread")
  func size() {
    var bench = Bench()
    bench.bytes["big.txt"] = [UInt8](repeating: 0x30, count: 9 << 20)
    expect(
      bench.screen("clip: a.wav\nsplit: big.txt\noutput: ${part.n}.mp3"),
      """
      job.yaml:2:8: error: 'big.txt' has more than 8 MiB: that is no list of times
          2 | split: big.txt
            |        ^~~~~~~
        help: split it, if it is one
      """)
  }
}
