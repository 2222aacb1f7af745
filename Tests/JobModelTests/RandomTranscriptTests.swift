import Diagnosis
import MediaComposition
import MediaTime
import TestSupport
import Testing
import Transcripts

@testable import JobModel

/// The map of transcripts against one that follows each sample.
@Suite struct RandomTranscriptTests {
  @Test("what 1,000 random jobs say is what their samples say, each time within a millisecond")
  func jobs() throws {
    var (compared, cueCount, seed) = (0, 0, UInt64(0))
    while compared < 1000 {
      seed += 1
      guard let count = try compare(seed) else { continue }
      compared += 1
      cueCount += count
    }
    // Few are left out because a sample more or less would decide.
    #expect(seed < 2000)
    #expect(cueCount > 3000)
  }

  /// The number of cues of one job; nil where its samples are too coarse to tell.
  private func compare(_ seed: UInt64) throws -> Int? {
    var random = RandomItems(seed)
    let (item, sound) = random.item(depth: Int(random.dice.number(1..<5)))
    guard sound.count > 0, sound.milliseconds < 20_000,
      let expected = sound.transcript(random.transcripts, redaction: random.redaction ?? "…")
    else { return nil }
    let job = Job(
      name: "job", item: item, outputs: [Output(path: "x.wav", format: .wav(.int16))])
    let exports = try job.exports { reference in
      random.assets.first { $0.location == reference.location }
    }
    let export = try #require(exports.exports.first)
    #expect(export.composition.transcript.cues.isEmpty)
    let found = export.transcript(in: 0..<sound.milliseconds, rate: 1000).cues
    #expect(found == found.sorted { $0.range.start < $1.range.start })
    var rest = found
    for cue in expected {
      guard let index = rest.firstIndex(where: { $0.isAlmost(cue) }) else {
        Issue.record("job \(seed) lacks \(cue); it has \(found.map(\.line))")
        return 0
      }
      rest.remove(at: index)
    }
    #expect(rest.isEmpty, "job \(seed) should not have \(rest.map(\.line))")
    return expected.count
  }

  @Test("no muted word is read in 500 random jobs")
  func redactions() throws {
    for seed in UInt64(0)..<500 {
      var dice = Dice(seed)
      let length: Int64 = 4000
      // Words of which some go back in time, last no time, or have none.
      let words = (0..<30).map { index in
        let start = dice.number(0..<length - 300)
        let time = TimeRange(
          start: Time(value: start, timescale: 1000),
          duration: Time(value: dice.number(0..<300), timescale: 1000))
        return Word("w\(index).", in: dice.number(0..<6) == 0 && index > 0 ? nil : time)
      }
      let whole = TimeRange(start: .zero, duration: Time(value: length, timescale: 1000))
      let cue = Cue(words.map(\.text).joined(separator: " "), in: whole, words: words)
      let mute = TimeRange(
        start: Time(value: dice.number(0..<3000), timescale: 1000),
        duration: Time(value: dice.number(1..<900), timescale: 1000))
      var segment = Segment(.composition(.spoken(for: length)), source: whole, at: .zero)
      var speech = SegmentSpeech()
      speech.transcript = Transcript([cue])
      speech.redactions = [SegmentSpeech.Redaction(mute)]
      segment.speech = speech
      var track = Track(segments: [segment])
      for _ in 0..<3 {
        let start = Time(value: dice.number(0..<length / 2), timescale: 1000)
        let cut = TimeRange(start: start, duration: Time(value: 100, timescale: 1000))
        if dice.number(0..<2) == 0 {
          try track.removeTimeRange(cut)
        } else {
          try track.insertEmptyTimeRange(cut)
        }
      }
      let texts = Composition(tracks: [track]).transcript.cues.map(\.text).joined(separator: " ")
      for (index, word) in words.enumerated() {
        guard let range = word.range, range.intersection(mute).duration > .zero else { continue }
        let middle = range.start + range.duration.multiplied(by: 1, over: 2)
        // Where its sound in the mute is cut, too, it may be read.
        guard mute.contains(middle), track.segments.contains(where: { $0.plays(middle) }) else {
          continue
        }
        #expect(!texts.contains("w\(index)."), "job \(seed): \(texts)")
      }
    }
  }
}

extension Composition {
  /// So many milliseconds of a mix.
  fileprivate static func spoken(for milliseconds: Int64) -> Composition {
    let range = TimeRange(start: .zero, duration: Time(value: milliseconds, timescale: 1000))
    return Composition(tracks: [Track(segments: [Segment(.silence, source: range, at: .zero)])])
  }
}

extension Segment {
  fileprivate func plays(_ moment: Time) -> Bool { !isEmpty && source.contains(moment) }
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
