import TestSupport
import Testing

@testable import JobFile

/// What is said about paths that cannot be meant.
@Suite struct PathScreens {
  private func messages(_ yaml: String) -> [String] {
    Bench().screen(yaml).split(separator: "\n").compactMap { line in
      line.firstRange(of: "error: ").map { String(line[$0.upperBound...]) }
        ?? (line.hasPrefix("  help: ") ? String(line) : nil)
    }
  }

  @Test("The path of a file does not end in a slash")
  func slashes() {
    #expect(
      messages("clip: a.wav/\noutput: x.mp3/") == [
        "'a.wav/' ends in '/', as the path of a folder", "  help: write 'a.wav' for a file",
        "'x.mp3/' ends in '/', as the path of a folder",
        "  help: write 'x.mp3', or { folder: x.mp3, mp3: V2 }",
      ])
    #expect(
      messages("for_each: raw/*/\noutput: { folder: out, mp3: V2 }") == [
        "'raw/*/' ends in '/', as a pattern of folders, and files are meant",
        "  help: write 'raw/*/*' for the files in them",
      ])
    #expect(
      messages("for_each: raw//\noutput: { folder: out, mp3: V2 }") == [
        "'raw//' is a folder", "  help: write 'raw/*' for its files",
      ])
  }

  @Test("A path of Windows is no name of a file here, and neither is another user's home")
  func foreign() {
    #expect(
      messages(#"clip: C:\takes\one.wav"# + "\noutput: C:/out/x.mp3") == [
        #"'C:\takes\one.wav' is a path of Windows, and avjob runs on Linux"#,
        "  help: write '/mnt/c/takes/one.wav', or where the file is on this machine; a file of that "
          + #"name is './C:\takes\one.wav'"#,
        "'C:/out/x.mp3' is a path of Windows, and avjob runs on Linux",
        "  help: write '/mnt/c/out/x.mp3', or where the file is on this machine; a file of that "
          + "name is './C:/out/x.mp3'",
      ])
    #expect(
      messages(#"clip: takes\one.wav"# + "\n" + #"output: out\x.mp3"#) == [
        #"there is no file 'takes\one.wav'"#,
        "  help: folders are separated by '/': 'takes/one.wav'",
        #"'out\x.mp3' has a '\', which separates no folders here"#,
        #"  help: write 'out/x.mp3'; a file of that name is './out\x.mp3'"#,
      ])
    #expect(
      messages("clip: ~bob/a.wav\noutput: x.mp3") == [
        "'~bob' is not expanded: only '~/' is, your own home folder",
        "  help: write the path out, as '/home/bob/a.wav'; a folder of that name is './~bob/a.wav'",
      ])
  }

  @Test("A dash without a space begins no item of a list")
  func dashes() {
    #expect(
      messages("concat:\n  -a.wav\n  -b.wav\noutput: x.mp3") == [
        "no space after the '-' of a list",
        "  help: write '- a.wav'; a file of that name is './-a.wav'",
      ])
    #expect(
      messages("concat:\n  - a.wav\n  -b.wav\noutput: x.mp3") == [
        "no space after the '-' of a list", "  help: write '- b.wav'",
      ])
    #expect(
      messages("clip: a.wav\noutput:\n  -x.mp3\n  -y.mp3") == [
        "no space after the '-' of a list",
        "  help: write '- x.mp3'; a file of that name is './-x.mp3'",
      ])
    #expect(
      messages("concat: [-a.wav]\noutput: x.mp3") == [
        "there is no file '-a.wav'", "  help: a space stands after the '-' of a list: '- a.wav'",
      ])
  }

  @Test("A blank that is no space is named where it stands")
  func blanks() {
    let help =
      "  help: there is a no-break space (U+00A0) in it, as word processors and web pages have: "
      + "write a plain space, or nothing"
    for yaml in [
      "clip: a.wav\u{A0}1s..2s\noutput: x.mp3", "clip: a.wav\noutput: x.mp3\u{A0}",
      "clip: a.wav\n\u{A0}\u{A0}gain: 1 dB\noutput: x.mp3", "clip:\u{A0}a.wav\noutput: x.mp3",
      "concat:\n  -\u{A0}a.wav\n  - b.wav\noutput: x.mp3",
    ] {
      #expect(messages(yaml).contains(help), "\(Bench().screen(yaml))")
    }
    // Where it means something, nothing is said of it.
    let tags = "metadata: { title: \"Ça va\u{A0}!\", gian: x }\ngian: 1"
    #expect(
      messages("clip: a.wav\noutput: x.mp3\n" + tags).allSatisfy { !$0.contains("U+00A0") })
  }

  @Test("'fade' and 'file' are not keys of items, and the time is no variable")
  func words() {
    #expect(
      messages("concat: [{ file: a.wav }]\noutput: x.mp3").prefix(2) == [
        "unknown key 'file'",
        "  help: write 'clip: …' here; 'file' is a key of 'sources' and of 'output'",
      ])
    #expect(
      messages("clip: a.wav\nfade: 2s\noutput: x.mp3") == [
        "unknown key 'fade'",
        "  help: write 'fade_in' for the start of an item, 'fade_out' for its end",
      ])
    #expect(
      messages("clip: a.wav\noutput: \"x-${today}.mp3\"") == [
        "unknown variable 'today'",
        "  help: the day is '${date}', as in '${date:%Y-%m-%d}'; give a time on the command line, as "
          + "--set today=\"$(date +%T)\"",
      ])
  }
}
