import ExportGraph

/// A speed of playback from 0.5 to 2, in hundredths, with the pitch kept.
public struct PlaybackSpeed: Sendable, Hashable, Comparable {
  /// Hundredths, 50 … 200.
  public let percent: Int

  /// The nearest speed to a factor (`AVPlayer.rate`); nil outside 0.5 … 2.
  public init?(_ factor: Double) {
    let rounded = (factor * 100).rounded()
    guard rounded >= 50, rounded <= 200 else { return nil }
    percent = Int(rounded)
  }

  /// A speed in hundredths, limited to 50 … 200.
  public init(percent: Int) { self.percent = max(50, min(200, percent)) }

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
