/// Where each channel of a sound comes from, in FFmpeg's native channel order.
public struct ChannelLayout: Sendable, Hashable {
  /// One loudspeaker position; the raw value is FFmpeg's channel bit (`AVChannel`).
  public enum Channel: Int, Sendable, Hashable, CaseIterable {
    case frontLeft = 0
    case frontRight, frontCenter, lowFrequency, backLeft, backRight
    case frontLeftOfCenter, frontRightOfCenter, backCenter, sideLeft, sideRight
  }

  public let channels: [Channel]
  public init(_ channels: [Channel]) { self.channels = channels }

  public var count: Int { channels.count }

  public static let mono = ChannelLayout([.frontCenter])
  public static let stereo = ChannelLayout([.frontLeft, .frontRight])
}
