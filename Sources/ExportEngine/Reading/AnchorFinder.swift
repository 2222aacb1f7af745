import LibAV

/// Finds anchors while a stream is counted: feeds a fresh decoder ahead of each, and accepts the
/// place only where both decoders give the same number of frames, or the same frames, for each of the
/// last packets. One thread at a time.
final class AnchorFinder {
  private(set) var index = AnchorIndex()
  /// Frames to drop at the end, by the packets (`AV_PKT_DATA_SKIP_SAMPLES`).
  private(set) var padding: Int64 = 0

  private let spacing: AnchorIndex.Spacing
  private let seeksByBytes: Bool
  private var candidate: Candidate?
  private var last = PacketKey()
  private var nextStart: Int64

  private struct Candidate {
    var feedFrom: Int
    var key: PacketKey
    var start: Int64
    var hasher = Hasher()
    /// Frames of the two decoders for the packets so far.
    var counts: [(heard: Int64, fed: Int64)] = []

    /// How many packets in a row gave the same samples.
    var agreed = 0

    /// The last packets must agree; the first ones fed may give less.
    func agrees(_ spacing: AnchorIndex.Spacing) -> Bool {
      if let agreement = spacing.agreement { return agreed >= agreement }
      let last = counts.suffix(4)
      return !last.isEmpty && last.contains { $0.heard > 0 }
        && last.allSatisfy { $0.heard == $0.fed }
    }
  }

  init(_ spacing: AnchorIndex.Spacing, seeksByBytes: Bool) {
    self.spacing = spacing
    self.seeksByBytes = seeksByBytes
    nextStart = spacing.stride - spacing.preRoll
  }

  enum Step {
    case none
    /// Feed a fresh decoder from this packet on.
    case feed
    /// Use the fresh decoder from this packet on.
    case takeOver
    /// Drop the fresh decoder.
    case drop
  }

  /// The step before packet `ordinal`, ahead of which `count` frames were decoded.
  func step(before packet: Packet, ordinal: Int, count: Int64) -> Step {
    let key = PacketKey(packet)
    defer { last.pass(key) }
    padding += Int64(packet.skip.end)
    if let candidate {
      guard count >= candidate.start + spacing.preRoll else { return .none }
      let agrees = candidate.agrees(spacing)
      if !agrees, spacing.agreement != nil,
        count < candidate.start + AnchorIndex.Spacing.longest
      {
        return .none
      }
      self.candidate = nil
      guard agrees else {
        nextStart = count + spacing.stride
        return .drop
      }
      index.anchors.append(
        AnchorIndex.Anchor(
          feedFrom: candidate.feedFrom, packet: ordinal, frame: count, key: candidate.key,
          fingerprint: candidate.hasher.finalize()))
      nextStart = count + spacing.stride - spacing.preRoll
      return .takeOver
    }
    guard count >= nextStart, key.isBehind(last, byPosition: seeksByBytes) else {
      return .none
    }
    candidate = Candidate(feedFrom: ordinal, key: key, start: count)
    return .feed
  }

  /// Whether samples are compared now.
  var comparesSamples: Bool { spacing.agreement != nil && candidate != nil }

  /// Counts a packet's frames from the decoder in use and the one that is fed ahead, whose samples
  /// are the same or not.
  func note(_ packet: Packet, heard: Int64, fed: Int64, isSame: Bool) {
    guard var candidate else { return }
    packet.hash(into: &candidate.hasher)
    candidate.counts.append((heard, fed))
    candidate.agreed = isSame && heard == fed ? candidate.agreed + 1 : 0
    self.candidate = candidate
  }
}
