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

  @Test(
    "bytes that are not UTF-8 are refused as an argument, not written under another name",
    arguments: [
      ("clip in.wav -o", "write the value of '-o' in UTF-8"),
      ("run job.yaml --report", "write the value of '--report' in UTF-8"),
      ("run job.yaml --report=r.md --report=", "write the value of '--report' in UTF-8"),
      ("compress -o out in.wav", "a wildcard in a job file finds such names, as for_each: '*.wav'"),
      (
        "verify",
        "name a folder above it: the files in a folder are proved, whatever their names are"
      ),
      ("probe --json", "name a link to it that has a name in UTF-8: 'ln -s' makes one"),
      ("check --", "name a link to it that has a name in UTF-8: 'ln -s' makes one"),
      ("record", "write it in UTF-8"), ("", "write it in UTF-8"),
    ])
  func bytesAsArgument(call: String, help: String) throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 16 in.wav synth 0.1 pinknoise")
    try stage.write("job.yaml", "clip: in.wav\noutput: out.wav\n")
    let before = try stage.listing()
    let isValue = call.hasSuffix("=")
    let result = try stage.run("avjob \(call)\(isValue ? "" : " ")$'b\\xff.md'")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        error: the argument '\(isValue ? "--report=" : "")b\u{FFFD}.md' is not UTF-8
          help: \(help)

        """)
    #expect(try stage.listing() == before)
  }

  @Test("a folder and a link lead to a file whose name is not UTF-8")
  func bytesByOtherNames() throws {
    let stage = Stage()
    try stage.make(
      """
      mkdir raw
      sox -R -r 8000 -n -c 1 -b 16 raw/$'\\xff.wav' synth 0.1 pinknoise
      (cd raw && sha256sum *.wav > SHA256SUMS)
      ln -s raw/$'\\xff.wav' link.wav
      """)
    let verified = try stage.run("avjob verify raw")
    #expect(verified.status == 0 && verified.text.hasSuffix("1 file: 1 ok\n"), "\(verified)")
    let probed = try stage.run("avjob probe link.wav")
    #expect(probed.status == 0 && probed.text.contains("8 kHz mono"), "\(probed)")
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

  @Test("a name that is too long is refused before the work where its folder is missing, too")
  func longNamesInNewFolders() throws {
    let stage = Stage()
    try stage.make("sox -R -r 8000 -n -c 1 -b 16 in.wav synth 0.1 pinknoise")
    let name = String(repeating: "L", count: 251)
    let message = "': cannot write there: File name too long; use a shorter name\n"
    for path in ["o/\(name).flac", "o/\(name).long/e/y.flac"] {
      try stage.write("job.yaml", "clip: in.wav\noutput: [o/x.flac, \(path)]\n")
      for command in ["check", "run -q"] {
        let result = try stage.run("avjob \(command) job.yaml")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("job.yaml:2:20: error: '\(path)\(message)"))
        #expect(try stage.run("ls o").status != 0)
      }
    }
    let last = String(name.dropLast())
    let fits = try stage.job("clip: in.wav\noutput: [o/x.flac, o/\(last)/\(last).flac]\n")
    #expect(fits.status == 0 && fits.errors == "")
  }
}
