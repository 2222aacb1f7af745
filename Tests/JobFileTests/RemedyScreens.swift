import Diagnosis
import MediaComposition
import RunPlan
import SystemPackage
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// Every refusal names its place and what to do: mistakes as people make them.
@Suite struct RemedyScreens {
  private let wave =
    Array("RIFF".utf8) + [0, 1, 2, 3] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 0x80]

  @Test("The suggestion for an unknown need is never the job itself")
  func needs() {
    expect(
      Bench().screen(
        #"""
        jobs:
          encode: { clip: a.wav, output: 1.mp3, needs: encod }
          finish: { clip: a.wav, output: 2.mp3, needs: zz }
          third: { clip: a.wav, output: 3.mp3, needs: encod }
        """#),
      #"""
      job.yaml:2:48: error: there is no job 'encod' in this file
          2 |   encode: { clip: a.wav, output: 1.mp3, needs: encod }
            |                                                ^~~~~
        help: there are 'finish', 'third'
      job.yaml:3:48: error: there is no job 'zz' in this file
          3 |   finish: { clip: a.wav, output: 2.mp3, needs: zz }
            |                                                ^~
        help: there are 'encode', 'third'
      job.yaml:4:47: error: there is no job 'encod' in this file
          4 |   third: { clip: a.wav, output: 3.mp3, needs: encod }
            |                                               ^~~~~
        help: did you mean 'encode'?
      """#)
  }

  @Test("Media where a text belongs are called media, and never printed")
  func media() {
    var bench = Bench()
    bench.bytes = ["m.wav": wave, "bare.cue": [0x30, 0, 1]]
    expect(
      bench.screen(
        #"""
        include: m.wav
        clip: a.wav
        split: m.wav
        cut: m.wav
        chapters: bare.cue
        output: "${part.n}.mp3"
        """#),
      #"""
      job.yaml:1:10: error: 'm.wav' is a media file, and another job file belongs here
          1 | include: m.wav
            |          ^~~~~
        help: name a file of jobs, as 'shows.yaml'; media are named by 'clip'
      job.yaml:3:8: error: 'm.wav' is a media file, and a list of times belongs here
          3 | split: m.wav
            |        ^~~~~
        help: name a text with lines as '14:05 School', or a CUE sheet
      job.yaml:5:11: error: 'bare.cue' is no text, and so no list of times
          5 | chapters: bare.cue
            |           ^~~~~~~~
        help: name a text with lines as '14:05 School'
      """#)
    expect(
      bench.screen("rows: m.wav\nclip: a.wav\noutput: ${n}.mp3"),
      #"""
      job.yaml:1:7: error: 'm.wav' is a media file, and a table belongs here
          1 | rows: m.wav
            |       ^~~~~
        help: name a table, as 'words.csv'; 'for_each' goes through media files
      """#)
  }

  @Test("Devices are refused by their purpose: a sound, a picture, a text")
  func devices() {
    expect(
      Bench().screen(
        #"""
        include: /dev/zero
        clip: /dev/zero
        chapters: /dev/zero
        metadata: { cover: /dev/zero }
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: '/dev/zero' is no regular file
          1 | include: /dev/zero
            |          ^~~~~~~~~
        help: pipes and devices cannot be read: name a file
      job.yaml:2:7: error: '/dev/zero' is no regular file
          2 | clip: /dev/zero
            |       ^~~~~~~~~
        help: pipes and devices cannot be read: write the sound to a file first
      job.yaml:3:11: error: '/dev/zero' is no regular file
          3 | chapters: /dev/zero
            |           ^~~~~~~~~
        help: pipes and devices cannot be read: name a file
      job.yaml:4:20: error: '/dev/zero' is no regular file
          4 | metadata: { cover: /dev/zero }
            |                    ^~~~~~~~~
        help: pipes and devices cannot be read: name a file
      """#)
    expect(
      Bench().screen("rows: /dev/zero\nclip: a.wav\noutput: ${n}.mp3"),
      #"""
      job.yaml:1:7: error: '/dev/zero' is no regular file
          1 | rows: /dev/zero
            |       ^~~~~~~~~
        help: pipes and devices cannot be read: name a file
      """#)
  }

  @Test("A list has files or values, not both")
  func mixture() {
    expect(
      Bench().screen(
        #"""
        for_each: [en, a.wav, raw/*.aif, nope.wav]
        output: { folder: out, mp3: V2 }
        """#),
      #"""
      job.yaml:1:12: error: 'en' is a value, and the list has files, too
          1 | for_each: [en, a.wav, raw/*.aif, nope.wav]
            |            ^~
        help: write { input: [a.wav, b.wav], lang: [en, de] }; a file is './en'
      """#)
    expect(
      Bench().screen(
        #"""
        for_each: [raw/*.aif, nope.wav, raw]
        output: { folder: out, mp3: V2 }
        """#),
      #"""
      job.yaml:1:12: error: no file in 'raw' matches 'raw/*.aif'
          1 | for_each: [raw/*.aif, nope.wav, raw]
            |            ^~~~~~~~~
        help: the files in it end in '.wav'
      job.yaml:1:23: error: there is no file 'nope.wav'
          1 | for_each: [raw/*.aif, nope.wav, raw]
            |                       ^~~~~~~~
        help: put it there, or name another one
      job.yaml:1:33: error: 'raw' is a folder
          1 | for_each: [raw/*.aif, nope.wav, raw]
            |                                 ^~~
        help: write 'raw/*' for its files
      """#)
  }

  @Test(
    "A folder is corrected to one file where a key takes one",
    arguments: [
      "metadata: { from: raw }", "effects: [reverb: { impulse: raw }]",
      "sources: { x: { file: raw } }",
    ])
  func folderForOne(key: String) {
    let screen = Bench().screen("clip: a.wav\n\(key)\noutput: x.flac")
    #expect(screen.contains("error: 'raw' is a folder"))
    #expect(screen.hasSuffix("  help: name a file in it"), "\(screen)")
  }

  @Test("The path of a file that ends in a slash is refused in 'for_each', too")
  func slashInLoop() {
    for loop in ["a.wav/", "[b.wav, a.wav/]"] {
      let screen = Bench().screen("for_each: \(loop)\noutput: { folder: out, mp3: V2 }")
      #expect(screen.contains("'a.wav/' ends in '/', as the path of a folder"), "\(screen)")
      #expect(screen.hasSuffix("  help: write 'a.wav' for a file"), "\(screen)")
    }
  }

  @Test("A file that is not there is looked for where it might be meant")
  func missing() {
    expect(
      Bench().screen(
        #"""
        concat: [ch1.wav, raw/day2/x.wav, episode, /far/a.wav, “a.wav”, a.wav 0:05-0:07]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: there is no file 'ch1.wav'
          1 | concat: [ch1.wav, raw/day2/x.wav, episode, /far/a.wav, “a.wav”, a.wav 0:05-0:07]
            |          ^~~~~~~
        help: put it there, or name another one
      job.yaml:1:19: error: there is no file 'raw/day2/x.wav'
          1 | concat: [ch1.wav, raw/day2/x.wav, episode, /far/a.wav, “a.wav”, a.wav 0:05-0:07]
            |                   ^~~~~~~~~~~~~~
        help: there is no folder 'raw/day2' either
      job.yaml:1:35: error: there is no file 'episode'
          1 | concat: [ch1.wav, raw/day2/x.wav, episode, /far/a.wav, “a.wav”, a.wav 0:05-0:07]
            |                                   ^~~~~~~
        help: did you mean 'episode.flac'?
      job.yaml:1:44: error: there is no file '/far/a.wav'
          1 | concat: [ch1.wav, raw/day2/x.wav, episode, /far/a.wav, “a.wav”, a.wav 0:05-0:07]
            |                                            ^~~~~~~~~~
        help: there is no folder '/far' either
      job.yaml:1:56: error: there is no file '“a.wav”'
          1 | concat: [ch1.wav, raw/day2/x.wav, episode, /far/a.wav, “a.wav”, a.wav 0:05-0:07]
            |                                                        ^~~~~~~
        help: '“' is a letter of the name here: write plain quotes, or none
      job.yaml:1:65: error: there is no file 'a.wav 0:05-0:07'
          1 | concat: [ch1.wav, raw/day2/x.wav, episode, /far/a.wav, “a.wav”, a.wav 0:05-0:07]
            |                                                                 ^~~~~~~~~~~~~~~
        help: write 'a.wav 0:05..0:07'
      """#)
    var bench = Bench()
    bench.bytes = ["near.wav": []]
    expect(
      bench.screen("clip: near.wav\noutput: x.mp3", named: "jobs/job.yaml"),
      #"""
      jobs/job.yaml:1:7: error: there is no file 'near.wav'
          1 | clip: near.wav
            |       ^~~~~~~~
        help: it is where avjob was called: a path counts from the folder of the file that it stands in
      """#)
  }

  @Test(
    "A job file that is not there is named, or how to begin one",
    arguments: [
      ("job.yaml", "did you mean 'jobs.yaml'?"), ("jobs", "did you mean 'jobs.yaml'?"),
      ("nofile.yaml", "'avjob init nofile.yaml' writes one to start from"),
      ("my show", "avjob init 'my show.yaml' writes one to start from"),
      ("no/where.yaml", "there is no folder 'no' either"),
    ])
  func absent(path: String, help: String) {
    let map = SourceMap()
    #expect {
      try JobFile.load(FilePath(path), into: map, files: MemoryFiles(["jobs.yaml"]))
    } throws: {
      ($0 as? Diagnostics)?.render(in: map) == "error: '\(path)' does not exist\n  help: \(help)"
    }
  }

  @Test("Two inputs of one name on a command line are reported in the command line's words")
  func sameName() throws {
    let map = SourceMap()
    let places = map.add(arguments: ["avjob", "compress", "a.wav", "raw/a.wav", "-o", "out"])
    let jobs = ["a.wav", "raw/a.wav"].map { path in
      (
        key: path,
        value: ArgumentNode.map(
          [("clip", .text(path, places[2])), ("output", .text("out/a.mp3", places[5]))], places[0])
      )
    }
    let files = MemoryFiles(["a.wav", "raw/a.wav"])
    let made = try JobFile.load(
      from: .map([("jobs", .map(jobs, places[0]))], places[0]), named: "out", places: map,
      files: files
    ).jobs
    let problems = JobDependencies(
      among: made, of: made.map { _ in 0 }, reading: [], currentDirectory: files.currentDirectory
    ).problems
    expect(
      Diagnostics(problems).render(in: map),
      #"""
      command line:1:35: error: 'a.wav' and 'raw/a.wav' would both become 'out/a.mp3'
          1 | avjob compress a.wav raw/a.wav -o out
            |                                   ^~~
        help: compress each into a folder of its own: '-o out' and '-o out/raw'
      """#)
  }

  @Test("Words of other programs are reported where they belong")
  func words() {
    expect(
      Bench().screen(
        #"""
        input: a.wav
        bitrate: 128k
        normalize: true
        artist: Me
        episode: { clip: a.wav, output: x.mp3 }
        output: { file: x.mp3, format: mp3, title: Intro }
        """#),
      #"""
      job.yaml:1:1: error: unknown key 'input'
          1 | input: a.wav
            | ^~~~~
        help: write 'clip'
      job.yaml:2:1: error: unknown key 'bitrate'
          2 | bitrate: 128k
            | ^~~~~~~
        help: a bit rate stands behind the format of an output, as { file: x.mp3, mp3: cbr 128k }
      job.yaml:3:1: error: unknown key 'normalize'
          3 | normalize: true
            | ^~~~~~~~~
        help: write 'loudness'
      job.yaml:4:1: error: unknown key 'artist'
          4 | artist: Me
            | ^~~~~~
        help: tags stand under 'metadata', as { title: Intro, artist: Deep Fields }
      job.yaml:5:1: error: unknown key 'episode'
          5 | episode: { clip: a.wav, output: x.mp3 }
            | ^~~~~~~
        help: a job with a name stands under 'jobs': { episode: { ... } }
      job.yaml:6:24: error: unknown key 'format'
          6 | output: { file: x.mp3, format: mp3, title: Intro }
            |                        ^~~~~~
        help: an output's extension or a key names its format, as { file: x.mp3, mp3: V2 }
      job.yaml:6:37: error: unknown key 'title'
          6 | output: { file: x.mp3, format: mp3, title: Intro }
            |                                     ^~~~~
        help: tags stand under 'metadata', as { title: Intro, artist: Deep Fields }
      """#)
  }

  @Test("Shapes and ranges of other programs are reported in those of the language")
  func shapes() {
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { clip: [a.wav, b.wav], output: out/ }
          b: { clip: a.wav, cut: 0:05-0:07, output: b.mp3 }
          c: { clip: a.wav, cut: [from 0:05 to 0:07], output: c.mp3 }
          d: a.wav
        """#),
      #"""
      job.yaml:2:14: error: 'clip' is a text, not a list
          2 |   a: { clip: [a.wav, b.wav], output: out/ }
            |              ^
        help: files that follow one another stand behind 'concat'
      job.yaml:2:38: error: 'out/' ends in '/', as the path of a folder
          2 |   a: { clip: [a.wav, b.wav], output: out/ }
            |                                      ^~~~
        help: write { folder: out, mp3: V2 }
      job.yaml:3:26: error: '0:05-0:07' is no range, and no list of them
          3 |   b: { clip: a.wav, cut: 0:05-0:07, output: b.mp3 }
            |                          ^~~~~~~~~
        help: write [0:05..0:07]
      job.yaml:4:27: error: 'from 0:05 to 0:07' is no range
          4 |   c: { clip: a.wav, cut: [from 0:05 to 0:07], output: c.mp3 }
            |                           ^~~~~~~~~~~~~~~~~
        help: write '0:05..0:07'
      job.yaml:5:6: error: a job is a map, not a text
          5 |   d: a.wav
            |      ^~~~~
        help: write { clip: interview.wav, output: teaser.mp3 }
      """#)
  }

  @Test(
    "YAML's own traps say what to write",
    arguments: [
      (
        "metadata: { title: Part 2: End, artist: Me }",
        "1:20: error: a text with a colon and a space in it must be quoted",
        #"write "Part 2: End""#
      ),
      (
        "metadata: { title: Ice #1, artist: Me }",
        "1:24: error: '#' begins a comment, and so the '{' is never closed",
        #"quote the text if the '#' belongs to it: "Ice #1""#
      ),
      (
        "metadata: { title: 'It's me' }", "1:24: error: text after a closing quote",
        "quote the whole text; '' is a quote within single ones"
      ),
      ("clip:a.wav\noutput: x.mp3", "1:1: error: no space after a colon", "write 'clip: a.wav'"),
      ("output: x.mp3\ngain:3 dB", "2:1: error: no space after a colon", "write 'gain: 3 dB'"),
      (
        "clip:a.wav\noutput:x.mp3", "1:1: error: a job file is a map, not a text",
        "a space stands behind each ':', as in 'clip: interview.wav'"
      ),
      (
        #"clip: "C:\Users\me\talk.wav""#, #"1:7: error: in double quotes '\' begins an escape"#,
        "avjob runs on Linux: write '/mnt/c/Users/me/talk.wav', or where the file is there"
      ),
      (
        "concat:\n- a.wav\n-b.wav", "3:1: error: no space after the '-' of a list",
        "write '- b.wav'"
      ),
      (
        "from:\nclip: a.wav\noutput: x.mp3", "1:1: error: 'from' has no value",
        "write one behind it, or leave the key out"
      ),
      (
        "output: [x.mp3, y.mp3\ngain: 3 dB", "1:9: error: this '[' is never closed",
        "add the ']' that ends it"
      ),
    ])
  func traps(yaml: String, headline: String, help: String) {
    let lines = Bench().screen(yaml).split(separator: "\n")
    #expect(lines.first ?? "" == "job.yaml:\(headline)" && lines.last ?? "" == "  help: \(help)")
  }
}
