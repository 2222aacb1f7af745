// tidy: long because every screen stands here whole, as the user sees it.

import Testing
import TestSupport

@testable import JobFile

/// What is said about modifiers that cannot be.
@Suite struct ModifierScreens {
  @Test("Booleans, polarities and channels that are none")
  func booleansPolaritiesAndChannelsThatAreNone() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, reverse: yes, mute: maybe }
          - { clip: a.wav, polarity: minus }
          - { clip: a.wav, channels: 2 }
          - { clip: a.wav, channels: middle }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:29: error: 'yes' is neither 'true' nor 'false'
          2 |   - { clip: a.wav, reverse: yes, mute: maybe }
            |                             ^~~
        help: write 'true'
      job.yaml:2:40: error: 'maybe' is neither 'true' nor 'false'
          2 |   - { clip: a.wav, reverse: yes, mute: maybe }
            |                                        ^~~~~
        help: write 'true' or 'false'
      job.yaml:3:30: error: 'minus' is no polarity
          3 |   - { clip: a.wav, polarity: minus }
            |                              ^~~~~
        help: write 'inverted' or 'normal'
      job.yaml:4:30: error: '2' may be a number of channels or one of them
          4 |   - { clip: a.wav, channels: 2 }
            |                              ^
        help: write 'stereo', or 'channel 2' for that one alone
      job.yaml:5:30: error: 'middle' is no channel and no layout
          5 |   - { clip: a.wav, channels: middle }
            |                              ^~~~~~
        help: write 'mono', 'stereo', 'left', 'right' or 'channel 1'
      """#)
  }

  @Test("Channels that a file has not")
  func channelsThatAFileHasNot() {
    expect(
      Bench().exportScreen(
        #"""
        sources: { voice: { file: b.wav, channels: channel 3 } }
        concat: [voice, { clip: a.wav, channels: centre }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:44: error: 'b.wav' is stereo and has no channel 3
          1 | sources: { voice: { file: b.wav, channels: channel 3 } }
            |                                            ^~~~~~~~~
        help: its channels are 1 to 2
      job.yaml:2:42: error: 'a.wav' is stereo and has no centre channel
          2 | concat: [voice, { clip: a.wav, channels: centre }]
            |                                          ^~~~~~
        help: its channels are 1 to 2
      """#)
  }

  @Test("One channel of a job that is more than a clip")
  func oneChannelOfAJobThatIsMoreThanAClip() {
    expect(
      Bench().screen(
        #"""
        concat: [a.wav, b.wav]
        channels: left
        output: x.mp3
        """#),
      #"""
      job.yaml:2:11: error: 'left' is a channel of a file, and this job is more than one clip
          2 | channels: left
            |           ^~~~
        help: give the clips 'channels', and the job 'mono' or 'stereo'
      """#)
  }

  @Test("Pans that are none")
  func pansThatAreNone() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, pan: -0.2 }
          - { clip: a.wav, pan: 30 deg }
          - { clip: a.wav, pan: west }
          - { clip: a.wav, pan: { 0s: 120 %, 4s: [left] } }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:25: error: '-0.2' has no unit
          2 |   - { clip: a.wav, pan: -0.2 }
            |                         ^~~~
        help: write '-20 %'
      job.yaml:3:25: error: '30 deg' has no unit that is known
          3 |   - { clip: a.wav, pan: 30 deg }
            |                         ^~~~~~
        help: write '30 %'
      job.yaml:4:25: error: 'west' is no place between left and right
          4 |   - { clip: a.wav, pan: west }
            |                         ^~~~
        help: write '-20 %', 'left' or 'right'
      job.yaml:5:31: error: '120 %' is out of range
          5 |   - { clip: a.wav, pan: { 0s: 120 %, 4s: [left] } }
            |                               ^~~~~
        help: -100 % is left, 0 % the centre, 100 % right
      job.yaml:5:42: error: a text belongs here, not a list
          5 |   - { clip: a.wav, pan: { 0s: 120 %, 4s: [left] } }
            |                                          ^
        help: write one value, without brackets and dashes
      """#)
  }

  @Test("Curves that are none")
  func curvesThatAreNone() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, volume: { curve: exponential } }
          - { clip: a.wav, volume: { points: { 0s: 0 dB, soon: 1 dB }, curve: log, shape: round } }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:28: error: a volume needs 'points'
          2 |   - { clip: a.wav, volume: { curve: exponential } }
            |                            ^
        help: write { points: { 0s: 0 dB, 30s: -6 dB }, curve: exponential }
      job.yaml:3:50: error: 'soon' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          3 |   - { clip: a.wav, volume: { points: { 0s: 0 dB, soon: 1 dB }, curve: log, shape: round } }
            |                                                  ^~~~
        help: if 'soon' is an item, write 'soon.start' or 'soon.end'
      job.yaml:3:71: error: 'log' is no curve
          3 |   - { clip: a.wav, volume: { points: { 0s: 0 dB, soon: 1 dB }, curve: log, shape: round } }
            |                                                                       ^~~
        help: write 'linear', 'equal_power' or 'exponential'
      job.yaml:3:76: error: unknown key 'shape'
          3 |   - { clip: a.wav, volume: { points: { 0s: 0 dB, soon: 1 dB }, curve: log, shape: round } }
            |                                                                            ^~~~~
        help: a volume has 'points', 'curve', 'clock'
      """#)
  }

  @Test("Speeds that are none")
  func speedsThatAreNone() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, speed: fast }
          - { clip: a.wav, speed: 33 }
          - { clip: a.wav, speed: 1/0 }
          - { clip: a.wav, speed: -1 }
          - { clip: a.wav, speed: 1.1x }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:27: error: 'fast' is no speed
          2 |   - { clip: a.wav, speed: fast }
            |                           ^~~~
        help: write a factor, as '1.05', '105 %' or '4/3'
      job.yaml:3:27: error: '33' is out of range
          3 |   - { clip: a.wav, speed: 33 }
            |                           ^~
        help: speeds go from 1/32 to 32; of 100 it is '33 %'
      job.yaml:4:27: error: '1/0' is no speed
          4 |   - { clip: a.wav, speed: 1/0 }
            |                           ^~~
        help: write a factor, as '1.05', '105 %' or '4/3'
      job.yaml:5:27: error: '-1' is no speed
          5 |   - { clip: a.wav, speed: -1 }
            |                           ^~
        help: write 'reverse: true' for backwards
      job.yaml:6:27: error: '1.1x' is no speed
          6 |   - { clip: a.wav, speed: 1.1x }
            |                           ^~~~
        help: write a factor, as '1.05', '105 %' or '4/3'
      """#)
  }

  @Test("Pitches that are none")
  func pitchesThatAreNone() {
    expect(
      Bench().screen(
        #"""
        concat:
          - { clip: a.wav, speed: { pitch: keep } }
          - { clip: a.wav, speed: { rate: 2, pitch: up, algorithm: best } }
          - { clip: a.wav, speed: { rate: 2, pitch: keep, algorithm: varispeed } }
          - { clip: a.wav, speed: { rate: 2, pitch: follow, algorithm: spectral } }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:27: error: a speed needs a 'rate'
          2 |   - { clip: a.wav, speed: { pitch: keep } }
            |                           ^
        help: write { rate: 1.05 }
      job.yaml:3:45: error: 'up' is nothing that a pitch does
          3 |   - { clip: a.wav, speed: { rate: 2, pitch: up, algorithm: best } }
            |                                             ^~
        help: write 'keep' or 'follow'
      job.yaml:3:60: error: 'best' is no algorithm
          3 |   - { clip: a.wav, speed: { rate: 2, pitch: up, algorithm: best } }
            |                                                            ^~~~
        help: write 'spectral', 'time_domain' or 'varispeed'
      job.yaml:4:62: error: 'varispeed' does not keep the pitch
          4 |   - { clip: a.wav, speed: { rate: 2, pitch: keep, algorithm: varispeed } }
            |                                                              ^~~~~~~~~
        help: write 'spectral' or 'time_domain'
      job.yaml:4:45: note: the pitch is given here
          4 |   - { clip: a.wav, speed: { rate: 2, pitch: keep, algorithm: varispeed } }
            |                                             ^~~~
      job.yaml:5:64: error: 'spectral' keeps the pitch
          5 |   - { clip: a.wav, speed: { rate: 2, pitch: follow, algorithm: spectral } }
            |                                                                ^~~~~~~~
        help: write 'varispeed'
      job.yaml:5:45: note: the pitch is given here
          5 |   - { clip: a.wav, speed: { rate: 2, pitch: follow, algorithm: spectral } }
            |                                             ^~~~~~
      """#)
  }

  @Test("Rounds that are none")
  func roundsThatAreNone() {
    expect(
      Bench().screen(
        #"""
        concat: [{ clip: a.wav, loop: 0 }, { clip: a.wav, loop: 1.5 }, { clip: a.wav, loop: forever }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:31: error: '0' is out of range
          1 | concat: [{ clip: a.wav, loop: 0 }, { clip: a.wav, loop: 1.5 }, { clip: a.wav, loop: forever }]
            |                               ^
        help: 1 to 100000 rounds are possible
      job.yaml:1:57: error: '1.5' is no number of rounds
          1 | concat: [{ clip: a.wav, loop: 0 }, { clip: a.wav, loop: 1.5 }, { clip: a.wav, loop: forever }]
            |                                                         ^~~
        help: write '4' or 'end'
      job.yaml:1:85: error: 'forever' is no number of rounds
          1 | concat: [{ clip: a.wav, loop: 0 }, { clip: a.wav, loop: 1.5 }, { clip: a.wav, loop: forever }]
            |                                                                                     ^~~~~~~
        help: write '4' or 'end'
      """#)
  }

  @Test("A loop to an end that is not there")
  func aLoopToAnEndThatIsNotThere() {
    expect(
      Bench().exportScreen(
        #"""
        jobs:
          alone: { clip: a.wav, loop: end, output: alone.mp3 }
          listed: { concat: [{ clip: a.wav, name: theme, loop: end }], output: listed.mp3 }
          both: { tracks: { x: { clip: a.wav, loop: end }, y: { clip: b.wav, loop: end } }, output: both.mp3 }
          late: { tracks: { x: a.wav, y: { clip: b.wav, at: 2:00, loop: end } }, output: late.mp3 }
        """#),
      #"""
      job.yaml:2:31: error: there is no other track whose end 'a.wav' could be repeated to
          2 |   alone: { clip: a.wav, loop: end, output: alone.mp3 }
            |                               ^~~
        help: write how often, as 'loop: 4', or put it on a track beside another one
      job.yaml:3:56: error: there is no other track whose end 'theme' could be repeated to
          3 |   listed: { concat: [{ clip: a.wav, name: theme, loop: end }], output: listed.mp3 }
            |                                                        ^~~
        help: write how often, as 'loop: 4', or put it on a track beside another one
      job.yaml:4:45: error: there is no other track whose end 'a.wav' could be repeated to
          4 |   both: { tracks: { x: { clip: a.wav, loop: end }, y: { clip: b.wav, loop: end } }, output: both.mp3 }
            |                                             ^~~
        help: write how often, as 'loop: 4', or put it on a track beside another one
      job.yaml:4:76: error: there is no other track whose end 'b.wav' could be repeated to
          4 |   both: { tracks: { x: { clip: a.wav, loop: end }, y: { clip: b.wav, loop: end } }, output: both.mp3 }
            |                                                                            ^~~
        help: write how often, as 'loop: 4', or put it on a track beside another one
      job.yaml:5:65: error: 'b.wav' starts at 2:00, but the longest other track ends at 1:00
          5 |   late: { tracks: { x: a.wav, y: { clip: b.wav, at: 2:00, loop: end } }, output: late.mp3 }
            |                                                                 ^~~
        help: start it earlier, or leave it out
      """#)
  }

  @Test("Rounds without number")
  func roundsWithoutNumber() {
    expect(
      Bench().exportScreen(
        #"""
        concat:
          - { concat: [{ clip: a.wav ..1ms, loop: 100000 }], loop: 100000 }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:60: error: 100000 rounds of the sequence are too many
          2 |   - { concat: [{ clip: a.wav ..1ms, loop: 100000 }], loop: 100000 }
            |                                                            ^~~~~~
        help: a round of 1:40 is short; write a longer one
      """#)
  }

  @Test("Effects that are none")
  func effectsThatAreNone() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        effects:
          - denose
          - flanger
          - compressor
          - highpass
          - { highpass: 80, lowpass: 12 parsecs }
          - { denoise: 300 dB }
          - { lowpass: 0.5 Hz }
          - deesser: { reduction: 8 }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:5: error: unknown effect 'denose'
          3 |   - denose
            |     ^~~~~~
        help: did you mean 'denoise'?
      job.yaml:4:5: error: unknown effect 'flanger'
          4 |   - flanger
            |     ^~~~~~~
        help: the effects are 'highpass', 'lowpass', 'eq', 'compressor', 'gate', 'deesser', 'dehum', 'denoise', 'declick', 'delay', 'reverb', 'leveler', 'limiter', 'filter'
      job.yaml:5:5: error: 'compressor' needs its settings
          5 |   - compressor
            |     ^~~~~~~~~~
        help: write 'compressor: { threshold: -20 dB, ratio: 3 }'
      job.yaml:6:5: error: 'highpass' needs a frequency
          6 |   - highpass
            |     ^~~~~~~~
        help: write 'highpass: 80 Hz'
      job.yaml:7:17: error: '80' has no unit
          7 |   - { highpass: 80, lowpass: 12 parsecs }
            |                 ^~
        help: write '80 Hz'
      job.yaml:7:30: error: '12 parsecs' is no frequency
          7 |   - { highpass: 80, lowpass: 12 parsecs }
            |                              ^~~~~~~~~~
        help: write '80 Hz' or '12 kHz'
      job.yaml:8:16: error: '300 dB' is out of range
          8 |   - { denoise: 300 dB }
            |                ^~~~~~
        help: 'reduction' goes from 0 dB to 97 dB
      job.yaml:9:16: error: '0.5 Hz' is out of range
          9 |   - { lowpass: 0.5 Hz }
            |                ^~~~~~
        help: frequencies go from 1 Hz to 384 kHz
      job.yaml:10:27: error: '8' has no unit
         10 |   - deesser: { reduction: 8 }
            |                           ^
        help: write '8 dB'
      """#)
  }

  @Test("Settings of effects that are none")
  func effectSettings() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        effects:
          - compressor: { ratio: 3:1, atack: 5ms }
          - compressor: { threshold: -61 dB, release: 100, attack: 10 samples, mix: 0.5 }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:26: error: '3:1' is no plain number
          3 |   - compressor: { ratio: 3:1, atack: 5ms }
            |                          ^~~
        help: write '3'
      job.yaml:3:31: error: unknown key 'atack'
          3 |   - compressor: { ratio: 3:1, atack: 5ms }
            |                               ^~~~~
        help: did you mean 'attack'?
      job.yaml:4:30: error: '-61 dB' is out of range
          4 |   - compressor: { threshold: -61 dB, release: 100, attack: 10 samples, mix: 0.5 }
            |                              ^~~~~~
        help: 'threshold' goes from -60 dB to 0 dB
      job.yaml:4:47: error: '100' has no unit
          4 |   - compressor: { threshold: -61 dB, release: 100, attack: 10 samples, mix: 0.5 }
            |                                               ^~~
        help: write '100ms'
      job.yaml:4:60: error: '10 samples' is no time on a clock
          4 |   - compressor: { threshold: -61 dB, release: 100, attack: 10 samples, mix: 0.5 }
            |                                                            ^~~~~~~~~~
        help: write a time, as '10ms'
      job.yaml:4:77: error: '0.5' has no unit
          4 |   - compressor: { threshold: -61 dB, release: 100, attack: 10 samples, mix: 0.5 }
            |                                                                             ^~~
        help: write '50 %'
      """#)
  }

  @Test("Filters of FFmpeg's that are not allowed")
  func filters() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        effects:
          - filter
          - filter: "amovie=a.wav"
          - filter: "treble=g=2, atempo=1.5"
          - filter: trebel
          - filter: "[0:a] volume=2; anull"
          - filter: "volume=enable='between(t,1,2)"
          - filter: volume=w'h'i\le(1)
          - filter: "bass=g=1,,treble"
        output: x.mp3
        """#),
      #"""
      job.yaml:3:5: error: 'filter' needs a filter
          3 |   - filter
            |     ^~~~~~
        help: write 'filter: treble=g=2,bass=g=-1'
      job.yaml:4:13: error: 'amovie' opens files or devices
          4 |   - filter: "amovie=a.wav"
            |             ^~~~~~~~~~~~~~
        help: put the file on a track of its own
      job.yaml:5:13: error: 'atempo' changes the time of a sound
          5 |   - filter: "treble=g=2, atempo=1.5"
            |             ^~~~~~~~~~~~~~~~~~~~~~~~
        help: use 'speed'
      job.yaml:6:13: error: 'trebel' is no filter that is allowed here
          6 |   - filter: trebel
            |             ^~~~~~
        help: did you mean 'treble'?
      job.yaml:7:13: error: a label, or a second chain, in a filter
          7 |   - filter: "[0:a] volume=2; anull"
            |             ^~~~~~~~~~~~~~~~~~~~~~~
        help: write filters in a row, as 'treble=g=2,bass=g=-1'
      job.yaml:8:13: error: a quotation in a filter does not end
          8 |   - filter: "volume=enable='between(t,1,2)"
            |             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
        help: end it with another quote
      job.yaml:9:13: error: 'while()' in the arguments of 'volume' may not end, or gives another sound at each run
          9 |   - filter: volume=w'h'i\le(1)
            |             ^~~~~~~~~~~~~~~~~~
        help: write an expression without it
      job.yaml:10:13: error: a filter without a name
         10 |   - filter: "bass=g=1,,treble"
            |             ^~~~~~~~~~~~~~~~~~
        help: write one, as 'treble=g=2'
      """#)
  }

  @Test("Delays and reverberations that are none")
  func rooms() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        effects:
          - delay: { feedback: 120 %, mix: 25 % }
          - delay: { time: 300, tail: 2m }
          - reverb: { mix: 20 %, impulse: hal.wav }
          - reverb: { impulse: b.wav 1s..2s }
          - reverb: b.wav
          - reverb: { tail: 1s }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:12: error: a delay needs a 'time'
          3 |   - delay: { feedback: 120 %, mix: 25 % }
            |            ^
        help: write { time: 350ms, feedback: 30 %, mix: 25 % }
      job.yaml:3:24: error: '120 %' is out of range
          3 |   - delay: { feedback: 120 %, mix: 25 % }
            |                        ^~~~~
        help: 'feedback' goes from 0 % to 95 %
      job.yaml:4:20: error: '300' has no unit
          4 |   - delay: { time: 300, tail: 2m }
            |                    ^~~
        help: write '300ms'
      job.yaml:4:31: error: '2m' is out of range
          4 |   - delay: { time: 300, tail: 2m }
            |                               ^~
        help: 'tail' goes from 0 ms to 60 s
      job.yaml:5:35: error: there is no file 'hal.wav'
          5 |   - reverb: { mix: 20 %, impulse: hal.wav }
            |                                   ^~~~~~~
        help: put it there, or name another one
      job.yaml:6:24: error: an impulse response is the sound of a whole file, not of a range
          6 |   - reverb: { impulse: b.wav 1s..2s }
            |                        ^~~~~~~~~~~~
        help: leave the range out
      job.yaml:7:13: error: 'reverb' is a map, not a text
          7 |   - reverb: b.wav
            |             ^~~~~
        help: write { impulse: hall.wav, mix: 25 %, tail: 2s }
      job.yaml:8:13: error: a reverb needs an 'impulse'
          8 |   - reverb: { tail: 1s }
            |             ^
        help: write { impulse: hall.wav, mix: 25 %, tail: 2s }
      """#)
  }

  @Test("Ceilings and loudnesses that are none")
  func levels() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        effects:
          - limiter: -1 dB
          - limiter: { ceiling: 1 dBTP, release: 1ms }
          - leveler: { target: -20, range: 12 LU }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:14: error: '-1 dB' is not in dBTP
          3 |   - limiter: -1 dB
            |              ^~~~~
        help: write '-1 dBTP'
      job.yaml:4:25: error: '1 dBTP' is out of range
          4 |   - limiter: { ceiling: 1 dBTP, release: 1ms }
            |                         ^~~~~~
        help: 'ceiling' goes from -60 dBTP to 0 dBTP
      job.yaml:4:42: error: '1ms' is out of range
          4 |   - limiter: { ceiling: 1 dBTP, release: 1ms }
            |                                          ^~~
        help: 'release' goes from 10 ms to 10 s
      job.yaml:5:24: error: '-20' has no unit
          5 |   - leveler: { target: -20, range: 12 LU }
            |                        ^~~
        help: write '-20 LUFS'
      job.yaml:5:36: error: '12 LU' is no number of decibels
          5 |   - leveler: { target: -20, range: 12 LU }
            |                                    ^~~~~
        help: write '12 dB'
      """#)
  }

  @Test("Bands, frequencies and maps of effects that are none")
  func effectMaps() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        effects:
          - eq: { frequency: 3 kHz, gain: 4 dB }
          - eq: [{ frequency: 3 kHz, low_shelf: 80 Hz, gain: 4 dB }, { gain: 2 dB }]
          - eq: [{ high_shelf: 8 kHz, q: 1 }, { high_shelf: 8 kHz, gain: 61 dB, q: 0 }]
          - dehum: { harmonics: 2.5 }
          - dehum: 5 Hz
          - gate: -50 dB
        output: x.mp3
        """#),
      #"""
      job.yaml:3:9: error: 'eq' is a list, not a map
          3 |   - eq: { frequency: 3 kHz, gain: 4 dB }
            |         ^
        help: write bands, as [{ frequency: 3 kHz, gain: 4 dB, q: 1.4 }]
      job.yaml:4:30: error: 'low_shelf' beside 'frequency'
          4 |   - eq: [{ frequency: 3 kHz, low_shelf: 80 Hz, gain: 4 dB }, { gain: 2 dB }]
            |                              ^~~~~~~~~
        help: write two bands
      job.yaml:4:12: note: the other one is here
          4 |   - eq: [{ frequency: 3 kHz, low_shelf: 80 Hz, gain: 4 dB }, { gain: 2 dB }]
            |            ^~~~~~~~~
      job.yaml:4:62: error: a band needs a 'frequency', a 'low_shelf' or a 'high_shelf'
          4 |   - eq: [{ frequency: 3 kHz, low_shelf: 80 Hz, gain: 4 dB }, { gain: 2 dB }]
            |                                                              ^
        help: write { frequency: 3 kHz, gain: 4 dB, q: 1.4 }
      job.yaml:5:10: error: a band needs a 'gain'
          5 |   - eq: [{ high_shelf: 8 kHz, q: 1 }, { high_shelf: 8 kHz, gain: 61 dB, q: 0 }]
            |          ^
        help: write { frequency: 3 kHz, gain: 4 dB, q: 1.4 }
      job.yaml:5:66: error: '61 dB' is out of range
          5 |   - eq: [{ high_shelf: 8 kHz, q: 1 }, { high_shelf: 8 kHz, gain: 61 dB, q: 0 }]
            |                                                                  ^~~~~
        help: 'gain' goes from -60 dB to 60 dB
      job.yaml:5:76: error: '0' is out of range
          5 |   - eq: [{ high_shelf: 8 kHz, q: 1 }, { high_shelf: 8 kHz, gain: 61 dB, q: 0 }]
            |                                                                            ^
        help: 'q' goes from 0.05 to 100
      job.yaml:6:12: error: a dehum needs a 'frequency'
          6 |   - dehum: { harmonics: 2.5 }
            |            ^
        help: write { frequency: 50 Hz, harmonics: 10, width: 2 Hz }
      job.yaml:6:25: error: '2.5' is no whole number
          6 |   - dehum: { harmonics: 2.5 }
            |                         ^~~
        help: write '10'
      job.yaml:7:12: error: '5 Hz' is out of range
          7 |   - dehum: 5 Hz
            |            ^~~~
        help: 'frequency' goes from 10 Hz to 1000 Hz
      job.yaml:8:11: error: 'gate' is a map, not a text
          8 |   - gate: -50 dB
            |           ^~~~~~
        help: write { threshold: -50 dB, range: 24 dB }
      """#)
  }

  @Test("Times of items that are not there")
  func timesOfItemsThatAreNotThere() {
    expect(
      Bench().exportScreen(
        #"""
        tracks:
          talk: [{ clip: a.wav, name: news }, { clip: b.wav, name: news }]
          music: [{ clip: b.wav ..5s, at: tlak.end-8s }, { clip: b.wav ..5s, at: sermon.start }]
          more: { clip: b.wav, at: news.end }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:35: error: there is no track or item 'tlak'
          3 |   music: [{ clip: b.wav ..5s, at: tlak.end-8s }, { clip: b.wav ..5s, at: sermon.start }]
            |                                   ^~~~~~~~~~~
        help: did you mean 'talk'?
      job.yaml:3:74: error: there is no track or item 'sermon'
          3 |   music: [{ clip: b.wav ..5s, at: tlak.end-8s }, { clip: b.wav ..5s, at: sermon.start }]
            |                                                                          ^~~~~~~~~~~~
        help: the names are 'more', 'music', 'news', 'talk'
      job.yaml:4:28: error: 'news' is the name of several items
          4 |   more: { clip: b.wav, at: news.end }
            |                            ^~~~~~~~
        help: give the one that is meant a name of its own
      job.yaml:2:31: note: one is here
          2 |   talk: [{ clip: a.wav, name: news }, { clip: b.wav, name: news }]
            |                               ^~~~
      job.yaml:2:60: note: one is here
          2 |   talk: [{ clip: a.wav, name: news }, { clip: b.wav, name: news }]
            |                                                            ^~~~
      """#)
  }

  @Test("Times of other items, as one might write them")
  func timesOfOtherItemsAsOneMightWriteThem() {
    expect(
      Bench().screen(
        #"""
        tracks:
          talk: a.wav
          one: { clip: b.wav, at: talk }
          two: { clip: b.wav, at: talk.begin }
          three: { clip: b.wav, at: talk.end - 8s }
          four: { clip: b.wav, to: end -8s }
          five: { clip: b.wav, to: end+8s }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:27: error: 'talk' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          3 |   one: { clip: b.wav, at: talk }
            |                           ^~~~
        help: if 'talk' is an item, write 'talk.start' or 'talk.end'
      job.yaml:4:27: error: 'talk.begin' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          4 |   two: { clip: b.wav, at: talk.begin }
            |                           ^~~~~~~~~~
        help: if 'talk' is an item, write 'talk.start' or 'talk.end'
      job.yaml:5:29: error: 'talk.end - 8s' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          5 |   three: { clip: b.wav, at: talk.end - 8s }
            |                             ^~~~~~~~~~~~~
        help: write 'talk.end-8s', without spaces
      job.yaml:6:28: error: 'end -8s' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          6 |   four: { clip: b.wav, to: end -8s }
            |                            ^~~~~~~
        help: write 'end-8s', without spaces
      job.yaml:7:28: error: 'end+8s' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          7 |   five: { clip: b.wav, to: end+8s }
            |                            ^~~~~~
        help: write 'start', 'end' or 'end-10s'
      """#)
  }

  @Test("Times that depend on themselves")
  func timesThatDependOnThemselves() {
    expect(
      Bench().exportScreen(
        #"""
        tracks:
          talk: { clip: a.wav, at: music.end }
          music: { clip: b.wav, at: talk.end-8s }
          own: { clip: b.wav, at: own.start }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:29: error: this time depends on itself
          3 |   music: { clip: b.wav, at: talk.end-8s }
            |                             ^~~~~~~~~~~
        help: write one of the times out
      job.yaml:2:28: note: and on this one
          2 |   talk: { clip: a.wav, at: music.end }
            |                            ^~~~~~~~~
      job.yaml:4:27: error: this time depends on itself
          4 |   own: { clip: b.wav, at: own.start }
            |                           ^~~~~~~~~
        help: write one of the times out
      """#)
  }

  @Test("A loop to an end that waits for the loop")
  func aLoopToAnEndThatWaitsForTheLoop() {
    expect(
      Bench().exportScreen(
        #"""
        tracks:
          bed: { clip: a.wav, loop: end }
          voice: { clip: a.wav, at: bed.end }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:29: error: this time depends on itself
          3 |   voice: { clip: a.wav, at: bed.end }
            |                             ^~~~~~~
        help: write one of the times out
      job.yaml:2:29: note: and on this one
          2 |   bed: { clip: a.wav, loop: end }
            |                             ^~~
      """#)
  }

  @Test("Times through an item whose time is another")
  func timesThroughAnItemWhoseTimeIsAnother() {
    expect(
      Bench().exportScreen(
        #"""
        tracks:
          talk: { concat: [a.wav, { clip: b.wav, name: news }], reverse: true }
          music: { clip: b.wav, at: news.start }
          part: { concat: [{ clip: a.wav, name: inner }], from: end-10s }
          more: { clip: b.wav, at: inner.end }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:29: error: 'news.start' has no fixed time here
          3 |   music: { clip: b.wav, at: news.start }
            |                             ^~~~~~~~~~
        help: write the time itself
      job.yaml:2:9: note: between the two is an item that is cut, inserted into, trimmed, reversed, repeated or played at another speed
          2 |   talk: { concat: [a.wav, { clip: b.wav, name: news }], reverse: true }
            |         ^
      job.yaml:5:28: error: 'inner.end' has no fixed time here: it depends on the start of a range
          5 |   more: { clip: b.wav, at: inner.end }
            |                            ^~~~~~~~~
        help: write the time itself
      job.yaml:4:57: note: the range starts here
          4 |   part: { concat: [{ clip: a.wav, name: inner }], from: end-10s }
            |                                                         ^~~~~~~
      """#)
  }

  @Test("Times before the start of a list")
  func timesBeforeTheStartOfAList() {
    expect(
      Bench().exportScreen(
        #"""
        tracks:
          talk: [{ clip: a.wav, at: 1s }]
          music: { clip: b.wav, at: talk.start-2s }
        output: x.mp3
        """#),
      #"""
      job.yaml:3:29: error: this is before the start of the list
          3 |   music: { clip: b.wav, at: talk.start-2s }
            |                             ^~~~~~~~~~~~~
        help: write a later time
      """#)
  }

  @Test("A moment where a length is meant")
  func aMomentWhereALengthIsMeant() {
    expect(
      Bench().screen(
        #"""
        concat: [{ clip: a.wav, at: end }, { clip: b.wav, fade_in: talk.end, at: talk.end-soon }, { silence: start }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:29: error: 'end' is no time of its own
          1 | concat: [{ clip: a.wav, at: end }, { clip: b.wav, fade_in: talk.end, at: talk.end-soon }, { silence: start }]
            |                             ^~~
        help: write a time, as '1:30', or that of another item, as 'talk.end'
      job.yaml:1:60: error: 'talk.end' is a moment, and a length is meant here
          1 | concat: [{ clip: a.wav, at: end }, { clip: b.wav, fade_in: talk.end, at: talk.end-soon }, { silence: start }]
            |                                                            ^~~~~~~~
        help: write a time, as '1:30' or '250ms'
      job.yaml:1:74: error: 'soon' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          1 | concat: [{ clip: a.wav, at: end }, { clip: b.wav, fade_in: talk.end, at: talk.end-soon }, { silence: start }]
            |                                                                          ^~~~~~~~~~~~~
        help: write 'talk.end-10s' for ten seconds before it
      job.yaml:1:102: error: 'start' is a moment, and a length is meant here
          1 | concat: [{ clip: a.wav, at: end }, { clip: b.wav, fade_in: talk.end, at: talk.end-soon }, { silence: start }]
            |                                                                                                      ^~~~~
        help: write a time, as '1:30' or '250ms'
      """#)
  }

  @Test("Cuts that cannot be")
  func cutsThatCannotBe() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
        output: x.mp3
        """#),
      #"""
      job.yaml:2:7: error: '12:00' is no range
          2 | cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
            |       ^~~~~
        help: write '12:00..13:30'
      job.yaml:2:14: error: '1:75' needs two digits below 60 after each colon: write 2:15
          2 | cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
            |              ^~~~
      job.yaml:2:32: error: no time is given: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          2 | cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
            |                                ^
      job.yaml:2:35: error: an empty range
          2 | cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
            |                                   ^
        help: write { from: 1:00, to: 2:30 }
      job.yaml:2:59: error: 'duration' beside 'to'
          2 | cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
            |                                                           ^~~~~~~~
        help: keep one of them
      job.yaml:2:51: note: the end is given here
          2 | cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
            |                                                   ^~
      job.yaml:2:77: error: unknown key 'frm'
          2 | cut: [12:00, 1:75..2:00, "1s..+", {}, { from: 1s, to: 2s, duration: 1s }, { frm: 1s }]
            |                                                                             ^~~
        help: did you mean 'from'?
      """#)
  }

  @Test("Cuts outside of the item")
  func cutsOutsideOfTheItem() {
    expect(
      Bench().exportScreen(
        #"""
        jobs:
          past: { clip: a.wav, cut: [30s..2:00, 5s..5s, end-2:00..], output: past.mp3 }
          all: { clip: a.wav, cut: [0s..40s, 30s..], output: all.mp3 }
        """#),
      #"""
      job.yaml:2:35: error: the range ends at 2:00, but 'a.wav' lasts 1:00
          2 |   past: { clip: a.wav, cut: [30s..2:00, 5s..5s, end-2:00..], output: past.mp3 }
            |                                   ^~~~
        help: leave the end out, or write 'end'
      job.yaml:2:41: error: the range of 'a.wav' is empty
          2 |   past: { clip: a.wav, cut: [30s..2:00, 5s..5s, end-2:00..], output: past.mp3 }
            |                                         ^~
        help: end it later, as '1:00..2:30'
      job.yaml:2:49: error: the range starts 2:00 before the end, but 'a.wav' lasts 1:00
          2 |   past: { clip: a.wav, cut: [30s..2:00, 5s..5s, end-2:00..], output: past.mp3 }
            |                                                 ^~~~~~~~
        help: start it later, or leave its start out
      job.yaml:3:29: error: nothing is left of 'a.wav'
          3 |   all: { clip: a.wav, cut: [0s..40s, 30s..], output: all.mp3 }
            |                             ^~~~~~~
        help: cut less of it
      """#)
  }

  @Test("A cut is a list")
  func aCutIsAList() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        cut: 1s..2s
        insert: { clip: b.wav, at: 1s }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:6: error: '1s..2s' is a range, and a list of them is meant
          2 | cut: 1s..2s
            |      ^~~~~~
        help: write [1s..2s]
      job.yaml:3:9: error: 'insert' is a list, not a map
          3 | insert: { clip: b.wav, at: 1s }
            |         ^
        help: write items and where they go, as [{ clip: ad.mp3, at: 1:30 }]
      """#)
  }

  @Test("Insertions that cannot be")
  func insertionsThatCannotBe() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        insert:
          - b.wav
          - { clip: b.wav, crossfade: 1s, at: 5s }
          - { clip: nope.wav, at: 1s }
          - 750ms
        output: x.mp3
        """#),
      #"""
      job.yaml:3:5: error: an inserted item needs an 'at'
          3 |   - b.wav
            |     ^~~~~
        help: write { clip: ad.mp3, at: 1:30 }
      job.yaml:4:20: error: 'crossfade' beside 'at'
          4 |   - { clip: b.wav, crossfade: 1s, at: 5s }
            |                    ^~~~~~~~~
        help: an item with 'at' starts there; a cross-fade would start it elsewhere
      job.yaml:4:35: note: the time is given here
          4 |   - { clip: b.wav, crossfade: 1s, at: 5s }
            |                                   ^~
      job.yaml:5:13: error: there is no file 'nope.wav'
          5 |   - { clip: nope.wav, at: 1s }
            |             ^~~~~~~~
        help: put it there, or name another one
      job.yaml:6:5: error: an inserted item needs an 'at'
          6 |   - 750ms
            |     ^~~~~
        help: write { clip: ad.mp3, at: 1:30 }
      """#)
  }

  @Test("Insertions outside of the item")
  func insertionsOutsideOfTheItem() {
    expect(
      Bench().exportScreen(
        #"""
        clip: a.wav
        insert: [{ clip: b.wav, at: 2:00 }, { clip: b.wav, at: end-2:00 }, { clip: b.wav, at: talk.end }]
        output: x.mp3
        """#),
      #"""
      job.yaml:2:29: error: this is at 2:00, but 'a.wav' lasts 1:00
          2 | insert: [{ clip: b.wav, at: 2:00 }, { clip: b.wav, at: end-2:00 }, { clip: b.wav, at: talk.end }]
            |                             ^~~~
        help: write a time within it; what goes to its end is 'at: end'
      job.yaml:2:56: error: this is before the start of 'a.wav'
          2 | insert: [{ clip: b.wav, at: 2:00 }, { clip: b.wav, at: end-2:00 }, { clip: b.wav, at: talk.end }]
            |                                                        ^~~~~~~~
        help: write a time within it; what goes to its end is 'at: end'
      job.yaml:2:87: error: there is no track or item 'talk'
          2 | insert: [{ clip: b.wav, at: 2:00 }, { clip: b.wav, at: end-2:00 }, { clip: b.wav, at: talk.end }]
            |                                                                                       ^~~~~~~~
        help: give the item that is meant a 'name'
      """#)
  }

}
