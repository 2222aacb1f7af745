import Glibc
import MediaComposition
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// What follows from the declared keys, and defects of the language that were found by trying it.
@Suite struct LanguageTests {
  @Test("The reference page follows the tables of the language")
  func reference() throws {
    let path = Fixture.path("../docs/reference.md")
    if getenv("AVJOB_WRITE_REFERENCE") != nil { try writeFile(path, JobFile.reference.utf8) }
    let page = String(decoding: try readFile(path), as: UTF8.self)
    #expect(
      page == JobFile.reference, "'avjob schema all > docs/reference.md' writes it")
    #expect(JobFile.reference(of: "Item")?.hasPrefix("## Item\n") == true)
    #expect(JobFile.reference(of: "nothing") == nil)
  }

  @Test("An unknown key of a map with many points to the list of its keys")
  func unknownKeys() {
    expect(
      Bench().screen("clip: a.wav\nzzzzzz: 1\noutput: { file: x.mp3, qqqqqq: 1 }"),
      #"""
      job.yaml:2:1: error: unknown key 'zzzzzz'
          2 | zzzzzz: 1
            | ^~~~~~
        help: 'avjob schema job file' lists the keys of a job file
      job.yaml:3:24: error: unknown key 'qqqqqq'
          3 | output: { file: x.mp3, qqqqqq: 1 }
            |                        ^~~~~~
        help: 'avjob schema output' lists the keys of an output
      """#)
  }

  @Test("A tag that resembles a standard one is written, with a warning")
  func tags() throws {
    let yaml = "clip: a.wav\nmetadata: { titel: Intro, mood: x, own: y }\noutput: x.mp3"
    expect(
      Bench().screen(yaml),
      #"""
      job.yaml:2:13: warning: 'titel' is not a known tag, and is written as it is
          2 | metadata: { titel: Intro, mood: x, own: y }
            |             ^~~~~
        help: did you mean 'title'?
      """#)
    #expect(try Bench().load(yaml).jobs[0].metadata["titel"] == "Intro")
  }

  @Test("A standard tag with a language behind it has no warning, also where it is emptied")
  func tagsInLanguages() {
    let names = ["comment-eng", "Lyrics-yue", "artist-ger", "title-sort-de-AT", "comment-de"]
    for name in names {
      for value in ["\"\"", "x"] {
        let yaml = "clip: a.wav\nmetadata: { \(name): \(value) }\noutput: x.mp3"
        #expect(Bench().screen(yaml) == "", "\(name)")
      }
    }
    for name in ["artist-srt", "comment-", "comments", "lyric-s", "track-no", "disc-id"] {
      let yaml = "clip: a.wav\nmetadata: { \(name): x }\noutput: x.mp3"
      #expect(Bench().screen(yaml).contains("is not a known tag"), "\(name)")
    }
  }

  @Test("A function without a name is refused, since no tag could hold it")
  func pairs() throws {
    expect(
      Bench().screen(#"{ clip: a.wav, metadata: { TIPL: "mix;Max" }, output: x.mp3 }"#),
      #"""
      job.yaml:1:34: error: 'TIPL' has functions and names in turns, and of 1 the last one has no name
          1 | { clip: a.wav, metadata: { TIPL: "mix;Max" }, output: x.mp3 }
            |                                  ^~~~~~~~~
        help: write a list with a name behind each, as [producer, Max]
      """#)
    for (values, isFine) in [
      ("[mix, Max]", true), ("[mix, Max, mix]", false), ("[]", true), ("\"\"", true),
    ] {
      let yaml = "{ clip: a.wav, metadata: { tmcl: \(values) }, output: x.mp3 }"
      #expect(Bench().screen(yaml).isEmpty == isFine, "\(values)")
    }
  }

  @Test("A variable of the shell is no folder")
  func shellVariables() {
    expect(
      Bench().screen(#"{ clip: $MEDIA/a.wav, output: ["$HOME/o.mp3", "./$HOME/o.mp3"] }"#),
      #"""
      job.yaml:1:9: error: '$MEDIA' is no variable here
          1 | { clip: $MEDIA/a.wav, output: ["$HOME/o.mp3", "./$HOME/o.mp3"] }
            |         ^~~~~~~~~~~~
        help: write '${env.MEDIA}/a.wav' and allow it with --env MEDIA; a file of that name is './$MEDIA/a.wav'
      job.yaml:1:32: error: '$HOME' is no variable here
          1 | { clip: $MEDIA/a.wav, output: ["$HOME/o.mp3", "./$HOME/o.mp3"] }
            |                                ^~~~~~~~~~~~~
        help: write '~/o.mp3', or '${env.HOME}/o.mp3' and allow it with --env HOME; a file of that name is './$HOME/o.mp3'
      """#)
  }

  @Test("A key of the job below 'tracks' is no track, unless it is one")
  func jobKeysBelowTracks() throws {
    expect(
      Bench().screen("tracks:\n  voice: a.wav\n  output: x.mp3\n  metadata: { title: y }"),
      #"""
      job.yaml:1:1: error: a job needs an 'output'
          1 | tracks:
            | ^~~~~~
        help: add 'output: NAME.mp3'
      job.yaml:3:3: error: 'output' is a key of the job, and would be a track here
          3 |   output: x.mp3
            |   ^~~~~~
        help: indent it as 'tracks' itself: it stands beside 'tracks', not below
      job.yaml:4:3: error: 'metadata' is a key of the job, and would be a track here
          4 |   metadata: { title: y }
            |   ^~~~~~~~
        help: indent it as 'tracks' itself: it stands beside 'tracks', not below
      """#)
    let tracks = "tracks: { output: a.wav, split: { clip: b.wav } }\noutput: x.mp3"
    #expect(try Bench().load(tracks).jobs.count == 1)
  }

  @Test("A folder in 'for_each' and a split by silence are corrected")
  func smallRemedies() {
    expect(
      Bench().screen("for_each: raw/\nsplit: silence\noutput: { folder: out, mp3: V2 }"),
      #"""
      job.yaml:1:11: error: 'raw/' is a folder
          1 | for_each: raw/
            |           ^~~~
        help: write 'raw/*' for its files
      job.yaml:2:8: error: 'silence' needs a value
          2 | split: silence
            |        ^~~~~~~
        help: write { silence: 2s, below: -50 dB }
      """#)
  }

  @Test("Patterns find extensions in any case, and '!' excludes files of a list")
  func patterns() throws {
    var bench = Bench()
    bench.media = [
      "in/ZOOM0001.WAV", "in/a.wav", "in/draft1.wav", "in/drafts/b.wav", "in/x/draft.wav",
    ]
    func names(_ yaml: String) throws -> [String] {
      try bench.load(yaml + "\noutput: { folder: out, mp3: V2 }").jobs.map(\.name)
    }
    #expect(
      try names("for_each: in/**/*.wav") == ["a", "draft1", "b", "draft", "ZOOM0001"])
    #expect(
      try names(#"for_each: ["in/**/*.wav", "!in/draft*"]"#) == ["a", "draft", "ZOOM0001"])
    #expect(
      try names(#"for_each: { input: ["!in/**/draft*", "in/**/*.wav"] }"#) == ["a", "ZOOM0001"])
    let job = try bench.load("concat: [\"in/*.wav\", \"!**/draft*\"]\noutput: x.mp3").jobs[0]
    #expect(job.media.map(\.location.description) == ["in/a.wav", "in/ZOOM0001.WAV"])
    expect(
      bench.screen(
        "for_each: [\"!in/*.wav\"]\noutput: { folder: x, mp3: V2 }"),
      #"""
      job.yaml:1:12: error: '!in/*.wav' leaves files out, and the list has none
          1 | for_each: ["!in/*.wav"]
            |            ^~~~~~~~~~~
        help: write the files first, as ["in/*.wav", "!in/*.wav"]
      """#)
    expect(
      bench.screen(
        "for_each: [\"in/*.wav\", \"!in\"]\noutput: { folder: x, mp3: V2 }"),
      #"""
      job.yaml:1:11: error: nothing is left of 3 files
          1 | for_each: ["in/*.wav", "!in"]
            |           ^
        help: exclude less: '!' leaves out what a pattern matches, and folders with all they hold
      """#)
  }

  @Test("One chapter a file: 'chapters: files', or a title by the name of a found file")
  func chaptersOfFiles() throws {
    let byKey = try Bench().exports(
      "concat: [intro.mp3, 1s, raw/*.wav, { clip: b.wav, chapter: End }]\nchapters: files\n"
        + "output: x.m4b")
    #expect(
      byKey[0].composition.chapters.map(\.title) == ["intro", "ch1", "ch2", "ch10", "End"])
    #expect(byKey[0].composition.chapters.map(\.start.seconds) == [0, 61, 121, 181, 241])
    let byName = try Bench().exports(
      "concat: [{ clip: raw/*.wav, chapter: \"${input.stem} of ${input.name}\" }]\noutput: x.m4b")
    #expect(
      byName[0].composition.chapters.map(\.title) == [
        "ch1 of ch1.wav", "ch2 of ch2.wav", "ch10 of ch10.wav",
      ])
    expect(
      Bench().screen("clip: a.wav\nchapters: files\noutput: x.m4b"),
      #"""
      job.yaml:2:11: error: 'chapters: files' belongs to 'concat'
          2 | chapters: files
            |           ^~~~~
        help: a clip alone takes 'chapter: TITLE', or 'chapters: keep' for those of its file
      """#)
  }

  @Test("An insertion into an item of a pattern is read for each file of the pattern")
  func insertionsOfFoundFiles() throws {
    let job = try Bench().load(
      "concat: [{ clip: raw/*.wav, insert: [{ clip: \"${input}\", at: 1s, name: \"${input.stem}\" }] }]\n"
        + "output: x.mp3"
    ).jobs[0]
    guard case .concat(let sequence) = job.item.content else {
      Issue.record("no sequence")
      return
    }
    #expect(
      sequence.items.flatMap(\.insertions).compactMap(\.name?.value) == ["ch1", "ch2", "ch10"])
  }

  @Test("A plus without a length after it is no range to the end")
  func openLength() {
    expect(
      Bench().screen("clip: a.wav 1s..+\noutput: x.mp3"),
      #"""
      job.yaml:1:18: error: no time is given: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          1 | clip: a.wav 1s..+
            |                  ^
      """#)
  }

  @Test("The schema lists the presets that are built in, and takes those of the file")
  func presets() throws {
    let end = "\nclip: a.wav\noutput: { file: x.mp3, preset: "
    let verdicts = try SchemaCase.verdicts(
      on: ["podcast", "own", "''"].map {
        SchemaCase(name: $0, yaml: "version: 1" + end + $0 + " }")
      })
    #expect(verdicts.map(\.base) == [[], [], [3]])
    for preset in OutputPreset.all {
      #expect(JobFile.schema.contains("\"const\": \"\(preset.name)\""))
    }
  }
}
