import Glibc
import Playback

/// Gathers what a player's meters show between two looks at the screen, so that no peak is missed.
///
/// Of one thread.
final class MeterTap {
  private var channels: [LevelSum] = []
  private var truePeaks: [Double] = []
  private var tracks: [LevelSum] = []
  private var loudness = LoudnessReading()

  /// Peak, and the mean of powers.
  private struct LevelSum {
    var peak = LevelReading.silence
    var power = 0.0
    var count = 0

    mutating func add(_ reading: LevelReading?) {
      guard let reading else { return }
      peak = max(peak, reading.peakPower)
      power += pow(10, reading.averagePower / 10)
      count += 1
    }

    var reading: LevelReading? {
      guard count > 0 else { return nil }
      return LevelReading(
        peakPower: peak,
        averagePower: max(LevelReading.silence, 10 * log10(power / Double(count))))
    }
  }

  /// Counts in what was heard for a while.
  func add(_ meters: PlayerMeters) {
    Self.add(meters.channels.map(Optional.some), to: &channels)
    Self.add(meters.tracks, to: &tracks)
    let peaks = meters.truePeaks
    if !peaks.isEmpty, truePeaks.count != peaks.count { truePeaks = peaks }
    for (channel, peak) in peaks.enumerated() { truePeaks[channel] = max(truePeaks[channel], peak) }
    loudness = meters.loudness
  }

  private static func add(_ readings: [LevelReading?], to sums: inout [LevelSum]) {
    // Nothing is heard where the player rests.
    guard !readings.isEmpty else { return }
    // Another item may have others.
    if sums.count != readings.count {
      sums = Array(repeating: LevelSum(), count: readings.count)
    }
    for (index, reading) in readings.enumerated() { sums[index].add(reading) }
  }

  /// What was heard since the last call.
  struct Heard {
    var channels: [LevelReading?]
    /// Of each channel, 1 being full scale.
    var truePeaks: [Double]
    var tracks: [LevelReading?]
    var loudness: LoudnessReading
  }

  /// What was heard since the last call.
  func take() -> Heard {
    defer {
      channels = channels.map { _ in LevelSum() }
      tracks = tracks.map { _ in LevelSum() }
      truePeaks = []
    }
    return Heard(
      channels: channels.map(\.reading), truePeaks: truePeaks, tracks: tracks.map(\.reading),
      loudness: loudness)
  }
}
