import MediaComposition
import MediaTime

/// Finds pauses in the steps of a sound, and decides what is taken out of each.
///
/// Decisions depend on the levels of the steps alone. It holds the levels of one silence, for a day of
/// it at most: a longer one counts as several.
struct PauseFinder {
  private let least: Int
  private let left: PauseSides
  /// Steps in which words are spoken, in order.
  private let words: [Range<Int64>]
  /// How many of them end before the silence that is under way.
  private var passedWords = 0
  private var step: Int64 = 0
  private var hasSounded = false
  /// Of the last steps that are silent, as mean squares.
  private var levels: [Float] = []
  private(set) var pauses: [Pause] = []

  /// Steps of a day.
  private static let mostLevels = 8_640_000

  /// A finder of pauses of at least `least` steps.
  init(_ shortening: PauseShortening, least: Int64) {
    self.least = Int(clamping: least)
    left = PauseSides(shortening)
    words = shortening.words.map { word in
      let start = word.start.frames(atRate: 100, rounding: .towardNegativeInfinity)
      let end = word.end.frames(atRate: 100, rounding: .towardPositiveInfinity)
      return start..<max(start + 1, end)
    }
  }

  /// Adds the next steps: their mean squares, infinite of those that are not silent.
  mutating func add(_ levels: [Float]) {
    for level in levels {
      if level.isFinite, hasSounded {
        if self.levels.count == Self.mostLevels { close() }
        self.levels.append(level)
      } else if !level.isFinite {
        if !self.levels.isEmpty { close() }
        hasSounded = true
      }
      step += 1
    }
  }

  /// Ends the silence before the present step.
  private mutating func close() {
    let start = step - Int64(levels.count)
    defer { levels.removeAll(keepingCapacity: true) }
    guard levels.count >= least, levels.count > left.count else { return }
    var isFound = false
    for part in unspokenParts(of: start..<step)
    where part.count >= least && part.count > left.count {
      isFound = true
      let own = levels[Int(part.lowerBound - start)..<Int(part.upperBound - start)]
      pauses.append(
        left.isEven(own)
          ? Pause(part, removing: left.removed(of: own, from: part.lowerBound))
          : Pause(part, keptAs: .uneven))
    }
    // Only words leave too little of a silence that lasts long enough.
    if !isFound { pauses.append(Pause(start..<step, keptAs: .spoken)) }
  }

  /// What is between the words in a silence.
  private mutating func unspokenParts(of silence: Range<Int64>) -> [Range<Int64>] {
    while passedWords < words.count, words[passedWords].upperBound <= silence.lowerBound {
      passedWords += 1
    }
    var parts: [Range<Int64>] = []
    var start = silence.lowerBound
    for word in words[passedWords...] {
      guard word.lowerBound < silence.upperBound else { break }
      if start < word.lowerBound { parts.append(start..<word.lowerBound) }
      start = max(start, word.upperBound)
    }
    if start < silence.upperBound { parts.append(start..<silence.upperBound) }
    return parts
  }
}

/// What is left of a pause, in steps: a part at its start and a part at its end.
private struct PauseSides {
  /// Of both parts.
  let count: Int
  /// The least of each.
  private let least: Int

  /// How far apart the levels of a pause may be: 9 dB between a tenth and nine tenths of them.
  private static let mostSpread = 7.943_282_347_242_815
  /// −80 dB, to which lower levels are raised: what is quieter is not heard.
  private static let floor = 1e-8
  /// Steps on each side of the joint whose levels are compared.
  private static let mostCompared = 5

  init(_ shortening: PauseShortening) {
    func steps(_ time: Time) -> Int {
      Int(clamping: time.frames(atRate: 100, rounding: .towardPositiveInfinity))
    }
    let count = steps(shortening.length)
    let quarter = (count + 3) / 4
    least = shortening.words.isEmpty ? quarter : max(quarter, steps(PauseShortening.margin))
    self.count = max(count, 2 * least)
  }

  /// Whether what may be removed of a pause with these levels has one level throughout.
  func isEven(_ levels: ArraySlice<Float>) -> Bool {
    let sorted = levels.dropFirst(least).dropLast(least).sorted()
    let last = sorted.count - 1
    let (low, high) = (Double(sorted[last / 10]), Double(sorted[last * 9 / 10]))
    return max(high, Self.floor) <= max(low, Self.floor) * Self.mostSpread
  }

  /// The steps to remove of a pause that begins with step `start`: where the levels on both sides are
  /// nearest, and of such places the one nearest to the middle.
  func removed(of levels: ArraySlice<Float>, from start: Int64) -> Range<Int64> {
    let levels = Array(levels)
    let compared = min(Self.mostCompared, least)
    func level(_ steps: Range<Int>) -> Double {
      steps.reduce(Self.floor) { $0 + Double(levels[$1]) / Double(steps.count) }
    }
    var best = (head: count / 2, distance: Double.infinity)
    // Outwards from the middle, so that of places with one distance the nearest is taken.
    let sides = least...(count - least)
    for offset in 0...(count + 1) / 2 - least where compared > 0 {
      for head in [count / 2 - offset, count / 2 + offset] where sides.contains(head) {
        let tail = levels.count - (count - head)
        let (a, b) = (level(head - compared..<head), level(tail..<tail + compared))
        let distance = max(a, b) / min(a, b)
        if distance < best.distance { best = (head, distance) }
      }
    }
    let tail = Int64(levels.count - (count - best.head))
    return start + Int64(best.head)..<start + tail
  }
}
