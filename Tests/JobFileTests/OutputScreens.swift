import Testing
import TestSupport

@testable import JobFile

/// What is said about outputs that cannot be.
@Suite struct OutputScreens {
  @Test("An output without a format")
  func anOutputWithoutAFormat() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: [teaser, teaser.xyz, teaser.mka, teaser.lbc, { file: teaser }]
        """#),
      #"""
      job.yaml:2:10: error: 'teaser' has no extension
          2 | output: [teaser, teaser.xyz, teaser.mka, teaser.lbc, { file: teaser }]
            |          ^~~~~~
        help: add one, as '.mp3'; for a folder write { folder: teaser, mp3: V2 }
      job.yaml:2:18: error: '.xyz' is not an output format
          2 | output: [teaser, teaser.xyz, teaser.mka, teaser.lbc, { file: teaser }]
            |                  ^~~~~~~~~~
        help: outputs end in .mp3, .wav, .aiff, .caf, .flac, .m4a, .m4b, .ogg, .opus, .amr, .mp4, .mov, .mkv or .webm
      job.yaml:2:30: error: '.mka' is not an output format
          2 | output: [teaser, teaser.xyz, teaser.mka, teaser.lbc, { file: teaser }]
            |                              ^~~~~~~~~~
        help: outputs end in .mp3, .wav, .aiff, .caf, .flac, .m4a, .m4b, .ogg, .opus, .amr, .mp4, .mov, .mkv or .webm
      job.yaml:2:42: error: '.lbc' is not an output format
          2 | output: [teaser, teaser.xyz, teaser.mka, teaser.lbc, { file: teaser }]
            |                                          ^~~~~~~~~~
        help: iLBC is read alone; for telephony write 'teaser.amr' or 'teaser.gsm'
      job.yaml:2:62: error: 'teaser' has no extension
          2 | output: [teaser, teaser.xyz, teaser.mka, teaser.lbc, { file: teaser }]
            |                                                              ^~~~~~
        help: add one, as '.mp3'; for a folder write { folder: teaser, mp3: V2 }
      """#)
  }

  @Test("A format that does not go into the file")
  func aFormatThatDoesNotGoIntoTheFile() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: { file: x.mp3, flac: 16 bit }
        """#),
      #"""
      job.yaml:2:17: error: 'flac' does not go into '.mp3'
          2 | output: { file: x.mp3, flac: 16 bit }
            |                 ^~~~~
        help: write 'x.flac'
      """#)
  }

  @Test("A folder without a format")
  func aFolderWithoutAFormat() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: { folder: out }
        """#),
      #"""
      job.yaml:2:11: error: a 'folder' needs a format
          2 | output: { folder: out }
            |           ^~~~~~
        help: add one of 'mp3', 'wav', 'aiff', 'caf', 'raw', 'flac', 'alac', 'aac', 'vorbis', 'opus', 'amr', 'codec'
      """#)
  }

  @Test("A folder without an input")
  func aFolderWithoutAnInput() {
    expect(
      Bench().screen(
        #"""
        concat: [a.wav]
        output: { folder: out, mp3: V2 }
        """#),
      #"""
      job.yaml:2:11: error: 'folder' has no input to take a name from
          2 | output: { folder: out, mp3: V2 }
            |           ^~~~~~
        help: name the file: 'file'
      """#)
  }

  @Test("Neither file nor folder")
  func neitherFileNorFolder() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: { mp3: V2 }
        """#),
      #"""
      job.yaml:2:9: error: an output needs a 'file' or a 'folder'
          2 | output: { mp3: V2 }
            |         ^
        help: add 'file: out/episode.mp3', or 'folder: out' for files with the input's name
      """#)
  }

  @Test("Both file and folder, and two formats")
  func bothFileAndFolderAndTwoFormats() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: { file: x.mp3, folder: y, mp3: V2, wav: 16 bit }
        """#),
      #"""
      job.yaml:2:24: error: 'folder' beside 'file'
          2 | output: { file: x.mp3, folder: y, mp3: V2, wav: 16 bit }
            |                        ^~~~~~
        help: keep one of them
      job.yaml:2:11: note: the file is named here
          2 | output: { file: x.mp3, folder: y, mp3: V2, wav: 16 bit }
            |           ^~~~
      job.yaml:2:44: error: 'wav' beside 'mp3'
          2 | output: { file: x.mp3, folder: y, mp3: V2, wav: 16 bit }
            |                                            ^~~
        help: an output has one format; 'output' may be a list
      job.yaml:2:35: note: the other one is here
          2 | output: { file: x.mp3, folder: y, mp3: V2, wav: 16 bit }
            |                                   ^~~
      """#)
  }

  @Test("An output that is a source")
  func anOutputThatIsASource() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: ./raw/../a.wav
        """#),
      #"""
      job.yaml:2:9: error: output 'raw/../a.wav' is a source
          2 | output: ./raw/../a.wav
            |         ^~~~~~~~~~~~~~
        help: write to another path: a source is never overwritten
      job.yaml:1:7: note: it is read here
          1 | clip: a.wav
            |       ^~~~~
      """#)
  }

  @Test("Two outputs at one path")
  func twoOutputsAtOnePath() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: [x.mp3, { file: ./x.mp3, mp3: V0 }]
        """#),
      #"""
      job.yaml:2:25: error: two outputs at 'x.mp3'
          2 | output: [x.mp3, { file: ./x.mp3, mp3: V0 }]
            |                         ^~~~~~~
        help: give one of them another name
      job.yaml:2:10: note: the other one is here
          2 | output: [x.mp3, { file: ./x.mp3, mp3: V0 }]
            |          ^~~~~
      """#)
  }

  @Test("Jobs of one loop that write one path")
  func jobsOfOneLoopThatWriteOnePath() {
    expect(
      Bench().screen(
        #"""
        for_each: raw/*.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:2:9: error: jobs 'ch1' and 'ch2' both write 'x.mp3'
          2 | output: x.mp3
            |         ^~~~~
        help: make the path depend on the job, as with '${input.stem}' or '${n:02}'
      """#)
  }

  @Test("A pipe")
  func aPipe() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: "-"
        """#),
      #"""
      job.yaml:2:9: error: '-' stands for a pipe, and avjob reads and writes files only
          2 | output: "-"
            |         ^~~
        help: name a file: an MP3 written to a pipe loses its tag
      """#)
  }

  @Test("Settings that are none")
  func settingsThatAreNone() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.mp3, mp3: 128 }
          - { file: b.ogg, vorbis: 5 }
          - { file: c.wav, wav: 12 bit }
          - { file: d.flac, flac: 32 bit }
          - { file: e.m4a, aac: 128 }
          - { file: f.m4a, aac: 2k }
          - { file: g.wav, sample_rate: 44100, channels: 6.1 }
          - { file: h.wav, sample_rate: 48 }
          - { file: i.wav, sample_rate: 44.1k }
        """#),
      #"""
      job.yaml:3:25: error: '128' may be a constant or a mean bit rate: write cbr 128k or abr 128k
          3 |   - { file: a.mp3, mp3: 128 }
            |                         ^~~
      job.yaml:4:28: error: '5' has no unit
          4 |   - { file: b.ogg, vorbis: 5 }
            |                            ^
        help: write 'q5'
      job.yaml:5:25: error: '12 bit' is no sample format of WAV
          5 |   - { file: c.wav, wav: 12 bit }
            |                         ^~~~~~
        help: write '16 bit', '24 bit', '32 bit float', '8 bit', 'mu-law', 'a-law' or 'gsm'
      job.yaml:6:27: error: '32 bit' is no depth of FLAC
          6 |   - { file: d.flac, flac: 32 bit }
            |                           ^~~~~~
        help: write '16 bit' or '24 bit'
      job.yaml:7:25: error: '128' has no unit
          7 |   - { file: e.m4a, aac: 128 }
            |                         ^~~
        help: write '128k'
      job.yaml:8:25: error: '2k' is out of range
          8 |   - { file: f.m4a, aac: 2k }
            |                         ^~
        help: AAC takes 8k to 576k in stereo
      job.yaml:9:33: error: '44100' has no unit
          9 |   - { file: g.wav, sample_rate: 44100, channels: 6.1 }
            |                                 ^~~~~
        help: write '44100 Hz'
      job.yaml:9:50: error: '6.1' is no channel layout
          9 |   - { file: g.wav, sample_rate: 44100, channels: 6.1 }
            |                                                  ^~~
        help: write one of 'mono', 'stereo', 'quad', '5.0', '5.1', '7.1'
      job.yaml:10:33: error: '48' has no unit
         10 |   - { file: h.wav, sample_rate: 48 }
            |                                 ^~
        help: write '48 kHz'
      job.yaml:11:33: error: '44.1k' has no unit that is known
         11 |   - { file: i.wav, sample_rate: 44.1k }
            |                                 ^~~~~
        help: write '44.1 kHz'
      """#)
  }

  @Test("A bit rate that no sample rate has")
  func aBitRateThatNoSampleRateHas() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: { file: x.mp3, mp3: cbr 100k }
        """#),
      #"""
      job.yaml:2:29: error: CBR 100 kbps is not possible at 44100 Hz: 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256 and 320 kbps are
          2 | output: { file: x.mp3, mp3: cbr 100k }
            |                             ^~~~~~~~
      """#)
  }

  @Test("A bit rate that the sample rate of the mix does not have")
  func aBitRateThatTheSampleRateOfTheMixDoesNotHave() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        sample_rate: 8 kHz
        output: { file: x.mp3, mp3: cbr 320k }
        """#),
      #"""
      job.yaml:3:29: error: CBR 320 kbps is not possible at 8000 Hz: 8, 16, 24, 32, 40, 48, 56 and 64 kbps are; it is possible at 32000, 44100 and 48000 Hz
          3 | output: { file: x.mp3, mp3: cbr 320k }
            |                             ^~~~~~~~
      job.yaml:2:14: note: the rate is given here
          2 | sample_rate: 8 kHz
            |              ^~~~~
      """#)
  }

  @Test("A sample rate that the codec does not have")
  func aSampleRateThatTheCodecDoesNotHave() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: [{ file: x.mp3, sample_rate: 96 kHz }, { file: x.m4a, sample_rate: 192 kHz }, { file: x.flac, sample_rate: 768 kHz }]
        """#),
      #"""
      job.yaml:2:38: error: MP3 has no sample rate of 96000 Hz: the nearest is 48000 Hz (it has 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100 and 48000)
          2 | output: [{ file: x.mp3, sample_rate: 96 kHz }, { file: x.m4a, sample_rate: 192 kHz }, { file: x.flac, sample_rate: 768 kHz }]
            |                                      ^~~~~~
      job.yaml:2:76: error: AAC has no sample rate of 192000 Hz: it has 7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000
          2 | output: [{ file: x.mp3, sample_rate: 96 kHz }, { file: x.m4a, sample_rate: 192 kHz }, { file: x.flac, sample_rate: 768 kHz }]
            |                                                                            ^~~~~~~
      job.yaml:2:116: error: FLAC has no sample rate of 768000 Hz: it ends at 655340 Hz
          2 | output: [{ file: x.mp3, sample_rate: 96 kHz }, { file: x.m4a, sample_rate: 192 kHz }, { file: x.flac, sample_rate: 768 kHz }]
            |                                                                                                                    ^~~~~~~
      """#)
  }

  @Test("A missing cover")
  func aMissingCover() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        metadata: { cover: media/cover.jpeg, from: a, title: { x: y } }
        """#),
      #"""
      job.yaml:3:20: error: there is no file 'media/cover.jpeg'
          3 | metadata: { cover: media/cover.jpeg, from: a, title: { x: y } }
            |                    ^~~~~~~~~~~~~~~~
        help: did you mean 'media/cover.jpg'?
      job.yaml:3:44: error: there is no file 'a'
          3 | metadata: { cover: media/cover.jpeg, from: a, title: { x: y } }
            |                                            ^
        help: did you mean 'a.wav'?
      job.yaml:3:54: error: a text belongs here, not a map
          3 | metadata: { cover: media/cover.jpeg, from: a, title: { x: y } }
            |                                                      ^
        help: write one value, without brackets and dashes
      """#)
  }

  @Test("An output that is the job file, or a picture")
  func anOutputThatIsTheJobFileOrAPicture() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        chapter: { title: x, image: raw/ch1.wav }
        metadata: { cover: media/cover.jpg }
        output: [{ file: job.yaml, mp3: V2 }, { file: media/cover.jpg, mp3: V2 }, raw/ch1.wav]
        """#),
      #"""
      job.yaml:4:18: error: output 'job.yaml' is a source
          4 | output: [{ file: job.yaml, mp3: V2 }, { file: media/cover.jpg, mp3: V2 }, raw/ch1.wav]
            |                  ^~~~~~~~
        help: write to another path: a source is never overwritten
      job.yaml:4:47: error: output 'media/cover.jpg' is a source
          4 | output: [{ file: job.yaml, mp3: V2 }, { file: media/cover.jpg, mp3: V2 }, raw/ch1.wav]
            |                                               ^~~~~~~~~~~~~~~
        help: write to another path: a source is never overwritten
      job.yaml:4:75: error: output 'raw/ch1.wav' is a source
          4 | output: [{ file: job.yaml, mp3: V2 }, { file: media/cover.jpg, mp3: V2 }, raw/ch1.wav]
            |                                                                           ^~~~~~~~~~~
        help: write to another path: a source is never overwritten
      job.yaml:2:10: note: it is read here
          2 | chapter: { title: x, image: raw/ch1.wav }
            |          ^
      """#)
  }
}
