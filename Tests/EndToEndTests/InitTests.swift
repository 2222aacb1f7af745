import Testing

/// `avjob init` and `avjob schema`.
@Suite struct InitTests {
  @Test("The starter is fine once its files are there, and until then says which are not")
  func starter() throws {
    let stage = Stage()
    let made = try stage.make("avjob init episode.yaml")
    #expect(
      made.text
        == "wrote 'episode.yaml': name your files in it, then run 'avjob check episode.yaml'\n")
    let before = try stage.run("avjob check episode.yaml")
    #expect(before.status == 2)
    #expect(
      before.errors == """
        episode.yaml:18:10: error: there is no file 'intro.mp3'
           18 |   intro: intro.mp3
              |          ^~~~~~~~~
          help: put it there, or name another one
        episode.yaml:19:17: error: there is no file 'talk.wav'
           19 |   talk: { file: talk.wav, gain: 0 dB }
              |                 ^~~~~~~~
          help: put it there, or name another one
        episode.yaml:20:10: error: there is no file 'outro.mp3'
           20 |   outro: outro.mp3
              |          ^~~~~~~~~
          help: put it there, or name another one

        """)
    try stage.make(
      """
      sox -n -r 44100 -c 2 intro.wav synth 2 sine 300 gain -6
      sox -n -r 44100 -c 1 talk.wav synth 4 sine 500 gain -6
      lame --quiet intro.wav intro.mp3
      lame --quiet intro.wav outro.mp3
      """)
    let check = try stage.make("avjob check episode.yaml")
    #expect(check.text == "1 job is fine\n" && check.errors.isEmpty)
    try stage.make("avjob run --quiet episode.yaml --set episode=12")
    #expect(
      try stage.make(
        "soxi -D out/episode-12.flac; mediainfo --Inform='General;%Title%' out/episode-12.mp3"
      )
      .text.hasSuffix("My Show 12\n"))
  }

  @Test("A file that is there is never replaced, and other names are refused with a remedy")
  func refusals() throws {
    let stage = Stage()
    try stage.write("job.yaml", "mine\n")
    try stage.make("mkdir folder")
    let before = try stage.listing()
    func screen(_ arguments: String) throws -> String {
      let result = try stage.run("avjob init \(arguments)")
      #expect(result.status == 2 && result.text.isEmpty)
      return result.errors
    }
    #expect(
      try screen("") == """
        error: 'job.yaml' exists already
          help: name another file: 'avjob init job-2.yaml'

        """)
    #expect(
      try screen("podcast") == """
        error: 'podcast' is no name of a job file
          help: write 'podcast.yaml'

        """)
    #expect(
      try screen("folder/") == """
        error: 'folder/' is no name of a job file
          help: write 'folder/job.yaml'

        """)
    #expect(
      try screen("nowhere/a.yaml") == """
        error: there is no folder 'nowhere'
          help: make it first

        """)
    #expect(try stage.make("cat job.yaml").text == "mine\n")
    #expect(try stage.listing() == before)
  }

  @Test("The schema is one that a validator takes, and so is the starter")
  func schema() throws {
    let stage = Stage()
    let result = try stage.make(
      """
      avjob schema > schema.json
      avjob init
      head -n 1 job.yaml
      avjob schema an-item 2> /dev/null || avjob schema effect | head -n 1
      python3 -c '
      import json, yaml, jsonschema
      schema = json.load(open("schema.json"))
      jsonschema.Draft7Validator.check_schema(schema)
      jsonschema.Draft7Validator(schema).validate(yaml.load(open("job.yaml"), yaml.BaseLoader))
      print(schema["$schema"])'
      """)
    #expect(
      result.text.hasSuffix(
        """
        # yaml-language-server: $schema=avjob.schema.json
        ## Effect
        http://json-schema.org/draft-07/schema#

        """))
  }
}
