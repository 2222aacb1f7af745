import ExportGraph

/// A speed of playback from 0.25 to 4, in hundredths, with the pitch kept.
public struct PlaybackSpeed: Sendable, Hashable, Comparable {
  /// Hundredths, 25 … 400.
  package let percent: Int

  /// The nearest speed to a factor (`AVPlayer.rate`); nil outside 0.25 … 4.
  public init?(_ factor: Double) {
    let rounded = (factor * 100).rounded()
    guard rounded >= Double(Self.slowest.percent), rounded <= Double(Self.fastest.percent) else {
      return nil
    }
    percent = Int(rounded)
  }

  /// A speed in hundredths, limited to 25 … 400.
  package init(percent: Int) {
    self.percent = max(Self.slowest.percent, min(Self.fastest.percent, percent))
  }

  private init(unlimited percent: Int) { self.percent = percent }

  /// The lowest speed, a quarter.
  public static let slowest = PlaybackSpeed(unlimited: 25)
  /// The highest speed, fourfold.
  public static let fastest = PlaybackSpeed(unlimited: 400)

  /// The speed 1.
  public static let normal = PlaybackSpeed(percent: 100)

  /// The factor.
  public var factor: Double { Double(percent) / 100 }

  /// Whether a speed is slower.
  public static func < (a: Self, b: Self) -> Bool { a.percent < b.percent }

  /// The ratio of frames of sound to frames that are heard.
  var ratio: FrameRatio { FrameRatio(from: percent, to: 100) }

  /// Frames of sound in a number of frames that are heard.
  func sourceFrames(of heard: Int64) -> Int64 { ratio.source(ofTarget: heard) }
}
