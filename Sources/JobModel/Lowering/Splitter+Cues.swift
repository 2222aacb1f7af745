import Diagnosis
import MediaComposition
import MediaTime
import Transcripts

/// Parts that are cues of the timeline's transcript.
extension Splitter {
  /// A cue that is no part.
  private enum LeftOut {
    case momentary, short, long
  }

  /// One part for each cue that is as long as `bounds` say, widened by their margin, but by half of the
  /// way to another cue at most. O(cues)
  mutating func parts(ofCues bounds: CueParts, at origin: Origin) -> [Placed] {
    let cues = timeline.transcript?.cues ?? []
    guard !cues.isEmpty else {
      error(
        "'\(timeline.name)' has no transcript to be split at", at: origin,
        help: "give the clip one, as 'transcript: talk.json'")
      return []
    }
    guard cues.count <= TimeList.countLimit else {
      error("more than 100,000 parts", at: origin, help: "split it in several jobs")
      return []
    }
    let times = [bounds.least, bounds.most, bounds.margin].map { text in
      text.map { lowering.time($0, rate: rate) ?? .invalid }
    }
    guard times.allSatisfy({ $0?.isValid ?? true }) else { return [] }
    var parts: [Placed] = []
    var leftOut: [LeftOut: [Cue]] = [:]
    var reach = Time.zero
    for (index, cue) in cues.enumerated() {
      let next = index + 1 < cues.count ? cues[index + 1].range.start : nil
      defer { reach = max(reach, cue.range.end) }
      let length = cue.range.duration
      guard !cue.hasNoLength else {
        leftOut[.momentary, default: []].append(cue)
        continue
      }
      guard length >= times[0] ?? .zero else {
        leftOut[.short, default: []].append(cue)
        continue
      }
      guard length <= times[1] ?? length else {
        leftOut[.long, default: []].append(cue)
        continue
      }
      let range = widened(
        cue.range, by: times[2] ?? .zero, behind: index == 0 ? nil : reach, before: next)
      var part = placed(parts.count + 1, nil, range)
      part.part.text = cue.text.onOneLine
      part.part.speaker = cue.speaker?.onOneLine
      parts.append(part)
    }
    report(leftOut, of: cues.count, bounds, isAll: parts.isEmpty, at: origin)
    return parts
  }

  /// A cue's range with sound around it: half of what lies between it and a neighbour at most, and none
  /// where they overlap.
  private func widened(
    _ range: TimeRange, by margin: Time, behind last: Time?, before next: Time?
  ) -> TimeRange {
    let isOver = last.map { $0 > range.end } ?? false
    let before = last.map { (range.start - $0).multiplied(by: 1, over: 2) } ?? range.start
    let behind = next.map { ($0 - range.end).multiplied(by: 1, over: 2) } ?? (end - range.end)
    return TimeRange(
      start: range.start - max(.zero, min(margin, before)),
      end: min(end, range.end + (isOver ? .zero : max(.zero, min(margin, behind)))))
  }

  private mutating func report(
    _ leftOut: [LeftOut: [Cue]], of count: Int, _ bounds: CueParts, isAll: Bool, at origin: Origin
  ) {
    let reasons = [
      leftOut[.momentary].map { "\($0.count) without a length" },
      bounds.least.flatMap { least in
        leftOut[.short].map { "\($0.count) shorter than \(least.value)" }
      },
      bounds.most.flatMap { most in leftOut[.long].map { "\($0.count) longer than \(most.value)" }
      },
    ]
    .compactMap(\.self)
    guard !reasons.isEmpty else { return }
    let all = leftOut.values.flatMap(\.self).sorted { $0.range.start < $1.range.start }
    let named = all.prefix(3).map { cue in
      (quotesWords ? "'\(cue.text.onOneLine.prefix(40))' " : "")
        + "at \(Lowering.text(cue.range.start))"
    }
    let names = named.joined(separator: ", ") + (all.count > named.count ? ", …" : "")
    let message = "\(all.count) of \(count) cues are no parts: \(reasons.joined(separator: ", "))"
    guard !isAll else {
      if leftOut[.momentary]?.count == count {
        error(
          "no cue of '\(timeline.name)' has a length", at: origin,
          help: "give the cues of the transcript ends")
      } else {
        error(
          "\(message), and no part is left", at: origin,
          help: "let 'longer' and 'shorter' allow more")
      }
      return
    }
    warnings.append(Diagnostic(.note, "\(message) (\(names))", at: origin))
  }
}
