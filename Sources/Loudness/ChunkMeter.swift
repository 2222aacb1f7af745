import Glibc

internal import CEBUR128

/// Measures one chunk of a sound: K-weighting and gating by libebur128, true peaks as by
/// `LoudnessMeter`.
///
/// A chunk begins with a step: at a multiple of 10 ms from the sound's start. Its filters settle on
/// the sound before it (`warmUp`), so chunks that are measured apart add up to the whole: what is left
/// of the filters' past is less than a number of double precision holds. One thread at a time.
package final class ChunkMeter {
  /// Steps in a second.
  package static let stepsPerSecond = 100
  /// Milliseconds of sound that the filters need: BS.1770's high-pass at 38 Hz, whose two poles are
  /// one, has e⁻¹²⁰ left of its past after half a second.
  package static let warmUp = 500
  /// Frames a second that the K-weighting needs at least: its shelf lies at 1.7 kHz. Slower sound
  /// has no loudness.
  package static let leastRate = 4000

  private let sampleRate: Int
  /// One for each channel that counts, as a sound of one channel: it takes planes as they are.
  private let filters: [(channel: Int, state: UnsafeMutablePointer<ebur128_state>)]
  private let peakFilters: [TruePeakFilter]
  private var levels = ChunkLevels()
  /// The open step's sum of squares over all channels, its frames, and its largest magnitude.
  private var step = (sum: 0.0, frames: 0, peak: Float(0))
  /// More samples than any true-peak filter looks back.
  private static let peakHistory = 32
  private static let silence = [Float](repeating: 0, count: 1024)

  /// A meter without sound so far.
  ///
  /// - Throws: Where libebur128 has no memory, or no such rate.
  package init(
    sampleRate: Int, positions: [LoudnessMeter.Position]
  ) throws(LoudnessMeter.MeterError) {
    self.sampleRate = sampleRate
    peakFilters = positions.map { _ in TruePeakFilter(sampleRate: sampleRate) }
    var filters: [(channel: Int, state: UnsafeMutablePointer<ebur128_state>)] = []
    for (channel, position) in positions.enumerated()
    where position != .ignored && sampleRate >= Self.leastRate {
      guard let state = ebur128_init(1, UInt(sampleRate), Int32(EBUR128_MODE_M.rawValue)) else {
        for filter in filters { Self.destroy(filter.state) }
        throw LoudnessMeter.MeterError(
          description: "ebur128_init: no meter at \(sampleRate) Hz")
      }
      ebur128_set_channel(state, 0, position.libraryValue)
      filters.append((channel, state))
    }
    self.filters = filters
  }

  deinit {
    for filter in filters { Self.destroy(filter.state) }
  }

  private static func destroy(_ state: UnsafeMutablePointer<ebur128_state>) {
    var state: UnsafeMutablePointer<ebur128_state>? = state
    ebur128_destroy(&state)
  }

  /// Takes sound before the chunk: `count` frames of planar sound, full scale being 1. Nothing is
  /// before the first chunk.
  package func warmUp(_ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int) {
    for (channel, state) in filters { ebur128_add_frames_float(state, planes[channel], count) }
    let rest = min(count, Self.peakHistory)
    for (channel, filter) in peakFilters.enumerated() {
      _ = filter.add(planes[channel] + count - rest, count: rest)
    }
  }

  /// Measures the chunk's next frames.
  package func add(_ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int) {
    var done = 0
    while done < count {
      let end = Self.frame(ofStep: levels.weighted.count + 1, at: sampleRate)
      let some = min(count - done, end - levels.frames)
      for (channel, state) in filters {
        ebur128_add_frames_float(state, planes[channel] + done, some)
      }
      for channel in peakFilters.indices {
        step.sum += avjob_energy(planes[channel] + done, some, &step.peak)
      }
      step.frames += some
      levels.frames += some
      done += some
      if levels.frames == end { closeStep() }
    }
    for (channel, filter) in peakFilters.enumerated() {
      let peak = filter.add(planes[channel], count: count)
      levels.truePeak = max(levels.truePeak, Float(peak))
    }
  }

  /// The levels of the chunk; nothing may be added after it. `isLast`: whether the sound ends with
  /// it, so that silence follows in the filters.
  package func finish(isLast: Bool) -> ChunkLevels {
    guard isLast else { return levels }
    Self.silence.withUnsafeBufferPointer { silence in
      guard let start = silence.baseAddress else { return }
      for filter in peakFilters {
        levels.truePeak = max(
          levels.truePeak, Float(filter.add(start, count: Self.peakHistory)))
      }
      guard step.frames > 0 else { return }
      let end = Self.frame(ofStep: levels.weighted.count + 1, at: sampleRate)
      for (_, state) in filters {
        var missing = end - levels.frames
        while missing > 0 {
          ebur128_add_frames_float(state, start, min(missing, silence.count))
          missing -= min(missing, silence.count)
        }
      }
      levels.weightedRest = energyOfStep()
    }
    levels.sum += step.sum
    closePeak()
    return levels
  }

  private func closeStep() {
    levels.weighted.append(energyOfStep())
    levels.plain.append(step.sum / Double(step.frames * max(1, peakFilters.count)))
    levels.sum += step.sum
    closePeak()
    step = (0, 0, 0)
  }

  private func closePeak() {
    guard step.frames > 0 else { return }
    levels.peaks.append(step.peak)
    levels.samplePeak = max(levels.samplePeak, step.peak)
  }

  /// The energy of the last 10 ms, in whole frames.
  private func energyOfStep() -> Double {
    filters.reduce(0) { sum, filter in
      var loudness = -Double.infinity
      ebur128_loudness_window(filter.state, UInt(1000 / Self.stepsPerSecond), &loudness)
      return sum + pow(10, (loudness + 0.691) / 10)
    }
  }

  /// The frame that a step begins with, where steps are no whole number of frames: 11.025 kHz has
  /// 110 or 111.
  private static func frame(ofStep step: Int, at sampleRate: Int) -> Int {
    (step * sampleRate + stepsPerSecond / 2) / stepsPerSecond
  }
}
