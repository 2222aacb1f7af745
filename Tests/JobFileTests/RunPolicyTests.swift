import MediaTime
import Testing
import TestSupport

@testable import JobFile

/// After which others a job runs, how often, and how long.
@Suite struct RunPolicyTests {
  @Test("Needs, retries and a time limit; a need is a job or all jobs of a loop")
  func policy() throws {
    let jobs = try Bench().load(
      """
      vars: { e: 7 }
      jobs:
        intro: { clip: a.wav, output: intro.mp3 }
        ch:
          for_each: raw/*.wav
          needs: intro
          output: { folder: out, mp3: V2 }
        show-${e}:
          needs: [ch, "show-6", intro, ch]
          retries: 3
          timeout: 1:30
          clip: b.wav
          output: show.mp3
        show-6: { needs: [ch/ch2], retries: 0, clip: b.wav, output: six.mp3 }
        last: { needs: "show-${e}", clip: b.wav, output: last.mp3 }
        each-${n}: { for_each: raw/*.wav, needs: "ch/${input.stem}", output: { folder: x, mp3: V2 } }
      """
    ).jobs
    #expect(
      jobs.map { "\($0.name) of \($0.group): \($0.needs.map(\.value).joined(separator: " "))" } == [
        "intro of intro: ", "ch/ch1 of ch: intro", "ch/ch2 of ch: intro", "ch/ch10 of ch: intro",
        "show-7 of show-7: ch show-6 intro", "show-6 of show-6: ch/ch2", "last of last: show-7",
        "each-1 of each-${n}: ch/ch1", "each-2 of each-${n}: ch/ch2",
        "each-3 of each-${n}: ch/ch10",
      ])
    #expect(jobs.map(\.retries) == [nil, nil, nil, nil, 3, 0, nil, nil, nil, nil])
    #expect(jobs[4].timeout?.value == Time(value: 90, timescale: 1))
    #expect(jobs[0].timeout == nil)
  }

  @Test("Jobs that are not there, a job that needs itself, numbers and times that are none")
  func refusals() {
    // tidy: long because the screen stands here whole.
    expect(
      Bench().screen(
        #"""
        jobs:
          intro: { clip: a.wav, needs: intro, output: 1.mp3 }
          all: { for_each: raw/*.wav, needs: [all, nothing-of-it], output: { folder: x, mp3: V2 } }
          last: { clip: a.wav, needs: [intor, ""], retries: 101, timeout: 0s, output: 2.mp3 }
          late: { clip: a.wav, needs: { a: 1 }, retries: two, timeout: 44100 samples, output: 3.mp3 }
          later: { clip: a.wav, needs: [[intro]], retries: -1, timeout: end-10s, output: 4.mp3 }
          latest: { clip: a.wav, retries: 1.5, timeout: 90, output: 5.mp3 }
        """#),
      #"""
      job.yaml:2:32: error: 'intro' needs itself
          2 |   intro: { clip: a.wav, needs: intro, output: 1.mp3 }
            |                                ^~~~~
        help: name the jobs that must be done before
      job.yaml:3:39: error: 'all/ch1' needs 'all', of which it is one
          3 |   all: { for_each: raw/*.wav, needs: [all, nothing-of-it], output: { folder: x, mp3: V2 } }
            |                                       ^~~
        help: name the jobs that must be done before
      job.yaml:3:44: error: there is no job 'nothing-of-it' in this file
          3 |   all: { for_each: raw/*.wav, needs: [all, nothing-of-it], output: { folder: x, mp3: V2 } }
            |                                            ^~~~~~~~~~~~~
        help: there are 'all/ch10', 'all/ch2', 'intro', 'last', 'late', 'later', 'latest'
      job.yaml:4:32: error: there is no job 'intor' in this file
          4 |   last: { clip: a.wav, needs: [intor, ""], retries: 101, timeout: 0s, output: 2.mp3 }
            |                                ^~~~~
        help: did you mean 'intro'?
      job.yaml:4:39: error: there is no job '' in this file
          4 |   last: { clip: a.wav, needs: [intor, ""], retries: 101, timeout: 0s, output: 2.mp3 }
            |                                       ^~
        help: there are 'all', 'all/ch1', 'all/ch10', 'all/ch2', 'intro', 'late', 'later', 'latest'
      job.yaml:4:53: error: '101' is no number of retries
          4 |   last: { clip: a.wav, needs: [intor, ""], retries: 101, timeout: 0s, output: 2.mp3 }
            |                                                     ^~~
        help: write a whole number from 0 to 100
      job.yaml:4:67: error: '0s' leaves no time for anything
          4 |   last: { clip: a.wav, needs: [intor, ""], retries: 101, timeout: 0s, output: 2.mp3 }
            |                                                                   ^~
        help: write a time, as '10m', or leave it out
      job.yaml:5:31: error: 'needs' is a text or a list, not a map
          5 |   late: { clip: a.wav, needs: { a: 1 }, retries: two, timeout: 44100 samples, output: 3.mp3 }
            |                               ^
        help: write a job's name, or a list, as [intro, 'episode-42']
      job.yaml:5:50: error: 'two' is no number of retries
          5 |   late: { clip: a.wav, needs: { a: 1 }, retries: two, timeout: 44100 samples, output: 3.mp3 }
            |                                                  ^~~
        help: write a whole number from 0 to 100
      job.yaml:5:64: error: '44100 samples' is no time on a clock
          5 |   late: { clip: a.wav, needs: { a: 1 }, retries: two, timeout: 44100 samples, output: 3.mp3 }
            |                                                                ^~~~~~~~~~~~~
        help: write a time, as '10m'
      job.yaml:6:33: error: a text belongs here, not a list
          6 |   later: { clip: a.wav, needs: [[intro]], retries: -1, timeout: end-10s, output: 4.mp3 }
            |                                 ^
        help: write one value, without brackets and dashes
      job.yaml:6:52: error: '-1' is no number of retries
          6 |   later: { clip: a.wav, needs: [[intro]], retries: -1, timeout: end-10s, output: 4.mp3 }
            |                                                    ^~
        help: write a whole number from 0 to 100
      job.yaml:6:65: error: 'end-10s' is a moment, and a length is meant here
          6 |   later: { clip: a.wav, needs: [[intro]], retries: -1, timeout: end-10s, output: 4.mp3 }
            |                                                                 ^~~~~~~
        help: write a time, as '1:30' or '250ms'
      job.yaml:7:35: error: '1.5' is no number of retries
          7 |   latest: { clip: a.wav, retries: 1.5, timeout: 90, output: 5.mp3 }
            |                                   ^~~
        help: write a whole number from 0 to 100
      job.yaml:7:49: error: '90' has no unit: write 90s
          7 |   latest: { clip: a.wav, retries: 1.5, timeout: 90, output: 5.mp3 }
            |                                                 ^~
      """#)
  }

  @Test("In a file that is one job there is nothing to need")
  func single() {
    expect(
      Bench().screen("clip: a.wav\nneeds: intro\noutput: x.mp3"),
      #"""
      job.yaml:2:8: error: there is no job 'intro' in this file
          2 | needs: intro
            |        ^~~~~
        help: it has no other job: 'needs' names those under 'jobs'
      """#)
  }

  @Test("A job that is refused can be needed all the same, and so can one of a loop without files")
  func refused() {
    expect(
      Bench().screen(
        #"""
        jobs:
          one: { clip: a.wav, gain: 3, output: 1.mp3 }
          two: 2
          all: { for_each: none/*.wav, output: { folder: x, mp3: V2 } }
          last: { clip: a.wav, needs: [one, two, all], output: 2.mp3 }
        """#),
      #"""
      job.yaml:2:29: error: '3' has no unit
          2 |   one: { clip: a.wav, gain: 3, output: 1.mp3 }
            |                             ^
        help: write '3 dB', or a factor as '50 %'
      job.yaml:3:8: error: a job is a map, not a text
          3 |   two: 2
            |        ^
        help: write { clip: interview.wav, output: teaser.mp3 }
      job.yaml:4:20: error: there is no folder 'none'
          4 |   all: { for_each: none/*.wav, output: { folder: x, mp3: V2 } }
            |                    ^~~~~~~~~~
        help: a path counts from the folder of the file that it stands in
      """#)
  }
}
