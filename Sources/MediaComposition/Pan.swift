import MediaTime

/// A place between left and right (`AVAudioMixing.pan`).
///
/// The law is constant power with the centre as it came: at position p the left is multiplied with
/// √2 · cos((p + 1) · π/4) and the right with √2 · sin((p + 1) · π/4), so the squares add up to 2
/// everywhere, and one side alone is 3 dB louder than it was in the centre.
public struct Pan: Sendable, Hashable, Codable {
  /// −1 is left, 0 the centre, 1 right.
  public let position: Double

  /// A position; what is beyond a side is that side, NaN is the centre.
  public init(position: Double) {
    self.position = position.isNaN ? 0 : max(-1, min(1, position))
  }

  /// Only the left.
  public static let left = Pan(position: -1)
  /// As it came.
  public static let centre = Pan(position: 0)
  /// Only the right.
  public static let right = Pan(position: 1)
}

extension Pan {
  /// Reads what `encode(to:)` wrote; what is no position becomes one as in `init(position:)`.
  public init(from decoder: any Decoder) throws {
    self.init(position: try decoder.singleValueContainer().decode(Double.self))
  }

  /// Writes the position.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(position)
  }
}

/// A pan over time: ramps in order of time that do not overlap, straight in position.
///
/// Before the first ramp `initial` holds; after a ramp its end holds until the next.
package struct PanEnvelope: Sendable, Hashable, Codable {
  /// Before the first ramp.
  package var initial: Pan
  /// In order of time.
  package var ramps: [PanRamp]

  /// An envelope that is at `initial` before the first of `ramps`.
  package init(_ initial: Pan, ramps: [PanRamp] = []) {
    self.initial = initial
    self.ramps = ramps
  }

  /// As it came, at any time.
  package static let centre = PanEnvelope(.centre)
  /// Whether it changes nothing at any time.
  package var isCentre: Bool {
    initial == .centre && ramps.allSatisfy { $0.start == .centre && $0.end == .centre }
  }
}

/// One move from a position to another.
package struct PanRamp: Sendable, Hashable, Codable {
  /// At the start of the range.
  package var start: Pan
  /// From the end of the range on.
  package var end: Pan
  /// In the time of what the mix is attached to.
  package var timeRange: TimeRange

  /// A ramp from one position to another.
  package init(from start: Pan, to end: Pan, over timeRange: TimeRange) {
    self.start = start
    self.end = end
    self.timeRange = timeRange
  }
}
