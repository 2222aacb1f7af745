import MediaComposition

/// How channels of one layout become channels of another: a weight for each pair.
///
/// Ours, and independent of sample format, because libswresample's levels depend on it.
/// - Mono to more: unity on front left and front right.
/// - Stereo to mono: the mean.
/// - Surround to stereo or mono: ITU-R BS.775-3, table 2, without the low-frequency channel:
///   centre and surrounds at −3 dB, then mono as the mean of stereo.
/// - To surround: a channel that the target has keeps its place and level; the others are silent:
///   stereo plays from the fronts of 5.1, 5.1 leaves the sides of 7.1 silent.
/// - Side surrounds replace back ones, and the other way round, where the target has only the other
///   pair: 5.1 and 5.1(side) become each other untouched. Where one pair takes up both, as in 5.1
///   from 7.1, each is at −3 dB, as table 2 has it for two surrounds that become one. So are both
///   shares of a back centre.
/// - A channel above, below or beyond these that the target lacks is at −3 dB on its side: at the side
///   or behind in the surround, where the target has one, else in front. In the middle both sides share
///   it, as they do a back centre.
/// - A channel without a place of its own in the target is mixed to the fronts, as in stereo.
/// - Two channels of other positions than stereo's, as front left and low frequency, keep their order
///   as left and right, unless the target has both of their places.
/// - Channels without positions keep their order in a layout of as many channels. In a smaller one each
///   is mixed to both fronts as a centre is: none of them is the low frequencies.
/// - One channel alone, even one of low frequencies, is a sound like any other: it is mono wherever
///   it is.
package struct ChannelMatrix: Sendable, Hashable, Encodable {
  /// `weights[target][source]`.
  package let weights: [[Float]]

  /// A matrix of these weights, as many in each row.
  init(weights: [[Float]]) { self.weights = weights }

  /// The matrix that takes `source` to `target`.
  package init(from source: ChannelLayout, to target: ChannelLayout) {
    guard source != target else {
      weights = Self.identity(source.count)
      return
    }
    let isInOrder = source.count <= 2 || source.isUnplaced || target.isUnplaced
    if isInOrder, source.count == target.count {
      weights = Self.identity(source.count)
      return
    }
    if source.count == 1, source != .mono {
      self = ChannelMatrix(from: .mono, to: target)
      return
    }
    if source.count == 2, source != .stereo, !Self.hasPlaces(of: source, target) {
      self = ChannelMatrix(from: .stereo, to: target)
      return
    }
    if target.isUnplaced {
      weights =
        ChannelMatrix(from: source, to: .stereo).weights
        + Array(
          repeating: Array(repeating: 0, count: source.count), count: max(0, target.count - 2))
      return
    }
    if target.count == 1 {
      let stereo = source.channels.map(Self.stereoWeights)
      weights = [stereo.map { ($0.left + $0.right) / 2 }]
      return
    }
    let columns = source.channels.map { Self.column(of: $0, from: source, to: target) }
    weights = target.channels.map { channel in columns.map { $0[channel] ?? 0 } }
  }

  private static func identity(_ count: Int) -> [[Float]] {
    (0..<count).map { row in (0..<count).map { $0 == row ? 1 : 0 } }
  }

  /// Whether each channel of `source` has a place of its own in `target`, be it in the other pair of
  /// surrounds.
  private static func hasPlaces(of source: ChannelLayout, _ target: ChannelLayout) -> Bool {
    source.channels.allSatisfy { channel in
      channel != .unplaced
        && [channel, twin(of: channel)].contains { $0.map(target.channels.contains) ?? false }
    }
  }

  private typealias Column = [ChannelLayout.Channel: Float]

  /// The weights of a channel of the source in each channel of the target.
  private static func column(
    of channel: ChannelLayout.Channel, from source: ChannelLayout, to target: ChannelLayout
  ) -> Column {
    let has = target.channels.contains
    if source == .mono, has(.frontLeft) { return [.frontLeft: 1, .frontRight: 1] }
    if let twin = twin(of: channel), !has(channel), has(twin) {
      return [twin: source.channels.contains(twin) ? attenuated : 1]
    }
    if has(channel) {
      // Its place is shared with a pair that has no place of its own.
      guard let twin = twin(of: channel), source.channels.contains(twin), !has(twin) else {
        return [channel: 1]
      }
      return [channel: attenuated]
    }
    if isBehind(channel) {
      for (left, right) in [(.backLeft, .backRight), (.sideLeft, .sideRight)] as [Pair]
      where has(left) && has(right) {
        return switch channel.side {
        case .left: [left: attenuated]
        case .right: [right: attenuated]
        case nil: [left: attenuated, right: attenuated]
        }
      }
    }
    let (left, right) = stereoWeights(channel)
    return [.frontLeft: left, .frontRight: right]
  }

  /// Whether a channel without a twin belongs to the surrounds.
  private static func isBehind(_ channel: ChannelLayout.Channel) -> Bool {
    switch channel {
    case .backCenter, .topBackLeft, .topBackCenter, .topBackRight, .topSideLeft, .topSideRight,
      .surroundDirectLeft, .surroundDirectRight:
      true
    default: false
    }
  }

  private typealias Pair = (ChannelLayout.Channel, ChannelLayout.Channel)

  private static let attenuated = Float(0.5).squareRoot()

  /// The surround of the other pair on the same side.
  static func twin(of channel: ChannelLayout.Channel) -> ChannelLayout.Channel? {
    switch channel {
    case .backLeft: .sideLeft
    case .backRight: .sideRight
    case .sideLeft: .backLeft
    case .sideRight: .backRight
    default: nil
    }
  }

  private static func stereoWeights(
    _ channel: ChannelLayout.Channel
  ) -> (left: Float, right: Float) {
    switch channel {
    case .frontLeft: (1, 0)
    case .frontRight: (0, 1)
    case .frontCenter, .unplaced: (attenuated, attenuated)
    case .lowFrequency, .lowFrequency2: (0, 0)
    default:
      switch channel.side {
      case .left: (attenuated, 0)
      case .right: (0, attenuated)
      case nil: (attenuated * attenuated, attenuated * attenuated)
      }
    }
  }
}
