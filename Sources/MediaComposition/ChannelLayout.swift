/// Where each channel of a sound comes from, in FFmpeg's native channel order.
public struct ChannelLayout: Sendable, Hashable {
  /// One loudspeaker position; the raw value is FFmpeg's channel bit (`AVChannel`).
  public enum Channel: Int, Sendable, Hashable, CaseIterable {
    case frontLeft = 0
    case frontRight, frontCenter, lowFrequency, backLeft, backRight
    case frontLeftOfCenter, frontRightOfCenter, backCenter, sideLeft, sideRight
  }

  /// Each position at most once, in the order of its bits.
  public let channels: [Channel]
  /// A layout of `channels`.
  public init(_ channels: [Channel]) { self.channels = channels }

  /// How many channels there are.
  public var count: Int { channels.count }

  /// One channel in the centre.
  public static let mono = ChannelLayout([.frontCenter])
  /// Left and right.
  public static let stereo = ChannelLayout([.frontLeft, .frontRight])
}

extension ChannelLayout {
  /// The channels of an FFmpeg mask (`AV_CH_*`), lowest bit first.
  public init(mask: UInt64) {
    self.init(Channel.allCases.filter { mask & (1 << UInt64($0.rawValue)) != 0 })
  }

  /// Common layouts by the names that FFmpeg gives them, else the number of channels.
  public var name: String {
    switch self {
    case .mono: "mono"
    case .stereo: "stereo"
    case ChannelLayout(mask: 0x3F), ChannelLayout(mask: 0x60F): "5.1"
    case ChannelLayout(mask: 0x63F): "7.1"
    default: "\(count) channels"
    }
  }
}
