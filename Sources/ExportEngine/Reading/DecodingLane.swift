import LibAV

/// A decoder and the places of its frames. One thread at a time.
final class DecodingLane {
  enum Placement {
    /// By counting samples from a known first one.
    case counted(from: Int64)
    /// By their own timestamps.
    case stamped
    /// By counting samples from the start that most timestamps give: libavformat misplaces a Vorbis
    /// packet by some hundred frames where block sizes change between pages.
    case agreed
  }

  let decoder: Decoder
  private var placement: Placement
  private var count: Int64 = 0
  private var votes: [(start: Int64, count: Int)] = []
  private var damage: Damage
  private var place: Int64 = 0
  /// The raw frame that is the stream's first one.
  private let origin: Int64
  /// Whether each timestamp so far was the place that counting gave, as it is not of Vorbis; nil without
  /// any.
  private var stampsAgree: Bool?
  /// Whether a packet was refused, and the next frame's timestamp says how much is missing.
  private var lacksFrames = false

  init(_ decoder: Decoder, _ placement: Placement, origin: Int64, _ damage: Damage) {
    self.decoder = decoder
    self.placement = placement
    self.origin = origin
    self.damage = damage
  }

  /// The number of samples so far, from the first one's place on where that was known.
  var end: Int64 {
    if case .counted(let first) = placement { first + count } else { count }
  }

  /// Counts frames from a known place on, and records damage from there on.
  func begin(at frame: Int64, _ damage: Damage) {
    placement = .counted(from: frame)
    count = 0
    self.damage = damage
  }

  /// Sends a packet, or the end of the stream. Damage is recorded and skipped.
  func send(_ packet: Packet?) throws(LibAVError) {
    if let packet {
      place = packet.position ?? packet.timestamp ?? 0
    } else if lacksFrames {
      // Nothing follows that would show a hole.
      (lacksFrames, stampsAgree) = (false, nil)
      noteDamage()
    }
    do throws(LibAVError) {
      try decoder.send(packet)
    } catch {
      try note(error)
    }
  }

  /// Counts frames that are not decoded from a packet.
  func skip(_ frames: Int) { count += Int64(frames) }

  private func note(_ error: LibAVError) throws(LibAVError) {
    guard error.isDamage else { throw error }
    if case .agreed = placement, votes.count == 1 {
      (placement, stampsAgree) = (.counted(from: votes[0].start), true)
    }
    guard case .counted = placement, stampsAgree == true else { return noteDamage() }
    lacksFrames = true
  }

  private func noteDamage() {
    // Where frames have timestamps, missing ones show as a hole.
    if case .stamped = placement { return }
    if case .counted = placement { return damage.note(.packet(place), at: end - origin) }
    damage.note(.packet(place))
  }

  /// Receives a frame and gives its first raw frame; nil where the decoder needs more packets.
  func receive(into frame: Frame, _ rawFrame: (Int64) -> Int64?) throws(LibAVError) -> Int64? {
    while true {
      do throws(LibAVError) {
        guard try decoder.receive(into: frame) else { return nil }
        if frame.isGuessed { noteDamage() }
        return first(frame.timestamp.flatMap(rawFrame), frame.sampleCount)
      } catch {
        try note(error)
      }
    }
  }

  /// The raw frame that a decoded block of `samples` begins with.
  private func first(_ stamp: Int64?, _ samples: Int) -> Int64 {
    defer { count += Int64(samples) }
    switch placement {
    case .counted(let first):
      if let stamp { check(stamp, from: first) }
      return first + count
    case .stamped:
      if let stamp { count = stamp }
      return count
    case .agreed:
      if let start = stamp.map({ $0 - count }) {
        if let index = votes.firstIndex(where: { $0.start == start }) {
          votes[index].count += 1
        } else {
          votes.append((start, 1))
        }
      }
      return (votes.max { $0.count < $1.count }?.start ?? 0) + count
    }
  }

  /// Compares a timestamp with the place that counting from `first` gives. Behind a packet that was
  /// refused it shows a hole, which is no shift of all that follows.
  private func check(_ stamp: Int64, from first: Int64) {
    guard lacksFrames else {
      stampsAgree = stampsAgree != false && stamp == first + count
      return
    }
    lacksFrames = false
    if stamp > first + count { count = stamp - first } else { noteDamage() }
  }
}
