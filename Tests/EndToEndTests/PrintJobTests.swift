import Testing

/// `--print-job`: the job file that would do the same as a command.
@Suite struct PrintJobTests {
  /// Names that YAML, the job language or a shell could take for something else.
  private let names = [
    "two words.wav", "it's \"here\".wav", "a #1.wav", "Part 2: End.wav", "*.wav", "- 3.wav",
    "漢字 é.wav", "${x} $${y}.wav", "line\nfeed.wav", "750ms", "x 1s..2s", "[a] {b}.wav", "~.wav",
    "true", "plain.wav", "&a.wav", "\u{202E}vaw.wav", "tab\there.wav", "back\\slash.wav", "%.wav",
    // Signs that are one `Character` with what stands beside them.
    "it'\u{301}s.wav", "\u{D4E}'.wav", "\u{D4E}${x}.wav", "\u{D4E}##[error]x.wav",
  ]

  private func quoted(_ text: String) -> String {
    "'" + text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("sox -n -r 8000 -c 1 first.wav synth 3 sine 300 gain -6")
    for (index, name) in names.enumerated() {
      try stage.make(
        """
        sox -n -r 8000 -c 1 made.wav synth 3 sine \(200 + 10 * index) gain -6
        mv made.wav ./\(quoted(name))
        """)
    }
    return stage
  }

  @Test("The printed file gives the same bytes, whatever the files are called")
  func sameBytes() throws {
    let stage = try stage()
    func compare(_ command: String) throws {
      let printing = command.replacing(" -- ", with: " --print-job -- ")
      try stage.make(
        """
        rm -rf out job.yaml direct
        avjob \(command)
        mv out direct
        avjob \(printing) > job.yaml
        test ! -e out
        avjob run --quiet job.yaml
        diff -r out direct
        """)
    }
    for name in names {
      let output = quoted("out/" + name + ".flac")
      try compare(
        "clip -o \(output) --from 500ms --to end-1s --fade-in 100ms --gain '-6 dB' -- \(quoted(name))"
      )
    }
    let inputs = names.map(quoted).joined(separator: " ")
    try compare("concat -o out/x.mp3 --crossfade 100ms --channels stereo -- \(inputs)")
    try compare("compress -o out/y.wav --sample-rate 16kHz -- plain.wav")
  }

  @Test("Several files into a folder, by a preset")
  func folder() throws {
    let stage = try stage()
    let inputs = names.map(quoted).joined(separator: " ")
    try stage.make(
      """
      avjob compress -o out/ --preset archive -- \(inputs)
      mv out direct
      avjob compress --print-job -o out/ --preset archive -- \(inputs) > job.yaml
      avjob run --quiet job.yaml
      diff -r out direct
      """)
    #expect(try stage.listing().filter { $0.hasPrefix("out/") }.count == names.count)
  }

  @Test("What is printed is made for people, and what is wrong is told instead")
  func screens() throws {
    let stage = try stage()
    #expect(
      try stage.make(
        "avjob clip plain.wav --from 1:00 -o out/x.mp3 --mp3 'abr 96k' --channels mono --print-job"
      ).text == """
        # Paths count from the folder of this file; 'avjob run FILE' makes it.
        clip: plain.wav
        from: 1:00
        output:
          file: out/x.mp3
          mp3: abr 96k
          channels: mono

        """)
    #expect(
      try stage.make("avjob concat plain.wav '*.wav' 750ms -o x.mp3 --print-job").text == """
        # Paths count from the folder of this file; 'avjob run FILE' makes it.
        sources:
          input2:
            file: "*.wav"
          input3:
            file: 750ms
        concat:
          - plain.wav
          - input2
          - input3
        chapters: keep
        metadata:
          from: plain.wav
        output:
          file: x.mp3

        """)
    let wrong = try stage.run("avjob compress plain.wav -o x.mp3 --preset podcst --print-job")
    #expect(wrong.status == 2 && wrong.text.isEmpty)
    #expect(
      wrong.errors == """
        command line:1:44: error: there is no preset 'podcst'
            1 | avjob compress plain.wav -o x.mp3 --preset podcst --print-job
              |                                            ^~~~~~
          help: did you mean 'podcast'?

        """)
  }
}
