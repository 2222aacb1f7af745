/// The levels of one chunk of a sound, in steps of 10 ms: what `LevelAccumulator` puts together.
package struct ChunkLevels: Sendable, Hashable {
  /// The energy of each whole step: the mean squares of the K-weighted channels, weighted and added
  /// up (BS.1770-4, annex 1).
  package var weighted: [Double] = []
  /// The mean square over all channels of each whole step.
  package var plain: [Double] = []
  /// The largest magnitude of each whole step, and of what is left behind the last one.
  package var peaks: [Float] = []
  /// What is left where the sound ends within a step: its energy, over a whole step.
  package var weightedRest = 0.0
  /// The chunk's frames.
  package var frames = 0
  /// The sum of all squares of all channels.
  package var sum = 0.0
  /// The largest magnitude of a sample.
  package var samplePeak: Float = 0
  /// The largest magnitude of a sample and between samples.
  package var truePeak: Float = 0

  /// Of no sound.
  package init() {}

  /// Whether all of its sound was numbers.
  package var isFinite: Bool { sum.isFinite && weighted.allSatisfy(\.isFinite) }
}
