internal import MediaComposition

/// Draws a sound's overview from its steps of 10 ms.
struct OverviewDrawing {
  private let stepCount: Int
  private(set) var overview: SoundOverview
  /// Those of the columns of loudness; 0 for none.
  private var energies: [Double]

  /// Of a sound of so many whole steps.
  init(stepCount: Int) {
    self.stepCount = max(1, stepCount)
    overview = SoundOverview(
      peaks: Array(repeating: 0, count: min(self.stepCount, SoundOverview.peakColumns)),
      loudness: Array(
        repeating: 0, count: min((self.stepCount + 9) / 10, SoundOverview.loudnessColumns)))
    energies = overview.loudness.map { _ in 0 }
  }

  /// What is left behind the last whole step counts to its column.
  private func column(ofStep step: Int, among count: Int) -> Int {
    min(min(step, stepCount - 1) * count / stepCount, count - 1)
  }

  mutating func add(peak: Float, ofStep step: Int) {
    let column = column(ofStep: step, among: overview.peaks.count)
    overview.peaks[column] = max(overview.peaks[column], SoundOverview.column(ofPeak: peak))
  }

  /// The energy of the three seconds that end with a step.
  mutating func add(energy: Double, ofStep step: Int) {
    let column = column(ofStep: step, among: energies.count)
    guard energy > energies[column] else { return }
    energies[column] = energy
    overview.loudness[column] = SoundOverview.column(
      ofLoudness: LoudnessHistogram.loudness(ofEnergy: energy))
  }
}
