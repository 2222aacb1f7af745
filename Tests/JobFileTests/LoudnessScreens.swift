import Testing
import TestSupport

@testable import JobFile

/// What is said about levels that cannot be.
@Suite struct LoudnessScreens {
  @Test("Levels without a unit, above full scale, in a foreign unit, and names that are none")
  func levels() {
    expect(
      Bench().screen(
        #"""
        tracks:
          a: { clip: a.wav, loudness: -16 }
          b: { clip: a.wav, loudness: 16 LUFS }
          c: { clip: a.wav, loudness: -1 dBTP }
          d: { clip: a.wav, loudness: ebu-r218 }
          e: { clip: a.wav, loudness: loud }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:31: error: '-16' has no unit
          2 |   a: { clip: a.wav, loudness: -16 }
            |                               ^~~
        help: write '-16 LUFS'
      job.yaml:3:31: error: '16 LUFS' is out of range
          3 |   b: { clip: a.wav, loudness: 16 LUFS }
            |                               ^~~~~~~
        help: -70 to 0 LUFS are possible
      job.yaml:4:31: error: '-1 dBTP' is not in LUFS
          4 |   c: { clip: a.wav, loudness: -1 dBTP }
            |                               ^~~~~~~
        help: write '-1 LUFS'
      job.yaml:5:31: error: 'ebu-r218' is no loudness
          5 |   d: { clip: a.wav, loudness: ebu-r218 }
            |                               ^~~~~~~~
        help: did you mean 'ebu-r128'?
      job.yaml:6:31: error: 'loud' is no loudness
          6 |   e: { clip: a.wav, loudness: loud }
            |                               ^~~~
        help: write a level, as '-16 LUFS', or one of apple-podcasts, spotify, youtube, ebu-r128, atsc-a85, aes-td1008-speech, acx, librivox
      """#)
  }

  @Test("Maps of two levels, of none, and with a ceiling below a power; loudness may lie above it")
  func maps() {
    expect(
      Bench().screen(
        #"""
        tracks:
          a: { clip: a.wav, loudness: { integrated: -16 LUFS, rms: -20 dB } }
          b: { clip: a.wav, loudness: { true_peak: -1 dBTP } }
          c: { clip: a.wav, loudness: { rms: -16 dB, true_peak: -18 dBTP } }
          d: { clip: a.wav, loudness: { integrated: -16 LUFS, true_peak: -18 dBTP } }
          e: { clip: a.wav, loudness: { integrated: 0 LUFS, true_peak: -1 dBTP } }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:55: error: 'rms' beside 'integrated'
          2 |   a: { clip: a.wav, loudness: { integrated: -16 LUFS, rms: -20 dB } }
            |                                                       ^~~
        help: a sound is brought to one level
      job.yaml:2:33: note: the other one is here
          2 |   a: { clip: a.wav, loudness: { integrated: -16 LUFS, rms: -20 dB } }
            |                                 ^~~~~~~~~~
      job.yaml:3:31: error: a loudness needs a level
          3 |   b: { clip: a.wav, loudness: { true_peak: -1 dBTP } }
            |                               ^
        help: write { integrated: -16 LUFS, true_peak: -1 dBTP }
      job.yaml:4:57: error: peaks cannot stay below −18.0 dBTP in a sound of −16.0 dB RMS
          4 |   c: { clip: a.wav, loudness: { rms: -16 dB, true_peak: -18 dBTP } }
            |                                                         ^~~~~~~~
        help: give a higher 'true_peak', or a lower level
      """#)
  }

  @Test("A job's gain that its level takes away again, and gains that count")
  func gains() {
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { clip: a.wav, gain: 3 dB, loudness: -16 LUFS, output: a.mp3 }
          b: { clip: a.wav, gain: 3 dB, output: [b.mp3, { file: b.wav, loudness: -16 LUFS }] }
          c: { clip: a.wav, gain: 3 dB, output: c.mp3, loudness: { integrated: -16 LUFS, group: g } }
        """#),
      #"""
      job.yaml:2:21: note: 'gain' changes nothing: the outputs are brought to −16.0 LUFS after it
          2 |   a: { clip: a.wav, gain: 3 dB, loudness: -16 LUFS, output: a.mp3 }
            |                     ^~~~
        help: leave it out, or write another 'loudness'
      job.yaml:2:43: note: the level is written here
          2 |   a: { clip: a.wav, gain: 3 dB, loudness: -16 LUFS, output: a.mp3 }
            |                                           ^~~~~~~~
      """#)
  }

  @Test("A gain that jobs share is noted once, whatever their levels are")
  func sharedGains() {
    expect(
      Bench().screen(
        #"""
        defaults: { gain: 3 dB }
        jobs:
          a: { clip: a.wav, loudness: -16 LUFS, output: a.mp3 }
          b: { clip: a.wav, loudness: -18 LUFS, output: b.mp3 }
          c: { clip: a.wav, loudness: -20 LUFS, output: c.mp3 }
        """#),
      #"""
      job.yaml:1:13: note: 'gain' changes nothing: the outputs are brought to −16.0 LUFS after it
          1 | defaults: { gain: 3 dB }
            |             ^~~~
        help: leave it out, or write another 'loudness'
      job.yaml:3:31: note: the level is written here
          3 |   a: { clip: a.wav, loudness: -16 LUFS, output: a.mp3 }
            |                               ^~~~~~~~
      """#)
    expect(
      Bench().screen(
        #"""
        defaults: { gain: 3 dB, loudness: -16 LUFS }
        jobs:
          a: { clip: a.wav, output: a.mp3 }
          b: { clip: a.wav, output: b.mp3 }
        """#),
      #"""
      job.yaml:1:13: note: 'gain' changes nothing: the outputs are brought to −16.0 LUFS after it
          1 | defaults: { gain: 3 dB, loudness: -16 LUFS }
            |             ^~~~
        help: leave it out, or write another 'loudness'
      job.yaml:1:35: note: the level is written here
          1 | defaults: { gain: 3 dB, loudness: -16 LUFS }
            |                                   ^~~~~~~~
      """#)
    expect(
      Bench().screen(
        #"""
        jobs:
          "${x}":
            for_each: { x: [1, 2, 3] }
            clip: a.wav
            gain: 3 dB
            loudness: "-1${x} LUFS"
            output: "${x}.mp3"
        """#),
      #"""
      job.yaml:5:5: note: 'gain' changes nothing: the outputs are brought to −11.0 LUFS after it
          5 |     gain: 3 dB
            |     ^~~~
        help: leave it out, or write another 'loudness'
      job.yaml:6:15: note: the level is written here
          6 |     loudness: "-1${x} LUFS"
            |               ^~~~~~~~~~~~~
      """#)
  }
}
