import TestSupport
import Testing

/// Names that mean something to a shell, a URL, a printf, a playlist or a job file.
private let names = [
  "with space.wav", "col:on.wav", "per%cent%20s%d%03d.wav", "quo'te\"s.wav", "new\nline.wav",
  "file:a.wav", "concat:a|b.wav", "*.wav", "[a]{b,c}.wav", "-dash.wav", "1..2.wav", "${x}.wav",
  "#hash.wav", "ünï☃.wav", "back\\slash.wav", "$(touch x)`touch x`.wav", "@at.wav", "é.wav",
  "tail .wav", String(repeating: "x", count: 251) + ".wav",
]

@Suite("Names are bytes")
struct NamesTests {
  @Test("a name on the command line is taken as it is", arguments: names)
  func literal(_ name: String) throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 16 in.wav synth 0.1 pinknoise; mkdir a b")
    let output = String(name.dropLast(4)) + ".WAV"
    try Tool.succeed("mv", "--", stage.path("in.wav"), stage.path("a/" + name))
    for command in ["clip", "compress"] {
      let result = try Command.avjob(
        command, "--force", "-o", "../b/" + output, "--", name, in: stage.path("a"))
      #expect(result.status == 0 && result.screen == "")
      #expect(try stage.run("find a b -type f -printf x").text == "xx")
      #expect(
        try WAVFile(stage.path("a/" + name)).data == WAVFile(stage.path("b/" + output)).data)
    }
  }

  @Test("a wildcard finds any name, and the output has the same bytes in it")
  func wildcard() throws {
    let stage = Stage()
    try stage.make(
      "mkdir raw; sox -R -r 8000 -n -c 1 -b 16 in.wav synth 0.1 pinknoise")
    for name in names { try Tool.succeed("cp", stage.path("in.wav"), stage.path("raw/" + name)) }
    try stage.make("mv in.wav raw/$'bytes \\xff\\xfe.wav'")
    let result = try stage.job("for_each: raw/*.wav\noutput: { folder: out, mp3: V9 }\n")
    #expect(result.status == 0 && result.errors == "")
    let folders = try stage.make(
      """
      (cd raw && printf '%s\\0' *) | sed -z 's/[.]wav$//' | sha256sum
      (cd out && printf '%s\\0' *) | sed -z 's/[.]mp3$//' | sha256sum
      """
    ).text.split(separator: "\n")
    #expect(folders.count == 2 && folders[0] == folders[1])
  }

  @Test("bytes that are not UTF-8 are refused as an argument, not written under another name")
  func bytesAsArgument() throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 16 in.wav synth 0.1 pinknoise")
    let before = try stage.listing()
    let result = try stage.run("avjob clip in.wav -o $'b\\xff.wav'")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        error: the argument 'b\u{FFFD}.wav' is not UTF-8
          help: a wildcard in a job file finds such names, as for_each: '*.wav'

        """)
    #expect(try stage.listing() == before)
  }

  @Test("a name of 256 bytes is refused before the work, and of 255 is written")
  func longNames() throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 16 in.wav synth 0.1 pinknoise")
    let name = String(repeating: "x", count: 251)
    let fits = try stage.job("clip: in.wav\noutput: \(name).mp3\n")
    #expect(fits.status == 0 && fits.errors == "")
    let before = try stage.listing()
    let result = try stage.run(
      "printf 'clip: in.wav\\noutput: \(name).flac\\n' > job.yaml; avjob run -q job.yaml")
    #expect(result.status == 2)
    #expect(result.errors.contains("File name too long; use a shorter name\n"))
    #expect(try stage.listing().count == before.count)
  }
}
