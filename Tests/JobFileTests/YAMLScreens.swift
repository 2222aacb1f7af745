// tidy: long because every screen stands here whole, as the user sees it.

import Testing
import TestSupport

@testable import JobFile
@testable import JobModel

/// What is said about text that is no YAML, or is YAML that the job language has not.
@Suite struct YAMLScreens {
  @Test("An unknown key gets the nearest valid spelling")
  func anUnknownKeyGetsTheNearestValidSpelling() {
    expect(
      Bench().screen(
        #"""
        tracks:
          voice:
            - clip: a.wav
              fade_on: 2s
        output: x.mp3
        """#),
      #"""
      job.yaml:4:7: error: unknown key 'fade_on'
          4 |       fade_on: 2s
            |       ^~~~~~~
        help: did you mean 'fade_in'?
      """#)
  }

  @Test("A duplicate key points at the first one and does not end the reading")
  func aDuplicateKeyPointsAtTheFirstOneAndDoesNotEndTheReading() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        clip: b.wav
        'output': x.mp3
        output: y.mp3
        from: soon
        """#),
      #"""
      job.yaml:2:1: error: duplicate key 'clip'
          2 | clip: b.wav
            | ^~~~
        help: keep one of them
      job.yaml:1:1: note: first written here
          1 | clip: a.wav
            | ^~~~
      job.yaml:4:1: error: duplicate key 'output'
          4 | output: y.mp3
            | ^~~~~~
        help: keep one of them
      job.yaml:3:1: note: first written here
          3 | 'output': x.mp3
            | ^~~~~~~~
      job.yaml:5:7: error: 'soon' is no time: write 90s, 1:30, 250ms, 1001/30000s or 44100 samples
          5 | from: soon
            |       ^~~~
        help: if 'soon' is an item, write 'soon.start' or 'soon.end'
      """#)
  }

  @Test("A quoted key is the same key")
  func aQuotedKeyIsTheSameKey() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        metadata:
          1: a
          "1": b
        """#),
      #"""
      job.yaml:5:3: error: duplicate key '1'
          5 |   "1": b
            |   ^~~
        help: keep one of them
      job.yaml:4:3: note: first written here
          4 |   1: a
            |   ^
      """#)
  }

  @Test("Duplicate keys in several maps are all reported")
  func duplicateKeysInSeveralMapsAreAllTold() {
    expect(
      Bench().screen(
        #"""
        sources: { a: a.wav, a: b.wav }
        clip: a
        output: { file: x.mp3, mp3: V2, file: y.mp3, mp3: V0, mp3: V1 }
        """#),
      #"""
      job.yaml:1:22: error: duplicate key 'a'
          1 | sources: { a: a.wav, a: b.wav }
            |                      ^
        help: keep one of them
      job.yaml:1:12: note: first written here
          1 | sources: { a: a.wav, a: b.wav }
            |            ^
      job.yaml:3:33: error: duplicate key 'file'
          3 | output: { file: x.mp3, mp3: V2, file: y.mp3, mp3: V0, mp3: V1 }
            |                                 ^~~~
        help: keep one of them
      job.yaml:3:11: note: first written here
          3 | output: { file: x.mp3, mp3: V2, file: y.mp3, mp3: V0, mp3: V1 }
            |           ^~~~
      job.yaml:3:46: error: duplicate key 'mp3'
          3 | output: { file: x.mp3, mp3: V2, file: y.mp3, mp3: V0, mp3: V1 }
            |                                              ^~~
        help: keep one of them
      job.yaml:3:24: note: first written here
          3 | output: { file: x.mp3, mp3: V2, file: y.mp3, mp3: V0, mp3: V1 }
            |                        ^~~
      job.yaml:3:55: error: duplicate key 'mp3'
          3 | output: { file: x.mp3, mp3: V2, file: y.mp3, mp3: V0, mp3: V1 }
            |                                                       ^~~
        help: keep one of them
      job.yaml:3:24: note: first written here
          3 | output: { file: x.mp3, mp3: V2, file: y.mp3, mp3: V0, mp3: V1 }
            |                        ^~~
      """#)
  }

  @Test("A minus with a space after it")
  func aMinusWithASpaceAfterIt() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        gain: - 18 dB
        output: x.mp3
        """#),
      #"""
      job.yaml:2:7: error: a minus with a space after it begins a list
          2 | gain: - 18 dB
            |       ^
        help: no space after the minus: '-18 dB'
      """#)
  }

  @Test("A minus with a space after it in braces")
  func aMinusWithASpaceAfterItInBraces() {
    expect(
      Bench().screen(
        #"""
        concat: [{ clip: a.wav, gain: - 18 dB }]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:31: error: a minus with a space after it begins a list
          1 | concat: [{ clip: a.wav, gain: - 18 dB }]
            |                               ^
        help: no space after the minus: '-18 dB'
      """#)
  }

  @Test("A wildcard at the start of a text")
  func aWildcardAtTheStartOfAText() {
    expect(
      Bench().screen(
        #"""
        for_each: *.wav
        output: { folder: out, mp3: V2 }
        """#),
      #"""
      job.yaml:1:11: error: no plain text may begin with '*'
          1 | for_each: *.wav
            |           ^~~~~
        help: quote the pattern, "*.wav", or write './*.wav'
      """#)
  }

  @Test("Two stars at the start of a text")
  func twoStarsAtTheStartOfAText() {
    expect(
      Bench().screen(
        #"""
        concat: [**/*.wav, nope.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: no plain text may begin with '*'
          1 | concat: [**/*.wav, nope.wav]
            |          ^~~~~~~~
        help: quote the pattern, "**/*.wav", or write './**/*.wav'
      job.yaml:1:20: error: there is no file 'nope.wav'
          1 | concat: [**/*.wav, nope.wav]
            |                    ^~~~~~~~
        help: put it there, or name another one
      """#)
  }

  @Test("A variable in braces")
  func aVariableInBraces() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: { file: ${x}.mp3, mp3: V2 }
        """#),
      #"""
      job.yaml:2:17: error: inside {} and [] a variable must be quoted
          2 | output: { file: ${x}.mp3, mp3: V2 }
            |                 ^~~~~~~~
        help: write "${x}.mp3"
      """#)
  }

  @Test("A variable in brackets")
  func aVariableInBrackets() {
    expect(
      Bench().screen(
        #"""
        concat: [a.wav, ${x}, b.wav]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:17: error: inside {} and [] a variable must be quoted
          1 | concat: [a.wav, ${x}, b.wav]
            |                 ^~~~
        help: write "${x}"
      """#)
  }

  @Test("A pattern with braces in brackets")
  func aPatternWithBracesInBrackets() {
    expect(
      Bench().screen(
        #"""
        for_each: [memos/*.{amr,m4a}]
        output: { folder: out, mp3: V2 }
        """#),
      #"""
      job.yaml:1:12: error: inside {} and [] a pattern with braces must be quoted
          1 | for_each: [memos/*.{amr,m4a}]
            |            ^~~~~~~~~~~~~~~~~
        help: write "memos/*.{amr,m4a}"
      """#)
  }

  @Test("An address with a comma in brackets")
  func anAddressWithACommaInBrackets() {
    expect(
      Bench().screen(
        #"""
        concat: [https://example.org/a?b=1,c]
        output: x.mp3
        """#),
      #"""
      job.yaml:1:10: error: 'https://example.org/a?…' ends at a comma
          1 | concat: [https://example.org/a?******
            |          ^~~~~~~~~~~~~~~~~~~~~~~~~
        help: inside [] a comma ends a text; quote the address, or write a space behind the comma
      job.yaml:1:36: error: there is no file 'c'
          1 | concat: [https://example.org/a?******
            |                                    ^
        help: put it there, or name another one
      """#)
  }

  @Test("A percent sign first")
  func aPercentSignFirst() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        gain: %50
        output: x.mp3
        """#),
      #"""
      job.yaml:2:7: error: no plain text may begin with '%'
          2 | gain: %50
            |       ^~~
        help: quote it: "%50"
      """#)
  }

  @Test("An at sign first")
  func anAtSignFirst() {
    expect(
      Bench().screen(
        #"""
        clip: @x
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: no plain text may begin with '@'
          1 | clip: @x
            |       ^~
        help: quote it: "@x"
      """#)
  }

  @Test("A backtick first")
  func aBacktickFirst() {
    expect(
      Bench().screen(
        #"""
        clip: `x`
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: no plain text may begin with '`'
          1 | clip: `x`
            |       ^~~
        help: quote it: "`x`"
      """#)
  }

  @Test("A directive")
  func aDirective() {
    expect(
      Bench().screen(
        #"""
        %50
        clip: a.wav
        """#),
      #"""
      job.yaml:1:1: error: no plain text may begin with '%'
          1 | %50
            | ^~~
        help: quote it: "%50"
      """#)
  }

  @Test("A comma in a text in braces")
  func aCommaInATextInBraces() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        metadata: { title: Hello, world }
        """#),
      #"""
      job.yaml:3:27: error: 'world' has no value
          3 | metadata: { title: Hello, world }
            |                           ^~~~~
        help: inside {} a comma ends a text; quote it: "Hello, world"
      """#)
  }

  @Test("A key in braces that is written without a value, where no text was cut in two")
  func aKeyInBracesWithoutAValue() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: { file: x.mp3, mp3: }
        metadata: { title: , "a:b": , genre: }
        vars: {t: }
        """#),
      #"""
      job.yaml:2:24: error: 'mp3' has no value
          2 | output: { file: x.mp3, mp3: }
            |                        ^~~
        help: write one behind it, or leave the key out
      job.yaml:3:13: error: 'title' has no value
          3 | metadata: { title: , "a:b": , genre: }
            |             ^~~~~
        help: write one behind it, or leave the key out
      job.yaml:3:22: error: 'a:b' has no value
          3 | metadata: { title: , "a:b": , genre: }
            |                      ^~~~~
        help: write one behind it, or leave the key out
      job.yaml:3:31: error: 'genre' has no value
          3 | metadata: { title: , "a:b": , genre: }
            |                               ^~~~~
        help: write one behind it, or leave the key out
      job.yaml:4:8: error: 't' has no value
          4 | vars: {t: }
            |        ^
        help: write one behind it, or leave the key out
      """#)
  }

  @Test("No space after a colon in braces")
  func noSpaceAfterAColonInBraces() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: {file:x.mp3}
        """#),
      #"""
      job.yaml:2:10: error: 'file:x.mp3' has no value
          2 | output: {file:x.mp3}
            |          ^~~~~~~~~~
        help: inside {} a colon needs a space after it: 'file: x.mp3'
      """#)
  }

  @Test("A colon and a space in a text")
  func aColonAndASpaceInAText() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        metadata:
          title: Part 2: End   # the last
        """#),
      #"""
      job.yaml:4:10: error: a text with a colon and a space in it must be quoted
          4 |   title: Part 2: End   # the last
            |          ^~~~~~~~~~~
        help: write "Part 2: End"
      """#)
  }

  @Test("A hash after a space touches text")
  func aHashAfterASpaceTouchesText() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        metadata:
          title: Ice #1
          album: Ice # a comment
          artist: "Ice #1" #1
        """#),
      #"""
      job.yaml:4:14: warning: '#' begins a comment: the text ends before it
          4 |   title: Ice #1
            |              ^~
        help: quote the text if the '#' belongs to it: "Ice #1"
      """#)
  }

  @Test("Anchors, aliases and tags")
  func anchorsAliasesAndTags() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        metadata:
          title: &Friends
          artist: *you
          album: !x y
          genre: "& * !"
          comment: |
            * one
            & two
            ! three
        """#),
      #"""
      job.yaml:4:10: error: no plain text may begin with '&', and a job file has no anchors
          4 |   title: &Friends
            |          ^~~~~~~~
        help: quote the text, "&Friends"; what is used twice goes under 'vars' or 'sources'
      job.yaml:5:11: error: no plain text may begin with '*', and a job file has no aliases
          5 |   artist: *you
            |           ^~~~
        help: quote the text, "*you"; what is used twice goes under 'vars' or 'sources'
      job.yaml:6:10: error: no plain text may begin with '!', and a job file has no tags
          6 |   album: !x y
            |          ^~~~
        help: quote the text, "!x y"
      """#)
  }

  @Test("An anchor on a map")
  func anAnchorOnAMap() {
    expect(
      Bench().screen(
        #"""
        sources: &s
          a: a.wav
        """#),
      #"""
      job.yaml:1:10: error: no plain text may begin with '&', and a job file has no anchors
          1 | sources: &s
            |          ^~
        help: quote the text, "&s"; what is used twice goes under 'vars' or 'sources'
      """#)
  }

  @Test("An anchor on a map in braces")
  func anAnchorOnAMapInBraces() {
    expect(
      Bench().screen(
        #"""
        sources: { a: &s { file: a.wav } }
        """#),
      #"""
      job.yaml:1:1: error: a job needs an 'output'
          1 | sources: { a: &s { file: a.wav } }
            | ^~~~~~~
        help: add 'output: NAME.mp3'
      job.yaml:1:15: error: no plain text may begin with '&', and a job file has no anchors
          1 | sources: { a: &s { file: a.wav } }
            |               ^~
        help: quote the text, "&s"; what is used twice goes under 'vars' or 'sources'
      """#)
  }

  @Test("A merge key")
  func aMergeKey() {
    expect(
      Bench().screen(
        #"""
        <<: x
        clip: a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:1: error: '<<' merges nothing here
          1 | <<: x
            | ^~
        help: write the keys out; a clip's defaults go under 'sources'
      """#)
  }

  @Test("A key without a value")
  func aKeyWithoutAValue() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        from:
        output: x.mp3
        """#),
      #"""
      job.yaml:2:1: error: 'from' has no value
          2 | from:
            | ^~~~
        help: write one behind it, or leave the key out
      """#)
  }

  @Test("An item without a value")
  func anItemWithoutAValue() {
    expect(
      Bench().screen(
        #"""
        concat:
          - a.wav
          -
        output: x.mp3
        """#),
      #"""
      job.yaml:3:4: error: an item without a value
          3 |   -
            |    ^
        help: write one, or take the '-' or the comma away
      """#)
  }

  @Test("A second document")
  func aSecondDocument() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        ---
        clip: b.wav
        """#),
      #"""
      job.yaml:3:1: error: a second document
          3 | ---
            | ^~~
        help: a job file is one document; several jobs go under 'jobs'
      """#)
  }

  @Test("Text after the end of the document")
  func textAfterTheEndOfTheDocument() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        output: x.mp3
        ...
        more
        """#),
      #"""
      job.yaml:4:1: error: a second document
          4 | more
            | ^~~~
        help: a job file is one document; several jobs go under 'jobs'
      """#)
  }

  @Test("An empty file")
  func anEmptyFile() {
    expect(
      Bench().screen(
        #"""

        """#),
      #"""
      job.yaml:1:1: error: the file is empty
          1 | 
            | ^
        help: the smallest job is two lines: 'clip: interview.wav' and 'output: teaser.mp3'
      """#)
  }

  @Test("A file of comments")
  func aFileOfComments() {
    expect(
      Bench().screen(
        #"""
        # nothing yet
        """#),
      #"""
      job.yaml:1:1: error: the file is empty
          1 | # nothing yet
            | ^
        help: the smallest job is two lines: 'clip: interview.wav' and 'output: teaser.mp3'
      """#)
  }

  @Test("A list as a file")
  func aListAsAFile() {
    expect(
      Bench().screen(
        #"""
        - a.wav
        - b.wav
        """#),
      #"""
      job.yaml:1:1: error: a job file is a map, not a list
          1 | - a.wav
            | ^
        help: the smallest job is two lines: 'clip: interview.wav' and 'output: teaser.mp3'
      """#)
  }

  @Test("A text as a file")
  func aTextAsAFile() {
    expect(
      Bench().screen(
        #"""
        a.wav
        """#),
      #"""
      job.yaml:1:1: error: a job file is a map, not a text
          1 | a.wav
            | ^~~~~
        help: the smallest job is two lines: 'clip: interview.wav' and 'output: teaser.mp3'
      """#)
  }

  @Test("A quote that is never closed")
  func aQuoteThatIsNeverClosed() {
    expect(
      Bench().screen(
        #"""
        clip: "a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: this quote is never closed
          1 | clip: "a.wav
            |       ^
        help: end the text with the same quote
      """#)
  }

  @Test("A bracket that is never closed")
  func aBracketThatIsNeverClosed() {
    expect(
      Bench().screen(
        #"""
        concat: [a.wav, b.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:9: error: this '[' is never closed
          1 | concat: [a.wav, b.wav
            |         ^
        help: add the ']' that ends it
      """#)
  }

  @Test("Text after a closing quote")
  func textAfterAClosingQuote() {
    expect(
      Bench().screen(
        #"""
        clip: 'it's.wav'
        output: x.mp3
        """#),
      #"""
      job.yaml:1:11: error: text after a closing quote
          1 | clip: 'it's.wav'
            |           ^~~~~~
        help: quote the whole text; '' is a quote within single ones
      """#)
  }

  @Test("A tab in the indentation")
  func aTabInTheIndentation() {
    expect(
      Bench().screen(
        #"""
        concat:
        	- a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:2:1: error: a tab in the indentation
          2 | 	- a.wav
            | ^
        help: indent with spaces
      """#)
  }

  @Test("A key below a text")
  func aKeyBelowAText() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
          to: 3s
        output: x.mp3
        """#),
      #"""
      job.yaml:2:3: error: a key where a text goes on
          2 |   to: 3s
            |   ^~
        help: the line above, 'clip: a.wav', has a value: keys cannot stand below it
      """#)
  }

  @Test("A line without a colon")
  func aLineWithoutAColon() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        loud
        output: x.mp3
        """#),
      #"""
      job.yaml:2:1: error: no ':' after a key
          2 | loud
            | ^~~~
        help: a line of a map is 'key: value'
      """#)
  }

  @Test("A first line without a colon")
  func aFirstLineWithoutAColon() {
    expect(
      Bench().screen(
        #"""
        clip a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:1: error: no ':' after a key
          1 | clip a.wav
            | ^~~~~~~~~~
        help: a line of a map is 'key: value'
      """#)
  }

  @Test("A list on the line of its key")
  func aListOnTheLineOfItsKey() {
    expect(
      Bench().screen(
        #"""
        concat: - a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:9: error: a list begins on a line of its own
          1 | concat: - a.wav
            |         ^
        help: write it below the key, or as [a, b]
      """#)
  }

  @Test("An odd indentation")
  func anOddIndentation() {
    expect(
      Bench().screen(
        #"""
        concat:
            - a.wav
          - b.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:3:3: error: this line is indented unlike those above it
          3 |   - b.wav
            |   ^~~~~~~
        help: the keys of a map, and the '-' of a list, stand in one column
      """#)
  }

  @Test("A dash alone is no file")
  func aDashAloneIsNoFile() {
    expect(
      Bench().screen(
        #"""
        clip: -
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: '-' stands for a pipe, and avjob reads and writes files only
          1 | clip: -
            |       ^
        help: name a file: an MP3 written to a pipe loses its tag
      """#)
  }

  @Test("A key that is no text")
  func aKeyThatIsNoText() {
    expect(
      Bench().screen(
        #"""
        ? [a]
        : b
        clip: a.wav
        output: x.mp3
        """#),
      #"""
      job.yaml:1:3: error: a key must be a text
          1 | ? [a]
            |   ^
        help: a key is a word with ':' behind it
      """#)
  }

  @Test("Wide and combining characters stand under their caret")
  func wideAndCombiningCharactersStandUnderTheirCaret() {
    expect(
      Bench().screen(
        #"""
        clip: 'Café 漢字.wav'
        output: { file: 漢字.mp3, mp4: V2 }
        """#),
      #"""
      job.yaml:1:7: error: there is no file 'Café 漢字.wav'
          1 | clip: 'Café 漢字.wav'
            |       ^~~~~~~~~~~~~~~
        help: put it there, or name another one
      job.yaml:2:25: error: unknown key 'mp4'
          2 | output: { file: 漢字.mp3, mp4: V2 }
            |                           ^~~
        help: did you mean 'mp3'?
      """#)
  }

  @Test("Control characters do not reach the terminal")
  func controlCharactersDoNotReachTheTerminal() {
    expect(
      Bench().screen(
        #"""
        clip: "\e[31mred.wav"
        output: x.mp3
        """#),
      #"""
      job.yaml:1:7: error: a wildcard stands for several files
          1 | clip: "\e[31mred.wav"
            |       ^~~~~~~~~~~~~~~
        help: put it into a list: ["\u{1B}[31mred.wav"]
      """#)
  }

  @Test("A mark that is no letter may be a repeated key")
  func aMarkThatIsNoLetterMayBeARepeatedKey() {
    expect(
      Bench().screen(
        #"""
        clip: a.wav
        "/": x
        "/": y
        output: x.mp3
        """#),
      #"""
      job.yaml:2:1: error: unknown key '/'
          2 | "/": x
            | ^~~
        help: 'avjob schema job file' lists the keys of a job file
      job.yaml:3:1: error: duplicate key '/'
          3 | "/": y
            | ^~~
        help: keep one of them
      job.yaml:2:1: note: first written here
          2 | "/": x
            | ^~~
      """#)
  }
}
