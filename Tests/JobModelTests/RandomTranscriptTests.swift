import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing
import Transcripts

@testable import JobModel

/// The map of transcripts against one that follows each sample. `AVJOB_TEST_ROUNDS` is the number of
/// jobs, of which a change of the map deserves some thousands, and `AVJOB_TEST_SEED` changes them.
@Suite struct RandomTranscriptTests {
  @Test("what random jobs say is what their samples say, each time within a millisecond")
  func jobs() throws {
    let count = TestScale.rounds(300)
    var (compared, cueCount, seed) = (0, 0, TestScale.seed)
    while compared < count {
      seed += 1
      guard let count = try compare(seed) else { continue }
      compared += 1
      cueCount += count
    }
    // Few are left out because a sample more or less would decide.
    #expect(seed - TestScale.seed < 4 * UInt64(count))
    #expect(cueCount > 2 * count)
  }

  /// The number of cues of one job; nil where its samples are too coarse to tell.
  private func compare(_ seed: UInt64) throws -> Int? {
    var random = RandomItems(seed)
    let (item, sound) = random.item(depth: Int(random.dice.number(1..<5)))
    guard sound.count > 0, sound.milliseconds < 20_000,
      let expected = sound.transcript(random.transcripts, redaction: random.redaction ?? "…")
    else { return nil }
    let export = try #require(try exports(item, random, every: nil).first)
    #expect(export.composition.transcript.cues.isEmpty)
    let found = export.transcript(in: 0..<sound.milliseconds, rate: 1000).cues
    #expect(found == found.sorted { $0.range.start < $1.range.start })
    compare(found, expected, "job \(seed)")
    return expected.count
  }

  @Test("the parts of 100 random jobs have what their samples say of the words of the whole")
  func parts() throws {
    var (compared, seed) = (0, UInt64(10_000))
    while compared < 100, seed < 11_000 {
      seed += 1
      var random = RandomItems(seed)
      let (item, sound) = random.item(depth: 2)
      guard sound.milliseconds > 300, sound.milliseconds < 6000 else { continue }
      let length = random.dice.number(100..<sound.milliseconds - 100)
      let whole = try #require(try exports(item, random, every: nil).first)
      let words = whole.transcript(in: 0..<sound.milliseconds, rate: 1000)
      let said = SlowSound(0, milliseconds: sound.milliseconds)
      for (index, export) in try exports(item, random, every: length).enumerated() {
        let start = Int64(index) * length
        var part = said
        part.keep(start, min(sound.milliseconds, start + length))
        guard let expected = part.transcript([words], redaction: "…") else { continue }
        compare(
          export.transcript(in: 0..<part.milliseconds, rate: 1000).cues, expected,
          "part \(index) of job \(seed)")
        compared += 1
      }
    }
    #expect(compared >= 100)
  }

  private func exports(
    _ item: Item, _ random: RandomItems, every length: Int64?
  ) throws(Diagnostics) -> [Export] {
    let split = length.map {
      Split(.every(Located(.time(Time(value: $0, timescale: 1000)))))
    }
    let job = Job(
      name: "job", item: item, split: split,
      outputs: [Output(path: split == nil ? "x.wav" : "${part.n}.wav", format: .wav(.int16))])
    return try job.exports { reference in
      random.assets.first { $0.location == reference.location }
    }
    .exports
  }

  private func compare(_ found: [Cue], _ expected: [SlowSound.Expected], _ name: String) {
    var rest = found
    for cue in expected {
      guard let index = rest.firstIndex(where: { $0.isAlmost(cue) }) else {
        Issue.record("\(name) lacks \(cue); it has \(found.map(\.line))")
        return
      }
      rest.remove(at: index)
    }
    #expect(rest.isEmpty, "\(name) should not have \(rest.map(\.line))")
    for cue in found {
      let isWhole = !cue.text.contains("…") && !cue.text.contains("[name]")
      #expect(isWhole || cue.identifier == nil && cue.markup == nil, "\(name): \(cue)")
      #expect(cue.markup.map { $0 == "<i>\(cue.text)</i>" } ?? true, "\(name): \(cue)")
    }
  }
}

extension Cue {
  /// For messages.
  fileprivate var line: String {
    "\(range.start.seconds)-\(range.end.seconds) \(speaker ?? ""): \(text)"
  }

  fileprivate func isAlmost(_ other: SlowSound.Expected) -> Bool {
    guard text == other.text, speaker == other.speaker, range.isNear(other.start, other.end) else {
      return false
    }
    return other.words.allSatisfy { expected in
      words.contains { word in
        word.text == expected.text && word.range?.isNear(expected.start, expected.end) == true
      }
    }
  }
}

extension TimeRange {
  /// Whether both ends are within a millisecond of these samples.
  fileprivate func isNear(_ start: Int, _ end: Int) -> Bool {
    let rate = Double(1000 * SlowSound.perMillisecond)
    return abs(self.start.seconds - Double(start) / rate) <= 0.001
      && abs(self.end.seconds - Double(end) / rate) <= 0.001
  }
}
