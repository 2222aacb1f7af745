import Testing
import TestSupport

@testable import JobFile

/// What is said about formats and channels that outputs cannot have.
@Suite struct FormatScreens {
  @Test("Settings of the other formats that are none")
  func settings() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.aiff, aiff: 8 bit }
          - { file: b.m4a, alac: 20 bit }
          - { file: c.ogg, vorbis: q11 }
          - { file: d.ogg, vorbis: 5 }
          - { file: e.ogg, vorbis: 20k }
          - { file: f.opus, opus: 600k, channels: stereo }
          - { file: g.opus, opus: 96 }
          - { file: h.opus, sample_rate: 44.1 kHz }
          - { file: i.ogg, vorbis: 160k, sample_rate: 96 kHz }
          - { file: j.aiff, alac: 16 bit }
          - k.alac
        """#),
      #"""
      job.yaml:3:27: error: '8 bit' is no sample format of AIFF
          3 |   - { file: a.aiff, aiff: 8 bit }
            |                           ^~~~~
        help: write '16 bit', '24 bit' or '32 bit float'
      job.yaml:4:26: error: '20 bit' is no depth of ALAC
          4 |   - { file: b.m4a, alac: 20 bit }
            |                          ^~~~~~
        help: write '16 bit' or '24 bit'
      job.yaml:5:28: error: 'q11' is no quality of Vorbis
          5 |   - { file: c.ogg, vorbis: q11 }
            |                            ^~~
        help: write q-1 (smallest) to q10, or a bit rate, as '160k'
      job.yaml:6:28: error: '5' has no unit
          6 |   - { file: d.ogg, vorbis: 5 }
            |                            ^
        help: write 'q5'
      job.yaml:8:27: error: Opus at 48000 Hz with 2 channels has 12 to 512 kbps, not 600
          8 |   - { file: f.opus, opus: 600k, channels: stereo }
            |                           ^~~~
      job.yaml:9:27: error: '96' has no unit
          9 |   - { file: g.opus, opus: 96 }
            |                           ^~
        help: write '96k'
      job.yaml:10:34: error: Opus has no sample rate of 44100 Hz: it has 48000
         10 |   - { file: h.opus, sample_rate: 44.1 kHz }
            |                                  ^~~~~~~~
      job.yaml:11:47: error: Vorbis has no bit rates at 96000 Hz: give it a quality, as 'q5'
         11 |   - { file: i.ogg, vorbis: 160k, sample_rate: 96 kHz }
            |                                               ^~~~~~
      job.yaml:12:13: error: 'alac' does not go into '.aiff'
         12 |   - { file: j.aiff, alac: 16 bit }
            |             ^~~~~~
        help: write 'j.m4a'
      job.yaml:13:5: error: '.alac' is not an output format
         13 |   - k.alac
            |     ^~~~~~
        help: write 'k.m4a', with 'alac: 16 bit'
      """#)
  }

  @Test("Channels that a format does not have")
  func channels() {
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { clip: a.wav, channels: 5.1, output: [x.flac, x.mp3, { file: y.mp3, channels: stereo }] }
          b: { clip: a.wav, output: [{ file: z.m4a, alac: 16 bit, channels: 7.1 }, { file: z.mp3, channels: quad }] }
          c: { clip: a.wav, output: { file: z.opus, channels: 5.0 } }
        """#),
      #"""
      job.yaml:2:53: error: MP3 has one or two channels, not 6
          2 |   a: { clip: a.wav, channels: 5.1, output: [x.flac, x.mp3, { file: y.mp3, channels: stereo }] }
            |                                                     ^~~~~
        help: give this output 'channels' of its own
      job.yaml:2:31: note: the job's channels are given here
          2 |   a: { clip: a.wav, channels: 5.1, output: [x.flac, x.mp3, { file: y.mp3, channels: stereo }] }
            |                               ^~~
      job.yaml:3:69: error: ALAC has no layout of 7.1: it has mono, stereo, 5.0 and 5.1
          3 |   b: { clip: a.wav, output: [{ file: z.m4a, alac: 16 bit, channels: 7.1 }, { file: z.mp3, channels: quad }] }
            |                                                                     ^~~
      job.yaml:3:101: error: MP3 has one or two channels, not 4
          3 |   b: { clip: a.wav, output: [{ file: z.m4a, alac: 16 bit, channels: 7.1 }, { file: z.mp3, channels: quad }] }
            |                                                                                                     ^~~~
      job.yaml:4:55: error: Opus has no layout of 5.0: it has mono, stereo, quad, 5.1 and 7.1
          4 |   c: { clip: a.wav, output: { file: z.opus, channels: 5.0 } }
            |                                                       ^~~
      """#)
  }
}
