/// Where each channel of a sound comes from, in FFmpeg's native channel order.
public struct ChannelLayout: Sendable, Hashable, Codable {
  /// One loudspeaker position; the raw value is FFmpeg's channel bit (`AVChannel`).
  public enum Channel: Int, Sendable, Hashable, CaseIterable, Codable {
    case frontLeft = 0
    case frontRight, frontCenter, lowFrequency, backLeft, backRight
    case frontLeftOfCenter, frontRightOfCenter, backCenter, sideLeft, sideRight
    case topCenter, topFrontLeft, topFrontCenter, topFrontRight
    /// The last for which WAVE has a bit (`SPEAKER_TOP_BACK_RIGHT` of Microsoft's ksmedia.h).
    case topBackLeft, topBackCenter, topBackRight
    case wideLeft = 31
    case wideRight, surroundDirectLeft, surroundDirectRight, lowFrequency2
    case topSideLeft, topSideRight, bottomFrontCenter, bottomFrontLeft, bottomFrontRight
    /// A channel to which the file gives no position, or one that is not among these. It has no bit.
    case unplaced = -1

    /// The positions, in the order of their bits.
    public static let allCases: [Channel] =
      (0...bottomFrontRight.rawValue).compactMap(Channel.init)
  }

  /// Each position at most once, in the order of its bits; channels without one in the file's order.
  public let channels: [Channel]
  /// A layout of `channels`.
  public init(_ channels: [Channel]) { self.channels = channels }

  /// How many channels there are.
  public var count: Int { channels.count }

  /// Several channels of which the file does not say where they are: never taken for those of a
  /// surround, whose fourth would be left out as its low frequencies.
  package static func unplaced(_ count: Int) -> ChannelLayout {
    ChannelLayout(Array(repeating: .unplaced, count: count))
  }

  /// What so many channels are where nothing says where they are: mono, stereo, or without positions.
  package static func counted(_ count: Int) -> ChannelLayout {
    count == 1 ? .mono : count == 2 ? .stereo : .unplaced(count)
  }

  /// Whether none of several channels has a position.
  package var isUnplaced: Bool { count > 1 && channels.allSatisfy { $0 == .unplaced } }

  /// Whether outputs can say where its channels are, or none of several has a position: WAV, FLAC, CAF
  /// and AIFF have bits for those up to `topBackRight`.
  package var isStorable: Bool {
    isUnplaced || channels.allSatisfy { Channel.stored.contains($0.rawValue) }
  }

  /// One channel in the centre.
  public static let mono = ChannelLayout([.frontCenter])
  /// Left and right.
  public static let stereo = ChannelLayout([.frontLeft, .frontRight])
  /// Left and right in front and behind (`AV_CH_LAYOUT_QUAD`).
  public static let quad = ChannelLayout(mask: 0x33)
  /// 5.1 without the low-frequency channel (`AV_CH_LAYOUT_5POINT0_BACK`).
  public static let surround50 = ChannelLayout(mask: 0x37)
  /// Three in front, the low frequencies, two behind (`AV_CH_LAYOUT_5POINT1_BACK`).
  public static let surround51 = ChannelLayout(mask: 0x3F)
  /// 5.1 with two at the side (`AV_CH_LAYOUT_7POINT1`).
  public static let surround71 = ChannelLayout(mask: 0x63F)
}

extension ChannelLayout.Channel {
  /// The bits of WAVE.
  fileprivate static let stored = 0...topBackRight.rawValue

  /// Left or right of the listener.
  package enum Side: Sendable {
    case left, right
  }

  /// The side on which it is heard; nil in the middle, of low frequencies and without a position.
  package var side: Side? {
    switch self {
    case .frontLeft, .backLeft, .frontLeftOfCenter, .sideLeft, .topFrontLeft, .topBackLeft,
      .wideLeft, .surroundDirectLeft, .topSideLeft, .bottomFrontLeft:
      .left
    case .frontRight, .backRight, .frontRightOfCenter, .sideRight, .topFrontRight, .topBackRight,
      .wideRight, .surroundDirectRight, .topSideRight, .bottomFrontRight:
      .right
    case .frontCenter, .backCenter, .topCenter, .topFrontCenter, .topBackCenter,
      .bottomFrontCenter, .lowFrequency, .lowFrequency2, .unplaced:
      nil
    }
  }
}

extension ChannelLayout {
  /// The channels of an FFmpeg mask (`AV_CH_*`), lowest bit first.
  package init(mask: UInt64) {
    self.init(Channel.allCases.filter { mask & (1 << UInt64($0.rawValue)) != 0 })
  }

  /// The layouts that have a name in job files, by the names that FFmpeg gives them.
  package static let named: KeyValuePairs<String, ChannelLayout> = [
    "mono": .mono, "stereo": .stereo, "quad": .quad, "5.0": .surround50, "5.1": .surround51,
    "7.1": .surround71,
  ]

  /// Common layouts by the names that FFmpeg gives them, else the number of channels. Surrounds at
  /// the side and at the back are one name.
  public var name: String {
    let alike = surroundsAtBack ?? self
    return Self.named.first { $0.value == alike }?.key ?? "\(count) channels"
  }

  /// The same channels in the same order, with those at the side called back channels: FFmpeg's
  /// `5.1(side)` as `5.1`. nil where there are none at the side, or others at the back.
  package var surroundsAtBack: ChannelLayout? {
    let moved = channels.map { channel -> Channel in
      switch channel {
      case .sideLeft: .backLeft
      case .sideRight: .backRight
      default: channel
      }
    }
    let isInOrder = zip(moved, moved.dropFirst()).allSatisfy { $0.rawValue < $1.rawValue }
    return moved != channels && isInOrder ? ChannelLayout(moved) : nil
  }
}
