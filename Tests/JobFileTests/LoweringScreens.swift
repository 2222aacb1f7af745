import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// What only the probed media show. Every file here lasts a minute.
@Suite struct LoweringScreens {
  @Test("Ranges past the end")
  func rangesPastTheEnd() {
    expect(
      Bench().exportScreen(
        #"""
        concat:
          - a.wav 2:00..
          - a.wav 30s..1:01.5
          - a.wav 30s..+31s
          - a.wav end-2:00..
          - { clip: a.wav, duration: 61s }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:11: error: the range starts at 2:00, but 'a.wav' lasts 1:00
          2 |   - a.wav 2:00..
            |           ^~~~
        help: start it earlier
      job.yaml:3:16: error: the range ends at 1:01.5, but 'a.wav' lasts 1:00
          3 |   - a.wav 30s..1:01.5
            |                ^~~~~~
        help: leave the end out, or write 'end'
      job.yaml:4:17: error: the range ends at 1:01, but 'a.wav' lasts 1:00
          4 |   - a.wav 30s..+31s
            |                 ^~~
        help: leave the end out, or write 'end'
      job.yaml:5:11: error: the range starts 2:00 before the end, but 'a.wav' lasts 1:00
          5 |   - a.wav end-2:00..
            |           ^~~~~~~~
        help: start it later, or leave its start out
      job.yaml:6:30: error: the range ends at 1:01, but 'a.wav' lasts 1:00
          6 |   - { clip: a.wav, duration: 61s }
            |                              ^~~
        help: leave the end out, or write 'end'
      """#)
  }

  @Test("Ranges that run backwards or are empty")
  func rangesThatRunBackwardsOrAreEmpty() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [a.wav 30s..10s, a.wav 30s..30s, a.wav end..]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:16: error: the range ends at 10s, before it starts at 30s
          1 | concat: [a.wav 30s..10s, a.wav 30s..30s, a.wav end..]
            |                ^~~
        help: the earlier time comes first, as '1:00..2:30'
      job.yaml:1:32: error: the range of 'a.wav' is empty
          1 | concat: [a.wav 30s..10s, a.wav 30s..30s, a.wav end..]
            |                                ^~~
        help: end it later, as '1:00..2:30'
      job.yaml:1:48: error: the range starts at the end of 'a.wav', which lasts 1:00
          1 | concat: [a.wav 30s..10s, a.wav 30s..30s, a.wav end..]
            |                                                ^~~
        help: start it earlier, or leave its start out
      """#)
  }

  @Test("A job is trimmed no further than it lasts")
  func aJobIsTrimmedNoFurtherThanItLasts() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [a.wav, b.wav]
        to: 3:00
        output: x.mp3
        """#),
      #"""
      job.yaml:2:5: error: the range ends at 3:00, but the sequence lasts 2:00
          2 | to: 3:00
            |     ^~~~
        help: leave the end out, or write 'end'
      """#)
  }

  @Test("Fades that are longer than their item")
  func fadesThatAreLongerThanTheirItem() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [{ clip: a.wav ..3s, fade_in: 4s, fade_out: 5s }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:39: error: the fade-in lasts 4s, but 'a.wav' only 3s
          1 | concat: [{ clip: a.wav ..3s, fade_in: 4s, fade_out: 5s }]
            |                                       ^~
        help: make it shorter
      job.yaml:1:53: error: the fade-out lasts 5s, but 'a.wav' only 3s
          1 | concat: [{ clip: a.wav ..3s, fade_in: 4s, fade_out: 5s }]
            |                                                     ^~
        help: make it shorter
      """#)
  }

  @Test("Chapters and points outside the item")
  func chaptersAndPointsOutsideTheItem() {
    expect(
      Bench().exportScreen(
        #"""
        clip: a.wav ..3s
        chapters: { 0s: a, 3s: b }
        volume: { 0s: 0 dB, 0ms: 1 dB, end-4s: 0 dB }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:20: error: the chapter begins at 3s, but 'a.wav' lasts 3s
          2 | chapters: { 0s: a, 3s: b }
            |                    ^~
        help: let it begin earlier, or leave it out
      job.yaml:3:21: error: two points of the volume at one time
          3 | volume: { 0s: 0 dB, 0ms: 1 dB, end-4s: 0 dB }
            |                     ^~~
        help: leave one of them out
      job.yaml:3:11: note: the other one is here
          3 | volume: { 0s: 0 dB, 0ms: 1 dB, end-4s: 0 dB }
            |           ^~
      job.yaml:3:32: error: this point is before the start of 'a.wav'
          3 | volume: { 0s: 0 dB, 0ms: 1 dB, end-4s: 0 dB }
            |                                ^~~~~~
        help: write a later time
      """#)
  }

  @Test("Two chapters at one time, also where a list has them")
  func twoChaptersAtOneTime() {
    var bench = Bench()
    bench.texts = ["times.txt": "0:05 One\n5s Two\n"]
    expect(
      bench.exportScreen(
        #"""
        concat:
          - { clip: a.wav, chapters: { 0s: a, start: b } }
          - { clip: a.wav, chapters: times.txt }
        output: x.mp3
        """#),
      #"""
      job.yaml:2:39: error: two chapters at one time
          2 |   - { clip: a.wav, chapters: { 0s: a, start: b } }
            |                                       ^~~~~
        help: leave one of them out
      job.yaml:2:32: note: the other one is here
          2 |   - { clip: a.wav, chapters: { 0s: a, start: b } }
            |                                ^~
      times.txt:2:1: error: two chapters at one time
          2 | 5s Two
            | ^~
        help: leave one of them out
      times.txt:1:1: note: the other one is here
          1 | 0:05 One
            | ^~~~
      job.yaml:3:30: note: the list is named here
          3 |   - { clip: a.wav, chapters: times.txt }
            |                              ^~~~~~~~~
      """#)
  }

  @Test("A range without a sample is refused, wherever it lies, and one of a single sample is not")
  func rangeWithoutSample() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [a.wav 1s..1.000001s, a.wav 59.999999s.., a.wav 1s..1.00003s]
        output: x.wav
        """#),
      #"""
      job.yaml:1:16: error: the range of 'a.wav' is shorter than a sample, of which there are 48000 a second
          1 | concat: [a.wav 1s..1.000001s, a.wav 59.999999s.., a.wav 1s..1.00003s]
            |                ^~
        help: end it later, as '1:00..2:30'
      job.yaml:1:37: error: the range of 'a.wav' is shorter than a sample, of which there are 48000 a second
          1 | concat: [a.wav 1s..1.000001s, a.wav 59.999999s.., a.wav 1s..1.00003s]
            |                                     ^~~~~~~~~~
        help: end it later, as '1:00..2:30'
      """#)
  }

  @Test("Items longer than a timeline, or of no length, are reported where they are written")
  func tooLongOrNoTime() {
    expect(
      Bench().exportScreen(
        #"""
        tracks:
          a: { clip: a.wav, at: 10000h }
          b: [{ silence: 10001h }, { silence: 0s }]
          c: { clip: a.wav, speed: 1/32, loop: 100000 }
          d: { clip: a.wav, at: 9223372036854775807/1s }
          e: [{ silence: 9999h }, 1h, a.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:2:25: error: the timeline would be 10000:01:00 long
          2 |   a: { clip: a.wav, at: 10000h }
            |                         ^~~~~~
        help: a timeline lasts 10000:00:00 at most
      job.yaml:3:18: error: the timeline would be 10001:00:00 long
          3 |   b: [{ silence: 10001h }, { silence: 0s }]
            |                  ^~~~~~
        help: a timeline lasts 10000:00:00 at most
      job.yaml:3:28: error: the silence lasts no time
          3 |   b: [{ silence: 10001h }, { silence: 0s }]
            |                            ^
        help: leave it out
      job.yaml:4:40: error: the timeline would be 53333:20:00 long
          4 |   c: { clip: a.wav, speed: 1/32, loop: 100000 }
            |                                        ^~~~~~
        help: a timeline lasts 10000:00:00 at most
      job.yaml:5:25: error: no time can hold where this ends
          5 |   d: { clip: a.wav, at: 9223372036854775807/1s }
            |                         ^~~~~~~~~~~~~~~~~~~~~~
        help: a timeline lasts 10000:00:00 at most
      job.yaml:6:31: error: the timeline would be 10000:01:00 long
          6 |   e: [{ silence: 9999h }, 1h, a.wav]
            |                               ^~~~~
        help: a timeline lasts 10000:00:00 at most
      """#)
  }

  @Test("A cross-fade longer than half of an item")
  func aCrossfadeLongerThanHalfOfAnItem() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [a.wav ..3s, b.wav, a.wav]
        crossfade: 2s
        output: x.mp3
        """#),
      #"""
      job.yaml:2:12: error: a cross-fade of 2s is longer than half of an item: 'a.wav' lasts 3s, 'b.wav' 1:00
          2 | crossfade: 2s
            |            ^~
        help: make it shorter
      job.yaml:1:22: note: the items join here
          1 | concat: [a.wav ..3s, b.wav, a.wav]
            |                      ^~~~~
      """#)
  }

  @Test("A cross-fade with nothing before it")
  func aCrossfadeWithNothingBeforeIt() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [{ clip: a.wav, crossfade: 2s }, b.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:36: error: the first item has none before it to cross-fade with
          1 | concat: [{ clip: a.wav, crossfade: 2s }, b.wav]
            |                                    ^~
        help: write 'fade_in'
      """#)
  }

  @Test("Items that overlap")
  func itemsThatOverlap() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [a.wav, { clip: b.wav, at: 30s }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:36: error: items overlap: one starts at 30s, before another ends at 1:00
          1 | concat: [a.wav, { clip: b.wav, at: 30s }]
            |                                    ^~~
        help: put it on a track of its own, or let it 'crossfade'
      job.yaml:1:10: note: the other one is here
          1 | concat: [a.wav, { clip: b.wav, at: 30s }]
            |          ^~~~~
      """#)
  }

  @Test("Items that overlap against the order of writing")
  func itemsThatOverlapAgainstTheOrderOfWriting() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [{ clip: a.wav, at: 30s }, { clip: b.wav, at: 0s }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:55: error: items overlap: one starts at 30s, before another ends at 1:00
          1 | concat: [{ clip: a.wav, at: 30s }, { clip: b.wav, at: 0s }]
            |                                                       ^~
        help: put it on a track of its own, or let it 'crossfade'
      job.yaml:1:10: note: the other one is here
          1 | concat: [{ clip: a.wav, at: 30s }, { clip: b.wav, at: 0s }]
            |          ^
      """#)
  }

  @Test("Samples at no rate")
  func samplesAtNoRate() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [a.wav, 44100 samples]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:17: error: '44100 samples' needs a sample rate
          1 | concat: [a.wav, 44100 samples]
            |                 ^~~~~~~~~~~~~
        help: write seconds, or give the job a 'sample_rate'
      """#)
  }

  @Test("Messages call an item by its name")
  func messagesCallAnItemByItsName() {
    expect(
      Bench().exportScreen(
        #"""
        concat: [{ clip: a.wav, name: interview, to: 2:00 }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:46: error: the range ends at 2:00, but 'interview' lasts 1:00
          1 | concat: [{ clip: a.wav, name: interview, to: 2:00 }]
            |                                              ^~~~
        help: leave the end out, or write 'end'
      """#)
  }
}
