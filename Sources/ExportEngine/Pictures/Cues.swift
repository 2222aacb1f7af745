import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// A text, and when it is shown.
struct Cue: Hashable {
  var start: Time
  var end: Time
  /// As `CueTrack.Sample.bytes`, of ASS without its first field.
  var sample: [UInt8]
  /// As `CueTrack.Sample.settings`.
  var settings: [UInt8] = []
  /// The first field of ASS (`ReadOrder`): what is shown at once is drawn in this order.
  var order = 0

  /// What of a source's cues is shown in parts of it.
  static func parts(of cues: [Cue], in spans: [PictureRange]) -> [Cue] {
    let cues = cues.sorted { $0.start < $1.start }
    // When all up to one have ended.
    var ends: [Time] = []
    for cue in cues { ends.append(max(ends.last ?? cue.end, cue.end)) }
    return spans.flatMap { span in
      let first = span.from.map { from in ends.partitioningIndex { $0 > from } } ?? 0
      return cues[first...].prefix { cue in span.to.map { cue.start < $0 } ?? true }
        .compactMap { $0.part(in: span) }
    }
  }

  /// What of it is shown in a part of its source, at the output's times; nil: nothing.
  func part(in span: PictureRange) -> Cue? {
    let start = span.from.map { max($0, self.start) } ?? self.start
    let end = span.to.map { min($0, self.end) } ?? self.end
    guard start < end else { return nil }
    var part = self
    (part.start, part.end) = (max(.zero, span.place(start)), span.place(end))
    return part.start < part.end ? part : nil
  }

  /// When it is shown, in ticks of which so many are a second.
  fileprivate func ticks(_ timescale: Int32) -> Range<Int64> {
    func tick(_ time: Time) -> Int64 { max(0, time.frames(atRate: Int(timescale))) }
    return tick(start)..<max(tick(start), tick(end))
  }
}

extension CueTrack.Sample {
  /// Texts at once of which more are left out: what is written for effects, not to be read.
  private static let mostAtOnce = 32

  /// Samples of cues in any order, as a container has them in which texts may overlap: one for each, in
  /// order of their starts.
  static func each(of cues: [Cue], as form: TextForm, timescale: Int32) -> [CueTrack.Sample] {
    // Players leave out a text of ASS whose number they have met: each part of a cue has one of its own.
    let numbers = cues.indices.sorted { (cues[$0].order, $0) < (cues[$1].order, $1) }
    var samples = numbers.enumerated().map { number, index in
      let cue = cues[index]
      return CueTrack.Sample(
        ticks: cue.ticks(timescale),
        bytes: (form == .ass ? Array("\(number),".utf8) : []) + cue.sample, settings: cue.settings)
    }
    samples.removeAll(where: \.ticks.isEmpty)
    return samples.enumerated().sorted {
      ($0.element.ticks.lowerBound, $0.offset) < ($1.element.ticks.lowerBound, $1.offset)
    }.map(\.element)
  }

  /// Samples of cues in any order: one after the other from 0 on, with empty ones where no cue is shown.
  /// Cues that overlap are shown below each other while they do.
  static func all(of cues: [Cue], timescale: Int32) -> [CueTrack.Sample] {
    let timed = each(of: cues, as: .timedText, timescale: timescale)
    var samples: [CueTrack.Sample] = []
    var shown: [(end: Int64, sample: [UInt8])] = []
    var place: Int64 = 0
    /// Shows what is under way, up to a moment.
    func go(to moment: Int64) {
      while place < moment {
        let next = min(moment, shown.map(\.end).min() ?? moment)
        if place < next {
          samples.append(
            CueTrack.Sample(ticks: place..<next, bytes: TimedText.joined(shown.map(\.sample))))
        }
        place = next
        shown.removeAll { $0.end <= next }
      }
    }
    for cue in timed {
      go(to: cue.ticks.lowerBound)
      if shown.count < mostAtOnce,
        !shown.contains(where: { $0.sample == cue.bytes && $0.end == cue.ticks.upperBound })
      {
        shown.append((cue.ticks.upperBound, cue.bytes))
      }
    }
    while let end = shown.map(\.end).max() { go(to: end) }
    return samples
  }
}
