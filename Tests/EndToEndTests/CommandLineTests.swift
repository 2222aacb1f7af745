import TestSupport
import Testing

/// What is wrong with the words of a call, and what they are completed to.
@Suite("The command line") struct CommandLineTests {
  /// What a call that is wrong prints.
  private func screen(_ call: String, in stage: Stage = Stage()) throws -> String {
    let result = try stage.run("avjob \(call)")
    #expect(result.status == 2 && result.text.isEmpty, "\(call)")
    return result.errors
  }

  @Test(
    "An option that does not exist is named, whatever its value would be taken for",
    arguments: [
      (
        "compress talk.wav -o x.m4a -b 96k", "-b",
        "the format's option has it: --mp3 'cbr 128k', --aac 128k, --opus 64k, --vorbis q5"
      ),
      (
        "compress talk.wav -o x.m4a --bitrate 96k", "--bitrate",
        "the format's option has it: --mp3 'cbr 128k', --aac 128k, --opus 64k, --vorbis q5"
      ),
      (
        "compress talk.wav -o x.m4a --speed 1.25", "--speed",
        "a job file has 'speed': --print-job prints one to add it to"
      ),
      (
        "compress --stream 2 talk.wav -o x.m4a", "--stream",
        "a job file has 'stream': --print-job prints one to add it to"
      ),
      ("clip talk.wav -o x.m4a --normalize", "--normalize", "did you mean '--loudness'?"),
      (
        "concat talk.wav -o x.m4a --conform acx", "--conform",
        "a job file has 'conform': --print-job prints one to add it to"
      ),
      ("compress talk.wav -o x.m4a --jobs=3", "--jobs", "'avjob help compress' lists the options"),
      ("concat a.wav -o x.m4a --mp4 V2", "--mp4", "did you mean '--mp3'?"),
      ("clip a.wav -o x.m4a --start 3s", "--start", "did you mean '--from'?"),
      (
        "run ok.yaml --dry-run", "--dry-run",
        "'avjob plan' prints what a run does, and writes nothing"
      ),
      ("run ok.yaml -j 4", "-j", "did you mean '--workers'?"),
      ("run -qz ok.yaml", "-qz", "'avjob help run' lists the options"),
      ("run ok.yaml --worker 4", "--worker", "did you mean '--workers'?"),
      ("check ok.yaml --annotat github", "--annotat", "did you mean '--annotate'?"),
    ])
  func unknownOption(call: String, option: String, help: String) throws {
    let command = call.prefix { $0 != " " }
    #expect(
      try screen(call) == """
        error: 'avjob \(command)' has no option '\(option)'
          help: \(help)

        """)
  }

  @Test(
    "A path that begins with a dash is taken for an option, and the help makes a path of it",
    arguments: [
      ("clip -a.wav -o b.wav", "'-a.wav' is taken for an option: it begins with '-'", "./-a.wav"),
      ("probe -a.wav", "'-a.wav' is taken for an option: it begins with '-'", "./-a.wav"),
      ("run -j.yaml", "'-j.yaml' is taken for an option: it begins with '-'", "./-j.yaml"),
      ("run --made", "'--made' is taken for an option: it begins with '-'", "./--made"),
      (
        "concat a.wav b.wav -o -o.wav",
        "the value of '-o' is missing: '-o.wav' is taken for an option", "-o ./-o.wav"
      ),
    ])
  func dashedPath(call: String, message: String, help: String) throws {
    let stage = Stage()
    try stage.make("touch ./--made")
    #expect(try screen(call, in: stage) == "error: \(message)\n  help: write '\(help)'\n")
  }

  @Test(
    "A key of the language is found in either spelling, and shown as it is written",
    arguments: [
      ("fade-in", "a job file has 'fade_in': --print-job prints one to add it to"),
      ("fade_in", "a job file has 'fade_in': --print-job prints one to add it to"),
      ("for-each", "a job file has 'for_each': --print-job prints one to add it to"),
      ("sample_rate", "did you mean '--sample-rate'?"),
    ])
  func keySpelling(word: String, help: String) throws {
    #expect(
      try screen("compress talk.wav -o x.m4a --\(word) 1s") == """
        error: 'avjob compress' has no option '--\(word)'
          help: \(help)

        """)
  }

  @Test(
    "A remedy is an option of the command, or a key for the job file that it prints",
    arguments: [
      ("clip tone.wav -o out/", "help: write 'out/NAME.mp3'"),
      ("clip tone.wav -o .", "help: add one, as '.mp3'; for a folder write './NAME.mp3'"),
      (
        "clip tone.wav -o x.mp3 --mp3 copy",
        """
        error: '--mp3 copy' of sources that are not MP3
            1 | avjob clip tone.wav -o x.mp3 --mp3 copy
              |                                    ^~~~
          help: '--mp3 V2' encodes it
        """
      ),
      (
        "clip tone.wav -o x.mp4",
        "help: for the sound alone write 'x.m4a'; 'video: { image: cover.jpg }' makes a picture for it; "
          + "'--print-job' prints a job file to add that to"
      ),
      ("clip tone.wav -o x.mkv", "help: for the sound alone write 'x.opus'; 'video: {"),
      (
        "concat h264.mp4 mpeg4.mp4 -o x.mp4",
        "help: encode all of it, as 'video: { h264: crf 20 }'; '--print-job' prints a job file to add "
          + "that to"
      ),
      (
        "concat h264.mp4 large.mp4 -o x.mp4",
        "encode all of it, as 'video: { h264: crf 20 }'; '--print-job' prints a job file to add that to"
      ),
      ("clip 'title: x.wav' -o x.mp3", "error: there is no file 'title: x.wav'"),
      ("clip 'gain: 3 dB.wav' -o x.mp3", "error: 'gain: 3 dB.wav': "),
      ("clip tone.wav --duration 0s -o x.wav", "help: write a longer duration, or leave it out"),
      ("probe .", "error: '.': is a folder; name a file in it"),
      ("probe --json .", "is a folder; name a file in it"),
    ])
  func remedies(call: String, text: String) throws {
    let stage = Stage()
    try stage.share(
      """
      sox -R -r 44100 -n -c 1 -b 16 tone.wav synth 1 sine 440
      echo no sound >'gain: 3 dB.wav'
      for name in h264 mpeg4 large; do
        codec=$name; [[ $name == large ]] && codec=h264
        ffmpeg -v error -f lavfi -i testsrc2=s=$([[ $name == large ]] && echo 96x64 || echo 48x32):d=1 \\
          -f lavfi -i sine=d=1 -c:a aac -c:v ${codec/h264/libx264} -pix_fmt yuv420p $name.mp4
      done
      """)
    let result = try stage.run("avjob \(call)")
    #expect(result.status != 0)
    #expect((result.errors + result.text).contains(text), "\(result.errors)")
    #expect(!result.errors.contains("mp3: V2"), "\(result.errors)")
  }

  @Test("A path is one path however its slashes are written, and a level is an option")
  func pathsAndLevels() throws {
    let stage = Stage()
    try stage.make(
      """
      sox -R -r 44100 -n -c 1 -b 16 a.wav synth 3 sine 440 gain -30
      mkdir home
      """)
    let result = try stage.run(
      """
      export HOME="$PWD/home"
      avjob compress -q a.wav -o .//zz.flac
      avjob clip -q a.wav --to 2s -o '~//x.flac'
      avjob compress -q a.wav -o louder.wav --loudness '-20 LUFS'
      avjob concat -q a.wav a.wav -o both.wav --loudness=-18LUFS
      avjob clip -q a.wav -o x.flac/
      """)
    #expect(result.status == 2)
    #expect(result.errors.contains("'x.flac/' ends in '/', as the path of a folder"))
    #expect(try stage.make("ls home *.flac").text == "zz.flac\n\nhome:\nx.flac\n")
    #expect(abs(try Tool.ebur128(stage.path("louder.wav")).integrated + 20) <= 0.15)
    #expect(abs(try Tool.ebur128(stage.path("both.wav")).integrated + 18) <= 0.15)
  }

  @Test(
    "A command that does not exist is named, with the nearest one",
    arguments: [
      ("rnu ok.yaml", "rnu", "did you mean 'run'?"),
      ("help rnu", "rnu", "did you mean 'run'?"),
      ("convert a.wav", "convert", "did you mean 'compress'?"),
      ("play a.wav", "play", "did you mean 'preview'?"),
      ("cache lst", "cache lst", "did you mean 'cache list'?"),
      ("help cache lst", "cache lst", "did you mean 'cache list'?"),
      ("cache zap", "cache zap", "'avjob help cache' lists the commands"),
      ("frobnicate a.wav", "frobnicate", "'avjob help' lists the commands"),
    ])
  func unknownCommand(call: String, name: String, help: String) throws {
    #expect(
      try screen(call) == """
        error: there is no command '\(name)'
          help: \(help)

        """)
  }

  @Test("Arguments that are missing or wrong are reported in the style of all messages")
  func wrongArguments() throws {
    #expect(
      try screen("run") == """
        error: missing expected argument '<files> ...'
          help: 'avjob help run' lists the options

        """)
    #expect(
      try screen("compress a.wav b.wav -o x.mp3") == """
        error: 'x.mp3' is one file, and there are 2 inputs; name a folder, or join them with 'avjob \
        concat'
          help: 'avjob help compress' lists the options

        """)
    #expect(
      try screen("run a.yaml --set length") == """
        error: the value 'length' is invalid for '--set <name=value>': write --set NAME=VALUE
          help: 'avjob help run' lists the options

        """)
  }

  @Test("Each option's help fits one line")
  func helpLines() throws {
    let stage = Stage()
    for command in [
      "run", "check", "plan", "preview", "probe", "clip", "concat", "compress", "record", "init",
      "verify", "cache", "cache list", "cache prune", "cache clear", "cache verify", "cache path",
    ] {
      let lines = try stage.make("COLUMNS=110 avjob help \(command)").text.split(separator: "\n")
      let options = lines.drop { $0 != "ARGUMENTS:" && $0 != "OPTIONS:" }
      for line in options where line.hasPrefix(String(repeating: " ", count: 26)) {
        // A spelling that is too long for its column has its help below.
        let index = lines.firstIndex(of: line) ?? 0
        #expect(lines[index - 1].hasPrefix("  -") && !lines[index - 1].contains("   "), "\(line)")
      }
    }
  }
}

