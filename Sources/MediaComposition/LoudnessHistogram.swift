import Glibc

/// Blocks of a sound, counted by their loudness in bins of 0.1 LU.
///
/// Each bin has the sum of its blocks' energies, too, so that means over many blocks are exact. A
/// gate takes a bin or leaves it as a whole, by the mean of its blocks. Histograms of several sounds
/// add up to that of all of them. O(bins) each.
package struct LoudnessHistogram: Sendable, Hashable, Codable {
  /// The bins with blocks, in order: bin 0 begins at −80 LUFS, and the last one has no end.
  package private(set) var bins: [Int] = []
  /// The blocks of each.
  package private(set) var counts: [Int] = []
  /// The sum of their energies: mean squares of the K-weighted channels, weighted and added up
  /// (BS.1770-4, annex 1).
  package private(set) var energies: [Double] = []

  /// Bins, up to +50 LUFS.
  private static let size = 1300
  /// LUFS.
  private static let lowest = -80.0

  /// A histogram without blocks.
  package init() {}

  /// Blocks are counted in an array with room for all bins, and kept without the empty ones.
  package struct Counter: Sendable {
    private var counts = [Int](repeating: 0, count: size)
    private var energies = [Double](repeating: 0, count: size)

    /// A counter without blocks.
    package init() {}

    /// Counts `count` blocks with a sum of energies; not where they are quieter than −80 LUFS.
    package mutating func add(energy: Double, count: Int = 1) {
      guard energy > 0, energy < .infinity else { return }
      let loudness = LoudnessHistogram.loudness(ofEnergy: energy / Double(count))
      let bin = Int(((loudness - lowest) * 10).rounded(.down))
      guard bin >= 0 else { return }
      counts[min(bin, size - 1)] += count
      energies[min(bin, size - 1)] += energy
    }

    /// All that was counted.
    package var histogram: LoudnessHistogram {
      var histogram = LoudnessHistogram()
      for (bin, count) in counts.enumerated() where count > 0 {
        histogram.bins.append(bin)
        histogram.counts.append(count)
        histogram.energies.append(energies[bin])
      }
      return histogram
    }
  }

  /// LUFS of an energy; −∞ for none (BS.1770-4, equation 2).
  package static func loudness(ofEnergy energy: Double) -> Double { 10 * log10(energy) - 0.691 }

  /// The energy of a level in LUFS: the inverse of `loudness(ofEnergy:)`.
  package static func energy(ofLoudness loudness: Double) -> Double {
    pow(10, (loudness + 0.691) / 10)
  }

  /// The same blocks with `factor` times the energy.
  package func amplified(byEnergy factor: Double) -> LoudnessHistogram {
    var counter = Counter()
    for (count, energy) in zip(counts, energies) {
      counter.add(energy: energy * factor, count: count)
    }
    return counter.histogram
  }

  /// The blocks of both.
  package func merged(with other: LoudnessHistogram) -> LoudnessHistogram {
    var counter = Counter()
    for histogram in [self, other] {
      for (count, energy) in zip(histogram.counts, histogram.energies) {
        counter.add(energy: energy, count: count)
      }
    }
    return counter.histogram
  }

  /// LUFS of the mean of all blocks that pass the gate at −70 LUFS, and one that is 10 LU below the
  /// mean of those (BS.1770-4, equations 3 to 7); nil without any.
  package var integrated: Double? {
    gated(below: 10).map { blocks in Self.loudness(ofEnergy: blocks.energy / Double(blocks.count)) }
  }

  /// LU between the 10th and the 95th percentile of blocks of three seconds that pass the gate at
  /// −70 LUFS, and one that is 20 LU below the mean of those (EBU Tech 3342); 0 without any.
  package var range: Double {
    guard let blocks = gated(below: 20) else { return 0 }
    func percentile(_ share: Double) -> Double {
      var rank = Int((Double(blocks.count - 1) * share).rounded())
      for index in blocks.bins {
        rank -= counts[index]
        if rank < 0 { return mean(index) }
      }
      return 1
    }
    return 10 * log10(percentile(0.95) / percentile(0.1))
  }

  private func mean(_ index: Int) -> Double { energies[index] / Double(counts[index]) }

  /// The filled bins that pass both gates, by their places, with their blocks and their energies.
  private func gated(
    below distance: Double
  ) -> (bins: Range<Int>, count: Int, energy: Double)? {
    func blocks(above gate: Double) -> (bins: Range<Int>, count: Int, energy: Double)? {
      guard let first = bins.indices.first(where: { mean($0) >= gate }) else { return nil }
      let passing = first..<bins.count
      return (passing, counts[passing].reduce(0, +), energies[passing].reduce(0, +))
    }
    guard let loud = blocks(above: Self.energy(ofLoudness: -70)) else { return nil }
    let relative = loud.energy / Double(loud.count) * pow(10, -distance / 10)
    return blocks(above: max(relative, Self.energy(ofLoudness: -70)))
  }

  /// Whether it could have been counted: what was written down somewhere may be damaged.
  package var isPlausible: Bool {
    bins.count == counts.count && bins.count == energies.count
      && bins.allSatisfy { (0..<Self.size).contains($0) }
      && zip(bins, bins.dropFirst()).allSatisfy { $0 < $1 }
      && counts.allSatisfy { (1...1 << 40).contains($0) }
      && energies.allSatisfy { $0 > 0 && $0 < .infinity }
  }
}
