import Testing

/// What the command says of mistakes on its command line, and of files on a real disk.
@Suite struct RemedyTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("mkdir b; sox -n -r 8000 -c 1 a.wav synth 0.2 sine 300; cp a.wav b/a.wav")
    return stage
  }

  @Test(
    "A name that looks the same and has another form of a letter is told apart, with the remedy")
  func formsOfLetters() throws {
    let stage = try stage()
    try stage.make(
      "mkdir $'ze\\xcc\\x81'; cp a.wav $'cafe\\xcc\\x81.wav'; cp a.wav $'ze\\xcc\\x81/a.wav'")
    try stage.write(
      "job.yaml", "concat: [\"caf\\u00E9.wav\", \"z\\u00E9/a.wav\"]\noutput: x.mp3\n")
    let help =
      "help: the name on the disk looks the same, and has 'e\u{301}' as 2 characters, U+0065 U+0301, "
      + "not as one character, U+00E9: rename it, or write "
    let result = try stage.run("avjob check job.yaml")
    #expect(result.status == 2)
    #expect(result.errors.contains(help + #""cafe\u0301.wav""#), "\(result.errors)")
    #expect(result.errors.contains(help + #""ze\u0301""#), "\(result.errors)")
    try stage.write(
      "job.yaml", #"{ concat: ["cafe\u0301.wav", "ze\u0301/a.wav"], output: x.mp3 }"#)
    #expect(try stage.run("avjob check job.yaml").status == 0)
  }

  @Test("Two inputs of one name go into two folders")
  func compress() throws {
    let result = try stage().run("avjob compress a.wav b/a.wav -o out")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        command line:1:33: error: 'a.wav' and 'b/a.wav' would both become 'out/a.mp3'
            1 | avjob compress a.wav b/a.wav -o out
              |                                 ^~~
          help: compress each into a folder of its own: '-o out' and '-o out/b'

        """)
  }

  @Test("Two inputs of one name in one folder are made apart, by the job file or by a name")
  func oneFolder() throws {
    let stage = try stage()
    try stage.make("sox b/a.wav b/a.flac")
    let folder = try stage.run("avjob compress b -o out")
    #expect(folder.status == 2)
    #expect(
      folder.errors == """
        command line:1:21: error: 'b/a.flac' and 'b/a.wav' would both become 'out/a.mp3'
            1 | avjob compress b -o out
              |                     ^~~
          help: --print-job prints the job file: in it, write 'file: \
        …/${input.dir}/${input.name}.mp3' for 'folder: …'

        """)
    try stage.make(
      """
      avjob compress b -o out --print-job >job.yaml 2>warnings
      grep -q 'warning: .* would both become' warnings
      sed -i 's|folder: out|file: out/${input.dir}/${input.name}.mp3|' job.yaml
      avjob run -q job.yaml; ls out; rm -r out
      """)
    let files = try stage.run("avjob compress b/a.wav b/a.flac -o out")
    #expect(files.status == 2)
    #expect(files.errors.hasSuffix("  help: compress one of them alone, as '-o out/a.flac.mp3'\n"))
    try stage.make(
      "avjob compress -q b/a.wav -o out/; avjob compress -q b/a.flac -o out/a.flac.mp3")
  }

  @Test("A bad file of a pattern or a folder is reported there")
  func places() throws {
    let stage = try stage()
    try stage.make("echo no sound >b/bad.wav")
    try stage.write(
      "job.yaml",
      """
      jobs:
        one: { for_each: b/*.wav, output: { folder: out, mp3: V2 } }
        two: { for_each: { input: [b/*.wav] }, output: { folder: two, mp3: V2 } }
        three: { clip: a.wav, stream: 7, output: three.mp3 }

      """)
    let result = try stage.run("avjob check job.yaml")
    #expect(result.errors.contains("job.yaml:2:20: error: 'b/bad.wav': "), "\(result.errors)")
    #expect(
      result.errors.contains(
        """
        job.yaml:4:33: error: 'a.wav': has no stream of sound 7; it has 0
            4 |   three: { clip: a.wav, stream: 7, output: three.mp3 }
              |                                 ^
          help: streams count from 0, as 'avjob probe' lists them; without 'stream' the best one is \
        taken
        """), "\(result.errors)")
    #expect(
      try stage.run("avjob check --only two job.yaml").errors.contains("job.yaml:3:29: error: "))
    #expect(
      try stage.run("avjob compress b -o out").errors.hasPrefix("command line:1:16: error: 'b/bad"))
  }

  @Test("An output in a folder of the system's own is refused once, and not tried again")
  func systemFolders() throws {
    let stage = try stage()
    let isRoot = try stage.run("id -u").text == "0\n"
    for path in ["/proc/a.mp3", "/proc/new/a.mp3"] {
      let result = try stage.run("avjob compress a.wav -o \(path)")
      #expect(result.status != 75 && !result.errors.contains("another attempt"), "\(result.errors)")
      guard isRoot else { continue }
      #expect(
        result.status == 1
          && result.errors.contains(
            "'\(path)': lies in a folder of the system's own, which takes no files; write elsewhere"
          ), "\(result.errors)")
    }
  }

  @Test("A map that is not in the language is corrected, and the options list all their values")
  func values() throws {
    let stage = try stage()
    #expect(
      try stage.run("avjob schema nope; avjob schema outptu").errors == """
        error: there is no map 'nope'; 'avjob schema all' prints all of them
          help: 'avjob help schema' lists the options
        error: there is no map 'outptu'; did you mean 'output'?
          help: 'avjob help schema' lists the options

        """)
    let help = try stage.make("avjob help concat | tr -s ' \\n' ' '").text
    for text in [
      "Encode Vorbis: a quality, q-1 to q10, a bit rate, as 160k, or copy.",
      "Write WAV: '16 bit', '24 bit', '32 bit float', '8 bit', mu-law, a-law, gsm or copy.",
      "Write CAF: '16 bit', '24 bit', '32 bit float', ima4 or copy.",
      "Join copied MP3, AAC or Opus: exact, nudge or strict.",
    ] {
      #expect(help.contains(text), "\(help)")
    }
  }

  @Test("An input of which a file of its own is made is named once")
  func repeated() throws {
    let result = try stage().run("avjob compress a.wav ./a.wav b/a.wav a.wav -o out")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        command line:1:22: error: 'a.wav' and './a.wav' are one file
            1 | avjob compress a.wav ./a.wav b/a.wav a.wav -o out
              |                      ^~~~~~~
          help: name it once
        command line:1:38: error: 'a.wav' is named twice
            1 | avjob compress a.wav ./a.wav b/a.wav a.wav -o out
              |                                      ^~~~~
          help: name it once

        """)
  }

  @Test("A file is compressed once, whether it is named by itself or by a folder")
  func inFolders() throws {
    let stage = try stage()
    try stage.make("mkdir -p b/c; cp b/a.wav b/c/d.wav; cp b/a.wav b/.e.wav; ln -s b linked")
    let before = try stage.listing()
    for (inputs, message, word) in [
      ("b b/a.wav", "'b/a.wav' is named twice: it is in 'b', too", "b/a.wav"),
      ("./b/../b/a.wav b", "'./b/../b/a.wav' is named twice: it is in 'b', too", "./b/../b/a.wav"),
      ("b linked/c/d.wav", "'linked/c/d.wav' is named twice: it is in 'b', too", "linked/c/d.wav"),
    ] {
      let result = try stage.run("avjob compress \(inputs) -o out")
      let place = inputs.hasPrefix("b ") ? 18 : 16
      #expect(result.status == 2)
      #expect(
        result.errors == """
          command line:1:\(place): error: \(message)
              1 | avjob compress \(inputs) -o out
                | \(String(repeating: " ", count: place - 1))^\(String(repeating: "~", count: word.count - 1))
            help: leave it out

          """)
    }
    let folders = try stage.run("avjob compress b b/c -o out")
    #expect(folders.status == 2)
    #expect(
      folders.errors == """
        command line:1:18: error: 'b/c/d.wav' is named twice: it is in 'b' and in 'b/c'
            1 | avjob compress b b/c -o out
              |                  ^~~
          help: name one of these folders

        """)
    #expect(try stage.listing() == before)
    // What a folder leaves out is not named by it, nor what a link in another folder leads to.
    try stage.make(
      """
      avjob compress -q b b/.e.wav -o out
      [ "$(find out -type f | LC_ALL=C sort | xargs)" = 'out/.e.mp3 out/a.mp3 out/c/d.mp3' ]
      mkdir other
      ln -s ../b/a.wav other/f.wav
      avjob compress -q b other -o out2
      """)
  }

  @Test("Commands that are shown can be typed as they stand")
  func initQuotes() throws {
    let stage = try stage()
    let made = try stage.make("avjob init 'my show.yaml'; sed -n 4,6p 'my show.yaml'")
    #expect(
      made.text == """
        wrote 'my show.yaml': name your files in it, then run avjob check 'my show.yaml'
        #   avjob check 'my show.yaml'   find what is wrong with it, before any work
        #   avjob plan 'my show.yaml'    see what it would make
        #   avjob run 'my show.yaml'     make it

        """)
    #expect(
      try stage.run("avjob init 'my show.yaml'").errors == """
        error: 'my show.yaml' exists already
          help: name another file: avjob init 'my show-2.yaml'

        """)
  }

  @Test("Outputs that are apart by case alone are made, with a warning")
  func caseAlone() throws {
    let stage = try stage()
    let result = try stage.job(
      """
      jobs:
        one: { clip: a.wav, output: O.mp3 }
        two: { clip: a.wav, output: o.mp3 }
      """)
    #expect(result.status == 0)
    #expect(
      result.screen.hasPrefix(
        """
        job.yaml:3:31: warning: 'O.mp3' and 'o.mp3' are one file on disks where case does not count
            3 |   two: { clip: a.wav, output: o.mp3 }
              |                               ^~~~~
          help: let them differ in more than case, if they may come to Windows or a Mac
        job.yaml:2:31: note: the other one is here
            2 |   one: { clip: a.wav, output: O.mp3 }
              |                               ^~~~~

        """))
    try stage.make("test -s O.mp3; test -s o.mp3")
  }

  @Test("What is no file is refused at once, as a job file and in one")
  func noFiles() throws {
    let stage = try stage()
    try stage.make("mkfifo pipe.yaml; ln -s loop.yaml loop.yaml")
    try stage.write("job.yaml", "include: pipe.yaml\nrows: /dev/zero\nclip: a.wav\noutput: x.mp3\n")
    #expect(
      try stage.run("avjob check pipe.yaml job.yaml loop.yaml nothing.yaml /dev/zero - '' a.wav")
        .errors
          == """
          error: 'pipe.yaml' is no regular file
            help: pipes and devices cannot be read: name a job file
          job.yaml:1:10: error: 'pipe.yaml' is no regular file
              1 | include: pipe.yaml
                |          ^~~~~~~~~
            help: pipes and devices cannot be read: name a file
          job.yaml:2:7: error: '/dev/zero' is no regular file
              2 | rows: /dev/zero
                |       ^~~~~~~~~
            help: pipes and devices cannot be read: name a file
          error: 'loop.yaml' cannot be read: Too many levels of symbolic links
            help: let it be read, or name another file
          error: 'nothing.yaml' does not exist
            help: 'avjob init nothing.yaml' writes one to start from
          error: '/dev/zero' is no regular file
            help: pipes and devices cannot be read: name a job file
          error: '-' stands for a pipe, and avjob reads files only
            help: name a job file
          error: the path of a job file is empty
            help: name a job file; a variable of the shell may be empty
          error: 'a.wav' is a media file, and a job file belongs here
            help: write a job file with 'clip: a.wav' and 'output: NAME.mp3' in it, or take \
          'avjob compress', 'avjob clip' or 'avjob probe'

          """)
  }
}
