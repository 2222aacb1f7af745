/// How far ahead of a reader bytes are fetched: what it reads in sequence it goes on reading, and a
/// jump says that it may jump again.
///
/// The more was read without a jump, the more is fetched before it is asked for. A clip's reader stops
/// somewhere, and what was fetched beyond is lost: below `patience` bytes that is an eighth of a
/// MiB at most, or a quarter where it is known how much about will be read.
struct PrefetchWindow: Sendable, Hashable {
  /// Where the reader is expected to go on; its first read is a jump.
  private var position = Int64.min
  /// Bytes read since the last jump.
  private var run: Int64 = 0
  /// What will be read since then, as far as is known.
  private var likely: PlannedRead?

  /// A step forward that is no jump: demuxers skip what they do not need.
  private static let step: Int64 = 64 << 10
  private static let usual: Int64 = 96 << 10
  private static let patience: Int64 = 32 << 20
  private static let longest: Int64 = 4 << 20
  /// As much of what may be less is fetched ahead.
  private static let longestLikely: Int64 = 256 << 10
  /// As much of what will surely be read is asked for with one request.
  private static let longestExact: Int64 = 64 << 20

  /// Bytes to fetch ahead; none after a jump.
  private var window: Int64 {
    guard run >= Self.patience else { return min(run / 2, Self.usual) }
    return min(max(run / 16, Self.usual), Self.longest)
  }

  /// Decides up to where bytes should be fetched for a read.
  ///
  /// - Parameters:
  ///   - range: The bytes that will be read now.
  ///   - planned: What will be read from an offset on, after a jump there; nil where that is not known.
  /// - Returns: The offset.
  mutating func goal(
    reading range: Range<Int64>, planned: (Int64) -> PlannedRead? = { _ in nil }
  ) -> Int64 {
    if range.lowerBound < position || range.lowerBound - Self.step > position {
      run = 0
      likely = planned(range.lowerBound)
    }
    var goal = range.upperBound + window
    if let likely {
      let reach = likely.isExact ? Self.longestExact : min(run, Self.longestLikely)
      goal = max(goal, min(likely.range.upperBound, range.upperBound + reach))
    }
    return goal
  }

  /// Takes note of the bytes that a read has got.
  mutating func note(_ range: Range<Int64>) {
    run += Int64(range.count)
    position = range.upperBound
  }
}
