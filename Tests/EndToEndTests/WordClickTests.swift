import TestSupport
import Testing

/// Words stay where they sound: a click stands at the start of each word of the sources, and in the
/// output each word begins at a click, and each click that is left begins a word.
///
/// `AVJOB_TEST_ROUNDS` is the number of jobs, `AVJOB_TEST_SEED` changes them.
@Suite struct WordClickTests {
  /// A recording of six seconds whose words lie between the tenths of a second, at which it is cut.
  private struct Source {
    let name: String
    let rate: Int
    let milliseconds = 6000
    /// By word: when it begins, and whether a cue begins with it.
    private(set) var words: [(start: Int, isFirst: Bool)] = []

    init(_ name: String, rate: Int, _ dice: inout Dice) {
      (self.name, self.rate) = (name, rate)
      var start = 30
      while start < milliseconds - 100 {
        words.append((start, words.count < 1 || dice.number(0..<3) == 0))
        start += 100 * Int(dice.number(2..<7))
      }
    }

    /// Samples of a click at each word, in 16 bits.
    var sound: [UInt8] {
      var samples = [Int16](repeating: 0, count: rate * milliseconds / 1000)
      for word in words { samples[rate * word.start / 1000] = 20_000 }
      return samples.flatMap { withUnsafeBytes(of: $0.littleEndian) { Array($0) } }
    }

    /// As WhisperX writes it. A word lasts 40 ms, and a cue until the next one.
    var transcript: String {
      let firsts = words.indices.filter { words[$0].isFirst }
      let segments = zip(firsts, firsts.dropFirst() + [words.count]).map { first, next in
        let end = next < words.count ? words[next].start : words[next - 1].start + 40
        let spoken = (first..<next).map { index in
          let start = words[index].start
          return
            #"{"word":"\#(name)\#(index)","start":\#(seconds(start)),"end":\#(seconds(start + 40))}"#
        }
        let text = (first..<next).map { "\(name)\($0)" }.joined(separator: " ")
        return #"{"start":\#(seconds(words[first].start)),"end":\#(seconds(end)),"#
          + #""text":"\#(text)","words":[\#(spoken.joined(separator: ","))]}"#
      }
      return #"{"segments":[\#(segments.joined(separator: ","))]}"#
    }

    private func seconds(_ milliseconds: Int) -> Double { Double(milliseconds) / 1000 }
  }

  /// Random jobs over some sources: all edits that move or take away sound.
  private struct Jobs {
    var dice: Dice
    let names: [String]

    private mutating func number(_ range: Range<Int>) -> Int {
      Int(dice.number(Int64(range.lowerBound)..<Int64(range.upperBound)))
    }

    private mutating func chance(_ many: Int) -> Bool { number(0..<many) == 0 }

    /// An item, and its length in tenths of a second; nil where its words may lie anywhere, so that
    /// nothing around it is cut.
    mutating func item(depth: Int = 0) -> (yaml: String, tenths: Int?) {
      var (keys, tenths) = content(depth: depth)
      if let length = tenths, length > 8 { edit(&keys, length: length, &tenths, depth: depth) }
      if chance(8) { keys.append("reverse: true") }
      if depth < 2, chance(4) {
        let rate = ["0.5", "0.75", "4/5", "1.25", "3/2", "1001/1000"][number(0..<6)]
        keys.append("speed: { rate: \(rate), pitch: follow }")
        tenths = nil
      }
      if chance(6) {
        keys.append("loop: 2")
        tenths = tenths.map { $0 * 2 }
      }
      return ("{ \(keys.joined(separator: ", ")) }", tenths)
    }

    private mutating func content(depth: Int) -> ([String], Int?) {
      let kind = depth < 3 ? number(0..<6) : 3
      guard kind < 3 else {
        let (start, length) = (number(0..<40), number(9..<20))
        let name = names[number(0..<names.count)]
        return (["clip: \(name) \(start)00ms..+\(length)00ms"], length)
      }
      let items = (0..<number(2..<4)).map { _ in item(depth: depth + 1) }
      let list = items.map(\.yaml).joined(separator: ", ")
      let lengths = items.compactMap(\.tenths)
      let isOnGrid = lengths.count == items.count
      switch kind {
      case 0 where isOnGrid: return (["concat: [\(list)]", "crossfade: 40ms"], nil)
      case 0, 1: return (["concat: [\(list)]"], isOnGrid ? lengths.reduce(0, +) : nil)
      default:
        let tracks = items.enumerated().map { "t\($0): [\($1.yaml)]" }.joined(separator: ", ")
        return (["tracks: { \(tracks) }"], isOnGrid ? lengths.max() : nil)
      }
    }