/// What clip, concat and compress take beside their ranges.
@Suite("Commands without a job file") struct OneShotTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p raw/day1 raw/day2
      sox -n -r 8000 -c 1 raw/day1/a.wav synth 1 sine 300 gain -6
      sox -n -r 8000 -c 1 raw/day2/a.flac synth 1 sine 400 gain -6
      sox -n -r 8000 -c 1 raw/b.WAV synth 1 sine 500 gain -6
      echo text > raw/notes.txt
      """)
    return stage
  }

  @Test("A folder is mirrored, in any format, and printed as one pattern")
  func folder() throws {
    let stage = try stage()
    #expect(
      try stage.make("avjob compress raw -o out --opus 32k --title Talk --print-job").text == """
        # Paths count from the folder of this file; 'avjob run FILE' makes it.
        jobs:
          raw:
            for_each: "raw/**/*.{WAV,flac,wav}"
            metadata:
              title: Talk
            output:
              folder: out
              opus: 32k

        """)
    try stage.make("avjob compress -q raw -o out --opus 32k --title Talk")
    #expect(
      try stage.make("cd out; find . -type f | LC_ALL=C sort").text
        == "./b.opus\n./day1/a.opus\n./day2/a.opus\n")
    #expect(try stage.make("mediainfo --Inform='General;%Title%' out/b.opus").text == "Talk\n")
  }

  @Test("Codecs and tags are options, and wrong ones are shown where they stand")
  func settings() throws {
    let stage = try stage()
    try stage.make(
      "avjob compress -q raw/b.WAV -o x.m4a --aac 24k --artist Me --tag 'album=A = B' --tag genre=Talk"
    )
    #expect(
      try stage.make(
        "mediainfo --Inform='General;%Performer%|%Album%|%Genre%' x.m4a"
      ).text == "Me|A = B|Talk\n")
    let wrong = try stage.run("avjob compress raw/b.WAV -o y.m4a --aac loud")
    #expect(
      wrong.status == 2 && wrong.errors.contains("| avjob compress raw/b.WAV -o y.m4a --aac loud"))
    let twice = try stage.run("avjob clip raw/b.WAV -o y.m4a --title A --tag title=B")
    #expect(
      twice.errors.hasPrefix(
        "error: 'title' is set twice, by '--title A' and '--tag title=B'; give it once\n"))
  }

  @Test("What exists is left out with --skip-existing, and the rest is made")
  func skipExisting() throws {
    let stage = try stage()
    try stage.make("avjob compress -q raw/day1 -o out")
    let before = try stage.make("stat -c %y out/a.mp3").text
    let refused = try stage.run("avjob compress raw/day1 raw/b.WAV -o out")
    #expect(refused.status == 2 && refused.errors.contains("--skip-existing leaves it out"))
    let result = try stage.run("avjob compress raw/day1 raw/b.WAV -o out --skip-existing >table")
    #expect(result.status == 0)
    #expect(result.errors.contains("note: 1 of 2 outputs exist and are left out\n"))
    #expect(try stage.make("stat -c %y out/a.mp3; ls out").text == before + "a.mp3\nb.mp3\n")
    let none = try stage.run("avjob compress -q raw/day1 -o out --skip-existing")
    #expect(none.status == 0 && none.errors.isEmpty)
  }

  @Test("Two inputs for one output, and a folder inside of its own output, are refused with a way")
  func collisions() throws {
    let stage = try stage()
    let result = try stage.run("avjob compress raw/day1/a.wav raw/day2/a.flac -o out")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        command line:1:50: error: 'raw/day1/a.wav' and 'raw/day2/a.flac' would both become 'out/a.mp3'
            1 | avjob compress raw/day1/a.wav raw/day2/a.flac -o out
              |                                                  ^~~
          help: compress each into a folder of its own: '-o out/day1' and '-o out/day2'

        """)
    let inside = try stage.run("avjob compress raw -o raw/small")
    #expect(
      inside.errors == """
        command line:1:16: error: the output 'raw/small' lies in 'raw', whose files would be \
        compressed again the next time
            1 | avjob compress raw -o raw/small
              |                ^~~
          help: write to a folder beside it

        """)
    let empty = try stage.run("mkdir empty; avjob compress empty -o out")
    #expect(empty.errors.contains("error: there is no media file in 'empty'\n"))
  }

  @Test("'-' is refused in words")
  func streams() throws {
    let stage = try stage()
    let input = try stage.run("avjob compress - -o x.mp3")
    #expect(
      input.errors == """
        command line:1:16: error: standard input cannot be a source: parts of a source are read more \
        than once
            1 | avjob compress - -o x.mp3
              |                ^
          help: write the sound to a file first

        """)
    let output = try stage.run("avjob clip raw/b.WAV -o -")
    #expect(
      output.errors == """
        command line:1:25: error: standard output cannot be an output: the start of a file is \
        written last
            1 | avjob clip raw/b.WAV -o -
              |                         ^
          help: write to a file, and print that

        """)
  }

  @Test("concat keeps the chapters of its parts, and the tags of the first")
  func concat() throws {
    let stage = try stage()
    try stage.make(
      """
      for n in 1 2; do
        printf 'clip: raw/b.WAV\\nchapters: { 0s: Part %s }\\nmetadata: { title: T%s, album: Book }\\n' \\
          $n $n > $n.yaml
        echo "output: $n.mp3" >> $n.yaml
        avjob run -q $n.yaml > /dev/null
      done
      avjob concat -q 1.mp3 2.mp3 -o whole.mp3 --title Whole
      """)
    #expect(
      try stage.make(
        """
        mediainfo --Inform='General;%Title%|%Album%' whole.mp3
        ffprobe -v error -show_chapters -of compact=p=0 whole.mp3 | grep -o 'tag:title=.*'
        """
      ).text == "Whole|Book\ntag:title=Part 1\ntag:title=Part 2\n")
  }
}
