import MediaTime

/// What happens to the time that is heard of an item.
///
/// Ranges of one item that no `jumped` separates are adjacent: every frame that is heard is in one of
/// them, and in one only, also if a pause or a lost device has it rendered again.
enum TimeEvent: Sendable {
  /// It was heard from `start` to `end`, without `end`.
  ///
  /// `isFresh`: nothing of it was heard since `jumped(to: start)`. `isEnd`: `end` is the item's, and
  /// is reached.
  case passed(from: Time, to: Time, isFresh: Bool, isEnd: Bool)
  /// It goes on elsewhere: after a seek, at the start of an item or of a loop.
  case jumped(to: Time)
}

extension Observers<TimeEvent> {
  /// Calls `block` at each multiple of `interval`, and once for each jump.
  func add(every interval: Time, _ block: @escaping @Sendable (Time) -> Void) -> PlayerObservation {
    // In nanoseconds: an observer may be called that late.
    let step = max(1, interval.frames(atRate: 1_000_000_000))
    return add { event in
      switch event {
      case .passed(let start, let end, let isFresh, let isEnd):
        // The jump itself was reported.
        let first = isFresh ? start.multiples(of: step) : start.multiples(before: step)
        let last = isEnd ? end.multiples(of: step) : end.multiples(before: step)
        if last > first { block(end) }
      case .jumped(let time): block(time)
      }
    }
  }

  /// Calls `block` when one of `times` is heard, in their order.
  func add(at times: [Time], _ block: @escaping @Sendable (Time) -> Void) -> PlayerObservation {
    let times = Set(times.filter(\.isNumeric)).sorted()
    return add { event in
      guard case .passed(let start, let end, _, let isEnd) = event else { return }
      for time in times where start <= time && (time < end || isEnd && time == end) {
        block(time)
      }
    }
  }
}

extension Time {
  /// How many multiples of some nanoseconds lie after zero, up to this time.
  fileprivate func multiples(of step: Int64) -> Int64 { frames(atRate: 1_000_000_000) / step }

  /// How many multiples of some nanoseconds lie before this time, less one: zero is none of them.
  fileprivate func multiples(before step: Int64) -> Int64 {
    let time = frames(atRate: 1_000_000_000)
    return time > 0 ? (time - 1) / step : -1
  }
}
