import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing
import Transcripts

@testable import JobFile
@testable import JobModel

/// Words of items, and where an output's words go.
@Suite struct TranscriptTests {
  private static let talk = """
    WEBVTT

    00:01.000 --> 00:02.500
    Welcome.

    00:03.000 --> 00:04.000
    <v Ann>Good evening.

    """

  private func bench() -> Bench {
    var bench = Bench()
    bench.texts = ["talk.vtt": Self.talk, "old.srt": "1\n00:00:01,000 --> 00:00:02,000\nBob: Hi\n"]
    return bench
  }

  private func transcripts(_ yaml: String, _ bench: Bench) throws -> [ItemTranscript] {
    let file = try bench.load(yaml)
    var found: [ItemTranscript] = []
    for job in file.jobs {
      Item.forEach(of: [job.item]) { items, index in
        if let transcript = items[index].transcript { found.append(transcript.value) }
      }
    }
    return found
  }

  private var cues: [Cue] {
    func cue(_ text: String, _ start: Int64, _ end: Int64, _ speaker: String? = nil) -> Cue {
      Cue(
        text,
        in: TimeRange(
          start: Time(value: start, timescale: 1000), end: Time(value: end, timescale: 1000)),
        speaker: speaker)
    }
    return [cue("Welcome.", 1000, 2500), cue("Good evening.", 3000, 4000, "Ann")]
  }

  @Test("Words are read from the file of an item, of a source, and of an address")
  func read() throws {
    var bench = bench()
    bench.pages["https://example.org/talk.vtt"] = .success(Self.talk)
    let read = try transcripts(
      """
      sources: { host: { file: b.wav, transcript: talk.vtt } }
      concat:
        - { clip: a.wav, transcript: talk.vtt }
        - host 1s..2s
        - { clip: host, transcript: keep }
        - { clip: a.wav, transcript: "https://example.org/talk.vtt" }
      output: x.mp3
      """, bench)
    #expect(read.count == 4)
    for index in [0, 1, 3] {
      guard case .read(let transcript) = read[index].source else {
        Issue.record("\(index) keeps its own")
        continue
      }
      #expect(transcript.cues.map(\.text) == cues.map(\.text))
      #expect(transcript.cues.map(\.range) == cues.map(\.range))
      #expect(transcript.cues.map(\.speaker) == cues.map(\.speaker))
    }
    #expect(read[2] == ItemTranscript(.keep))
  }

  @Test("The long form says what the times count in, who speaks, and by how much words come late")
  func long() throws {
    let read = try transcripts(
      """
      concat:
        - { clip: a.wav, transcript: { file: talk.vtt, clock: item, speaker: Ben, offset: -120ms } }
        - { clip: a.wav, transcript: { file: keep, offset: 1.5s } }
        - { clip: a.wav, transcript: { file: old.srt, speaker: prefix, encoding: windows-1252 } }
      output: x.mp3
      """, bench())
    #expect(read[0].clock == .item && read[0].speaker == "Ben")
    #expect(read[0].offset == Time(value: -120, timescale: 1000))
    #expect(read[1].source == .keep && read[1].clock == .source)
    #expect(read[1].offset == Time(value: 3, timescale: 2))
    #expect(read[2].speaker == nil)
    guard case .read(let prefixed) = read[2].source else {
      Issue.record("the third keeps its own")
      return
    }
    #expect(prefixed.cues.map(\.speaker) == ["Bob"] && prefixed.cues.map(\.text) == ["Hi"])
  }

  @Test("Files of words are files that the jobs read, once each")
  func files() throws {
    let file = try bench().load(
      """
      jobs:
        a: { clip: a.wav, transcript: talk.vtt, output: a.mp3 }
        b: { clip: b.wav, transcript: { file: talk.vtt, speaker: prefix }, output: b.mp3 }
      """)
    #expect(file.files.map(\.string).sorted() == ["job.yaml", "talk.vtt"])
  }

