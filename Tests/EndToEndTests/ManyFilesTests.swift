import TestSupport
import Testing

/// One file that becomes many jobs, and many files on one command line.
@Suite("Many files")
struct ManyFilesTests {
  private func tones(_ paths: String...) throws -> Stage {
    let stage = Stage()
    for path in paths {
      try stage.make(
        "mkdir -p $(dirname \(path)); ffmpeg -v error -f lavfi -i sine=f=440:d=0.5 \(path)")
    }
    return stage
  }

  private func seconds(_ path: String, in stage: Stage) throws -> String {
    try stage.make("ffprobe -v error -show_entries format=duration -of csv=p=0 \(path)").text
  }

  @Test("A course by a table: each lesson is its words, one after the other")
  func course() throws {
    let stage = try tones("en/one.wav", "en/two.wav", "en/three.wav", "de/x.wav")
    try stage.make(
      "printf 'lesson;en;de\\r\\n1;one;x\\r\\n2;three;x\\r\\n1;two;x\\r\\n' > words.csv")
    let result = try stage.job(
      """
      rows: words.csv
      group_by: lesson
      concat:
        - each: row
          concat: ["en/${en}.wav", 300ms, "de/${de}.wav", 200ms]
      metadata: { title: "Lesson ${lesson}" }
      output: { file: "out/lesson-${lesson}.flac", flac: 16 bit, channels: mono }
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try seconds("out/lesson-1.flac", in: stage) == "3.000000\n")
    #expect(try seconds("out/lesson-2.flac", in: stage) == "1.500000\n")
    let title = try stage.make(
      "ffprobe -v error -show_entries format_tags=title -of csv=p=0 out/lesson-2.flac")
    #expect(title.text == "Lesson 2\n")
  }

  @Test("Advertisements by a table, and a matrix")
  func tableAndMatrix() throws {
    let stage = try tones(
      "catalogue/e1.wav", "catalogue/e2.wav", "ad.wav", "voice/en.wav", "voice/de.wav")
    try stage.write("ads.csv", "file,at\ne1,0.1s\ne2,end-100ms\n")
    try stage.write(
      "ads.yaml",
      """
      rows: ads.csv
      clip: catalogue/${file}.wav
      insert: [{ clip: ad.wav, at: "${at}" }]
      output: with-ads/${file}.wav
      """)
    try stage.write(
      "matrix.yaml",
      """
      for_each: { lang: [en, de], length: [100ms, 200ms] }
      tracks:
        voice: { clip: "voice/${lang}.wav", at: 50ms }
        bed: { clip: ad.wav, gain: -12 dB }
      to: ${length}
      fade_out: 50ms
      output: out/${lang}/${length}.wav
      """)
    let check = try stage.make("avjob check ads.yaml matrix.yaml")
    #expect(check.text == "6 jobs are fine\n")
    try stage.make("avjob run -q matrix.yaml ads.yaml")
    for path in ["with-ads/e1.wav", "with-ads/e2.wav"] {
      #expect(try seconds(path, in: stage) == "1.000000\n")
    }
    for lang in ["en", "de"] {
      #expect(try seconds("out/\(lang)/100ms.wav", in: stage) == "0.100000\n")
      #expect(try seconds("out/\(lang)/200ms.wav", in: stage) == "0.200000\n")
    }
  }

  @Test("Memos of two kinds and assets in three sizes keep their trees")
  func trees() throws {
    let stage = try tones("assets/a.wav", "assets/ui/b.wav", "memos/m.m4a", "memos/n.wav")
    try stage.write(
      "e.yaml",
      """
      for_each: assets/**/*.wav
      output:
        - { folder: dist/high, mp3: V0 }
        - { folder: dist/low, mp3: abr 48k, channels: mono }
      """)
    try stage.write(
      "i.yaml",
      """
      for_each: [memos/*.wav, memos/*.m4a]
      output: { folder: small, mp3: abr 16k, channels: mono, sample_rate: 8 kHz }
      """)
    try stage.make("avjob run -q e.yaml i.yaml")
    #expect(
      try stage.make("find dist small -type f | sort").text.split(separator: "\n") == [
        "dist/high/a.mp3", "dist/high/ui/b.mp3", "dist/low/a.mp3", "dist/low/ui/b.mp3",
        "small/m.mp3", "small/n.mp3",
      ])
  }

  @Test("A folder stands for the job files in it, in natural order; what they include is no job")
  func folder() throws {
    let stage = try tones("a.wav")
    try stage.make("mkdir -p Jobs/sub Jobs/.git none")
    try stage.write("Jobs/common.yaml", "sources: { a: ../a.wav }\n")
    for name in ["ep10.yaml", "ep2.yml", "sub/x.yaml", ".hidden.yaml"] {
      try stage.write(
        "Jobs/\(name)", "include: common.yaml\nclip: a\noutput: ../out/\(name).wav\n")
    }
    let plan = try stage.make("avjob plan jobs Jobs/ep2.yml | grep -v '^ '")
    #expect(plan.errors == "note: 'jobs' is read as 'Jobs'\n")
    #expect(
      plan.text.split(separator: "\n").map { $0.prefix { $0 != ":" } } == ["ep2", "ep10"])
    let none = try stage.run("avjob check none Jobs")
    #expect(none.status == 2)
    #expect(
      none.errors
        == "error: there is no job file in the folder 'none'\n"
        + "  help: job files end in '.yaml' or '.yml'\n")
    try stage.make("mkdir only; cp Jobs/common.yaml only/; sed -i 's/include.*//' only/*")
    let only = try stage.run("avjob run only")
    #expect(only.status == 2)
    #expect(
      only.errors == "error: there is no job in 'only'\n"
        + "  help: its files are for others to include: put a job under 'jobs' in one of them\n")
  }

  @Test("Names of jobs may stand in two files, paths of outputs may not")
  func clashes() throws {
    let stage = try tones("a.wav")
    for name in ["one", "two"] {
      try stage.write(
        "\(name).yaml", "jobs:\n  same: { clip: a.wav, output: \(name).mp3 }\n")
    }
    #expect(try stage.make("avjob check one.yaml two.yaml").text == "2 jobs are fine\n")
    try stage.write("three.yaml", "clip: a.wav\noutput: ./one.mp3\n")
    let clash = try stage.run("avjob check one.yaml three.yaml")
    #expect(clash.status == 2)
    #expect(
      clash.errors
        == """
        three.yaml:2:9: error: two outputs at 'one.mp3'
            2 | output: ./one.mp3
              |         ^~~~~~~~~
          help: give one of them another name
        one.yaml:2:31: note: the other one is here
            2 |   same: { clip: a.wav, output: one.mp3 }
              |                                ^~~~~~~

        """.replacing("2:31:", with: "2:32:"))
  }

