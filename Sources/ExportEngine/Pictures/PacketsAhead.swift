import LibAV

/// Packets that are made ahead of those that are given: at least one, and, in order of decoding, up to one
/// that is shown behind all before it. So the last one is known, and the one that is shown last: behind
/// that others may be decoded.
struct PacketsAhead {
  /// The packets at the end.
  struct Ending {
    /// The packet that is shown last; nil: it was given already.
    let shownLast: Packet?
    /// The one that is decoded last.
    let last: Packet
    /// By how many ticks the first packet is shown after it is decoded.
    let lateness: Int64

    /// Lets what is shown last be shown up to a tick. MP4 counts how long all lasts by the times of
    /// decoding (ISO 14496-12, 8.6.1.2), so that another packet, decoded last, ends as much before.
    func extend(to end: Int64) {
      if let shownLast, let shown = shownLast.timestamp, let decoded = shownLast.decodingTime {
        shownLast.place(
          shown: shown, decoded: decoded, lasting: max(shownLast.duration, end - shown))
      }
      guard last !== shownLast, let shown = last.timestamp, let decoded = last.decodingTime else {
        return
      }
      last.place(shown: shown, decoded: decoded, lasting: max(1, end - lateness - decoded))
    }
  }

  private let most: Int
  private var held: ArraySlice<Packet> = []
  /// When that of all is shown which is shown last.
  private var latest = Int64.min
  private var lateness: Int64?
  private var isDone = false

  /// At most `most` packets are held; H.264 has up to 16 that are shown before one decoded before them
  /// (A.3).
  init(atMost most: Int = 64) { self.most = most }

  /// The next of the packets that `make` gives, nil at their end; `finish` is shown the last ones before
  /// they are given.
  mutating func next(
    _ make: () throws(LibAVError) -> Packet?, finish: (Ending) -> Void
  ) throws(LibAVError) -> Packet? {
    while !isDone, isOpen {
      guard let packet = try make() else {
        isDone = true
        let shownLast = held.first { $0.timestamp == latest }
        if let last = held.last {
          finish(Ending(shownLast: shownLast, last: last, lateness: lateness ?? 0))
        }
        break
      }
      lateness = lateness ?? packet.lateness
      latest = max(latest, packet.timestamp ?? latest)
      held.append(packet)
    }
    return held.popFirst()
  }

  /// Whether the next packet may be the last one, or the one that is shown last.
  private var isOpen: Bool {
    guard let first = held.first, held.count > 1 else { return true }
    return first.timestamp == latest && held.count <= most
  }
}
