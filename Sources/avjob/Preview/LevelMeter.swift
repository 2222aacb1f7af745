import Playback

/// What a meter shows of a channel or a track: it rises at once, and falls slowly enough to be read.
struct LevelMeter: Equatable {
  /// Decibels of full scale; `LevelReading.silence` is the least.
  private(set) var peak = LevelReading.silence
  private(set) var average = LevelReading.silence
  /// The highest peak of the last while.
  private(set) var held = LevelReading.silence
  /// Whether it was over full scale since that was cleared, between samples too.
  private(set) var isOver = false
  private var heldFor = 0.0

  /// Decibels a second: the gaps between words can be seen.
  private static let fall = 20.0
  /// Seconds for which the highest peak stays.
  private static let hold = 1.5

  /// Shows what was heard in the last `seconds`; nil: nothing.
  ///
  /// - Parameters:
  ///   - reading: The samples.
  ///   - truePeak: The largest magnitude between them, 1 being full scale.
  ///   - seconds: Since the last call.
  mutating func show(_ reading: LevelReading?, truePeak: Double = 0, after seconds: Double) {
    let reading = reading ?? LevelReading()
    peak = max(reading.peakPower, peak - Self.fall * seconds, LevelReading.silence)
    average = max(reading.averagePower, average - Self.fall * seconds, LevelReading.silence)
    heldFor += seconds
    if reading.peakPower >= held || heldFor > Self.hold { (held, heldFor) = (peak, 0) }
    if truePeak > 1 || reading.peakPower > 0 { isOver = true }
  }

  /// Forgets what was over full scale.
  mutating func clear() { isOver = false }
}
