import Glibc
import TestSupport
import Testing

@Suite struct PreviewFollowTests {
  func job(_ items: String) -> String {
    "concat: [\(items)]\noutput: { file: out.wav, wav: 32 bit float }\n"
  }

  /// The export of a job file.
  func export(_ sound: SoundStage, _ name: String = "job.yaml") throws -> [UInt8] {
    try sound.stage.make("avjob run -q --force \(name)")
    return Array(try WAVFile(sound.stage.path("out.wav")).data)
  }

  /// Where a change was heard: the length of what was heard of the version before, and the place in the
  /// next version that would follow there without the cross-fade of 10 ms; nil where it is not one after
  /// the other.
  func change(
    _ heard: [UInt8], _ before: [UInt8], _ after: [UInt8]
  ) -> (left: Int, entered: Int)? {
    let left = heard.commonPrefix(with: before) / 8
    let faded = heard.commonSuffix(with: after) / 8
    let rest = heard.count / 8 - left
    // Where the same moment sounds the same in both, nothing is heard of the change itself.
    guard rest > 0 || faded == left, rest * 8 <= after.count, rest - faded <= 480 else {
      return nil
    }
    return (left, after.count / 8 - rest)
  }

  @Test(
    "what is heard after a change is the export of the new version, at the same place of the item",
    arguments: [
      "mv new.yaml job.yaml", "cat new.yaml > job.yaml", "rm job.yaml; cp new.yaml job.yaml",
    ])
  func changes(save: String) throws {
    // A busy machine must have read the file before the end of the first version.
    let sound = try SoundStage.noise("speed 1 stall yes")
    try sound.stage.write("job.yaml", job("one.wav 0s..3s, two.wav 0s..5s"))
    let before = try export(sound)
    try sound.stage.write("new.yaml", job("three.wav 0s..1s, one.wav 0s..3s, two.wav 0s..4s"))
    let result = try sound.play("job.yaml --follow", "heard 400000\n\(save)")
    #expect(result.status == 0)
    // Between `rm` and `cp` there may be time enough to see that it is gone.
    #expect(result.errors.isEmpty || save.hasPrefix("rm"))
    let after = try export(sound)
    let (left, entered) = try #require(change(sound.heard, before, after))
    // A second was inserted before the item that was heard, and nothing of the item is left out.
    #expect(left >= 50_000)
    #expect((48_000 + 1...48_000 + left).contains(entered))
    #expect(result.text.hasSuffix("job: ended at 0:08.0 of 0:08.0\n"))
  }

  @Test("while there is a mistake the old sound goes on, and it is reported once with its line")
  func mistake() throws {
    let sound = try SoundStage.noise()
    try sound.stage.write("job.yaml", job("one.wav, two.wav"))
    let before = try export(sound)
    try sound.stage.write("wrong.yaml", job("one.wav, two.wav gian"))
    try sound.stage.write("new.yaml", job("one.wav, three.wav"))
    let result = try sound.play(
      "job.yaml --follow",
      """
      heard 100000
      cp wrong.yaml job.yaml
      said error
      touch job.yaml
      heard 1000000
      mv new.yaml job.yaml
      """)
    #expect(result.status == 0)
    #expect(result.errors.hasPrefix("job.yaml:1:"))
    #expect(result.errors.split(separator: "\n").count { $0.contains("error: ") } == 1)
    let after = try export(sound)
    let (left, entered) = try #require(change(sound.heard, before, after))
    #expect(left >= 120_000)
    #expect(entered <= left)
  }

