import TestSupport
import Testing

@Suite("A batch with broken media in it")
struct BrokenBatchTests {
  /// Ways to be broken, each with what is said of it; FILE is the file.
  private static let ways: [(script: String, says: String, isFile: Bool)] = [
    (": > FILE", "is empty (0 bytes)", true),
    ("seq 1000 > FILE", "holds no sound that avjob knows", true),
    ("head -c 44 tone.wav > FILE", "holds no sound (its header is all there is)", true),
    ("head -c 20 tone.wav > FILE", "holds no sound", true),
    ("cp silent.mkv FILE", "holds no sound, only", true),
    ("cp tone.wav FILE; chmod 000 FILE", "may not be read", true),
    ("mkdir FILE", "is a folder", false),
    ("mkfifo FILE", "is no regular file", false),
    (":", "there is no file", false),
    ("cp nan.wav FILE", "holds samples that are no numbers", true),
  ]

  /// A folder with 160 sounds and 40 files that are none, and a job for each.
  private func stage(_ ways: [(script: String, says: String, isFile: Bool)]) throws -> Stage {
    let stage = Stage()
    var script = """
      sox -R -r 8000 -n -c 1 -b 16 tone.wav synth 0.1 pinknoise vol 0.3
      ffmpeg -v error -f lavfi -i testsrc=size=16x16 -frames:v 1 -c:v ffv1 silent.mkv
      head -c 4000 /dev/zero | tr '\\0' '\\377' | ffmpeg -v error -f f32le -ar 8000 -ac 1 -i - \
        -c:a copy nan.wav
      ffmpeg -v error -f lavfi -i anoisesrc=d=1:r=22050:a=0.3 -c:a aac -b:a 64k broken.m4a
      head -c 3000 /dev/zero | dd of=broken.m4a bs=1 seek=4000 conv=notrunc status=none
      mkdir in
      for n in $(seq 160); do cp tone.wav in/good$n.wav; done

      """
    var jobs = "jobs:\n"
    for number in 1...160 {
      jobs += "  good\(number): { clip: in/good\(number).wav, output: out/good\(number).flac }\n"
    }
    for number in 0..<40 {
      let way = ways[number % ways.count]
      script += way.script.replacing("FILE", with: "in/bad\(number).wav") + "\n"
      jobs += "  bad\(number): { clip: in/bad\(number).wav, output: out/bad\(number).flac }\n"
    }
    try stage.make(script)
    try stage.write("job.yaml", jobs)
    return stage
  }

  /// Without the one that root, who may read everything, does not know.
  private static var usableWays: [(script: String, says: String, isFile: Bool)] {
    get throws {
      let isRoot = try Tool.run(["id", "-u"]).text == "0\n"
      return ways.filter { !(isRoot && $0.script.contains("chmod")) }
    }
  }

  private func expectOthersDone(
    _ result: ToolResult, _ stage: Stage, _ ways: [(script: String, says: String, isFile: Bool)]
  ) throws {
    #expect(result.status == 1)
    #expect(result.errors.hasSuffix("40 of 200 jobs failed\n"))
    for number in 0..<40 {
      let line = "'in/bad\(number).wav'"
      let says = result.errors.split(separator: "\n").first { $0.contains(line) }
      #expect(says?.contains(ways[number % ways.count].says) == true, "\(number): \(says ?? "")")
    }
    let written = try stage.make("ls out; cat out/*.flac | wc -c")
    let names = written.text.split(separator: "\n").dropLast().map(String.init)
    #expect(names == (1...160).map { "good\($0).flac" }.sorted())
    // Of one sound, all are one file.
    try stage.make(
      """
      for f in out/*.flac; do cmp $f out/good1.flac; done
      flac -s -d -o x.wav out/good1.flac; cmp x.wav tone.wav
      """)
  }

  @Test("40 broken media among 200 fail their jobs and no other")
  func found() throws {
    let ways = try Self.usableWays.filter(\.isFile)
    let stage = try stage(ways)
    try expectOthersDone(try stage.run("avjob run --quiet job.yaml"), stage, ways)
  }

  @Test("With --keep-going so do sources that are no files, and other mistakes of one job")
  func mistakes() throws {
    let ways = try Self.usableWays
    let stage = try stage(ways)
    let before = try stage.listing()
    let refused = try stage.run("avjob run --quiet job.yaml")
    #expect(refused.status == 2)
    #expect(try stage.listing() == before)
    try expectOthersDone(try stage.run("avjob run --quiet --keep-going job.yaml"), stage, ways)
  }

  @Test("40 media of 200 that break when they are read fail their jobs and no other")
  func later() throws {
    let ways = [
      (script: "cp broken.m4a FILE", says: "breaks off at 0.", isFile: true)
    ]
    let stage = try stage(ways)
    let check = try stage.run("avjob check job.yaml")
    #expect(check.status == 0 && check.text == "200 jobs are fine\n")
    try expectOthersDone(try stage.run("avjob run --quiet job.yaml"), stage, ways)
  }
}
