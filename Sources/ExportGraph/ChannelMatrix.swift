import MediaComposition

/// How channels of one layout become channels of another: a weight for each pair.
///
/// Ours, and independent of sample format, because libswresample's levels depend on it.
/// - Mono to more: unity on front left and front right.
/// - Stereo to mono: the mean.
/// - Surround to stereo or mono: ITU-R BS.775-3, table 2, without the low-frequency channel:
///   centre and surrounds at −3 dB, then mono as the mean of stereo.
public struct ChannelMatrix: Sendable, Hashable {
  /// `weights[target][source]`.
  public let weights: [[Float]]

  /// A matrix of these weights, as many in each row.
  init(weights: [[Float]]) { self.weights = weights }

  /// The matrix that takes `source` to `target`.
  public init(from source: ChannelLayout, to target: ChannelLayout) {
    if source == target {
      weights = source.channels.indices.map { row in
        source.channels.indices.map { $0 == row ? 1 : 0 }
      }
    } else if target.count == 1 {
      let stereo = source.channels.map(Self.stereoWeights)
      weights = [
        source == .mono ? [1] : stereo.map { ($0.left + $0.right) / 2 }
      ]
    } else {
      weights = target.channels.map { channel in
        source.channels.map { Self.weight(of: $0, in: channel, from: source, to: target) }
      }
    }
  }

  private static func weight(
    of source: ChannelLayout.Channel, in channel: ChannelLayout.Channel,
    from layout: ChannelLayout, to target: ChannelLayout
  ) -> Float {
    switch channel {
    case .frontLeft: layout == .mono ? 1 : stereoWeights(source).left
    case .frontRight: layout == .mono ? 1 : stereoWeights(source).right
    default: source == channel ? 1 : 0
    }
  }

  /// A channel's share of a stereo pair.
  private static func stereoWeights(
    _ channel: ChannelLayout.Channel
  ) -> (left: Float, right: Float) {
    let attenuated = Float(0.5).squareRoot()
    return switch channel {
    case .frontLeft: (1, 0)
    case .frontRight: (0, 1)
    case .frontCenter: (attenuated, attenuated)
    case .lowFrequency: (0, 0)
    case .backLeft, .sideLeft, .frontLeftOfCenter: (attenuated, 0)
    case .backRight, .sideRight, .frontRightOfCenter: (0, attenuated)
    case .backCenter: (attenuated * attenuated, attenuated * attenuated)
    }
  }
}
