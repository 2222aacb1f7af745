import Glibc
import Testing

/// Files of which messages show no line, though a job file has them read: it may be a stranger's.
@Suite struct QuotationTests {
  private static let keys = [
    "chapters: %", "cut: %", "split: %", "include: %", "rows: %", "include: [ok.yaml, %]",
  ]
  private static let paths = [".git/config", "link.txt", "../outside.txt", "sub/.hidden/a.txt"]

  private func stage() throws -> Stage {
    let stage = Stage()
    try stage.make(
      """
      mkdir -p job/.git job/sub/.hidden
      secret=$'[core]\\n\\ttoken = S3CRET\\nurl: "S3CRET\\nS3CRET,"S3CRET\\n'
      for file in job/.git/config outside.txt job/sub/.hidden/a.txt job/open.txt; do
        printf '%s' "$secret" > "$file"
      done
      ln -s ../outside.txt job/link.txt
      echo 'vars: { a: b }' > job/ok.yaml
      sox -n -r 8000 -c 1 job/a.wav synth 1 sine 300
      """)
    return stage
  }

  @Test("No line and no word of such a file is printed anywhere", arguments: keys, paths)
  func hidden(key: String, path: String) throws {
    let stage = try stage()
    let line = key.replacing("%", with: path)
    try stage.write("job/job.yaml", "clip: a.wav\n\(line)\noutput: 'x${part.n}.mp3'\n")
    let script = """
      cd job
      for command in check plan "run --report r.xml --report r.md --report r.json"; do
        avjob $command --annotate github job.yaml
      done
      avjob check --json job.yaml
      avjob run --progress json job.yaml
      cat r.xml r.md r.json
      """
    let result = try stage.run(script)
    #expect(result.text.contains("its lines are not shown"), "\(result.errors)")
    #expect(!(result.text + result.errors).contains("S3CRET"))
    #expect(!(result.text + result.errors).contains("[core"))
  }

  @Test("Its mistakes are counted, with the line of the first, where it is named")
  func counted() throws {
    let stage = try stage()
    try stage.write("job/job.yaml", "clip: a.wav\ncut: link.txt\noutput: x.mp3\n")
    let result = try stage.run("cd job; avjob check job.yaml")
    #expect(
      result.errors == """
        job.yaml:2:6: error: 'link.txt', read as a list of times: 4 mistakes, the first in line 1
            2 | cut: link.txt
              |      ^~~~~~~~
          help: its lines are not shown, since it does not lie below the job file's folder, or a name on the way begins with a dot: put it beside the job file

        """)
  }

  @Test("Notes on it are counted as notes")
  func notes() throws {
    let stage = try stage()
    try stage.write("outside.vtt", "WEBVTT\n\nNOTE S3CRET\n\n00:00.000 --> 00:01.000\nOne\n")
    try stage.write("job/job.yaml", "clip: a.wav\ntranscript: ../outside.vtt\noutput: x.mp3\n")
    let result = try stage.run("cd job; avjob check job.yaml")
    #expect(result.status == 0)
    #expect(
      result.errors.contains("'../outside.vtt', read as a transcript: 1 note, in line 3"),
      "\(result.errors)")
  }

  @Test(
    "A job file that is a link out of its folder is not quoted, named or found in a folder",
    arguments: ["jobs", "jobs/job.yaml", "jobs/*.yaml"])
  func link(name: String) throws {
    let stage = try stage()
    try stage.make("mkdir jobs; cd jobs; ln -s ../outside.txt job.yaml")
    let result = try stage.run("avjob check --annotate github \(name)")
    #expect(!(result.text + result.errors).contains("S3CRET"))
    #expect(result.errors.contains("'jobs/job.yaml', read as a job file: 1 mistake, in line 2"))
  }

  @Test(
    "A plain job file that its user names is quoted, also below a name that begins with a dot",
    arguments: ["outside.txt", "job/.git/config", "job/sub/.hidden/a.txt"])
  func named(path: String) throws {
    #expect(try stage().run("avjob check \(path)").errors.contains("2 | \ttoken = S3CRET"))
  }

  @Test("What fails in media and runs is said in full, though such a file names the medium")
  func media() throws {
    let stage = try stage()
    try stage.make("mkdir data; echo junk >job/bad.wav; echo old >job/a.flac")
    try stage.write("data/takes.csv", "file,name\na.wav,a\nbad.wav,b\n")
    try stage.write(
      "data/shared.yaml", "jobs: { c: { clip: ../job/bad.wav, output: ../job/c.flac } }")
    try stage.write(
      "job/job.yaml",
      """
      include: ../data/shared.yaml
      jobs:
        "${name}": { rows: ../data/takes.csv, clip: "${file}", output: "${name}.flac" }
      """)
    let result = try stage.run(
      "cd job; avjob run --annotate github --report r.xml --report r.json job.yaml; cat r.xml r.json"
    )
    for path in ["bad.wav", "../data/../job/bad.wav"] {
      #expect(result.errors.contains("error: '\(path)': holds no sound"))
      #expect(result.text.contains("avjob::'\(path)': holds no sound"))
      #expect(result.text.contains("<failure message=\"'\(path)': holds no sound"))
      #expect(result.text.contains("\"message\": \"'\(path)': holds no sound"), "\(result.text)")
    }
    for place in [
      "2:7: warning: 'a.flac' is replaced, and no receipt",
      """
      3:1: error: 'bad.wav': holds no sound in a known format (a text, a playlist, a damaged header?)
      job.yaml:3:47: note: it is used here
          3 |   "${name}": {
      """,
    ] {
      #expect(result.errors.contains("../data/takes.csv:\(place)"), "\(result.errors)")
    }
    for line in ["3 | bad.wav", "1 | jobs:"] { #expect(!result.errors.contains(line)) }
  }

  @Test("A file beside the job file is quoted")
  func open() throws {
    let stage = try stage()
    try stage.write("job/job.yaml", "clip: a.wav\ncut: open.txt\noutput: x.mp3\n")
    #expect(try stage.run("avjob check job/job.yaml").errors.contains("1 | [core]"))
  }

  @Test(
    "Files of the system are refused",
    // A chroot may have no /sys.
    arguments: ["/proc/self/environ", "/sys/kernel/uevent_seqnum"].filter { (path: String) in
      access(path, F_OK) == 0
    }, keys)
  func kernel(path: String, key: String) throws {
    let stage = try stage()
    let line = key.replacing("%", with: path)
    try stage.write("job/job.yaml", "clip: a.wav\n\(line)\noutput: 'x${part.n}.mp3'\n")
    let result = try stage.run("AVJOB_SECRET=S3CRET avjob check job/job.yaml")
    #expect(
      result.errors.contains(
        "error: '\(path)' cannot be read: it is the system's own, and no file on a disk\n"),
      "\(result.errors)")
    #expect(!result.errors.contains("S3CRET"))
  }

  @Test(
    "Where /sys is a folder of a disk, as in a chroot, the disk's files are no files of the system",
    .enabled(if: namespace != nil, "this user may not mount a file system"),
    arguments: ["true", "mount -t tmpfs none job"])
  func withoutSystem(mount: String) throws {
    let stage = try stage()
    try stage.write("job/below.txt", "")
    let make = #"printf "silence: 1s\noutput: x.wav\n" >job/job.yaml"#
    let result = try stage.run(
      """
      export AVJOB; \(namespace ?? "") \
        sh -c '\(mount) && \(make) && mount --bind job /sys && $AVJOB check job/job.yaml'
      """)
    #expect(result.text == "1 job is fine\n", "\(result.errors)")
  }
}
