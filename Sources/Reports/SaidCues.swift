import ExportGraph
import JSON
import MediaTime
import Transcripts

/// What is said in an output, as documents have it: as much as a page has room for.
extension Sink {
  /// Cues of an output, at most: an hour in which each word is a cue has some ten thousand.
  private static var mostCues: Int { 20_000 }
  /// Bytes of what is said in them, at most.
  private static var mostBytes: Int { 1_000_000 }

  /// Its first cues; nil for an output without a place for words.
  var cuesJSON: JSONValue? {
    guard !output.transcript.isEmpty else { return nil }
    var room = Self.mostBytes
    let cues = transcript.cues.prefix(Self.mostCues).prefix { cue in
      room -= cue.text.utf8.count + (cue.speaker?.utf8.count ?? 0)
      return room >= 0
    }
    return .list(cues.map(\.reportJSON))
  }
}

extension Cue {
  fileprivate var reportJSON: JSONValue {
    .members([
      "start": .milliseconds(range.start), "end": .milliseconds(range.end),
      "speaker": speaker.map { .text($0) }, "text": .text(text),
    ])
  }
}

extension JSONValue {
  /// Seconds to the millisecond, half away from zero, as files of words have them.
  fileprivate static func milliseconds(_ time: Time) -> JSONValue {
    let units = time.converted(toTimescale: 1000, rounding: .halfAwayFromZero).value
    return .number(Double(units) / 1000, decimals: 3)
  }
}

extension RunReport.Sound {
  private static let name = "cues"

  /// Bytes of its cues, about.
  var saidSize: Int {
    (facts[Self.name]?.elements ?? []).reduce(0) { sum, cue in
      sum + 60 + (cue["text"]?.text?.utf8.count ?? 0) + (cue["speaker"]?.text?.utf8.count ?? 0)
    }
  }

  /// Forgets its cues, and not how many there are.
  mutating func forgetSaid() {
    facts = .object(facts.members.filter { $0.name != Self.name })
  }
}
