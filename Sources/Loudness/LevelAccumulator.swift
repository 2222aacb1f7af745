package import MediaComposition

internal import CEBUR128

/// Puts chunks of levels together to the measurement of a sound.
///
/// Memory does not grow with the sound: three seconds of steps, two histograms and the steps that may
/// be its first or last one are kept. O(steps).
package struct LevelAccumulator: Sendable {
  private let sampleRate: Int
  private let channelCount: Int
  /// Steps of the last three seconds before the ones that are added, as many as there were.
  private var weighted: [Double] = []
  private var plain: [Double] = []
  /// Steps so far.
  private var steps = 0
  private var frames: Int64 = 0
  private var sum = 0.0
  /// Of the first steps and what is left: a short sound is measured as a whole.
  private var weightedSum = 0.0
  private var peaks: (sample: Float, true: Float) = (0, 0)
  private var blocks = LoudnessHistogram.Counter()
  private var windows = LoudnessHistogram.Counter()
  /// Energies; nil: the sound is shorter than the window.
  private var momentary: Double?
  private var shortTerm: Double?
  private var floor: Double?
  private var edges = RoomToneFinder()
  /// Nil where the sound is measured only.
  private var drawing: OverviewDrawing?

  private static let blockSteps = 40
  private static let windowSteps = 300
  private static let floorSteps = 50
  /// Steps from a block or a window to the next.
  private static let hop = 10

  /// The measurement of nothing so far.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames a second.
  ///   - channelCount: Channels.
  ///   - frameCount: All frames of a sound that is drawn, too; nil: it is not.
  package init(sampleRate: Int, channelCount: Int, drawing frameCount: Int? = nil) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    drawing = frameCount.map {
      OverviewDrawing(stepCount: $0 * ChunkMeter.stepsPerSecond / max(1, sampleRate))
    }
  }

  /// The sound in columns; nil where it is not drawn.
  package var overview: SoundOverview? { drawing?.overview }

  /// Adds the next chunk of the sound.
  package mutating func add(_ chunk: ChunkLevels) {
    frames += Int64(chunk.frames)
    sum += chunk.sum
    weightedSum += chunk.weighted.reduce(0, +) + chunk.weightedRest
    peaks = (max(peaks.sample, chunk.samplePeak), max(peaks.true, chunk.truePeak))
    for (index, peak) in chunk.peaks.enumerated() {
      drawing?.add(peak: peak, ofStep: steps + index)
    }
    let before = weighted.count
    weighted += chunk.weighted
    plain += chunk.plain
    weighted.withUnsafeBufferPointer { weighted in
      plain.withUnsafeBufferPointer { plain in
        guard let weighted = weighted.baseAddress, let plain = plain.baseAddress else { return }
        for end in (before + 1)..<(before + chunk.weighted.count + 1) {
          addStep(weighted + end, plain + end)
        }
      }
    }
    weighted.removeFirst(max(0, weighted.count - Self.windowSteps))
    plain.removeFirst(max(0, plain.count - Self.windowSteps))
  }

  /// Looks at what ends with one more step; behind both pointers are the steps so far.
  private mutating func addStep(_ weighted: UnsafePointer<Double>, _ plain: UnsafePointer<Double>) {
    steps += 1
    edges.add(power: plain[-1])
    func mean(_ end: UnsafePointer<Double>, _ count: Int) -> Double? {
      steps < count ? nil : avjob_sum(end - count, count) / Double(count)
    }
    let isHop = steps % Self.hop == 0
    if let energy = mean(weighted, Self.blockSteps) {
      momentary = max(momentary ?? 0, energy)
      if isHop { blocks.add(energy: energy) }
    }
    if let energy = mean(weighted, Self.windowSteps) {
      shortTerm = max(shortTerm ?? 0, energy)
      if isHop {
        windows.add(energy: energy)
        drawing?.add(energy: energy, ofStep: steps - 1)
      }
    }
    if let power = mean(plain, Self.floorSteps) { floor = min(floor ?? power, power) }
  }

  /// The measurement of all that was added.
  package var measurement: LoudnessMeasurement {
    var statistics = LoudnessMeasurement.Statistics()
    statistics.frames = frames
    statistics.sampleRate = sampleRate
    statistics.power = frames == 0 ? 0 : sum / (Double(frames) * Double(max(1, channelCount)))
    var blocks = blocks
    if steps < Self.blockSteps, frames > 0 {
      let stepLength = Double(sampleRate) / Double(ChunkMeter.stepsPerSecond)
      blocks.add(energy: weightedSum * stepLength / Double(frames))
    }
    statistics.blocks = blocks.histogram
    statistics.windows = windows.histogram
    func loudness(_ energy: Double?) -> Double? {
      energy.flatMap { $0 > 0 ? LoudnessHistogram.loudness(ofEnergy: $0) : nil }
    }
    func decibels(_ peak: Float) -> Double? {
      LoudnessMeasurement.decibels(ofPeak: Double(min(peak, .greatestFiniteMagnitude)))
    }
    var measurement = LoudnessMeasurement(
      statistics, maximumMomentary: loudness(momentary), maximumShortTerm: loudness(shortTerm),
      truePeak: decibels(peaks.true), samplePeak: decibels(peaks.sample),
      noiseFloor: LoudnessMeasurement.decibels(ofPower: floor ?? statistics.power))
    measurement.roomTone = edges.roomTone(
      noiseFloor: measurement.noiseFloor, frames: frames, sampleRate: sampleRate)
    return measurement
  }
}
