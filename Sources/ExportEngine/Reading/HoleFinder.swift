/// Finds holes in a stream's time stamps while its frames are counted.
///
/// A packet's time less the number of frames before it is its lead. Rounding moves the lead by a tick
/// and back, a live source's jitter by some packets' length and back, and clocks that differ move it
/// steadily: none of these is a hole. In a hole the lead rises from one packet to the next and stays
/// there. Less than a tenth of a second counts only where as many packets are missing to the tick, and
/// where the container was not written live: FFmpeg, too, fills a tenth and more
/// (`aresample=async`, `min_hard_comp`).
///
/// One thread at a time.
struct HoleFinder {
  /// What a container's time stamps are worth.
  enum Trust: Sendable {
    /// Written from a clock that counts the sound (Matroska, MP4).
    case exact
    /// Written as it came, and perhaps starting anew midway (MPEG-TS, FLV).
    case live
    /// Not of the container, or nothing but a count.
    case none

    init(container: String) {
      switch container {
      case "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "nut", "mxf": self = .exact
      case "mpegts", "mpeg", "flv", "live_flv", "asf": self = .live
      default: self = .none
      }
    }
  }

  /// A hole before the stream's frame `frame`.
  struct Hole: Sendable, Hashable {
    var frame: Int64
    var count: Int64
  }

  private let trust: Trust
  private let rate: Int64
  /// Frames by which rounding moves a time.
  private let rounding: Int64

  private(set) var holes: [Hole] = []
  /// How many were found, also beyond what is kept.
  private var found = 0
  private var packets = 0
  /// Frames that damaged packets did not give.
  private var lost: Int64 = 0
  private var last: (frame: Int64, lead: Int64)?
  /// Frames of the last packet.
  private var step: Int64 = 0
  /// The latest leads in place.
  private var before: [Int64] = []
  private var candidates: [Candidate] = []
  /// Where time stamps go back for good, and by how much, in containers that count the sound.
  private(set) var falls: [Hole] = []
  private var candidateFalls: [Fall] = []
  /// The latest leads, since the last fall.
  private var recent: [Int64] = []

  private struct Fall {
    var hole: Hole
    var packet: Int
    /// The highest lead that does not refute it.
    var ceiling: Int64
  }

  private struct Candidate {
    var frame: Int64
    var packet: Int
    var step: Int64
    /// Leads before it, and the lowest one that does not refute it.
    var before: [Int64]
    var floor: Int64
    var after: [Int64] = []
  }

  /// Packets for which a lead must stay.
  private static let window = 16
  private static let most = 10_000
  /// Seconds that a container may skip: longer ones are another beginning of its clock (FFmpeg's
  /// `dts_delta_threshold` for live ones).
  private var longest: Int64 { trust == .live ? 10 : 24 * 3600 }

  /// - Parameters:
  ///   - trust: What the container's time stamps are worth.
  ///   - rate: Frames a second.
  ///   - tick: Frames of a tick of the container's clock, rounded up.
  init(_ trust: Trust, rate: Int, tick: Int64) {
    (self.trust, self.rate, rounding) = (trust, Int64(rate), tick)
  }

  /// Notes a packet before which a stream has `frame` frames.
  ///
  /// - Parameters:
  ///   - frame: The packet's first, among those of the stream.
  ///   - time: Of the packet, in frames; nil where it has none.
  mutating func note(_ frame: Int64, at time: Int64?) {
    guard trust != .none else { return }
    packets += 1
    // Decoders give less for the first packets.
    guard frame > 0, let time, time.magnitude < 1 << 60 else { return }
    let lead = time - frame - lost
    if trust == .exact { noteFall(frame, lead) }
    defer { last = (frame, lead) }
    guard let last else { return }
    if frame > last.frame { step = frame - last.frame }
    while let candidate = candidates.last, lead < candidate.floor { candidates.removeLast() }
    if lead - last.lead >= threshold, before.count > 0 || !candidates.isEmpty {
      candidates.append(
        Candidate(
          frame: frame, packet: packets, step: step,
          before: candidates.last?.after ?? before, floor: last.lead + threshold / 2))
    }
    if candidates.isEmpty {
      before.append(lead)
      if before.count > Self.window { before.removeFirst() }
    } else {
      candidates[candidates.count - 1].after.append(lead)
    }
    while let first = candidates.first, packets - first.packet >= Self.window {
      confirm(first)
    }
  }

  /// Notes a lead that is a tenth of a second lower than all before it, and whether earlier ones
  /// stayed there. Some packets may come late for a while, more than a hole needs.
  private mutating func noteFall(_ frame: Int64, _ lead: Int64) {
    candidateFalls.removeAll { lead > $0.ceiling }
    if let lowest = recent.min(), lowest - lead >= rate / 10 {
      let hole = Hole(frame: frame, count: lowest - lead)
      candidateFalls.append(Fall(hole: hole, packet: packets, ceiling: lead + hole.count / 2))
      recent.removeAll()
    }
    recent.append(lead)
    if recent.count > 4 * Self.window { recent.removeFirst() }
    if let first = candidateFalls.first, packets - first.packet >= Self.window {
      candidateFalls.removeFirst()
      if falls.count < Self.most { falls.append(first.hole) }
    }
  }

  /// Notes frames that a damaged packet should have given.
  mutating func noteDamage() { lost += step }

  /// Takes what holds to the stream's end.
  ///
  /// - Returns: The holes, in order; nil where there are so many that the times belong to another
  ///   sound.
  mutating func finish() -> [Hole]? {
    falls += candidateFalls.map(\.hole)
    candidateFalls = []
    while let first = candidates.first { confirm(first) }
    return found > Self.most || found >= 10 && found > packets / 10 ? nil : holes
  }

  private var threshold: Int64 {
    let usual = rate / 10
    // A packet of ten milliseconds and more shows where it is missing.
    return trust == .exact && step >= rate / 100 ? min(usual, step * 3 / 4) : usual
  }

  private mutating func confirm(_ candidate: Candidate) {
    candidates.removeFirst()
    // Those of a candidate behind it hold that one's leads.
    before = Array(candidate.after.suffix(Self.window))
    guard let size = size(of: candidate), size <= longest * rate else { return }
    found += 1
    if holes.count < Self.most { holes.append(Hole(frame: candidate.frame, count: size)) }
  }

  /// The hole's frames: whole packets where it is that many to within rounding; nil where it is none.
  private func size(of candidate: Candidate) -> Int64? {
    guard let low = Self.middle(candidate.before), let high = Self.middle(candidate.after) else {
      return nil
    }
    let size = high - low
    let step = candidate.step
    guard step > 0 else { return size >= rate / 10 ? size : nil }
    let whole = (size + step / 2) / step * step
    let isWhole = whole > 0 && (size - whole).magnitude <= min(rounding, step / 8)
    if isWhole, trust == .exact, step >= rate / 100 { return whole }
    return size >= rate / 10 ? size : nil
  }

  private static func middle(_ leads: [Int64]) -> Int64? {
    leads.isEmpty ? nil : leads.sorted()[leads.count / 2]
  }
}
