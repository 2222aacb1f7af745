import TestSupport
import Testing

/// Chapters of source files stay where they sound: a click stands at each in the source, and in the
/// output a chapter begins at each click that is left.
@Suite struct ClickTests {
  /// Sources of some seconds; chapters begin at 0, without a click, and at these milliseconds.
  private struct Source {
    let name: String
    let rate: Int
    let clicks: [Int]
    let milliseconds = 4000

    func samples() -> [Float] {
      var samples = [Float](repeating: 0, count: rate * milliseconds / 1000)
      for click in clicks { samples[rate * click / 1000] = 0.9 }
      return samples
    }

    /// As ffmpeg reads chapters.
    var metadata: String {
      let starts = [0] + clicks
      let chapters = zip(starts, clicks + [milliseconds]).enumerated().map { index, range in
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(range.0)\nEND=\(range.1)\ntitle=\(name) \(index)\n"
      }
      return ";FFMETADATA1\n" + chapters.joined()
    }
  }

  /// Random jobs over some sources: all edits that move sound in time.
  private struct Jobs {
    var dice: Dice
    let names: [String]

    private mutating func number(_ range: Range<Int64>) -> Int { Int(dice.number(range)) }

    /// An item, whose time nobody outside needs to know, of at least 200 ms.
    mutating func item(depth: Int = 0) -> String {
      var keys: [String]
      if depth < 2, number(0..<3) == 0 {
        let items = (0..<number(2..<4)).map { _ in item(depth: depth + 1) }
        keys = ["concat: [\(items.joined(separator: ", "))]"]
        if number(0..<2) == 0 { keys.append("crossfade: 30ms") }
      } else {
        keys = clip()
      }
      if number(0..<3) == 0 { keys.append("reverse: true") }
      if number(0..<3) == 0 {
        let rate = ["0.5", "0.75", "4/5", "1.25", "3/2"][number(0..<5)]
        keys.append("speed: { rate: \(rate), pitch: follow }")
      }
      if number(0..<4) == 0 { keys.append("loop: 2") }
      return "{ \(keys.joined(separator: ", ")) }"
    }

    private mutating func clip() -> [String] {
      let start = number(0..<2000)
      let length = number(900..<2000)
      var keys = ["clip: \(names[number(0..<Int64(names.count))]) \(start)ms..+\(length)ms"]
      if number(0..<2) == 0 {
        let first = number(100..<500)
        keys.append("cut: [\(first)ms..\(first + number(10..<300))ms]")
      }
      if number(0..<3) == 0 {
        let range = "\(number(0..<2000))ms..+\(number(300..<900))ms"
        let name = names[number(0..<Int64(names.count))]
        keys.append(
          "insert: [{ clip: \(name) \(range), at: \(number(0..<900))ms, chapters: keep }]")
      }
      return keys
    }
  }

  @Test("through cuts, insertions, cross-fades, speed, rounds, reversal and nesting")
  func randomEdits() throws {
    let stage = Stage()
    let sources = [
      Source(name: "mka", rate: 48_000, clicks: [210, 700, 1330, 2000, 2620, 3310]),
      Source(name: "m4a", rate: 44_100, clicks: [340, 900, 1550, 2240, 2800, 3590]),
      Source(name: "flac", rate: 32_000, clicks: [130, 820, 1111, 1900, 2500, 3100, 3700]),
    ]
    for source in sources { try make(source, in: stage) }
    var jobs = Jobs(dice: Dice(42), names: sources.map { "s." + $0.name })
    let count = 8
    let yaml = (0..<count).map { index in
      let items = (0..<3).map { _ in "      - \(jobs.item())\n" }.joined()
      return """
          j\(index):
            sample_rate: 48 kHz
            chapters: keep
            concat:
        \(items)    output:
              - { file: j\(index).m4a, alac: 24 bit, chapters: [file, podcasting2] }
              - { file: j\(index).flac, flac: 24 bit }

        """
    }
    try stage.write("job.yaml", "jobs:\n" + yaml.joined())
    let run = try stage.run("avjob run --quiet job.yaml")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)\n\(yaml.joined())")
    var found = 0
    for index in 0..<count {
      let chapters = try starts(of: "j\(index).m4a", stage).map { ($0 * 48_000).rounded() }
      let sound = try stage.make("ffmpeg -v error -i j\(index).m4a -map 0:a -f f32le -").floats
      let clicks = Self.clicks(in: sound)
      found += clicks.count
      // Backwards, a click's frame ends where its chapter begins, and is longer where it is slower.
      let tolerance = yaml[index].contains("reverse") && yaml[index].contains("speed") ? 4.0 : 1
      for click in clicks {
        let isMarked = chapters.contains { abs($0 - Double(click)) <= tolerance }
        #expect(isMarked, "j\(index): \(click) among \(chapters)\n\(yaml[index])")
      }
      // Comments and JSON have whole milliseconds.
      let comments = try starts(of: "j\(index).flac", stage)
      let json = try stage.make(
        """
        python3 -c 'import json
        for c in json.load(open("j\(index).chapters.json"))["chapters"]: print(c["startTime"])'
        """
      ).text.split(separator: "\n").compactMap { Double($0) }
      #expect(comments == json)
      #expect(
        zip(chapters.suffix(json.count), json).allSatisfy { abs($0 / 48_000 - $1) <= 0.000_51 })
    }
    #expect(found > 40)
  }

  private func make(_ source: Source, in stage: Stage) throws {
    let bytes = source.samples().flatMap { sample in
      withUnsafeBytes(of: sample.bitPattern.littleEndian) { Array($0) }
    }
    try writeFile(stage.path("\(source.name).f32"), bytes)
    try stage.write("\(source.name).txt", source.metadata)
    let codec = source.name == "m4a" ? "alac -sample_fmt s32p" : "flac -sample_fmt s32"
    try stage.make(
      """
      ffmpeg -v error -f f32le -ar \(source.rate) -ac 1 -i \(source.name).f32 -i \(source.name).txt \
        -map 0:a -map_metadata 1 -map_chapters 1 -c:a \(codec) s.\(source.name)
      """)
    guard source.name == "flac" else { return }
    // FFmpeg writes no chapters into FLAC.
    let comments = ([0] + source.clicks).enumerated().map { index, start in
      let milliseconds = "\(1000 + start % 1000)".dropFirst()
      return "CHAPTER00\(index)=00:00:0\(start / 1000).\(milliseconds)\n"
        + "CHAPTER00\(index)NAME=flac \(index)\n"
    }
    try stage.write("comments", comments.joined())
    try stage.make("metaflac --import-tags-from=comments s.flac")
  }

  private func starts(of file: String, _ stage: Stage) throws -> [Double] {
    try stage.make("ffprobe -v error -show_entries chapter=start_time -of csv=p=0 \(file)").text
      .split(separator: "\n").compactMap { Double($0) }
  }

  /// Peaks, none nearer than 50 frames to a higher one.
  private static func clicks(in sound: [Float]) -> [Int] {
    sound.indices.filter { index in
      let level = abs(sound[index])
      guard level > 0.1 else { return false }
      return sound[max(0, index - 50)..<min(sound.count, index + 50)].indices.allSatisfy {
        abs(sound[$0]) < level || $0 == index || (abs(sound[$0]) == level && $0 > index)
      }
    }
  }
}
