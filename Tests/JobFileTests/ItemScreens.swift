// tidy: long because every screen stands here whole, as the user sees it.

import Testing
import TestSupport

@testable import JobFile

/// What is said about items that cannot be.
@Suite struct ItemScreens {
  @Test("All errors are reported in one pass, in order of place")
  func everythingWrongIsToldInOnePassInOrderOfPlace() {
    expect(
      Bench().screen(
        #"""
        version: one
        clip: a.wav
        from: 1:75
        gain: 3
        fade_in: 2
        loudness: -16
        metdata: { title: x }
        output: x.mka
        """#),
      #"""
      job.yaml:1:10: error: version 'one' is unknown
          1 | version: one
            |          ^~~
        help: this avjob reads version 1
      job.yaml:3:7: error: '1:75' needs two digits below 60 after each colon: write 2:15
          3 | from: 1:75
            |       ^~~~
      job.yaml:4:7: error: '3' has no unit
          4 | gain: 3
            |       ^
        help: write '3 dB', or a factor as '50 %'
      job.yaml:5:10: error: '2' has no unit: write 2s
          5 | fade_in: 2
            |          ^
      job.yaml:6:11: error: '-16' has no unit
          6 | loudness: -16
            |           ^~~
        help: write '-16 LUFS'
      job.yaml:7:1: error: unknown key 'metdata'
          7 | metdata: { title: x }
            | ^~~~~~~
        help: did you mean 'metadata'?
      job.yaml:8:9: error: '.mka' is not an output format
          8 | output: x.mka
            |         ^~~~~
        help: outputs end in .mp3, .wav, .aiff, .caf, .flac, .m4a, .m4b, .ogg, .opus, .amr, .mp4, .mov, .mkv or .webm
      """#)
  }

  @Test("A checksum has 64 digits")
  func checksums() {
    expect(
      Bench().screen(
        #"""
        sources: { a: { file: a.wav, sha256: 00 } }
        clip: a
        output: x.mp3
        """#),
      #"""
      job.yaml:1:38: error: '00' is no SHA-256
          1 | sources: { a: { file: a.wav, sha256: 00 } }
            |                                      ^~
        help: write the 64 digits that 'sha256sum' prints
      """#)
  }

  @Test("Keys of other maps are reported where they belong")
  func keysOfOtherMapsAreToldWhereTheyBelong() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, metadata: {}, file: b.wav }
        output: { file: x.mp3, gain: 3 dB }
        """#),
      #"""
      job.yaml:2:20: error: unknown key 'metadata'
          2 |   - { clip: a.wav, metadata: {}, file: b.wav }
            |                    ^~~~~~~~
        help: 'metadata' is a key of a job, not of an item
      job.yaml:2:34: error: unknown key 'file'
          2 |   - { clip: a.wav, metadata: {}, file: b.wav }
            |                                  ^~~~
        help: write 'clip: …' here; 'file' is a key of 'sources' and of 'output'
      job.yaml:3:24: error: unknown key 'gain'
          3 | output: { file: x.mp3, gain: 3 dB }
            |                        ^~~~
        help: 'gain' is a key of an item, not of an output
      """#)
  }

  @Test("Two contents in one item")
  func twoContentsInOneItem() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        concat: [b.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:2:1: error: 'concat' beside 'clip'
          2 | concat: [b.wav]
            | ^~~~~~
        help: an item is one of 'clip', 'concat', 'tracks', 'silence'; put both into a list
      job.yaml:1:1: note: the other one is here
          1 | clip: a.wav
            | ^~~~
      """#)
  }

  @Test("No content")
  func noContent() {
    expect(
      Bench().screen(
        #"""
        output: x.mp3
        """#),
      #"""
      job.yaml:1:1: error: nothing sounds here
          1 | output: x.mp3
            | ^~~~~~
        help: give one of 'clip', 'concat', 'tracks', 'silence'
      """#)
  }

  @Test("No output")
  func noOutput() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        """#),
      #"""
      job.yaml:1:1: error: a job needs an 'output'
          1 | clip: a.wav
            | ^~~~
        help: add 'output: NAME.mp3'
      """#)
  }

  @Test("A wrong kind of value")
  func aWrongKindOfValue() {
    expect(
      Bench().screen(
        #"""
        clip: [a.wav]
        volume: -3 dB
        metadata: [a]
        gain: { db: 3 }
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: 'clip' is a text, not a list
          1 | clip: [a.wav]
            |       ^
        help: files that follow one another stand behind 'concat'
      job.yaml:2:9: error: 'volume' is a map, not a text
          2 | volume: -3 dB
            |         ^~~~~
        help: write points, as { 0s: 0 dB, 30s: -6 dB }; one level for all of it is a 'gain'
      job.yaml:3:11: error: 'metadata' is a map, not a list
          3 | metadata: [a]
            |           ^
        help: write tags, as { title: Intro, artist: Deep Fields }
      job.yaml:4:7: error: 'gain' is a text, not a map
          4 | gain: { db: 3 }
            |       ^
        help: write a gain, as '-18 dB'
      """#)
  }

  @Test("A list in a list")
  func aListInAList() {
    expect(
      Bench().screen(
        #"""
        concat: [[a.wav], b.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: a list in a list
          1 | concat: [[a.wav], b.wav]
            |          ^
        help: write { concat: [...] } for a sequence in a sequence
      """#)
  }

  @Test("Empty lists and maps")
  func emptyListsAndMaps() {
    expect(
      Bench().screen(
        #"""
        tracks:
          a: []
          b: { concat: [] }
        output: []
        """#),
      #"""
      job.yaml:2:6: error: an empty list
          2 |   a: []
            |      ^
        help: write a list, as [intro.mp3, episode.flac]
      job.yaml:3:16: error: an empty list
          3 |   b: { concat: [] }
            |                ^
        help: write a list, as [intro.mp3, episode.flac]
      job.yaml:4:9: error: an empty list
          4 | output: []
            |         ^
        help: write a path, as 'out/episode.mp3', a map or a list of them
      """#)
  }

  @Test("Two ranges")
  func twoRanges() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav 1:00..2:00, from: 1s }
          - { clip: a.wav, to: 3s, duration: 2s }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:31: error: 'from' beside a range
          2 |   - { clip: a.wav 1:00..2:00, from: 1s }
            |                               ^~~~
        help: keep one of them
      job.yaml:2:19: note: the range is here
          2 |   - { clip: a.wav 1:00..2:00, from: 1s }
            |                   ^~~~
      job.yaml:3:28: error: 'duration' beside 'to'
          3 |   - { clip: a.wav, to: 3s, duration: 2s }
            |                            ^~~~~~~~
        help: keep one of them
      job.yaml:3:20: note: the end is given here
          3 |   - { clip: a.wav, to: 3s, duration: 2s }
            |                    ^~
      """#)
  }

  @Test("A range without a file")
  func aRangeWithoutAFile() {
    expect(
      Bench().screen(
        #"""
        concat: [..5s, a.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: a range without a file
          1 | concat: [..5s, a.wav]
            |          ^~~~
        help: write 'host.wav ..5s'
      """#)
  }

  @Test("A word that looks like a range and is none")
  func aWordThatLooksLikeARangeAndIsNone() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav 1:75..2:00
        output: x.mp3
        """#),
      #"""
      job.yaml:1:13: error: '1:75' needs two digits below 60 after each colon: write 2:15
          1 | clip: a.wav 1:75..2:00
            |             ^~~~
      """#)
  }

  @Test("A word that looks like a time and is none")
  func aWordThatLooksLikeATimeAndIsNone() {
    expect(
      Bench().screen(
        #"""
        concat: [a.wav, 1:75, 2 parsecs, 1h30m]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:17: error: '1:75' needs two digits below 60 after each colon: write 2:15
          1 | concat: [a.wav, 1:75, 2 parsecs, 1h30m]
            |                 ^~~~
        help: a file of that name is './1:75'
      job.yaml:1:23: error: '2 parsecs' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          1 | concat: [a.wav, 1:75, 2 parsecs, 1h30m]
            |                       ^~~~~~~~~
        help: a file of that name is './2 parsecs'
      job.yaml:1:34: error: '1h30m' has several units: write 1:30:00
          1 | concat: [a.wav, 1:75, 2 parsecs, 1h30m]
            |                                  ^~~~~
        help: a file of that name is './1h30m'
      """#)
  }

  @Test("A range of several words is no range, and the message shows one")
  func aRangeOfSeveralWordsIsNoRange() {
    expect(
      Bench().screen("clip: a.wav 1:30 .. 2:00\noutput: out.mp3\n"),
      """
      job.yaml:1:7: error: there is no file 'a.wav 1:30 .. 2:00'
          1 | clip: a.wav 1:30 .. 2:00
            |       ^~~~~~~~~~~~~~~~~~
        help: a range is one word behind the file, as 'a.wav 1:00..2:30'
      """)
  }

  @Test("A missing file, by a name that is near")
  func aMissingFileByANameThatIsNear() {
    expect(
      Bench().screen(
        #"""
        sources: { host: media/host.wav }
        concat: [hots, media/gest.mka, media/HOST.wav 1s..2s, far.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:2:10: error: there is no file 'hots'
          2 | concat: [hots, media/gest.mka, media/HOST.wav 1s..2s, far.wav]
            |          ^~~~
        help: did you mean the source 'host'?
      job.yaml:2:16: error: there is no file 'media/gest.mka'
          2 | concat: [hots, media/gest.mka, media/HOST.wav 1s..2s, far.wav]
            |                ^~~~~~~~~~~~~~
        help: did you mean 'media/guest.mka'?
      job.yaml:2:32: error: there is no file 'media/HOST.wav'
          2 | concat: [hots, media/gest.mka, media/HOST.wav 1s..2s, far.wav]
            |                                ^~~~~~~~~~~~~~
        help: did you mean 'media/host.wav'?
      job.yaml:2:55: error: there is no file 'far.wav'
          2 | concat: [hots, media/gest.mka, media/HOST.wav 1s..2s, far.wav]
            |                                                       ^~~~~~~
        help: put it there, or name another one
      """#)
  }

  @Test("A folder is no file")
  func aFolderIsNoFile() {
    expect(
      Bench().screen(
        #"""
        clip: raw
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: 'raw' is a folder
          1 | clip: raw
            |       ^~~
        help: write 'raw/*' in a list for its files
      """#)
  }

  @Test("A wildcard outside a list")
  func aWildcardOutsideAList() {
    expect(
      Bench().screen(
        #"""
        clip: raw/*.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: a wildcard stands for several files
          1 | clip: raw/*.wav
            |       ^~~~~~~~~
        help: put it into a list: ["raw/*.wav"]
      """#)
  }

  @Test("A wildcard that finds nothing names its folder")
  func aWildcardThatFindsNothingNamesItsFolder() {
    expect(
      Bench().screen(
        #"""
        concat: ["*.aiff", raw/*.mp3, row/*.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: no file in the job file's folder matches '*.aiff'
          1 | concat: ["*.aiff", raw/*.mp3, row/*.wav]
            |          ^~~~~~~~
        help: the files in it end in '.flac', '.mp3', '.ogg', '.wav', '.yaml'
      job.yaml:1:20: error: no file in 'raw' matches 'raw/*.mp3'
          1 | concat: ["*.aiff", raw/*.mp3, row/*.wav]
            |                    ^~~~~~~~~
        help: the files in it end in '.wav'
      job.yaml:1:31: error: there is no folder 'row'
          1 | concat: ["*.aiff", raw/*.mp3, row/*.wav]
            |                               ^~~~~~~~~
        help: did you mean 'raw'? A path counts from the folder of the file that it stands in
      """#)
  }

  @Test("Brackets in a pattern are explained where their own name is meant")
  func bracketsInPatterns() {
    var bench = Bench()
    bench.media += ["b [x]/one.mp3", "Take 1.wav", "Take [3].wav", "x/deep [y]/two.mp3"]
    expect(
      bench.screen(
        #"""
        concat: ["b [x]/*.mp3", "x/*[y]/two.mp3", "[xy] none.wav", "*/none.mp3"]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: no file in the job file's folder matches 'b [x]/*.mp3'
          1 | concat: ["b [x]/*.mp3", "x/*[y]/two.mp3", "[xy] none.wav", "*/none.mp3"]
            |          ^~~~~~~~~~~~~
        help: '[x]' stands for one of these characters: write 'b [[]x]/*.mp3'
      job.yaml:1:25: error: no file in 'x' matches 'x/*[y]/two.mp3'
          1 | concat: ["b [x]/*.mp3", "x/*[y]/two.mp3", "[xy] none.wav", "*/none.mp3"]
            |                         ^~~~~~~~~~~~~~~~
        help: '[y]' stands for one of these characters: write 'x/*[[]y]/two.mp3'
      job.yaml:1:43: error: no file in the job file's folder matches '[xy] none.wav'
          1 | concat: ["b [x]/*.mp3", "x/*[y]/two.mp3", "[xy] none.wav", "*/none.mp3"]
            |                                           ^~~~~~~~~~~~~~~
        help: '[xy]' stands for one of these characters
      job.yaml:1:60: error: no file in the job file's folder matches '*/none.mp3'
          1 | concat: ["b [x]/*.mp3", "x/*[y]/two.mp3", "[xy] none.wav", "*/none.mp3"]
            |                                                            ^~~~~~~~~~~~
        help: '*' stands for any characters of a name, '**' for any folders
      """#)
    // Each of the ways to write a bracket, and a class that is meant as one.
    expect(
      bench.screen(
        #"""
        concat: ["b [[]x]/*.mp3", 'b \[x\]/*.mp3', "Take [3].wav", "Take [0-9].wav", "T* [12].wav"]
        output: x.mp3
        """#), "")
    let note = bench.screen("concat: [\"Take [12].wav\"]\noutput: x.mp3")
    expect(
      note,
      #"""
      job.yaml:1:10: note: 'Take [12].wav' is a pattern, and finds 'Take 1.wav'
          1 | concat: ["Take [12].wav"]
            |          ^~~~~~~~~~~~~~~
        help: '[12]' stands for one of these characters; a file of that name is 'Take [[]12].wav'
      """#)
    // A file of the very name is that file, in a loop, too.
    bench.media.append("Take 3.wav")
    expect(bench.screen("for_each: \"Take [3].wav\"\noutput: \"${input.stem}.mp3\""), "")
    let job = try? bench.load("for_each: \"Take [3].wav\"\noutput: \"${input.stem}.mp3\"").jobs
      .first
    #expect(job?.outputs.first?.path == "Take [3].mp3")
  }

  @Test("A missing folder of a pattern is corrected to a folder, never to a file")
  func missingFolders() {
    var bench = Bench()
    bench.media += ["memos.wav", "takes/day/x.wav"]
    expect(
      bench.screen(
        "concat: [memos/*.wav, tekes/day/*.wav, takes/dey/*/x.wav, /far/off/*.wav]\noutput: x.mp3"),
      """
      job.yaml:1:10: error: there is no folder 'memos'
          1 | concat: [memos/*.wav, tekes/day/*.wav, takes/dey/*/x.wav, /far/off/*.wav]
            |          ^~~~~~~~~~~
        help: a path counts from the folder of the file that it stands in
      job.yaml:1:23: error: there is no folder 'tekes'
          1 | concat: [memos/*.wav, tekes/day/*.wav, takes/dey/*/x.wav, /far/off/*.wav]
            |                       ^~~~~~~~~~~~~~~
        help: did you mean 'takes'? A path counts from the folder of the file that it stands in
      job.yaml:1:40: error: there is no folder 'takes/dey'
          1 | concat: [memos/*.wav, tekes/day/*.wav, takes/dey/*/x.wav, /far/off/*.wav]
            |                                        ^~~~~~~~~~~~~~~~~
        help: did you mean 'takes/day'? A path counts from the folder of the file that it stands in
      job.yaml:1:59: error: there is no folder '/far'
          1 | concat: [memos/*.wav, tekes/day/*.wav, takes/dey/*/x.wav, /far/off/*.wav]
            |                                                           ^~~~~~~~~~~~~~
      """)
  }

  @Test("Keys as other programs call them")
  func keysAsOtherProgramsCallThem() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        repeat: 2
        tempo: 1.2
        channels: 2
        fade_in: { length: 1s }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:1: error: unknown key 'repeat'
          2 | repeat: 2
            | ^~~~~~
        help: write 'loop'
      job.yaml:3:1: error: unknown key 'tempo'
          3 | tempo: 1.2
            | ^~~~~
        help: write 'speed'
      job.yaml:4:11: error: '2' is no channel layout
          4 | channels: 2
            |           ^
        help: write 'stereo'
      job.yaml:5:12: error: unknown key 'length'
          5 | fade_in: { length: 1s }
            |            ^~~~~~
        help: write 'duration'
      """#)
  }

  @Test("Gains with wrong units")
  func gainsWithWrongUnits() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, gain: 3 }
          - { clip: a.wav, gain: "−3 dB" }
          - { clip: a.wav, gain: loud }
          - { clip: a.wav, gain: -5 % }
          - { clip: a.wav, gain: 900 dB }
          - { clip: a.wav, volume: { soon: 0 dB, 1s: 1 } }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:26: error: '3' has no unit
          2 |   - { clip: a.wav, gain: 3 }
            |                          ^
        help: write '3 dB', or a factor as '50 %'
      job.yaml:3:26: error: '−3 dB' has a typographic minus
          3 |   - { clip: a.wav, gain: "−3 dB" }
            |                          ^~~~~~~
        help: write '-3 dB'
      job.yaml:4:26: error: 'loud' is no gain
          4 |   - { clip: a.wav, gain: loud }
            |                          ^~~~
        help: write '-18 dB', '50 %' or '-inf dB'
      job.yaml:5:26: error: '-5 %' is out of range
          5 |   - { clip: a.wav, gain: -5 % }
            |                          ^~~~
        help: 0 % is silence, 100 % changes nothing
      job.yaml:6:26: error: '900 dB' is out of range
          6 |   - { clip: a.wav, gain: 900 dB }
            |                          ^~~~~~
        help: gains go from -200 dB to 200 dB, and to -inf dB
      job.yaml:7:30: error: 'soon' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          7 |   - { clip: a.wav, volume: { soon: 0 dB, 1s: 1 } }
            |                              ^~~~
        help: if 'soon' is an item, write 'soon.start' or 'soon.end'
      job.yaml:7:46: error: '1' has no unit
          7 |   - { clip: a.wav, volume: { soon: 0 dB, 1s: 1 } }
            |                                              ^
        help: write '1 dB', or a factor as '50 %'
      """#)
  }

  @Test("Fades and chapters that lack something")
  func fadesAndChaptersThatLackSomething() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        fade_in: { curve: log }
        fade_out: { duration: 1s, curve: log }
        chapters: { 0s: { url: x }, 5s: [a] }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:10: error: a fade needs a 'duration'
          2 | fade_in: { curve: log }
            |          ^
        help: write { duration: 2s }
      job.yaml:2:19: error: 'log' is no curve
          2 | fade_in: { curve: log }
            |                   ^~~
        help: write 'linear', 'equal_power' or 'exponential'
      job.yaml:3:34: error: 'log' is no curve
          3 | fade_out: { duration: 1s, curve: log }
            |                                  ^~~
        help: write 'linear', 'equal_power' or 'exponential'
      job.yaml:4:17: error: a chapter needs a 'title'
          4 | chapters: { 0s: { url: x }, 5s: [a] }
            |                 ^
        help: write a title, or { title: Intro, url: https://example.org }
      job.yaml:4:33: error: a text belongs here, not a list
          4 | chapters: { 0s: { url: x }, 5s: [a] }
            |                                 ^
        help: write one value, without brackets and dashes
      """#)
  }

  @Test("A job stands in no sequence")
  func aJobStandsInNoSequence() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        at: 3s
        crossfade: 1s
        output: x.mp3
        """#),
      #"""
      job.yaml:2:1: error: 'at' on a job
          2 | at: 3s
            | ^~
        help: it places an item in a sequence; put the item into 'concat' or 'tracks'
      job.yaml:3:1: error: 'crossfade' on a job
          3 | crossfade: 1s
            | ^~~~~~~~~
        help: it places an item in a sequence; put the item into 'concat' or 'tracks'
      """#)
  }

  @Test("A cross-fade beside a time")
  func aCrossfadeBesideATime() {
    expect(
      Bench().screen(
        #"""
        concat: [a.wav, { clip: b.wav, at: 1:00, crossfade: 1s }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:42: error: 'crossfade' beside 'at'
          1 | concat: [a.wav, { clip: b.wav, at: 1:00, crossfade: 1s }]
            |                                          ^~~~~~~~~
        help: an item with 'at' starts there; a cross-fade would start it elsewhere
      job.yaml:1:32: note: the time is given here
          1 | concat: [a.wav, { clip: b.wav, at: 1:00, crossfade: 1s }]
            |                                ^~
      """#)
  }

  @Test("A stream of something that is no clip")
  func aStreamOfSomethingThatIsNoClip() {
    expect(
      Bench().screen(
        #"""
        concat: [{ silence: 1s, stream: 1 }, { clip: a.wav, stream: first }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:25: error: 'stream' belongs to a clip
          1 | concat: [{ silence: 1s, stream: 1 }, { clip: a.wav, stream: first }]
            |                         ^~~~~~
        help: write it beside the 'clip'
      job.yaml:1:61: error: 'first' is no stream
          1 | concat: [{ silence: 1s, stream: 1 }, { clip: a.wav, stream: first }]
            |                                                             ^~~~~
        help: streams count from 0, as ffprobe prints them
      """#)
  }

  @Test("Sources are checked where no clip names them")
  func sourcesAreCheckedWhereNoClipNamesThem() {
    expect(
      Bench().screen(
        #"""
        sources:
          a: { file: a.wav, clip: b.wav }
          b: { gain: 3 dB }
          c: nope.wav
          d: { file: a.wav, sha256: 0 }
          e: ftp://example.org/e.flac
        clip: b.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:2:21: error: 'clip' beside 'file'
          2 |   a: { file: a.wav, clip: b.wav }
            |                     ^~~~
        help: keep one of them
      job.yaml:2:8: note: the file is named here
          2 |   a: { file: a.wav, clip: b.wav }
            |        ^~~~
      job.yaml:3:6: error: a source needs a 'file' or a 'clip'
          3 |   b: { gain: 3 dB }
            |      ^
        help: write { file: media/host.wav }
      job.yaml:4:6: error: there is no file 'nope.wav'
          4 |   c: nope.wav
            |      ^~~~~~~~
        help: put it there, or name another one
      job.yaml:5:29: error: '0' is no SHA-256
          5 |   d: { file: a.wav, sha256: 0 }
            |                             ^
        help: write the 64 digits that 'sha256sum' prints
      job.yaml:6:6: error: 'ftp://example.org/e.flac': 'ftp://' is not supported
          6 |   e: ftp://example.org/e.flac
            |      ^~~~~~~~~~~~~~~~~~~~~~~~
        help: write an address that begins with https:// or http://
      """#)
  }

  @Test("Keys beside jobs")
  func keysBesideJobs() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        jobs:
          a: { clip: a.wav, output: x.mp3 }
          b: { clip: b.wav, outptu: y.mp3 }
        """#),
      #"""
      job.yaml:1:1: error: 'clip' beside 'jobs'
          1 | clip: a.wav
            | ^~~~
        help: move it into one of the jobs
      job.yaml:2:1: note: the jobs are here
          2 | jobs:
            | ^~~~
      job.yaml:4:21: error: unknown key 'outptu'
          4 |   b: { clip: b.wav, outptu: y.mp3 }
            |                     ^~~~~~
        help: did you mean 'output'?
      """#)
  }
}