  @Test("Where words go")
  func places() throws {
    let exports = try bench().exports(
      """
      presets: { captioned: { mp3: V2, transcript: { as: [vtt, lyrics], width: 32, lines: 2 } } }
      clip: a.wav
      output:
        - { file: a.mp3, transcript: [vtt, srt, podcasting2, txt, lyrics], chapters: [podlove] }
        - { file: b.m4a, transcript: file }
        - { file: c.m4b, alac: 16 bit, transcript: { as: file, reading_speed: 17 } }
        - { file: d.mp3, preset: captioned }
        - { file: e.flac, transcript: [] }
        - f.flac
        - { file: g.mp3, transcript: { as: [vtt, podcasting2], segments: words } }
      """)
    let outputs = try #require(exports.first).outputs
    #expect(
      outputs[0].transcript
        == TranscriptPlaces(sidecars: [.vtt, .srt, .podcasting2, .txt], lyrics: true))
    #expect(
      outputs[0].paths == [
        "a.mp3", "a.psc", "a.vtt", "a.srt", "a.transcript.json", "a.txt",
      ])
    #expect(outputs[1].transcript == TranscriptPlaces(inFile: true))
    #expect(outputs[2].transcript.inFile && outputs[2].transcript.lines?.readingSpeed == 17)
    #expect(outputs[3].transcript.lines?.width == 32 && outputs[3].transcript.lines?.lines == 2)
    #expect(outputs[3].transcript.sidecars == [.vtt] && outputs[3].transcript.lyrics)
    #expect(outputs[4].transcript == .none && outputs[5].transcript == .none)
    #expect(outputs[6].transcript.wordSegments && !outputs[0].transcript.wordSegments)
  }
}

