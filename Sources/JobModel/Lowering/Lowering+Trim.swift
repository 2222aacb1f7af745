import Diagnosis
import MediaComposition
import MediaTime

extension Lowering {
  /// Removes silence at both ends.
  mutating func trim(_ lowered: inout LoweredItem, by item: Item) -> Bool {
    guard let trim = item.trim else { return true }
    let text = Located(trim.value.keep, at: trim.origin)
    guard let keep = time(text, rate: lowered.rate) else { return false }
    let search = SilenceSearch(in: lowered.sound.composition, below: trim.value.threshold)
    guard let found = silences(search, at: trim.origin) else { return false }
    guard let sounding = found.sounding(in: lowered.duration) else {
      let (limit, loudest) = (trim.value.threshold.text, found.loudest)
      error(
        loudest == .silence
          ? "all of \(lowered.name) is digital silence"
          : "all of \(lowered.name) is below \(limit): its loudest 10 ms have \(loudest.text)",
        at: trim.origin,
        help: "leave the item out" + (loudest == .silence ? "" : ", or trim below a lower level"))
      return false
    }
    let part = TimeRange(
      start: max(.zero, sounding.start - keep), end: min(lowered.duration, sounding.end + keep))
    remark(removal(lowered, to: part), at: trim.origin)
    trimmed = part
    guard part.duration < lowered.duration else { return true }
    self.keep(part, of: &lowered)
    return true
  }

  /// What is removed, in words.
  private func removal(_ lowered: LoweredItem, to part: TimeRange) -> String {
    let ends = [
      (part.start, "at the start"), (lowered.duration - part.end, "at the end"),
    ]
    let removed = ends.filter { $0.0 > .zero }.map { "\(Self.text($0.0)) \($0.1)" }
    return removed.isEmpty
      ? "nothing of \(lowered.name) is removed"
      : "\(removed.joined(separator: " and ")) of \(lowered.name) \(removed.count == 1 ? "is" : "are") "
        + "removed, and \(Self.text(part.start)) to \(Self.text(part.end)) of it are left"
  }
}

extension Gain {
  /// For example `-50.0 dB`.
  fileprivate var text: String {
    let tenths = Int((decibels * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10) dB"
  }
}
