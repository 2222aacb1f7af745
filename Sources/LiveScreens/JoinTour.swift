import MediaTime

/// A tour of an entry's joins: some sound before and behind each is played, one after the other.
struct JoinTour: Equatable {
  /// What comes next.
  enum Step: Equatable {
    /// The sound that is played now.
    case wait
    /// The sound around the next join, which begins here.
    case seek(to: Time)
    /// Nothing: all joins were heard.
    case over
  }

  /// In order of their starts; at least one.
  let joins: [TimeRange]
  /// The join whose sound is played, from 0.
  private(set) var index: Int
  private let duration: Time

  /// How much is played before a join, and behind it.
  static let margin = Time(value: 3, timescale: 2)
  /// So much before the end of an entry the next entry has not begun for a loop that looks at the time
  /// every few hundredths of a second.
  private static let rest = Time(value: 1, timescale: 10)

  /// A tour of an entry of a duration, from the first join that is not before a time, or from the
  /// first of all; nil without joins.
  init?(_ joins: [TimeRange], of duration: Time, from time: Time) {
    guard !joins.isEmpty else { return nil }
    (self.joins, self.duration) = (joins, duration)
    index = joins.firstIndex { $0.start >= time } ?? 0
  }

  /// Where the sound around the present join begins.
  var start: Time { max(.zero, joins[index].start - Self.margin) }

  /// Goes to a neighbour of the present join, if there is one.
  mutating func move(by step: Int) {
    index = max(0, min(joins.count - 1, index + step))
  }

  /// What is to be done at a time. Joins so close that their sounds overlap are played in one piece.
  mutating func step(at time: Time) -> Step {
    let join = joins[index]
    var stop = min(join.end + Self.margin, duration - Self.rest)
    guard index + 1 < joins.count else { return time >= stop ? .over : .wait }
    let next = joins[index + 1]
    let isNear = next.start - Self.margin <= stop
    if isNear { stop = min(stop, max(join.end, next.start - Self.margin)) }
    guard time >= stop else { return .wait }
    index += 1
    return isNear ? .wait : .seek(to: start)
  }
}
