import Testing

/// What the command says of mistakes on its command line, and of files on a real disk.
@Suite struct RemedyTests {
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make("mkdir b; sox -n -r 8000 -c 1 a.wav synth 0.2 sine 300; cp a.wav b/a.wav")
    return stage
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
