import Testing
import TestSupport

@testable import JobFile

/// What is said about variables.
@Suite struct VariableScreens {
  @Test("Unknown variables, and their nearest names")
  func unknownVariablesAndTheirNearestNames() {
    expect(
      Bench().screen(
        #"""
        vars: { episode: 42 }
        clip: a.wav
        output: x-${epsiode}.mp3
        metadata: { title: "${title}", artist: "${n}", album: "${part.n}" }
        """#),
      #"""
      job.yaml:3:11: error: unknown variable 'epsiode'
          3 | output: x-${epsiode}.mp3
            |           ^~~~~~~~~~
        help: did you mean '${episode}'?
      job.yaml:4:21: error: unknown variable 'title'
          4 | metadata: { title: "${title}", artist: "${n}", album: "${part.n}" }
            |                     ^~~~~~~~
        help: add it to 'vars', or pass --set title=VALUE
      job.yaml:4:41: error: unknown variable 'n'
          4 | metadata: { title: "${title}", artist: "${n}", album: "${part.n}" }
            |                                         ^~~~
        help: 'n' is bound by 'for_each', which this job has not
      job.yaml:4:56: error: unknown variable 'part.n'
          4 | metadata: { title: "${title}", artist: "${n}", album: "${part.n}" }
            |                                                        ^~~~~~~~~
        help: 'part' is bound by 'split', which this job has not
      """#)
  }

  @Test("Ways of writing that are none")
  func waysOfWritingThatAreNone() {
    expect(
      Bench().screen(
        #"""
        vars: { t: x }
        clip: a.wav
        output: x.mp3
        metadata: { a: "${t:x}", b: "${", c: "${}", d: "${t:02}" }
        """#),
      #"""
      job.yaml:4:17: error: 'x' is no way to print a variable
          4 | metadata: { a: "${t:x}", b: "${", c: "${}", d: "${t:02}" }
            |                 ^~~~~~
        help: write '${t:02}' for leading zeros, '${t:%d.%m.%Y}' for a day, '${t:-text}' for a default
      job.yaml:4:30: error: '${' is never closed
          4 | metadata: { a: "${t:x}", b: "${", c: "${}", d: "${t:02}" }
            |                              ^~
        help: write '${name}', or '$${' for the characters
      job.yaml:4:39: error: '${}' names no variable
          4 | metadata: { a: "${t:x}", b: "${", c: "${}", d: "${t:02}" }
            |                                       ^~~
        help: a name is made of letters, digits, '_', '-' and '.', as in '${show}'
      job.yaml:4:49: error: 't' is 'x', which is no whole number
          4 | metadata: { a: "${t:x}", b: "${", c: "${}", d: "${t:02}" }
            |                                                 ^~~~~~~
        help: only whole numbers take leading zeros
      """#)
  }

  @Test("A range from a variable is blamed where the variable stands")
  func aRangeFromAVariableIsBlamedWhereTheVariableStands() {
    expect(
      Bench().screen(
        #"""
        vars: { from: 1:75 }
        clip: a.wav ${from}..2s
        output: x.mp3
        """#),
      #"""
      job.yaml:2:13: error: '1:75' needs two digits below 60 after each colon: write 2:15
          2 | clip: a.wav ${from}..2s
            |             ^~~~~~~
      """#)
  }

  @Test("Names that variables cannot have")
  func namesThatVariablesCannotHave() {
    expect(
      Bench().screen(
        #"""
        vars: { n: 1, input.x: 2, 'a b': 3 }
        clip: a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:9: error: 'n' is a name of the language's own
          1 | vars: { n: 1, input.x: 2, 'a b': 3 }
            |         ^
        help: choose another name
      job.yaml:1:15: error: 'input.x' is a name of the language's own
          1 | vars: { n: 1, input.x: 2, 'a b': 3 }
            |               ^~~~~~~
        help: choose another name
      job.yaml:1:27: error: 'a b' cannot be a variable's name
          1 | vars: { n: 1, input.x: 2, 'a b': 3 }
            |                           ^~~~~
        help: a name is made of letters, digits, '_', '-' and '.'
      """#)
  }

  @Test("Variables are read from top to bottom")
  func variablesAreReadFromTopToBottom() {
    expect(
      Bench().screen(
        #"""
        vars: { a: "${b}", b: x }
        clip: a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:13: error: unknown variable 'b'
          1 | vars: { a: "${b}", b: x }
            |             ^~~~
        help: add it to 'vars', or pass --set b=VALUE
      """#)
  }

  @Test("The environment must be allowed")
  func theEnvironmentAsksForLeave() {
    expect(
      Bench().screen(
        #"""
        clip: ${env.HOME}/a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: the environment's 'HOME' is not allowed here
          1 | clip: ${env.HOME}/a.wav
            |       ^~~~~~~~~~~
        help: allow it with --env HOME
      """#)
  }

  @Test("Variables of a loop in a job without one")
  func namesOfOtherLoops() {
    expect(
      Bench().screen(
        #"""
        jobs:
          a: { clip: a.wav, output: "${row.x}.mp3" }
          b: { for_each: { l: [en, de] }, clip: a.wav, output: "${input}-b.mp3" }
          c: { for_each: { l: [en, de] }, clip: a.wav, output: "${ll}-c.mp3" }
          e: { for_each: [en, de], group_by: x, clip: a.wav, output: "${input}-e.mp3" }
          g: { each: row, clip: a.wav, output: g.mp3 }
        """#),
      #"""
      job.yaml:2:30: error: unknown variable 'row.x'
          2 |   a: { clip: a.wav, output: "${row.x}.mp3" }
            |                              ^~~~~~~~
        help: 'row' is bound by 'rows', which this job has not
      job.yaml:3:57: error: unknown variable 'input'
          3 |   b: { for_each: { l: [en, de] }, clip: a.wav, output: "${input}-b.mp3" }
            |                                                         ^~~~~~~~
        help: 'input' is bound by a 'for_each' over files, or over a list without a name
      job.yaml:4:57: error: unknown variable 'll'
          4 |   c: { for_each: { l: [en, de] }, clip: a.wav, output: "${ll}-c.mp3" }
            |                                                         ^~~~~
        help: did you mean '${l}'?
      job.yaml:5:28: error: 'group_by' without 'rows'
          5 |   e: { for_each: [en, de], group_by: x, clip: a.wav, output: "${input}-e.mp3" }
            |                            ^~~~~~~~
        help: name the table whose rows it groups: 'rows: words.csv'
      job.yaml:6:8: error: unknown key 'each'
          6 |   g: { each: row, clip: a.wav, output: g.mp3 }
            |        ^~~~
        help: 'each' is a key of an item, not of a job
      """#)
  }

  @Test("A refused name is refused once, however often it is used")
  func aRefusedNameIsRefusedOnce() {
    expect(
      Bench().screen(
        #"""
        vars: { n: 3 }
        jobs:
          a: { clip: a.wav, output: "${n}.mp3" }
          b: { clip: b.wav, output: "b${n}.mp3", metadata: { title: "${n} ${n}" } }
        """#),
      #"""
      job.yaml:1:9: error: 'n' is a name of the language's own
          1 | vars: { n: 3 }
            |         ^
        help: choose another name
      """#)
  }
}
