import TestSupport
import Testing

/// `--root`: what a job file of a stranger reaches.
@Suite("Root") struct RootTests {
  /// A project in `p`, with `a.wav` in it, and files around it that no job may touch.
  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p p/in p/out outside
      sox -n -r 44100 -c 2 p/in/a.wav synth 1 sine 300
      cp p/in/a.wav secret.wav
      printf '1:00 SECRET\\n' >secret.txt
      echo 'key' >outside/keys
      """)
    return stage
  }

  private func run(_ stage: Stage, _ yaml: String, _ options: String = "") throws -> ToolResult {
    try stage.write("p/job.yaml", yaml)
    return try stage.run("cd p; avjob run --quiet --root . \(options) job.yaml")
  }

  @Test("A project that keeps to its folder runs as it does without a root")
  func inside() throws {
    let stage = try stage()
    try stage.make("ln -s a.wav p/in/alias.wav; ln -s in p/takes; printf '0s A\\n' >p/in/list.txt")
    let yaml = """
      concat: [in/a.wav, "in/../takes/alias.wav", \(stage.path("p/in/a.wav"))]
      chapters: in/list.txt
      output: [new/b.flac, new/b.mp3]
      """
    try stage.write("p/job.yaml", yaml)
    try stage.make("cd p; avjob run --quiet job.yaml; mv new plain; rm -rf .avjob")
    let confined = try run(stage, yaml)
    #expect(confined.status == 0)
    #expect(confined.errors == "")
    try stage.make(
      "cmp p/new/b.flac p/plain/b.flac; cmp p/new/b.mp3 p/plain/b.mp3; ! [ -e p/.avjob ]")
  }

  @Test(
    "A file outside the root is not read, by whatever name",
    arguments: [
      ("clip: ../secret.wav", "../secret.wav"),
      ("clip: in/../../secret.wav", "in/../../secret.wav"),
      ("clip: in/link.wav", "in/link.wav"),
      ("clip: in/absolute.wav", "in/absolute.wav"),
      ("clip: away/secret.wav", "away/secret.wav"),
      ("clip: /etc/hostname.wav", "/etc/hostname.wav"),
      ("clip: in/a.wav\ncut: ../secret.txt", "../secret.txt"),
      ("clip: in/a.wav\nchapters: in/list.txt", "in/list.txt"),
      ("clip: in/a.wav\nchapters: /proc/self/environ", "/proc/self/environ"),
      ("clip: in/a.wav\nmetadata: { cover: in/cover.png }", "in/cover.png"),
      ("clip: in/a.wav\neffects: [reverb: { impulse: in/link.wav }]", "in/link.wav"),
      ("include: /proc/self/environ\nclip: in/a.wav", "/proc/self/environ"),
    ])
  func reading(keys: String, path: String) throws {
    let stage = try stage()
    try stage.make(
      """
      ln -s ../../secret.wav p/in/link.wav
      ln -s "$PWD/secret.wav" p/in/absolute.wav
      ln -s .. p/away
      ln -s ../../secret.txt p/in/list.txt
      ln -s ../../secret.txt p/in/cover.png
      """)
    let result = try run(stage, keys + "\noutput: out/x.flac\n")
    #expect(result.status == 2)
    #expect(
      result.errors.contains("error: '\(path)' lies outside '.', and --root keeps to that folder"))
    #expect(!result.errors.contains("SECRET"))
    #expect(try stage.run("ls p/out").text == "")
  }

  @Test(
    "Nothing is written outside the root, by whatever name",
    arguments: [
      ("../x.wav", "lies outside '.', and --root keeps to that folder; choose a path below '.'"),
      ("~/x.wav", "lies outside '.', and --root keeps to that folder; choose a path below '.'"),
      ("/tmp/x.wav", "lies outside '.', and --root keeps to that folder; choose a path below '.'"),
      ("away/x.wav", "lies outside '.', and --root keeps to that folder; choose a path below '.'"),
      (
        "key.wav",
        "is reached through a symbolic link, and with --root outputs pass none; remove the link"
      ),
      (
        "alias/x.wav",
        "is reached through a symbolic link, and with --root outputs pass none; remove the link"
      ),
    ])
  func writing(path: String, reason: String) throws {
    let stage = try stage()
    try stage.make("ln -s ../outside p/away; ln -s ../outside/keys p/key.wav; ln -s out p/alias")
    let before = try stage.listing()
    let result = try run(stage, "clip: in/a.wav\noutput: \(path)\n")
    #expect(result.status == 2)
    let home = try stage.run("echo $HOME").text.dropLast()
    let named = path.replacing("~", with: home)
    #expect(result.errors.contains("'\(named)': \(reason)"))
    #expect(try stage.listing().filter { !$0.hasPrefix("p/job.yaml") } == before)
    #expect(try readFile(stage.path("outside/keys")) == Array("key\n".utf8))
  }

  @Test("A preview plays what lies below the root, and nothing else")
  func preview() throws {
    let sound = try SoundStage()
    try sound.stage.make(
      """
      mkdir p
      sox -n -r 48000 -c 2 -e float -b 32 p/one.wav synth 0.5 sine 300 sine 400 gain -10
      cp p/one.wav .
      """)
    let inside = try sound.run("cd p; avjob preview --root . one.wav")
    #expect(inside.status == 0)
    #expect(!sound.heard.isEmpty)
    for path in ["../one.wav", "job.yaml"] {
      try sound.stage.write("p/job.yaml", "clip: ../one.wav\noutput: x.wav\n")
      let outside = try sound.run("cd p; avjob preview --root . \(path)")
      #expect(outside.status == 2)
      #expect(outside.errors.contains("lies outside '.', and --root keeps to that folder"))
    }
  }

  @Test("A pattern does not pass over links that lead out")
  func patterns() throws {
    let stage = try stage()
    try stage.make("ln -s ../../secret.wav p/in/b.wav; mkdir p/more; ln -s ../../outside p/more/c")
    let file = try run(stage, "concat: [in/*.wav]\noutput: out/x.flac\n")
    #expect(file.status == 2)
    #expect(file.errors.contains("'in/b.wav': lies outside '.', and --root keeps to that folder"))
    let folder = try run(stage, "concat: [more/*/*.wav]\noutput: out/x.flac\n")
    #expect(folder.status == 2)
    #expect(folder.errors.contains("'more/c' lies outside '.', and --root keeps to that folder"))
    try stage.make("mkdir p/jobs; ln -s ../../secret.txt p/jobs/a.yaml")
    let jobs = try stage.run("cd p; avjob run --root . jobs")
    #expect(jobs.status == 2)
    #expect(jobs.errors.contains("'jobs/a.yaml' lies outside '.', and --root keeps to that"))
  }

  @Test("A folder that is swapped for a link while the job runs leads nowhere")
  func swapped() throws {
    let stage = try stage()
    try stage.write("p/job.yaml", "silence: 40m\noutput: out/x.flac\n")
    let result = try stage.run(
      """
      cd p
      avjob run --quiet --root . job.yaml & job=$!
      for n in $(seq 2000); do
        [ -n "$(find out -name '.x.flac*' -size +0)" ] && break
        sleep 0.01
      done
      mv out before; ln -s ../outside out
      wait $job; echo "status $?"
      """)
    #expect(result.text == "status 1\n")
    #expect(result.errors.contains("is reached through a symbolic link, and with --root"))
    #expect(try stage.run("ls outside").text == "keys\n")
  }

  @Test(
    "A hidden file gives no values, though a link without a dot leads to it",
    arguments: ["rows: %", "include: %", "chapters: %", "cut: %", "split: %"],
    [".git/config", "link.txt"])
  func hidden(key: String, path: String) throws {
    let stage = try stage()
    try stage.make(
      "mkdir p/.git; printf '0s S3CRET\n' >p/.git/config; ln -s .git/config p/link.txt")
    let line = key.replacing("%", with: path)
    let result = try run(stage, "\(line)\nclip: in/a.wav\noutput: 'out/${part.n}x.flac'\n")
    #expect(result.status == 2)
    #expect(
      result.errors.contains("error: '\(path)' is hidden, and with --root no hidden file is read"))
    #expect(!(result.text + result.errors).contains("S3CRET"))
  }

  @Test("A hidden file becomes no sound, and is not made")
  func hiddenSound() throws {
    let stage = try stage()
    try stage.make("mkdir p/.git; cp p/in/a.wav p/.git/config; ln -s ../.git/config p/in/t.g722")
    let hidden = "is hidden, and with --root no hidden file is read or written; give the file and"
    for (keys, path) in [
      ("clip: .git/config\noutput: out/x.flac", ".git/config"),
      ("clip: in/t.g722\noutput: out/x.flac", "in/t.g722"),
      ("clip: in/a.wav\nmetadata: { cover: .git/config }\noutput: out/x.flac", ".git/config"),
      ("clip: in/a.wav\noutput: { file: .git/hook, wav: 16 bit }", ".git/hook"),
      ("clip: in/a.wav\noutput: .x.flac", ".x.flac"),
    ] {
      let result = try run(stage, keys + "\n")
      #expect(result.status == 2)
      #expect(result.errors.contains("'\(path)': \(hidden)"), "\(result.errors)")
    }
    #expect(try stage.run("cd p; ls -A . .git out").text.contains("x.flac") == false)
  }

  @Test(
    "A hidden job file is not read, named or found, and none of its lines is printed",
    arguments: ["jobs/*.yaml", "jobs", "jobs/x.yaml", ".ci/job.yaml", ".env"])
  func hiddenJobFile(name: String) throws {
    let stage = try stage()
    try stage.make(
      """
      mkdir p/jobs p/.ci; cd p
      printf 'TOKEN=S3CRET\n' | tee .env >.ci/job.yaml
      ln -s ../.env jobs/x.yaml
      """)
    let result = try stage.run(
      """
      cd p
      avjob run --root . --annotate github --report r.json --report r.xml \(name)
      cat r.json r.xml
      """)
    #expect(result.errors.contains("' is hidden, and with --root no hidden file is read"))
    #expect(!(result.text + result.errors).contains("S3CRET"))
  }

  @Test("A link in a circle is no file, and the message has no word on outputs")
  func circle() throws {
    let stage = try stage()
    try stage.make("ln -s loop.wav p/in/loop.wav")
    let result = try run(stage, "clip: in/loop.wav\noutput: out/x.flac\n")
    #expect(result.status == 2)
    #expect(result.errors.contains("error: there is no file 'in/loop.wav'\n"))
  }

  @Test("Variables of the environment are out of reach")
  func environment() throws {
    let stage = try stage()
    let result = try run(stage, "clip: in/a.wav\noutput: out/x.flac\n", "--env HOME")
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "--root and --env exclude each other: job files below --root are not trusted"))
    let unset = try run(
      stage, "clip: in/a.wav\noutput: out/x.flac\nmetadata: { title: '${env.HOME}' }\n")
    #expect(unset.status == 2)
    #expect(
      unset.errors.contains("help: with --root no job file has it; write the value out"),
      "\(unset.errors)")
  }

  @Test("Receipts below the root are not believed, unless --trust-receipts says so")
  func receipts() throws {
    let stage = try stage()
    let yaml = "clip: in/a.wav\noutput: out/x.flac\n"
    try stage.write("p/job.yaml", yaml)
    try stage.make("cd p; avjob run --quiet job.yaml; stat -c %i out/x.flac >inode")
    let trusting = try run(stage, yaml, "--trust-receipts --explain")
    #expect(trusting.status == 0)
    try stage.make("cd p; [ \"$(stat -c %i out/x.flac)\" = \"$(cat inode)\" ]")
    let untrusting = try run(stage, yaml)
    #expect(untrusting.status == 2)
    #expect(untrusting.errors.contains("exists, and with --root no file is replaced; remove it"))
    let result = try run(stage, yaml, "--checksum")
    #expect(result.status == 2)
    #expect(result.errors.contains("--checksum is about receipts, and --root believes none"))
  }

  @Test("Jobs, sizes and times are bounded")
  func bounds() throws {
    let stage = try stage()
    let many = "for_each: { take: [1, 2, 3] }\nclip: in/a.wav\noutput: 'out/${take}.flac'\n"
    let jobs = try run(stage, many, "--max-jobs 2")
    #expect(jobs.status == 2)
    #expect(jobs.errors.contains("error: 3 jobs: a file makes at most 2"))
    #expect(jobs.errors.contains("help: allow more with --max-jobs"))
    let sum = try run(stage, "clip: in/a.wav\noutput: out/big.wav\n", "--max-output 10kB")
    #expect(sum.status == 2)
    #expect(sum.errors.contains("take 265 kB or more, and --max-output allows 10 kB"))
    let size = try run(stage, "clip: in/a.wav\noutput: out/big.flac\n", "--max-output 10kB")
    #expect(size.status == 1)
    #expect(
      size.errors.contains(
        "'out/big.flac': cannot write the file: File too large; raise the limit (--max-output, "
          + "ulimit -f) or write to another file system"))
    let time = try run(
      stage, "silence: 200h\ntimeout: 10h\noutput: out/long.flac\n", "--max-time 1s")
    #expect(time.status == 1 || time.status == 75)
    #expect(time.errors.contains("took longer than its limit of 1 s; raise '--max-time', or run"))
    #expect(try stage.run("ls -A p/out").text == "")
  }

  @Test("Parts count as jobs")
  func parts() throws {
    let stage = try stage()
    let result = try run(
      stage, "clip: in/a.wav\nsplit: { every: 1ms }\noutput: 'out/${part.n}.flac'\n",
      "--max-jobs 999")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        job.yaml:2:8: error: with its parts there are 1000 jobs, and 999 are allowed
            2 | split: { every: 1ms }
              |        ^
          help: allow more with --max-jobs, or make the parts longer

        """)
  }

  @Test("All that jobs write together is bounded, also where its size is not known before")
  func written() throws {
    let stage = try stage()
    try stage.make("cd p/in; sox -n -r 8000 -c 1 -b 16 n.wav synth 1 whitenoise")
    let result = try run(
      stage, "for_each: { take: [1, 2, 3] }\nclip: in/n.wav\noutput: 'out/${take}.flac'\n",
      "--max-output 60kB --workers 1")
    #expect(result.status == 1)
    #expect(
      result.errors.contains(
        "'out/3.flac': cannot write the file: File too large; raise the limit (--max-output, "
          + "ulimit -f) or write to another file system"))
    #expect(try stage.run("cd p/out; echo *").text == "1.flac 2.flac\n")
  }

  @Test("A report goes below the root, and through no link")
  func reports() throws {
    let stage = try stage()
    try stage.make("ln -s ../outside/keys p/report.json")
    let yaml = "clip: in/a.wav\noutput: out/x.flac\n"
    for (path, reason) in [
      ("../report.json", "lies outside '.', and --root keeps to that folder"),
      ("report.json", "is reached through a symbolic link, and with --root outputs pass none"),
    ] {
      let result = try run(stage, yaml, "--report \(path)")
      #expect(result.status == 2)
      #expect(result.errors.contains("'\(path)': \(reason)"))
    }
    #expect(try readFile(stage.path("outside/keys")) == Array("key\n".utf8))
    #expect(try run(stage, yaml, "--report new.json").status == 0)
    #expect(try stage.run("ls p/new.json").status == 0)
  }

  @Test("A root may be named in any way, and outputs may be made in itself")
  func names() throws {
    let stage = try stage()
    try stage.write("p/job.yaml", "clip: in/a.wav\noutput: [b.flac, new/c.flac]\n")
    for (folder, root, prefix) in [
      ("p", ".", "$PWD/"), ("p", "$PWD", "$PWD/"), (".", "p", "p/"), ("p/in", "..", "../"),
      ("p/in", "..", "$PWD/../"),
    ] {
      let result = try stage.run(
        """
        rm -rf p/b.flac p/new p/reports
        cd \(folder)
        avjob run --quiet --root \(root) --report \(prefix)reports/r.json \(prefix)job.yaml
        """)
      #expect(result.status == 0, "\(root) \(prefix): \(result.errors)")
    }
  }

  @Test("The root of the file system is a root, too")
  func wholeSystem() throws {
    let stage = try stage()
    try stage.write("p/job.yaml", "clip: ../secret.wav\noutput: out/x.flac\n")
    #expect(try stage.run("cd p; avjob run --quiet --root / job.yaml").status == 0)
  }

  @Test("A root that is no folder is refused by name")
  func noFolder() throws {
    let stage = try stage()
    try stage.write("p/job.yaml", "clip: in/a.wav\noutput: out/x.flac\n")
    let result = try stage.run("avjob check --root nowhere p/job.yaml")
    #expect(result.status == 2)
    #expect(
      result.errors == """
        error: --root nowhere: No such file or directory; name a folder
          help: 'avjob help check' lists the options

        """)
  }

  @Test("A job file outside the root is refused")
  func jobFile() throws {
    let stage = try stage()
    try stage.write("job.yaml", "clip: p/in/a.wav\noutput: p/out/x.flac\n")
    let result = try stage.run("avjob check --root p job.yaml")
    #expect(result.status == 2)
    #expect(result.errors.contains("lies outside 'p', and --root keeps to that folder"))
  }
}
