import Testing
import TestSupport

@testable import JobFile

/// What is said about MP3 settings.
@Suite struct MP3Screens {
  @Test("Values in the map of 'mp3' that are none")
  func values() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.mp3, mp3: { vbr: 2, abr: 96k, quality: 11, lowpas: 16 kHz } }
          - { file: b.mp3, mp3: { vbr: standard, mode: dual, lowpass: 16, highpass: off } }
        """#),
      #"""
      job.yaml:3:35: error: 'abr' beside 'vbr'
          3 |   - { file: a.mp3, mp3: { vbr: 2, abr: 96k, quality: 11, lowpas: 16 kHz } }
            |                                   ^~~
        help: keep one of them
      job.yaml:3:27: note: the other one is here
          3 |   - { file: a.mp3, mp3: { vbr: 2, abr: 96k, quality: 11, lowpas: 16 kHz } }
            |                           ^~~
      job.yaml:3:54: error: '11' is no quality of LAME's
          3 |   - { file: a.mp3, mp3: { vbr: 2, abr: 96k, quality: 11, lowpas: 16 kHz } }
            |                                                      ^~
        help: write 0 (slowest) to 9
      job.yaml:3:58: error: unknown key 'lowpas'
          3 |   - { file: a.mp3, mp3: { vbr: 2, abr: 96k, quality: 11, lowpas: 16 kHz } }
            |                                                          ^~~~~~
        help: did you mean 'lowpass'?
      job.yaml:4:32: error: 'standard' is no VBR quality
          4 |   - { file: b.mp3, mp3: { vbr: standard, mode: dual, lowpass: 16, highpass: off } }
            |                                ^~~~~~~~
        help: write 'preset: standard'
      job.yaml:4:48: error: 'dual' is not written: two sounds in one file
          4 |   - { file: b.mp3, mp3: { vbr: standard, mode: dual, lowpass: 16, highpass: off } }
            |                                                ^~~~
        help: write two outputs, or 'simple' for stereo that is not joint
      job.yaml:4:63: error: '16' has no unit
          4 |   - { file: b.mp3, mp3: { vbr: standard, mode: dual, lowpass: 16, highpass: off } }
            |                                                               ^~
        help: write '16 kHz'
      job.yaml:4:77: error: 'off' is no frequency
          4 |   - { file: b.mp3, mp3: { vbr: standard, mode: dual, lowpass: 16, highpass: off } }
            |                                                                             ^~~
        help: write '80 Hz' or '12 kHz'
      """#)
  }

  @Test("Names in the map of 'mp3' that LAME has not")
  func names() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: c.mp3, mp3: { preset: voise, mode: wide, min: 64, max: fast } }
          - { file: d.mp3, mp3: { preset: loud, mode: left, lowpass: 16.00005 kHz } }
          - { file: e.mp3, mp3: { cbr: V2, quality: 2 } }
          - { file: f.mp3, mp3: { mode: joint } }
        """#),
      #"""
      job.yaml:3:35: error: 'voise' is no preset of LAME's
          3 |   - { file: c.mp3, mp3: { preset: voise, mode: wide, min: 64, max: fast } }
            |                                   ^~~~~
        help: did you mean 'voice'?
      job.yaml:3:48: error: 'wide' is no mode of LAME's
          3 |   - { file: c.mp3, mp3: { preset: voise, mode: wide, min: 64, max: fast } }
            |                                                ^~~~
        help: write 'joint', 'forced', 'simple' or 'mono'
      job.yaml:3:59: error: '64' has no unit
          3 |   - { file: c.mp3, mp3: { preset: voise, mode: wide, min: 64, max: fast } }
            |                                                           ^~
        help: write '64k'
      job.yaml:3:68: error: 'fast' is no bit rate
          3 |   - { file: c.mp3, mp3: { preset: voise, mode: wide, min: 64, max: fast } }
            |                                                                    ^~~~
        help: write '128k' or '320 kbps'
      job.yaml:4:35: error: 'loud' is no preset of LAME's
          4 |   - { file: d.mp3, mp3: { preset: loud, mode: left, lowpass: 16.00005 kHz } }
            |                                   ^~~~
        help: write one of medium, standard, extreme, insane, phone, phon+, lw, mw-eu, sw, mw-us, voice, fm, radio, tape, hifi, cd, studio
      job.yaml:4:47: error: 'left' is no mode
          4 |   - { file: d.mp3, mp3: { preset: loud, mode: left, lowpass: 16.00005 kHz } }
            |                                               ^~~~
        help: give the clip 'channels: left'
      job.yaml:4:62: error: '16.00005 kHz' is not in whole hertz
          4 |   - { file: d.mp3, mp3: { preset: loud, mode: left, lowpass: 16.00005 kHz } }
            |                                                              ^~~~~~~~~~~~
        help: write '16 kHz' or '500 Hz'
      job.yaml:5:32: error: 'cbr V2' has no bit rate in whole kbps: write cbr 128k
          5 |   - { file: e.mp3, mp3: { cbr: V2, quality: 2 } }
            |                                ^~
      job.yaml:6:25: error: one of 'vbr', 'abr', 'cbr', 'preset' is missing
          6 |   - { file: f.mp3, mp3: { mode: joint } }
            |                         ^
        help: add one, as 'vbr: 2' or 'cbr: 128k'
      """#)
  }

  @Test("Settings that LAME would change are refused at their place, with the possible ones")
  func problems() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.mp3, mp3: { cbr: 128k, min: 64k } }
          - { file: b.mp3, mp3: { vbr: 2, min: 192k, max: 128k } }
          - { file: c.mp3, mp3: { abr: 96k, max: 80k } }
          - { file: d.mp3, mp3: { vbr: 2, highpass: 80 Hz }, sample_rate: 44.1 kHz }
          - { file: e.mp3, mp3: { cbr: 320k, lowpass: 21 kHz } }
        """#),
      #"""
      job.yaml:3:43: error: CBR 128 kbps has neither a least nor a highest bit rate: VBR and ABR have
          3 |   - { file: a.mp3, mp3: { cbr: 128k, min: 64k } }
            |                                           ^~~
        help: leave it out
      job.yaml:4:40: error: the least bit rate, 192 kbps, is over the highest, 128 kbps
          4 |   - { file: b.mp3, mp3: { vbr: 2, min: 192k, max: 128k } }
            |                                        ^~~~
      job.yaml:5:42: error: ABR 96 kbps is over its highest bit rate, 80 kbps
          5 |   - { file: c.mp3, mp3: { abr: 96k, max: 80k } }
            |                                          ^~~
      job.yaml:6:45: error: a highpass of 80 Hz is not possible at 44100 Hz: from 481 Hz to 18493 Hz are, with a lowpass of 18500 Hz
          6 |   - { file: d.mp3, mp3: { vbr: 2, highpass: 80 Hz }, sample_rate: 44.1 kHz }
            |                                             ^~~~~
        help: for a lower one, give the item 'effects: [highpass: 80 Hz]'
      job.yaml:6:67: note: the rate is given here
          6 |   - { file: d.mp3, mp3: { vbr: 2, highpass: 80 Hz }, sample_rate: 44.1 kHz }
            |                                                                   ^~~~~~~~
      job.yaml:7:47: error: a lowpass of 21000 Hz is not possible at 44100 Hz: from 712 Hz to 20500 Hz are
          7 |   - { file: e.mp3, mp3: { cbr: 320k, lowpass: 21 kHz } }
            |                                               ^~~~~~
        help: 'lowpass: off' keeps all of the sound
      """#)
  }

  @Test("Conflicts with the channels or the rate are refused with both places")
  func contradictions() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: f.mp3, mp3: { vbr: 4, mode: forced }, channels: mono }
          - { file: g.mp3, mp3: { preset: voice, mode: simple } }
          - { file: h.mp3, mp3: { preset: insane, max: 320k } }
          - { file: i.mp3, mp3: { vbr: 2, mode: mono }, channels: stereo }
          - { file: j.mp3, mp3: { vbr: 2, max: 320k }, sample_rate: 22.05 kHz }
          - { file: k.mp3, mp3: phone, sample_rate: 44.1 kHz }
          - { file: l.mp3, mp3: { cbr: 8k, quality: 2 }, sample_rate: 48 kHz }
        """#),
      #"""
      job.yaml:3:41: error: forced joint stereo needs two channels, and there is one
          3 |   - { file: f.mp3, mp3: { vbr: 4, mode: forced }, channels: mono }
            |                                         ^~~~~~
      job.yaml:3:61: note: the channels are given here
          3 |   - { file: f.mp3, mp3: { vbr: 4, mode: forced }, channels: mono }
            |                                                             ^~~~
      job.yaml:4:48: error: simple stereo needs two channels, and there is one
          4 |   - { file: g.mp3, mp3: { preset: voice, mode: simple } }
            |                                                ^~~~~~
        help: 'voice' is mono, unless the output has 'channels: stereo'
      job.yaml:5:48: error: CBR 320 kbps has neither a least nor a highest bit rate: VBR and ABR have
          5 |   - { file: h.mp3, mp3: { preset: insane, max: 320k } }
            |                                                ^~~~
        help: leave it out
      job.yaml:6:41: error: 'mode: mono' of an output that is not
          6 |   - { file: i.mp3, mp3: { vbr: 2, mode: mono }, channels: stereo }
            |                                         ^~~~
        help: keep one of them
      job.yaml:6:59: note: its channels are given here
          6 |   - { file: i.mp3, mp3: { vbr: 2, mode: mono }, channels: stereo }
            |                                                           ^~~~~~
      job.yaml:7:40: error: a highest bit rate of 320 kbps is not possible at 22050 Hz: 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144 and 160 kbps are; it is possible at 32000, 44100 and 48000 Hz
          7 |   - { file: j.mp3, mp3: { vbr: 2, max: 320k }, sample_rate: 22.05 kHz }
            |                                        ^~~~
      job.yaml:7:61: note: the rate is given here
          7 |   - { file: j.mp3, mp3: { vbr: 2, max: 320k }, sample_rate: 22.05 kHz }
            |                                                             ^~~~~~~~~
      job.yaml:8:45: error: ABR 16 kbps is not possible at 44100 Hz: from 32 to 310 kbps are; it is possible at 8000, 11025, 12000, 16000, 22050 and 24000 Hz
          8 |   - { file: k.mp3, mp3: phone, sample_rate: 44.1 kHz }
            |                                             ^~~~~~~~
      job.yaml:9:63: error: CBR 8 kbps is not possible at 48000 Hz: 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256 and 320 kbps are; it is possible at 8000, 11025, 12000, 16000, 22050 and 24000 Hz
          9 |   - { file: l.mp3, mp3: { cbr: 8k, quality: 2 }, sample_rate: 48 kHz }
            |                                                               ^~~~~~
      """#)
  }

  @Test("A rate of the job is one that is written, too")
  func jobRate() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        sample_rate: 44.1 kHz
        output: [{ file: a.mp3, mp3: phone }, { file: b.mp3, mp3: { vbr: 2, lowpass: 23 kHz } }]
        """#),
      #"""
      job.yaml:3:30: error: ABR 16 kbps is not possible at 44100 Hz: from 32 to 310 kbps are; it is possible at 8000, 11025, 12000, 16000, 22050 and 24000 Hz
          3 | output: [{ file: a.mp3, mp3: phone }, { file: b.mp3, mp3: { vbr: 2, lowpass: 23 kHz } }]
            |                              ^~~~~
      job.yaml:2:14: note: the rate is given here
          2 | sample_rate: 44.1 kHz
            |              ^~~~~~~~
      job.yaml:3:78: error: a lowpass of 23000 Hz is not possible at 44100 Hz: from 712 Hz to 22049 Hz are; it is possible at 48000 Hz
          3 | output: [{ file: a.mp3, mp3: phone }, { file: b.mp3, mp3: { vbr: 2, lowpass: 23 kHz } }]
            |                                                                              ^~~~~~
        help: 'lowpass: off' keeps all of the sound
      job.yaml:2:14: note: the rate is given here
          2 | sample_rate: 44.1 kHz
            |              ^~~~~~~~
      """#)
  }

  @Test("All errors of one output are reported in one pass, except those of another rate")
  func several() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output:
          - { file: a.mp3, channels: mono, sample_rate: 22.05 kHz, mp3: { vbr: 2, mode: simple, max: 320k } }
          - { file: b.mp3, channels: mono, mp3: { vbr: 2, mode: simple, lowpass: 23 kHz } }
        """#),
      #"""
      job.yaml:3:81: error: simple stereo needs two channels, and there is one
          3 |   - { file: a.mp3, channels: mono, sample_rate: 22.05 kHz, mp3: { vbr: 2, mode: simple, max: 320k } }
            |                                                                                 ^~~~~~
      job.yaml:3:30: note: the channels are given here
          3 |   - { file: a.mp3, channels: mono, sample_rate: 22.05 kHz, mp3: { vbr: 2, mode: simple, max: 320k } }
            |                              ^~~~
      job.yaml:3:94: error: a highest bit rate of 320 kbps is not possible at 22050 Hz: 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144 and 160 kbps are; it is possible at 32000, 44100 and 48000 Hz
          3 |   - { file: a.mp3, channels: mono, sample_rate: 22.05 kHz, mp3: { vbr: 2, mode: simple, max: 320k } }
            |                                                                                              ^~~~
      job.yaml:3:49: note: the rate is given here
          3 |   - { file: a.mp3, channels: mono, sample_rate: 22.05 kHz, mp3: { vbr: 2, mode: simple, max: 320k } }
            |                                                 ^~~~~~~~~
      job.yaml:4:57: error: simple stereo needs two channels, and there is one
          4 |   - { file: b.mp3, channels: mono, mp3: { vbr: 2, mode: simple, lowpass: 23 kHz } }
            |                                                         ^~~~~~
      job.yaml:4:30: note: the channels are given here
          4 |   - { file: b.mp3, channels: mono, mp3: { vbr: 2, mode: simple, lowpass: 23 kHz } }
            |                              ^~~~
      """#)
  }

  @Test("Errors that depend on the sources")
  func sources() {
    var bench = Bench()
    bench.assets["a.wav"] = .fake("a.wav", seconds: 60, rate: 8000, layout: .mono)
    expect(
      bench.exportScreen(
        #"""
        jobs:
          a: { clip: a.wav, output: { file: a.mp3, mp3: cbr 320k } }
          b: { clip: a.wav, output: { file: b.mp3, mp3: { vbr: 2, mode: simple } } }
          c: { clip: a.wav, output: { file: c.mp3, mp3: { vbr: 2, lowpass: 16 kHz } } }
          d: { clip: a.wav, output: { file: d.mp3, mp3: radio } }
        """#),
      #"""
      job.yaml:2:49: error: CBR 320 kbps is not possible at 8000 Hz: 8, 16, 24, 32, 40, 48, 56 and 64 kbps are; it is possible at 32000, 44100 and 48000 Hz
          2 |   a: { clip: a.wav, output: { file: a.mp3, mp3: cbr 320k } }
            |                                                 ^~~~~~~~
        help: 'a.wav' has 8000 Hz: choose another setting, or give the output a 'sample_rate' that has it
      job.yaml:3:65: error: simple stereo needs two channels, and there is one
          3 |   b: { clip: a.wav, output: { file: b.mp3, mp3: { vbr: 2, mode: simple } } }
            |                                                                 ^~~~~~
        help: 'a.wav' is mono: leave 'mode' out, or give the output 'channels: stereo'
      job.yaml:4:68: error: a lowpass of 16000 Hz is not possible at 8000 Hz: from 130 Hz to 3999 Hz are; it is possible at 44100 and 48000 Hz
          4 |   c: { clip: a.wav, output: { file: c.mp3, mp3: { vbr: 2, lowpass: 16 kHz } } }
            |                                                                    ^~~~~~
        help: 'a.wav' has 8000 Hz: choose another setting, or give the output a 'sample_rate' that has it
      job.yaml:5:49: error: ABR 112 kbps is not possible at 8000 Hz: from 8 to 64 kbps are; it is possible at 16000, 22050, 24000, 32000, 44100 and 48000 Hz
          5 |   d: { clip: a.wav, output: { file: d.mp3, mp3: radio } }
            |                                                 ^~~~~
        help: 'a.wav' has 8000 Hz: choose another setting, or give the output a 'sample_rate' that has it
      """#)
  }

  @Test("A bit rate that no rate has in the sources' layout asks for other channels")
  func bitRateOfLayout() {
    var bench = Bench()
    bench.assets["a.wav"] = .fake("a.wav", seconds: 60, rate: 44_100, layout: .stereo)
    expect(
      bench.exportScreen(
        """
        clip: a.wav
        output: { file: a.opus, opus: 600k }
        """),
      """
      job.yaml:2:31: error: Opus at 48000 Hz with 2 channels has 12 to 512 kbps, not 600
          2 | output: { file: a.opus, opus: 600k }
            |                               ^~~~
        help: the sources are stereo: choose another setting, or give the output 'channels' that have it
      """)
  }
}
