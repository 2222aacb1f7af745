import Glibc

/// The power of a sound that goes by, in pieces of 20 ms from its first frame on, and what it says of
/// a step of level.
struct LevelTrack {
  private let pieceLength: Int
  /// The power of each piece from number `first` on.
  private var powers: [Double] = []
  private var first = 0
  /// The sum of squares of the open piece, of which so many frames are there.
  private var open = (sum: 0.0, frames: 0)

  /// Seconds on each side of a join whose level counts.
  static let reach = 4.0
  private static let piecesPerSecond = 50
  /// Seconds, and the decibels that lie between so much on both sides of a step: all of them.
  private static let steps: [(seconds: Double, decibels: Double)] = [(4, 8.5), (2, 7), (1, 5)]
  /// Sound is not followed by what is so much softer, but by the noise of its room.
  private static let mostDecibels = 35.0
  /// By how much the levels may be better told apart at another place within two seconds: the music may
  /// have a step of its own near the join.
  private static let mostMisplaced = 1.4

  init(sampleRate: Int) { pieceLength = max(1, sampleRate / Self.piecesPerSecond) }

  /// Adds frames of planar sound.
  mutating func add(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, channels: Int, count: Int)
  {
    var start = 0
    while start < count {
      let end = min(count, start + pieceLength - open.frames)
      for channel in 0..<channels {
        let samples = UnsafeBufferPointer(start: sound[channel] + start, count: end - start)
        open.sum += samples.reduce(0) { $0 + Double($1) * Double($1) }
      }
      open.frames += end - start
      start = end
      guard open.frames == pieceLength else { continue }
      powers.append(open.sum / Double(pieceLength * channels))
      open = (0, 0)
    }
  }

  /// Forgets the pieces before a frame.
  mutating func forget(before frame: Int64) {
    let spare = min(powers.count, Int(max(0, frame / Int64(pieceLength) - Int64(first))))
    // All at once, now and then.
    guard spare > 1000 else { return }
    powers.removeFirst(spare)
    first += spare
  }

  /// Begins anew behind frames that nobody hears.
  mutating func skip(to frame: Int64) {
    powers = []
    first = Int((frame + Int64(pieceLength) - 1) / Int64(pieceLength))
    // What is left of the piece that is under way counts as silent.
    open = (0, Int(frame % Int64(pieceLength)))
    if open.frames > 0 { first -= 1 }
  }

  /// Decibels by which the sound behind a join is louder than that before it, where that is a step.
  ///
  /// - Parameters:
  ///   - join: The frames between the two sounds.
  ///   - items: The frames that belong to them.
  /// - Returns: The decibels; nil where the level goes on, changes elsewhere, or is not known.
  func step(at join: Range<Int64>, between items: Range<Int64>) -> Double? {
    let length = Int64(pieceLength)
    let (before, behind) = (
      Int(join.lowerBound / length), Int((join.upperBound + length - 1) / length)
    )
    // Items may be shorter than a piece.
    let ownStart = Int(clamping: (items.lowerBound + length - 1) / length)
    let own = ownStart..<max(ownStart, Int(clamping: items.upperBound / length))
    func difference(_ seconds: Double) -> Double? {
      let count = Int(seconds * Double(Self.piecesPerSecond))
      guard let one = level(of: (before - count..<before).clamped(to: own)),
        let other = level(of: (behind..<behind + count).clamped(to: own))
      else { return nil }
      return other - one
    }
    let differences = Self.steps.compactMap { difference($0.seconds) }
    guard differences.count == Self.steps.count, let far = differences.first,
      abs(far) < Self.mostDecibels
    else { return nil }
    let sign = far < 0 ? -1.0 : 1.0
    guard zip(differences, Self.steps).allSatisfy({ $0 * sign > $1.decibels }) else { return nil }
    let count = 2 * Self.piecesPerSecond
    let parts = [before - count..<before, behind..<behind + count].map {
      decibels(of: $0.clamped(to: own))
    }
    return (parts[0] + parts[1]).misplacement(ofSplit: parts[0].count) < Self.mostMisplaced
      ? far : nil
  }

  private func decibels(of pieces: Range<Int>) -> [Double] {
    let known = pieces.clamped(to: first..<first + powers.count)
    return known.map { 10 * log10(max(1e-10, powers[$0 - first])) }
  }

  /// The level of what sounds in these pieces, pauses left out: decibels of the power that 85 of 100
  /// pieces do not pass; nil for too little sound.
  private func level(of pieces: Range<Int>) -> Double? {
    let known = pieces.clamped(to: first..<first + powers.count)
    guard known.count >= 10 else { return nil }
    let sorted = powers[known.lowerBound - first..<known.upperBound - first].sorted()
    let power = sorted[sorted.count * 85 / 100]
    // What stays below is the noise of a room, or nothing: its level is none that a gain should change.
    return power > 1e-5 ? 10 * log10(power) : nil
  }
}

extension [Double] {
  /// How many times the variance within two parts, split here, is that of the best split: 1 where there
  /// is no better one. Pauses are no deeper than 25 dB. O(count log count)
  fileprivate func misplacement(ofSplit place: Int) -> Double {
    let margin = 10
    guard place >= margin, count - place >= margin else { return 1 }
    let floor = sorted()[count * 85 / 100] - 25
    var sums = [(plain: 0.0, squares: 0.0)]
    for value in self {
      let value = Swift.max(value, floor)
      let last = sums[sums.count - 1]
      sums.append((last.plain + value, last.squares + value * value))
    }
    func variance(_ part: Range<Int>) -> Double {
      let (start, end) = (sums[part.lowerBound], sums[part.upperBound])
      let sum = end.plain - start.plain
      return end.squares - start.squares - sum * sum / Double(part.count)
    }
    // Steady sound has none at all.
    func within(_ split: Int) -> Double { variance(0..<split) + variance(split..<count) + 1 }
    let best = (margin...count - margin).map(within).min() ?? 1
    return within(place) / best
  }
}
