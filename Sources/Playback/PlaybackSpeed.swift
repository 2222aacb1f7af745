import ExportGraph

/// How fast something is played, the pitch kept: from 0.5 to 2, in hundredths.
public struct PlaybackSpeed: Sendable, Hashable, Comparable {
  /// Hundredths, 50 … 200.
  public let percent: Int

  /// The nearest speed to a factor (`AVPlayer.rate`); nil outside 0.5 … 2.
  public init?(_ factor: Double) {
    let rounded = (factor * 100).rounded()
    guard rounded >= 50, rounded <= 200 else { return nil }
    percent = Int(rounded)
  }

  /// A speed of so many hundredths, the nearest there is.
  public init(percent: Int) { self.percent = max(50, min(200, percent)) }

  /// As it is.
  public static let normal = PlaybackSpeed(percent: 100)

  /// The factor.
  public var factor: Double { Double(percent) / 100 }

  /// Whether one is slower.
  public static func < (a: Self, b: Self) -> Bool { a.percent < b.percent }

  /// So many frames of sound become so many that are heard.
  var ratio: FrameRatio { FrameRatio(from: percent, to: 100) }

  /// Frames of sound that are heard in so many.
  func sourceFrames(of heard: Int64) -> Int64 { ratio.source(ofTarget: heard) }
}