  @Test("an entry that did not change is not touched; others are replaced, added and removed")
  func entries() throws {
    let sound = try SoundStage.noise()
    func jobs(_ list: String...) -> String {
      "jobs:\n"
        + list.map { name in
          let (job, clip) = (name.prefix(1), name.dropFirst())
          return "  \(job): { clip: \(clip), output: { file: \(job).wav, wav: 32 bit float } }\n"
        }.joined()
    }
    try sound.stage.write("job.yaml", jobs("aone.wav", "btwo.wav 0s..1s", "cthree.wav"))
    try sound.stage.write(
      "new.yaml", "# a comment\n" + jobs("aone.wav", "dthree.wav 1s..2s", "btwo.wav 2s..4s"))
    let result = try sound.play("job.yaml --follow", "heard 400000\nmv new.yaml job.yaml")
    #expect(result.errors == "")
    #expect(
      result.text == """
        1 of 3: a (0:08.0)
        2 of 3: d (0:01.0)
        3 of 3: b (0:02.0)
        b: ended at 0:02.0 of 0:02.0

        """)
    try sound.stage.make("avjob run -q job.yaml")
    let expected = try ["a.wav", "d.wav", "b.wav"].flatMap {
      try WAVFile(sound.stage.path($0)).data
    }
    #expect(sound.firstDifference(from: expected) == nil)
  }

  @Test("a changed table, include and medium are followed like the job file")
  func otherFiles() throws {
    let sound = try SoundStage.noise()
    try sound.stage.write("common.yaml", "vars: { last: three.wav }\n")
    try sound.stage.write(
      "job.yaml",
      """
      include: common.yaml
      jobs:
        all:
          rows: list.csv
          clip: ${file}
          output: { file: "${title}.wav", wav: 32 bit float }
        last: { clip: "${last} 1s..2s", output: { file: last.wav, wav: 32 bit float } }
      """)
    try sound.stage.write("list.csv", "title,file\na,one.wav\nb,two.wav\n")
    let result = try sound.play(
      "job.yaml --follow",
      """
      heard 400000
      printf 'title,file\\na,one.wav\\nb,three.wav\\nc,two.wav\\n' > list.new
      mv list.new list.csv
      heard 1000000
      cp three.wav new.wav
      mv new.wav two.wav
      sleep 0.1
      echo 'vars: { last: one.wav }' > common.yaml
      """)
    #expect(result.errors == "")
    try sound.stage.make("avjob run -q job.yaml")
    let expected = try ["a.wav", "b.wav", "c.wav", "last.wav"].flatMap {
      try WAVFile(sound.stage.path($0)).data
    }
    #expect(sound.firstDifference(from: expected) == nil)
  }

  @Test("without --follow a job file is read once")
  func unfollowed() throws {
    let sound = try SoundStage.noise()
    try sound.stage.write("job.yaml", job("one.wav"))
    let before = try export(sound)
    try sound.stage.write("new.yaml", job("two.wav"))
    let result = try sound.play("job.yaml", "heard 400000\nmv new.yaml job.yaml")
    #expect(result.status == 0)
    #expect(sound.firstDifference(from: before) == nil)
  }

  @Test("a folder of media is played in the natural order of names, one of job files as its jobs")
  func folders() throws {
    let sound = try SoundStage.noise("speed 50 stall yes")
    try sound.stage.make(
      """
      mkdir album; mv one.wav album/2.wav; mv two.wav album/10.wav; cp three.wav album/.hidden.wav
      echo text > album/notes.txt; printf '\\377\\330\\377\\340' > album/cover.jpg
      """)
    let result = try sound.run("avjob preview album")
    #expect(result.errors == "")
    #expect(
      result.text == """
        1 of 2: 2.wav (0:08.0)
        2 of 2: 10.wav (0:08.0)
        10.wav: ended at 0:08.0 of 0:08.0

        """)
    try sound.stage.write("album/job.yaml", "clip: 10.wav 0s..1s\noutput: out.wav\n")
    #expect(try sound.run("avjob preview album").text.hasPrefix("job (0:01.0)\n"))
    try sound.stage.make("mkdir empty")
    let empty = try sound.run("avjob preview empty")
    #expect(empty.status == 2)
    #expect(
      empty.errors == """
        error: there is neither a job file nor a medium in the folder 'empty'
          help: job files end in '.yaml' or '.yml', media in '.wav', '.mp3', '.flac' and others

        """)
  }

  @Test("on a terminal it stays open at the end, and space plays again")
  func staysOpen() throws {
    let sound = try SoundStage.noise("speed 50 stall yes")
    let terminal = try sound.start("one.wav", "--to", "1s")
    try terminal.wait(for: "the end: space plays again, q quits")
    try terminal.wait(for: "paused")
    terminal.type(" ")
    try terminal.wait(for: "playing")
    try terminal.wait(for: "the end: space plays again, q quits")
    terminal.type("q")
    #expect(terminal.wait() == 0)
    #expect(terminal.transcript.contains("one.wav: ended at 0:01.0 of 0:01.0"))
    let closing = try sound.start("one.wav", "--to", "1s", "--no-keep-open")
    #expect(closing.wait() == 0)
  }

  @Test("on a terminal a mistake is on the screen with its line until it is mended")
  func screen() throws {
    let sound = try SoundStage.noise("speed 1")
    try sound.stage.write("job.yaml", job("one.wav"))
    let terminal = try sound.start("job.yaml", "--loop")
    try terminal.wait(for: "playing  job")
    try sound.stage.write("job.yaml", job("one.wav").replacing("concat", with: "concta"))
    try terminal.wait(for: "job.yaml:1:1: ")
    terminal.type(" ")
    try terminal.wait(for: "paused")
    try sound.stage.write("new.yaml", job("two.wav 0s..4s"))
    try sound.stage.make("mv new.yaml job.yaml")
    try terminal.wait(for: "0:04.0")
    // Another size draws all lines again. The mistake goes just after the change has come.
    var end = "job.yaml:1:1"
    for columns in UInt16(90)..<110 where end.contains("job.yaml:1:1") {
      let before = terminal.transcript.utf8.count
      terminal.resize(columns: columns, rows: 24)
      try terminal.wait(for: "paused", "q quit")
      end = String(decoding: terminal.transcript.utf8.dropFirst(before), as: UTF8.self)
    }
    #expect(end.contains("paused  job"))
    #expect(!end.contains("job.yaml:1:1"))
    terminal.type("q")
    #expect(terminal.wait() == 0)
  }
}
