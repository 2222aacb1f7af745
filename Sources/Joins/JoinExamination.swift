import MediaComposition

/// The waveform around one end of a join: what is wrong with it there.
///
/// Thresholds come from hundreds of joins of each kind in real music and speech (`docs/decisions.md`).
struct JoinExamination {
  /// Planes that all begin with the frame `first`.
  let planes: [[Float]]
  let first: Int64
  let sampleRate: Int
  /// The first frame behind the end: of the item before, or of what is before the next item.
  let frame: Int64

  /// Seconds on each side in which a click stands out, and a gap is looked for.
  static let reach = 0.1

  /// By how much the largest error of prediction at a join passes all others near: unrelated sound
  /// cut hard passes it in 29 of 100 places, sound that goes on in none.
  private static let clickRatio = 2.0
  /// An error below it, −40 dBFS, is not heard.
  private static let leastClick = 0.01
  /// Frames of silence that are no accident of a waveform.
  private static let leastGap = 8
  /// The least level of what is cut off by a gap, −50 dBFS.
  private static let leastSides = 0.003

  /// What is wrong.
  func flaws() -> [Join.Flaw] {
    let gap = planes.map { self.gap(in: $0) }.max() ?? 0
    // The edges of a gap are no clicks of their own.
    if gap > 0 { return [.gap(frames: gap)] }
    return planes.contains(where: { clicks($0) }) ? [.click] : []
  }

  /// Samples of a plane on both sides of a frame, fewer where the sound begins or ends.
  private func samples(_ plane: [Float], _ frames: Range<Int64>) -> ArraySlice<Float> {
    let all = first..<first + Int64(plane.count)
    let some = frames.clamped(to: all)
    return plane[Int(some.lowerBound - first)..<Int(some.upperBound - first)]
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }

  // MARK: - Clicks

  /// Samples on each side of the join, of which one may leap.
  private static let leap: Int64 = 2

  private func clicks(_ plane: [Float]) -> Bool {
    // As much on both sides: both count alike.
    let end = first + Int64(plane.count)
    let reach = min(frames(Self.reach / 2), frame - first, end - frame)
    let order = LinearPrediction.order
    guard reach > 4 * order else { return false }
    let sound = samples(plane, frame - reach..<frame + reach).map { Double($0) }
    let (middle, leap) = (Int(reach), Int(Self.leap))
    let sides = [Array(sound[..<(middle - leap)]), Array(sound[(middle + leap)...])]
    let errors = LinearPrediction(over: sides).errors(in: sound)
    // The first sample that has an error is that number `order`.
    let join = middle - order
    let here = errors[(join - leap)...(join + leap)].max() ?? 0
    // The samples behind a leap are predicted from it.
    let elsewhere = max(
      errors[..<(join - leap)].max() ?? 0, errors[(join + leap + 1 + order)...].max() ?? 0)
    return here > Self.leastClick && here > Self.clickRatio * (elsewhere + 1e-4)
  }

  // MARK: - Gaps

  /// The length of the longest silence that touches the join, between sounds; 0: there is none.
  private func gap(in plane: [Float]) -> Int {
    let before = samples(plane, frame - frames(0.03)..<frame)
    let behind = samples(plane, frame..<frame + frames(0.03))
    // A thousandth of the sound is left of resampled silence; digital silence is none at all.
    let silence = Float(max(1e-5, 0.003 * min(before.level, behind.level)))
    let near = frame - frames(Self.reach)..<frame + frames(Self.reach)
    let margin = frames(0.0015)
    let sound = samples(plane, near)
    var longest = 0
    var index = sound.startIndex
    while index < sound.endIndex {
      guard abs(sound[index]) <= silence else {
        index += 1
        continue
      }
      let run = sound[index...].prefix { abs($0) <= silence }
      let silent = first + Int64(run.startIndex)..<first + Int64(run.endIndex)
      index = run.endIndex
      guard run.count > max(longest, Self.leastGap - 1), silent.lowerBound - margin <= frame,
        silent.upperBound + margin >= frame
      else { continue }
      // Both sides are cut off: sound that dies away has an end of its own.
      let reach = frames(0.002)
      let sides = [
        samples(plane, silent.lowerBound - reach..<silent.lowerBound),
        samples(plane, silent.upperBound..<silent.upperBound + reach),
      ]
      if sides.allSatisfy({ $0.level > Self.leastSides }) { longest = run.count }
    }
    return longest
  }

  // MARK: - To be looked at

  /// Frames of the waveform that is shown on each side.
  private static let shownReach: Int64 = 128

  /// The waveform of the channel that is loudest there.
  func picture() -> (frames: Range<Int64>, samples: [Int8], peak: Float) {
    let shown = (frame - Self.shownReach..<frame + Self.shownReach)
      .clamped(to: first..<first + Int64(planes.first?.count ?? 0))
    let slices = planes.map { samples($0, shown) }
    let loudest = slices.max { $0.peak < $1.peak } ?? []
    let peak = loudest.peak
    return (shown, loudest.map { peak > 0 ? Int8(($0 / peak * 127).rounded()) : 0 }, peak)
  }
}

extension ArraySlice<Float> {
  /// The root of the mean square.
  fileprivate var level: Double {
    isEmpty ? 0 : (reduce(0) { $0 + Double($1) * Double($1) } / Double(count)).squareRoot()
  }

  fileprivate var peak: Float { reduce(0) { Swift.max($0, abs($1)) } }
}
