import MediaComposition
import TestSupport
import Testing

@testable import JobFile
@testable import JobModel

/// What YAML's scalars without quotes stand for, and how JSON escapes characters.
@Suite struct ScalarTests {
  private static let nulls = ["null", "Null", "NULL", "~"]

  @Test(
    "a null without quotes is no text, wherever one belongs",
    arguments: [
      "clip: a.wav\nmetadata: { title: @ }\noutput: x.mp3",
      "clip: a.wav\nmetadata: { artist: [Ann, @] }\noutput: x.mp3",
      "clip: a.wav\nchapters: { 0s: @ }\noutput: x.mp3",
      "clip: a.wav\nchapters: { 0s: { title: @ } }\noutput: x.mp3",
      "clip: a.wav\nchapter: @\noutput: x.mp3",
      "vars: { a: @ }\nclip: a.wav\noutput: x.mp3",
      "clip: @\noutput: x.mp3",
      "concat: [a.wav, @]\noutput: x.mp3",
      "sources: { s: @ }\nclip: a.wav\noutput: x.mp3",
      "clip: a.wav\noutput: @",
      "clip: a.wav\nname: @\noutput: x.mp3",
      "clip: a.wav\nnormalize: @\noutput: { file: x.mp3, mp3: @ }",
      "for_each: [a.wav, @]\nclip: ${input}\noutput: ${n}.mp3",
      "jobs: { one: { clip: a.wav, metadata: { title: @ }, output: x.mp3 } }",
      "@",
    ])
  func nulls(yaml: String) {
    for null in Self.nulls {
      let said = Bench().screen(yaml.replacing("@", with: null))
      #expect(said.contains("error: '\(null)' without quotes is no value"), "\(yaml): \(said)")
    }
    // In quotes they are words, as is what only begins like one.
    for text in ["\"null\"", "'~'", "nullify", "~x", "nuLL"] where yaml.contains("title: @") {
      let said = Bench().screen(yaml.replacing("@", with: text))
      #expect(!said.contains("no value"), "\(said)")
    }
  }

  @Test("the message of a null says how a tag is taken away, and how the word is written")
  func nullScreen() {
    expect(
      Bench().screen("clip: a.wav\nmetadata: { title: null, artist: ~ }\noutput: x.mp3"),
      #"""
      job.yaml:2:20: error: 'null' without quotes is no value
          2 | metadata: { title: null, artist: ~ }
            |                    ^~~~
        help: leave it out; "" is an empty text, which removes a tag, and "null" is the word
      job.yaml:2:34: error: '~' without quotes is no value
          2 | metadata: { title: null, artist: ~ }
            |                                  ^
        help: leave it out; "" is an empty text, which removes a tag, and "~" is the word
      """#)
  }

  @Test("words of a command that YAML reads as a null are printed in quotes")
  func printedNulls() {
    for null in Self.nulls { #expect(ArgumentNode.scalar(null) == "\"\(null)\"") }
  }

  private func title(_ yaml: String) throws -> String? {
    try Bench().load(yaml).jobs[0].metadata["title"]
  }

  @Test("JSON's pairs of escapes are characters in double quotes, and else their letters")
  func pairs() throws {
    // As Python's json.dump has it.
    #expect(
      try title(
        #"{"clip": "a.wav", "metadata": {"title": "\u00dcn\u00ef \ud83d\ude00: \/x"}, "output": "x.mp3"}"#
      )
        == "Ünï 😀: /x")
    func of(_ scalar: String) throws -> String? {
      try title("clip: a.wav # \\ud83d\\ude00 *\nmetadata: { title: \(scalar) }\noutput: x.mp3")
    }
    #expect(try of(#""\uD83D\uDE00\ud83d\ude00*""#) == "😀😀*")
    #expect(try of(#""\ud800\udc00\udbbf\udfff""#) == "\u{10000}\u{FFFFF}")
    #expect(try of(#""\\ud83d\\ude00""#) == #"\ud83d\ude00"#)
    #expect(try of(#""\\\ud83d\ude00""#) == #"\😀"#)
    for written in [#"'\ud83d\uDE00'"#, #"\ud83d\uDE00"#] {
      #expect(try of(written) == #"\ud83d\uDE00"#)
    }
    // Every character beyond the first plane, at random.
    var dice = Dice(17)
    for _ in 0..<200 {
      let value = UInt32.random(in: 0x10000...0xFFFFF, using: &dice)
      let scalar = try #require(Unicode.Scalar(value))
      let units = String(scalar).utf16.map { "\\u" + String($0, radix: 16) }.joined()
      #expect(try of("\"\(units)\"") == String(scalar))
    }
  }

  @Test("places behind a pair of escapes stay, and half of one is refused at its place")
  func places() {
    expect(
      Bench().screen(
        #"{"metadata": {"title": "\ud83d\ude00"}, "clip": "a.wav", "fade_uot": "2s", "output": "x.mp3"}"#
      ),
      #"""
      job.yaml:1:58: error: unknown key 'fade_uot'
          1 | {"metadata": {"title": "\ud83d\ude00"}, "clip": "a.wav", "fade_uot": "2s", "output": "x.mp3"}
            |                                                          ^~~~~~~~~~
        help: did you mean 'fade_out'?
      """#)
    expect(
      Bench().screen(#"{"metadata": {"title": "a \ud83d b"}, "clip": "a.wav", "output": "x.mp3"}"#),
      #"""
      job.yaml:1:27: error: '\ud83d' is half of a character, and the other half is not beside it
          1 | {"metadata": {"title": "a \ud83d b"}, "clip": "a.wav", "output": "x.mp3"}
            |                           ^~~~~~
        help: write the character itself, or both halves, as '\ud83d\ude00'
      """#)
    expect(
      Bench().screen(
        #"{"clip": "a.wav", "metadata": {"title": "\udbc0\udc00"}, "output": "x.mp3"}"#),
      #"""
      job.yaml:1:41: error: the character U+100000 may not stand in a job file
          1 | {"clip": "a.wav", "metadata": {"title": "\udbc0\udc00"}, "output": "x.mp3"}
            |                                         ^~~~~~~~~~~~~~
        help: take it out
      """#)
  }
}