/// What is said about them.
@Suite struct TranscriptScreens {
  @Test("Places for words that an output has not")
  func unknownPlaces() {
    // tidy: long because the screen stands here whole.
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.m4a, transcript: [vtt, lyrics] }
          - { file: b.mkv, transcript: { as: file } }
          - { file: c.mp3, transcript: [file, vt, srt, srt] }
          - { folder: out, codec: same, transcript: file }
          - { file: d.mp3, transcript: { as: podcasting2, width: 32 } }
          - { file: e.mp3, transcript: { as: vtt, width: 3, lines: two } }
          - { file: f.mp3, transcript: { width: 32 } }
        """#),
      #"""
      job.yaml:3:38: error: M4A holds no lyrics
          3 |   - { file: a.m4a, transcript: [vtt, lyrics] }
            |                                      ^~~~~~
        help: write 'file' for a track of captions in it, or 'vtt' or 'srt' for a file beside it
      job.yaml:4:38: error: MKV holds no captions
          4 |   - { file: b.mkv, transcript: { as: file } }
            |                                      ^~~~
        help: write 'vtt' or 'srt' for a file beside it; M4A, M4B, MP4 and MOV hold captions, and MP3 lyrics
      job.yaml:5:33: error: MP3 holds no captions
          5 |   - { file: c.mp3, transcript: [file, vt, srt, srt] }
            |                                 ^~~~
        help: write 'lyrics' for those in its tag, or 'vtt' or 'srt' for a file beside it
      job.yaml:5:39: error: 'vt' is no place for words
          5 |   - { file: c.mp3, transcript: [file, vt, srt, srt] }
            |                                       ^~
        help: did you mean 'vtt'?
      job.yaml:5:48: error: 'srt' twice
          5 |   - { file: c.mp3, transcript: [file, vt, srt, srt] }
            |                                                ^~~
        help: leave one of them out
      job.yaml:6:45: error: captions in the file, where the format is the clip's
          6 |   - { folder: out, codec: same, transcript: file }
            |                                             ^~~~
        help: name the format, as 'aac: 128k', or write 'vtt' or 'srt' for a file beside it
      job.yaml:7:58: error: lines are broken in captions, and these places hold none
          7 |   - { file: d.mp3, transcript: { as: podcasting2, width: 32 } }
            |                                                          ^~
        help: add 'vtt', 'srt' or 'file', or leave it out
      job.yaml:8:50: error: '3' is no width of a line of captions
          8 |   - { file: e.mp3, transcript: { as: vtt, width: 3, lines: two } }
            |                                                  ^
        help: write a whole number from 8 to 200
      job.yaml:8:60: error: 'two' is no number of lines of a caption
          8 |   - { file: e.mp3, transcript: { as: vtt, width: 3, lines: two } }
            |                                                            ^~~
        help: write a whole number from 1 to 10
      job.yaml:9:32: error: a transcript of an output needs 'as'
          9 |   - { file: f.mp3, transcript: { width: 32 } }
            |                                ^
        help: write { as: [vtt, srt], width: 32 }
      """#)
  }

  @Test("Transcripts of items that there are not")
  func items() {
    var bench = Bench()
    bench.texts["talk.vtt"] = "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"
    bench.bytes["film.mp4"] = [0, 0, 0, 32] + Array("ftypisom".utf8) + [0, 0, 2, 0]
    expect(
      bench.screen(
        #"""
        concat:
          - { clip: a.wav, transcript: nothing.srt }
          - { clip: a.wav, transcript: film.mp4 }
          - { clip: a.wav, transcript: { file: keep, encoding: windows-1252 } }
          - { clip: a.wav, transcript: { speaker: Ann } }
          - { silence: 1s, transcript: talk.vtt }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:32: error: there is no file 'nothing.srt'
          2 |   - { clip: a.wav, transcript: nothing.srt }
            |                                ^~~~~~~~~~~
        help: put it there, or name another one
      job.yaml:3:32: error: 'film.mp4' is a media file, and a transcript belongs here
          3 |   - { clip: a.wav, transcript: film.mp4 }
            |                                ^~~~~~~~
        help: name a text, as 'talk.vtt'; 'transcript: keep' keeps the words in the clip's own file
      job.yaml:4:56: error: this is for a transcript that is a text of its own
          4 |   - { clip: a.wav, transcript: { file: keep, encoding: windows-1252 } }
            |                                                        ^~~~~~~~~~~~
        help: leave it out: the words in a media file have their encoding
      job.yaml:5:32: error: a transcript needs a 'file'
          5 |   - { clip: a.wav, transcript: { speaker: Ann } }
            |                                ^
        help: write { file: talk.vtt, speaker: Ann }
      job.yaml:6:20: error: 'transcript' beside 'silence'
          6 |   - { silence: 1s, transcript: talk.vtt }
            |                    ^~~~~~~~~~
        help: a silence has no words: leave 'transcript' out
      job.yaml:6:7: note: the silence is here
          6 |   - { silence: 1s, transcript: talk.vtt }
            |       ^~~~~~~
      """#)
  }

  @Test("A transcript that replaces those of clips is noted")
  func replaced() {
    var bench = Bench()
    for name in ["in.vtt", "out.vtt"] {
      bench.texts[name] = "WEBVTT\n\n00:01.000 --> 00:02.000\n\(name)\n"
    }
    expect(
      bench.exportScreen(
        """
        concat: [{ clip: a.wav, transcript: in.vtt }, b.wav]
        transcript: out.vtt
        output: { file: o.wav, transcript: vtt }
        """),
      """
      job.yaml:2:13: note: the words of 'a.wav' are not read: this transcript replaces them
          2 | transcript: out.vtt
            |             ^~~~~~~
        help: leave out the one or the others
      """)
  }

  @Test("Two outputs whose words would be one file, and one in the place of words that are read")
  func oneFile() {
    var bench = Bench()
    bench.texts["talk.vtt"] = "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"
    let screen = bench.screen(
      """
      clip: a.wav
      transcript: talk.vtt
      output: [{ file: x.mp3, transcript: [vtt, srt] }, { file: x.m4a, transcript: vtt }]
      """)
    #expect(screen.contains("two outputs at 'x.vtt'"))
    #expect(screen.contains("help: leave 'vtt' out of the 'transcript' of one of them"))
    expect(
      bench.screen(
        "clip: a.wav\ntranscript: talk.vtt\noutput: { file: talk.mp3, transcript: vtt }"),
      """
      job.yaml:3:17: error: output 'talk.vtt' is a source
          3 | output: { file: talk.mp3, transcript: vtt }
            |                 ^~~~~~~~
        help: give the output another name, or leave 'vtt' out of its 'transcript'
      job.yaml:2:13: note: it is read here
          2 | transcript: talk.vtt
            |             ^~~~~~~~
      """)
  }

  @Test("Words of a file that messages may not quote are in none")
  func unquoted() {
    func screen(_ path: String, _ job: String) -> String {
      var bench = Bench()
      bench.texts[path] = """
        WEBVTT

        00:01.000 --> 00:02.000
        <v S3cret>Top s3cret words

        00:03.000 --> 00:03.500
        <v S3cret>More s3cret words

        """
      let output = job.hasPrefix("split") ? "${part.n}.wav" : "x.wav"
      return bench.exportScreen(
        "clip: a.wav\ntranscript: \(path)\n\(job)\noutput: '\(output)'\n")
    }
    func quotes(_ screen: String) -> Bool {
      screen.contains("S3cret'") || screen.contains("s3cret words")
    }
    let jobs = [
      "from: { text: s3cert words }", "cut: { words: [s3cret] }", "cut: { speaker: S3cert }",
      "split: { cues: { longer: 1s } }",
    ]
    for job in jobs {
      let quoted = screen("talk.vtt", job)
      #expect(quotes(quoted), "\(quoted)")
      let unquoted = screen(".words/talk.vtt", job)
      #expect(!unquoted.isEmpty && !quotes(unquoted), "\(unquoted)")
    }
  }
}
