import Glibc

struct LevelSum: Sendable, Hashable {
  var peak: Float = 0
  var squares: Double = 0
  var count = 0

  mutating func add(_ samples: UnsafeMutableBufferPointer<Float>) {
    var largest: Float = 0
    var sum: Float = 0
    for sample in samples {
      largest = max(largest, abs(sample))
      sum += sample * sample
    }
    peak = max(peak, largest)
    squares += Double(sum)
    count += samples.count
  }

  mutating func add(_ other: LevelSum) {
    peak = max(peak, other.peak)
    squares += other.squares
    count += other.count
  }

  var reading: LevelReading {
    let mean = count > 0 ? squares / Double(count) : 0
    return LevelReading(
      peakPower: LevelReading.decibels(Double(peak)),
      averagePower: LevelReading.decibels(mean.squareRoot()))
  }
}

/// The level of a channel or a track over some hundredths of a second.
public struct LevelReading: Sendable, Hashable {
  /// The largest sample, in decibels of full scale (`AVAudioPlayer.peakPower(forChannel:)`); above
  /// 0 for float sound over full scale.
  public var peakPower: Double
  /// The root of the mean square, in decibels of full scale
  /// (`AVAudioPlayer.averagePower(forChannel:)`).
  public var averagePower: Double

  /// The level of silence, as in AVFoundation.
  package static let silence = -160.0

  /// A reading.
  package init(peakPower: Double = silence, averagePower: Double = silence) {
    self.peakPower = peakPower
    self.averagePower = averagePower
  }

  /// A magnitude in decibels of full scale.
  static func decibels(_ magnitude: Double) -> Double {
    magnitude > 0 ? max(silence, 20 * log10(magnitude)) : silence
  }
}

/// Loudness by EBU R 128, in LUFS; nil for silence, and before enough sound was measured.
public struct LoudnessReading: Sendable, Hashable {
  /// Of the last 400 ms.
  public var momentary: Double?
  /// Of the last three seconds.
  public var shortTerm: Double?
  /// Of all that was heard of the item since it began, gated.
  public var integrated: Double?
  /// The true peak of that, 1 being full scale.
  public var truePeak: Double

  /// A reading.
  package init(
    momentary: Double? = nil, shortTerm: Double? = nil, integrated: Double? = nil,
    truePeak: Double = 0
  ) {
    self.momentary = momentary
    self.shortTerm = shortTerm
    self.integrated = integrated
    self.truePeak = truePeak
  }
}

/// The meters of the sound that is heard now: of the item's own channels, before volume and pan.
public struct PlayerMeters: Sendable, Hashable {
  /// Of each channel.
  public var channels: [LevelReading] = []
  /// The true peak of each channel (BS.1770-4, annex 2), 1 being full scale.
  public var truePeaks: [Double] = []
  /// Of each of the item's tracks; nil for a track without sound.
  package var tracks: [LevelReading?] = []
  /// As `PlayerItem.reductions`, each with its lowest gain.
  public var reductions: [GainReduction] = []
  /// Of the item.
  public var loudness = LoudnessReading()
}

/// The meters of a stretch of the ring.
struct MeterFrame: Sendable {
  /// The ring's frame after the last that was measured.
  var end: Int64
  /// Of each channel, before volume and pan.
  var channels: [LevelSum] = []
  var truePeaks: [Double] = []
  /// Of each track of the item; nil for a track without sound.
  var tracks: [LevelSum?] = []
  /// Of the item, in its order.
  var reductions: [GainReduction] = []
  /// Of the item.
  var loudness = LoudnessReading()
  /// The number of the item, if it is measured.
  var item: Int?
  /// The energy of the last 400 ms, once each 100 ms.
  var gatedEnergies: [Double] = []

  /// Appends the meters of the frames that follow; other channels or tracks replace the present
  /// ones.
  mutating func append(_ next: MeterFrame) {
    (end, loudness, item) = (next.end, next.loudness, next.item)
    gatedEnergies += next.gatedEnergies
    channels = Self.join(channels, next.channels) { $0.add($1) }
    truePeaks = Self.join(truePeaks, next.truePeaks) { $0 = max($0, $1) }
    tracks = Self.join(tracks, next.tracks) { sum, next in
      if let level = next { sum = sum ?? LevelSum(); sum?.add(level) }
    }
    reductions = Self.join(reductions, next.reductions) { $0.gain = min($0.gain, $1.gain) }
  }

  private static func join<Value>(
    _ values: [Value], _ next: [Value], _ join: (inout Value, Value) -> Void
  ) -> [Value] {
    guard values.count == next.count else { return next }
    var values = values
    for index in values.indices { join(&values[index], next[index]) }
    return values
  }

  var meters: PlayerMeters {
    PlayerMeters(
      channels: channels.map(\.reading), truePeaks: truePeaks,
      tracks: tracks.map { $0?.reading }, reductions: reductions, loudness: loudness)
  }
}
