import ExportGraph
import Glibc
import MediaComposition

/// Finds the gain and the ceiling of every sound of a graph that is brought to a level.
///
/// Each sound is measured as it is before its level. Where the gain would lift a peak over the
/// ceiling, a limiter holds it down, which takes loudness, too: the limited sound is measured, and
/// the gain corrected, until the level is met or the attempts are used up.
struct Normalizer {
  let analyst: SoundAnalyst
  /// By their names; sounds of other groups are measured alone.
  var groups: [String: LoudnessGroup] = [:]

  /// The solved graph, and what was done at each of its normalizations.
  struct Result {
    var graph: Graph
    var corrections: [Node.ID: LoudnessCorrection] = [:]
  }

  /// Decibels by which a level may be missed before the gain is corrected.
  private static let tolerance = 0.05
  /// Decibels by which the gain rises before the limited sound is measured again.
  private static let longestStep = 6.0
  /// What each decibel of a rise of more than `smallStep` must bring behind the limiter: where it brings
  /// less, a sound is crushed for a level that stays out of reach.
  private static let leastYield = 0.15
  private static let smallStep = 3.0
  /// Measurements of a limited sound.
  private static let mostAttempts = 3

  /// Solves the normalizations of a graph that are not solved yet, inner ones first.
  ///
  /// - Parameters:
  ///   - result: Has the graph.
  ///   - progress: Gets the share of the measuring that is done, 0 to 1.
  /// - Throws: As rendering does, and `CancellationError`.
  /// - Complexity: One to four passes over each sound; none over what was measured before
  func solve(_ result: inout Result, progress: (Double) -> Void = { _ in }) throws {
    let open = result.graph.normalizations.filter { $0.normalization.solution == nil }
    for (index, (id, normalization, child)) in open.enumerated() {
      let latest = result.corrections[id]?.gain
      result.corrections[id] = try solve(id, normalization, child, &result.graph, latest) {
        progress((Double(index) + $0) / Double(open.count))
      }
    }
  }

  private func solve(
    _ id: Node.ID, _ normalization: Normalization, _ child: Node.ID, _ graph: inout Graph,
    _ latest: Double?, _ report: (Double) -> Void
  ) throws -> LoudnessCorrection {
    let target = normalization.target
    let group = target.group.flatMap { groups[$0] }
    // First, since its own sound is one of the group's: what is measured is remembered.
    let measured = try group.map { group throws in
      try group.measurement(by: self, dualMono: target.isDualMono, progress: report)
    }
    let before = try analyst.loudness(
      of: child, in: graph, dualMono: target.isDualMono, progress: report)
    let gain =
      (measured ?? before).flatMap(target.level.gain).map { $0 + normalization.compensation } ?? 0
    var correction = LoudnessCorrection(
      target: target, before: before, gain: gain, after: before.amplified(by: gain))
    if let ceiling = normalization.ceiling, let peak = correction.after.truePeak, peak > ceiling {
      correction.ceiling = ceiling
      try limit(&correction, of: id, normalization, in: &graph, from: latest, report)
    }
    graph.solve(
      id, by: .init(gain: Gain(decibels: correction.gain), ceiling: correction.ceiling))
    return correction
  }

  /// Finds the gain before the limiter by which a sound has its level behind it, at first the latest
  /// one that was found for it. In a group the gain stays that of the group.
  private func limit(
    _ correction: inout LoudnessCorrection, of id: Node.ID, _ normalization: Normalization,
    in graph: inout Graph, from latest: Double?, _ report: (Double) -> Void
  ) throws {
    let target = normalization.target
    let wanted = target.level.decibels + normalization.compensation
    guard let ceiling = correction.ceiling, let peak = correction.before.truePeak,
      let level = target.level.value(in: correction.before)
    else { return }
    var loss = LimiterLoss(ceiling - peak)
    var gain = target.group == nil ? latest ?? correction.gain : correction.gain
    var nearest: Double?
    for _ in 0..<(target.group == nil ? Self.mostAttempts : 1) {
      graph.solve(id, by: .init(gain: Gain(decibels: gain), ceiling: ceiling))
      let after = try analyst.loudness(
        of: id, in: graph, dualMono: target.isDualMono, progress: report)
      guard let limited = target.level.value(in: after) else { return }
      let miss = abs(limited - wanted)
      let rise = gain - correction.gain
      let least = rise > Self.smallStep ? Self.leastYield * rise : 0
      let isBetter = nearest.map { $0 - miss > least } ?? true
      if isBetter || miss <= Self.tolerance {
        (nearest, correction.gain, correction.after) = (miss, gain, after)
      }
      guard miss > Self.tolerance, isBetter || limited > wanted else { return }
      let slope = loss.learn(level + gain - limited, at: gain)
      gain += min(Self.longestStep, (wanted - limited) / slope)
    }
  }
}

/// How much level a limiter takes, as a power of the decibels by which the highest peak passes its
/// ceiling: learned from what it took at one or two gains.
struct LimiterLoss {
  /// The gain at which the highest peak reaches the ceiling.
  private let onset: Double
  /// How far over it, and what was taken there.
  private var known: (excess: Double, loss: Double)?
  /// Nearly what speech and music have.
  private var power = 2.0
  /// Of each decibel more, the most that it takes: however hard a sound is driven, its quiet moments
  /// become louder.
  private static let most = 0.7

  init(_ onset: Double) { self.onset = onset }

  /// Learns that `loss` decibels were taken at a gain.
  ///
  /// - Returns: The part of each further decibel that comes through.
  mutating func learn(_ loss: Double, at gain: Double) -> Double {
    let (excess, loss) = (max(gain - onset, 0.01), max(loss, 0.001))
    if let known, known.excess != excess {
      let found = log(loss / known.loss) / log(excess / known.excess)
      power = found.isFinite ? max(1, min(4, found)) : power
    }
    known = (excess, loss)
    return 1 - min(Self.most, power * loss / excess)
  }
}