  @Test("A thousand jobs of one source are checked in one go, and differ in what they write")
  func manyJobs() throws {
    let stage = try tones("a.wav")
    let list = "[" + (0..<10).map(String.init).joined(separator: ", ") + "]"
    try stage.write(
      "job.yaml",
      """
      for_each: { a: \(list), b: \(list), c: \(list) }
      clip: a.wav
      output: "out/${a}/${b}/${c}.mp3"

      """)
    #expect(try stage.make("avjob check job.yaml").text == "1000 jobs are fine\n")
    try stage.make("sed -i 's/${c}/x/' job.yaml")
    let clash = try stage.run("avjob check job.yaml")
    #expect(clash.status == 2)
    #expect(
      clash.errors == """
        job.yaml:3:9: error: jobs '0-0-0' and '0-0-1' both write 'out/0/0/x.mp3'
            3 | output: "out/${a}/${b}/x.mp3"
              |         ^~~~~~~~~~~~~~~~~~~~~
          help: make the path depend on the job, as with '${input.stem}' or '${n:02}'

        """)
  }

  @Test("A mistake in very many jobs is shown once, with how many others there are")
  func manyMistakes() throws {
    let stage = try tones("a.wav")
    let numbers = (1...34).map(String.init).joined(separator: ", ")
    try stage.write(
      "job.yaml",
      """
      for_each: { a: [\(numbers)], b: [\(numbers)] }
      clip: a.wav
      from: "${a}:${b:02}"
      output: "out/${a}-${b}.mp3"
      """)
    let result = try stage.run("avjob check job.yaml")
    #expect(result.status == 2)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count { $0.contains(": error: ") } == 1)
    #expect(lines.last == "  and 1155 more like it")
  }
}
