import MediaComposition

/// The loudness of what was heard of an item: gated over its blocks of 400 ms (BS.1770-4), and its
/// true peak.
struct HeardLoudness: Sendable {
  /// The number of the item.
  private var item: Int?
  private var counter = LoudnessHistogram.Counter()
  /// LUFS; nil for silence.
  private(set) var integrated: Double?
  /// 1 being full scale.
  private(set) var truePeak = 0.0

  /// Adds a stretch that was heard and measured; another item begins anew.
  mutating func add(_ frame: MeterFrame) {
    guard let item = frame.item else { return }
    if item != self.item { self = HeardLoudness(item: item) }
    truePeak = frame.truePeaks.reduce(truePeak, max)
    guard !frame.gatedEnergies.isEmpty else { return }
    for energy in frame.gatedEnergies { counter.add(energy: energy) }
    integrated = counter.histogram.integrated
  }

  private init(item: Int) { self.item = item }

  /// Nothing was heard.
  init() {}
}

extension PlayerState {
  /// Counts what was heard up to a frame of the rings. O(meters).
  mutating func countHeard(to heard: Int64) {
    guard heard > countedFrame else { return }
    for frame in meters where frame.end > countedFrame && frame.end <= heard {
      heardLoudness.add(frame)
    }
    countedFrame = heard
  }

  /// What meters show of a stretch that is heard.
  func meters(of frame: MeterFrame) -> PlayerMeters {
    var meters = frame.meters
    meters.loudness.integrated = heardLoudness.integrated
    meters.loudness.truePeak = heardLoudness.truePeak
    return meters
  }
}
