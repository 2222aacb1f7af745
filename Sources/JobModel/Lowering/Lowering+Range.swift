import Diagnosis
import MediaComposition
import MediaTime

extension Lowering {
  /// Reduces `lowered` to the item's range.
  mutating func takeRange(of item: Item, at place: ItemPlace, in lowered: inout LoweredItem) -> Bool
  {
    guard let range = item.range else { return checkLength(of: lowered, at: item.origin) }
    guard
      let written = part(range, of: lowered, at: place, .content, else: item.origin),
      let part = snapped(written, of: lowered, by: item, else: range.origin ?? item.origin)
    else {
      unrangedItems.insert(place)
      return false
    }
    guard part != TimeRange(start: .zero, duration: lowered.duration) else { return true }
    keep(part, of: &lowered)
    return true
  }

  /// Reduces `lowered` to a part of it.
  func keep(_ part: TimeRange, of lowered: inout LoweredItem) {
    liftChapters(of: &lowered)
    lowered.chapters = lowered.chapters.played(as: [.part(part)], of: lowered.duration)
    lowered.source = TimeRange(start: lowered.source.start + part.start, duration: part.duration)
    lowered.duration = part.duration
  }

  private mutating func checkLength(of lowered: LoweredItem, at origin: Origin) -> Bool {
    guard lowered.duration <= .zero else { return true }
    error("\(lowered.name) lasts no time", at: origin, help: "leave it out")
    return false
  }

  /// Refuses items that are longer than a timeline can be.
  mutating func checkLimit(of duration: Time, at origin: Origin) -> Bool {
    guard !duration.isNumeric || duration > Composition.longestDuration else { return true }
    let hours = Self.text(Composition.longestDuration)
    error(
      duration.isNumeric
        ? "the timeline would be \(Self.text(duration)) long" : "no time can hold where this ends",
      at: origin, help: "a timeline lasts \(hours) at most")
    return false
  }

  /// The part of `lowered` in `range`, in the item's own time.
  mutating func part(
    _ range: ItemRange, of lowered: LoweredItem, at place: ItemPlace, _ stage: Stage,
    else origin: Origin
  ) -> TimeRange? {
    guard let start = start(range, of: lowered, at: place, stage),
      let end = end(range, start: start, of: lowered, at: place, stage)
    else { return nil }
    guard start < end else {
      let origin = range.origin ?? origin
      let isEmpty = start == end
      let span = lengths(start, end)
      guard !isEmpty || start < lowered.duration else {
        error(
          "the range starts at the end of \(lowered.name), which lasts \(span.a)", at: origin,
          help: "start it earlier, or leave its start out")
        return nil
      }
      error(
        isEmpty
          ? "the range of \(lowered.name) is empty"
          : "the range ends at \(span.b), before it starts at \(span.a)",
        at: origin, help: isEmpty ? range.longer : "the earlier time comes first, as '1:00..2:30'")
      return nil
    }
    // Both ends are rounded to frames.
    if stage == .content, !range.isCue, let rate = lowered.rate,
      start.frames(atRate: rate) == end.frames(atRate: rate)
    {
      error(
        "the range of \(lowered.name) is shorter than a sample, of which there are \(rate) a second",
        at: range.origin ?? origin, help: range.longer)
      return nil
    }
    return TimeRange(start: start, end: end)
  }

  private mutating func start(
    _ range: ItemRange, of lowered: LoweredItem, at place: ItemPlace, _ stage: Stage
  ) -> Time? {
    guard let from = range.from else { return .zero }
    guard let start = time(from, of: lowered, at: place, stage) else { return nil }
    guard start >= .zero - Self.slack else {
      let lengths = lengths(lowered.duration - start, lowered.duration)
      error(
        "the range starts \(lengths.a) before the end, but \(lowered.name) lasts \(lengths.b)",
        at: from.origin, help: "start it later, or leave its start out")
      return nil
    }
    guard start <= lowered.duration else {
      let lengths = lengths(start, lowered.duration)
      error(
        "the \(range.isCue ? "cue" : "range") starts at \(lengths.a), but \(lowered.name) lasts "
          + lengths.b, at: from.origin,
        help: range.isCue
          ? "take it out of the transcript: recognisers invent words after the end"
          : "start it earlier")
      return nil
    }
    return max(start, .zero)
  }

  private mutating func end(
    _ range: ItemRange, start: Time, of lowered: LoweredItem, at place: ItemPlace, _ stage: Stage
  ) -> Time? {
    let end: Time?
    let origin: Origin
    switch range.end {
    case nil: return lowered.duration
    case .moment(let moment):
      end = time(moment, of: lowered, at: place, stage)
      origin = moment.origin
    case .duration(let duration):
      end = time(duration, rate: lowered.rate).map { start + $0 }
      origin = duration.origin
    }
    guard let end else { return nil }
    guard range.isCue || end <= lowered.duration + Self.slack else {
      let lengths = lengths(end, lowered.duration)
      error(
        "the range ends at \(lengths.a), but \(lowered.name) lasts \(lengths.b)", at: origin,
        help: "leave the end out, or write 'end'")
      return nil
    }
    return min(end, lowered.duration)
  }

  /// Lengths are printed to the millisecond, labels have six decimals and are drawn by hand: a time
  /// that lies beyond an end by up to a thousandth of a second is that end.
  static let slack = Time(value: 1, timescale: 1000)
}

extension ItemRange {
  /// How to make it longer, where it lasts no time.
  fileprivate var longer: String {
    if case .duration = end { return "write a longer duration, or leave it out" }
    return "end it later, as '1:00..2:30'"
  }
}
