import Glibc
import Playback
import Synchronization

/// Gathers what a player's meters show between two looks at the screen, so that no peak is missed.
///
/// Safe from any thread.
final class MeterTap: Sendable {
  private let state = Mutex(State())

  private struct State {
    var channels: [LevelSum] = []
    var truePeaks: [Double] = []
    var tracks: [LevelSum] = []
    var loudness = LoudnessReading()
  }

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

  /// Counts in what is heard now.
  func add(_ meters: PlayerMeters) {
    state.withLock { state in
      Self.add(meters.channels, to: &state.channels)
      Self.add(meters.tracks, to: &state.tracks)
      let peaks = meters.truePeaks
      if !peaks.isEmpty, state.truePeaks.count != peaks.count { state.truePeaks = peaks }
      for (channel, peak) in peaks.enumerated() {
        state.truePeaks[channel] = max(state.truePeaks[channel], peak)
      }
      state.loudness = meters.loudness
    }
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
    state.withLock { state in
      defer {
        state.channels = state.channels.map { _ in LevelSum() }
        state.tracks = state.tracks.map { _ in LevelSum() }
        state.truePeaks = []
      }
      return Heard(
        channels: state.channels.map(\.reading), truePeaks: state.truePeaks,
        tracks: state.tracks.map(\.reading), loudness: state.loudness)
    }
  }
}
