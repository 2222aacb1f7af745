import MediaComposition

/// Brings the channels of frames from the order of WAV and FFmpeg into that of a device, and back.
///
/// Of one thread; no call allocates.
final class ChannelReordering {
  /// For each channel of the device, the index of ours.
  let sources: [Int]
  private let sampleSize: Int
  private let scratch: UnsafeMutableRawPointer
  private static let capacity = 1024

  /// The order of a device with `positions`, or with ALSA's usual ones; nil if that is our order,
  /// or has other positions.
  ///
  /// - Parameters:
  ///   - channelCount: Channels of a frame.
  ///   - positions: ALSA's names of the positions, in the device's order; nil if it has no channel
  ///     map.
  ///   - sampleSize: Bytes of a sample.
  init?(for channelCount: Int, positions: [String]?, sampleSize: Int) {
    guard let theirs = Self.places(positions ?? Self.usual[channelCount] ?? []),
      theirs.count == channelCount
    else { return nil }
    let ours = theirs.sorted { $0.rawValue < $1.rawValue }
    guard theirs != ours else { return nil }
    sources = theirs.compactMap { ours.firstIndex(of: $0) }
    self.sampleSize = sampleSize
    scratch = .allocate(byteCount: Self.capacity * channelCount * sampleSize, alignment: 16)
  }

  deinit { scratch.deallocate() }

  /// How many of `count` frames are reordered at once.
  func fitting(_ count: Int) -> Int { min(count, Self.capacity) }

  /// The first frames, `fitting` of them, in the device's order; valid until the next call.
  func reordered(_ frames: UnsafeRawPointer, count: Int) -> UnsafeRawPointer {
    let channelCount = sources.count
    for frame in 0..<fitting(count) {
      let first = frame * channelCount * sampleSize
      for channel in 0..<channelCount {
        (scratch + first + channel * sampleSize).copyMemory(
          from: frames + first + sources[channel] * sampleSize, byteCount: sampleSize)
      }
    }
    return UnsafeRawPointer(scratch)
  }

  /// Brings frames of a device into our order, in place.
  func restore(_ frames: UnsafeMutableRawPointer, count: Int) {
    let channelCount = sources.count
    let frameSize = channelCount * sampleSize
    for index in 0..<count {
      let frame = frames + index * frameSize
      scratch.copyMemory(from: frame, byteCount: frameSize)
      for channel in 0..<channelCount {
        (frame + sources[channel] * sampleSize).copyMemory(
          from: scratch + channel * sampleSize, byteCount: sampleSize)
      }
    }
  }

  /// The layout of a device with a channel map, in our order; nil if the map has a position of which
  /// layouts have none, or one twice.
  static func layout(of positions: [String]) -> ChannelLayout? {
    places(positions).map { places in ChannelLayout(places.sorted { $0.rawValue < $1.rawValue }) }
  }

  /// The places of a device's channels, in its order; nil as of `layout`. Two channels and fewer keep
  /// their order.
  private static func places(_ positions: [String]) -> [ChannelLayout.Channel]? {
    guard positions.count > 2 else { return nil }
    // With up to six channels, side channels are back channels.
    let isBeside = positions.count < 7 && !positions.contains("RL") && !positions.contains("RR")
    let beside = isBeside ? ["SL": "RL", "SR": "RR"] : [:]
    let places = positions.compactMap { named[beside[$0] ?? $0] }
    return Set(places).count == positions.count ? places : nil
  }

  /// By ALSA's names (`enum snd_pcm_chmap_position`). HDMI has heights of its own names (CEA-861), where
  /// WAVE has those of the top.
  private static let named: [String: ChannelLayout.Channel] = [
    "FL": .frontLeft, "FR": .frontRight, "FC": .frontCenter, "LFE": .lowFrequency,
    "RL": .backLeft, "RR": .backRight, "RC": .backCenter, "SL": .sideLeft, "SR": .sideRight,
    "FLC": .frontLeftOfCenter, "FRC": .frontRightOfCenter, "FLW": .wideLeft, "FRW": .wideRight,
    "TC": .topCenter, "TFL": .topFrontLeft, "TFC": .topFrontCenter, "TFR": .topFrontRight,
    "FLH": .topFrontLeft, "FCH": .topFrontCenter, "FRH": .topFrontRight,
    "TRL": .topBackLeft, "TRC": .topBackCenter, "TRR": .topBackRight,
    "TSL": .topSideLeft, "TSR": .topSideRight,
    "BC": .bottomFrontCenter, "BLC": .bottomFrontLeft, "BRC": .bottomFrontRight,
  ]

  /// The positions of our channels, by ALSA's names; channels beyond the eighth have none.
  static func positions(of channelCount: Int) -> [String] {
    switch channelCount {
    case 1: ["MONO"]
    case 2: ["FL", "FR"]
    default: ours[channelCount] ?? (0..<channelCount).map { "AUX\($0)" }
    }
  }

  /// In the order of a WAV's mask (`ChannelLayout`).
  private static let ours: [Int: [String]] = [
    3: ["FL", "FR", "FC"], 4: ["FL", "FR", "RL", "RR"], 5: ["FL", "FR", "FC", "RL", "RR"],
    6: ["FL", "FR", "FC", "LFE", "RL", "RR"], 7: ["FL", "FR", "FC", "LFE", "RC", "SL", "SR"],
    8: ["FL", "FR", "FC", "LFE", "RL", "RR", "SL", "SR"],
  ]
  /// Of devices without a channel map (`snd_pcm_std_chmaps` of the kernel's sound/core/pcm_lib.c).
  private static let usual: [Int: [String]] = [
    4: ["FL", "FR", "RL", "RR"], 5: ["FL", "FR", "RL", "RR", "FC"],
    6: ["FL", "FR", "RL", "RR", "FC", "LFE"],
    8: ["FL", "FR", "RL", "RR", "FC", "LFE", "SL", "SR"],
  ]
}
