/// What is found in the steps of a sound, one after the other.
protocol StepFindings: Sendable {
  /// Takes the next step.
  ///
  /// - Parameters:
  ///   - energy: The sum of the squares of its samples, of each channel.
  ///   - frameCount: How long it is.
  mutating func add(_ energy: [Double], frameCount: Int)
}

/// Measures the energies of steps in a row. Sums are taken frame by frame, so that they do not depend on how
/// the sound is cut into blocks.
struct StepAnalyzer<Findings: StepFindings>: ChunkAnalyzer {
  private let grid: StepGrid
  /// The step whose frames come.
  private var step: Int64
  private var findings: Findings
  /// Frames of the step so far, and the energy of each channel in them.
  private var count = 0
  private var energy: [Double] = []

  /// An analyzer, whose first frames are those of `step`.
  init(_ grid: StepGrid, from step: Int64, into findings: Findings) {
    (self.grid, self.step, self.findings) = (grid, step, findings)
  }

  func warmUp(_ block: AudioBuffer) {}

  /// What was found in whole steps.
  func finish() -> Findings { findings }

  mutating func add(_ block: AudioBuffer) {
    if energy.isEmpty { energy = Array(repeating: 0, count: block.channelCount) }
    var offset = 0
    while offset < block.frameCount {
      let size = grid.frames(of: step..<step + 1).count
      let taken = min(block.frameCount - offset, size - count)
      for channel in energy.indices {
        let samples = block.planes[channel] + offset
        var sum = energy[channel]
        for index in 0..<taken {
          let sample = Double(samples[index])
          sum += sample * sample
        }
        energy[channel] = sum
      }
      count += taken
      offset += taken
      guard count == size else { continue }
      findings.add(energy, frameCount: size)
      for channel in energy.indices { energy[channel] = 0 }
      count = 0
      step += 1
    }
  }
}