    /// Ranges, cuts, insertions and muted ranges at tenths of a second.
    private mutating func edit(
      _ keys: inout [String], length: Int, _ tenths: inout Int?, depth: Int
    ) {
      var length = length
      if !keys[0].hasPrefix("clip"), chance(3) {
        let (start, end) = (number(0..<3), number(length - 3..<length))
        keys.append("from: \(start)00ms, to: \(end)00ms")
        length = end - start
      }
      if chance(4) {
        let start = number(0..<length - 2)
        keys.append("mute: [\(start)00ms..\(min(length, start + number(1..<6)))00ms]")
      }
      tenths = length
      if chance(2) {
        let start = number(1..<length - 2)
        let end = number(start + 1..<length)
        keys.append(
          "cut: { ranges: [\(start)00ms..\(end)00ms]\(chance(2) ? ", crossfade: 20ms" : "") }")
        tenths = length - (end - start)
      }
      if chance(3) {
        let inserted = item(depth: max(depth + 1, 2))
        let at = number(0..<length + 1)
        keys.append("insert: [\(inserted.yaml.dropLast(2)), at: \(at)00ms }]")
        tenths = inserted.tenths.flatMap { inner in tenths.map { $0 + inner } }
      }
    }
  }

  @Test("a click is where each word begins, through all edits at once")
  func randomEdits() throws {
    let stage = Stage()
    var dice = Dice(43 + TestScale.seed)
    let sources = [("a", 48_000), ("b", 44_100), ("c", 32_000)].map { Source($0, rate: $1, &dice) }
    for source in sources {
      try writeFile(stage.path("\(source.name).s16"), source.sound)
      try stage.write("\(source.name).json", source.transcript)
      try stage.make(
        "sox -t s16 -r \(source.rate) -c 1 \(source.name).s16 \(source.name).wav")
    }
    var jobs = Jobs(dice: dice, names: sources.map(\.name))
    let count = TestScale.rounds(20)
    let yaml = (0..<count).map { index in
      """
        j\(index):
          sample_rate: 48 kHz
          channels: mono
          concat: [\(jobs.item().yaml), \(jobs.item().yaml)]
          output: { file: j\(index).wav, wav: 32 bit float, transcript: { as: podcasting2, segments: words } }

      """
    }
    let named = sources.map {
      "  \($0.name): { file: \($0.name).wav, transcript: \($0.name).json }\n"
    }
    // One command has a minute, whatever the number of rounds.
    for start in stride(from: 0, to: count, by: 20) {
      let part = yaml[start..<min(start + 20, count)]
      let run = try stage.job("sources:\n\(named.joined())jobs:\n\(part.joined())")
      #expect(run.status == 0, "\(run.errors)")
    }
    var found = 0
    for index in 0..<count { found += try check("j\(index)", yaml[index], stage) }
    #expect(found > 8 * count)
  }

  /// The number of words of an output that begin at a click.
  private func check(_ name: String, _ yaml: String, _ stage: Stage) throws -> Int {
    let words = try words(of: name, stage)
    let clicks = try Self.clicks(in: WAVFile(stage.path("\(name).wav")).floats)
    // Where two speak at once, a cue is one segment, and begins where it is cut.
    let isWhole = yaml.contains("tracks:")
    for word in words where !word.text.hasPrefix("…") {
      let isThere = clicks.contains {
        abs($0 - word.start) <= 1 || isWhole && word.start <= $0 && $0 <= word.end
      }
      #expect(isThere, "\(name): no click at \(word) among \(clicks)\n\(yaml)")
    }
    // Reversed words are no text, and their clicks stay.
    guard !yaml.contains("reverse") else { return words.count }
    for click in clicks {
      let isSaid = words.contains { word in
        abs(click - word.start) <= 1
          || isWhole && word.start - 1 <= click && click <= word.end + 1
      }
      #expect(isSaid, "\(name): no word at \(click) among \(words)\n\(yaml)")
    }
    return words.count
  }

  /// The segments of an output, in milliseconds.
  private func words(
    of name: String, _ stage: Stage
  ) throws -> [(text: String, start: Double, end: Double)] {
    let script = """
      python3 -c 'import json, os
      name = "\(name).transcript.json"
      for s in json.load(open(name))["segments"] if os.path.exists(name) else []:
        print(s["startTime"], s["endTime"], s["body"].strip(), sep="\\t")'
      """
    return try stage.make(script).text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t")
      guard fields.count == 3, let start = Double(fields[0]), let end = Double(fields[1]) else {
        return nil
      }
      return (String(fields[2]), start * 1000, end * 1000)
    }
  }

  /// When peaks are heard, in milliseconds; of several within a millisecond the highest.
  private static func clicks(in sound: [Float]) -> [Double] {
    var clicks: [Int] = []
    for index in sound.indices where abs(sound[index]) > 0.12 {
      if let last = clicks.last, index - last < 48 {
        if abs(sound[index]) > abs(sound[last]) { clicks[clicks.count - 1] = index }
      } else {
        clicks.append(index)
      }
    }
    return clicks.map { Double($0) / 48 }
  }
}
