import Playback

/// The meter of a channel or a track: it rises at once and falls slowly.
struct LevelMeter: Equatable {
  /// Decibels of full scale; `LevelReading.silence` is the least.
  private(set) var peak = LevelReading.silence
  private(set) var average = LevelReading.silence
  /// The highest peak of the last 1.5 seconds.
  private(set) var held = LevelReading.silence
  /// Whether the true peak was over full scale since `clear`.
  private(set) var isOver = false
  private var heldFor = 0.0

  /// Decibels a second: gaps between words stay visible.
  static let fall = 20.0
  /// Seconds for which the highest peak is shown.
  private static let hold = 1.5

  /// Shows the level of the last `seconds`; nil is silence.
  ///
  /// - Parameters:
  ///   - reading: The level of the samples.
  ///   - truePeak: The true peak, 1 being full scale.
  ///   - seconds: The time since the last call.
  mutating func show(_ reading: LevelReading?, truePeak: Double = 0, after seconds: Double) {
    let reading = reading ?? LevelReading()
    peak = max(reading.peakPower, peak - Self.fall * seconds, LevelReading.silence)
    average = max(reading.averagePower, average - Self.fall * seconds, LevelReading.silence)
    heldFor += seconds
    if reading.peakPower >= held || heldFor > Self.hold { (held, heldFor) = (peak, 0) }
    if truePeak > 1 || reading.peakPower > 0 { isOver = true }
  }

  /// Clears the OVER mark.
  mutating func clear() { isOver = false }
}
