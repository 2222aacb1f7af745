import Diagnosis
import LibAV
import Synchronization
import Threads

/// Finds where a fresh decoder makes the same samples as one that has decoded the stream from its
/// start, by decoding both: for Opus' SILK, which does so after no fixed time.
///
/// A stream is decoded once, as far as somebody jumps into it, with a fresh decoder beside it every
/// `stride` frames.
//
// `@unchecked Sendable`: all that changes is touched under `lock` alone.
final class ConvergenceFinder: @unchecked Sendable {
  /// Where to begin decoding, and from where on the samples are the stream's.
  struct Place: Sendable, Hashable {
    /// The raw frame that the first packet begins with.
    var feedFrom: Int64
    /// The raw frame that a packet begins with.
    var frame: Int64
  }

  /// Frames between a place and the next fresh decoder: 22 s, of which decoding takes 50 ms.
  static let stride: Int64 = 1 << 20
  /// Packets in a row that must be the same, bit for bit. Of 1,200 decoders that were begun anywhere in
  /// six streams none differed again after eight.
  static let agreement = 32
  /// Where two decoders have not come together by then, another fresh one is tried.
  private static let longest: Int64 = 1 << 22

  private let lock = Mutex(())
  private var places: [Place] = []
  private var pass: Pass?
  private var isComplete = false

  /// The last place at or before a raw frame; nil where that is the stream's start. Decodes as far as
  /// nobody has yet.
  func place(
    before raw: Int64, in facts: StreamFacts, unless cancellation: CancellationFlag
  ) throws(LibAVError) -> Place? {
    guard raw >= Self.stride else { return nil }
    return try lock.withLock { _ throws(LibAVError) in
      if !isComplete, pass == nil { pass = try Pass(facts) }
      while !isComplete, let pass, pass.end <= raw, !cancellation.isCancelled {
        do throws(LibAVError) {
          isComplete = try !pass.advance(&places)
        } catch {
          // A decoder that has missed a packet is no measure.
          (self.pass, places) = (nil, [])
          throw error
        }
      }
      if isComplete { pass = nil }
      return places.last { $0.frame <= raw }
    }
  }

  /// One decoding from the start, and the fresh decoder beside it.
  private final class Pass {
    /// Behind the last packet.
    private(set) var end: Int64 = .min
    private let facts: StreamFacts
    private let packets: PacketReader
    private let whole: Decoder
    private var fresh: (decoder: Decoder, feedFrom: Int64, agreed: Int)?
    private var next = ConvergenceFinder.stride / 2
    private let frames: (whole: Frame, fresh: Frame)

    init(_ facts: StreamFacts) throws(LibAVError) {
      self.facts = facts
      packets = try PacketReader(facts)
      whole = try Decoder.open(packets.stream, removesPadding: false)
      frames = (try Frame(), try Frame())
    }

    /// Decodes a packet; false where there is none any more.
    func advance(_ places: inout [Place]) throws(LibAVError) -> Bool {
      guard let packet = try packets.next() else { return false }
      guard let start = packet.timestamp.flatMap(facts.rawFrame) else { return true }
      if fresh == nil, start >= next {
        fresh = (try Decoder.open(packets.stream, removesPadding: false), start, 0)
      }
      let isWhole = try whole.decode(packet, into: frames.whole)
      end = start + (isWhole ? Int64(frames.whole.sampleCount) : packet.duration)
      guard let fresh else { return true }
      let isFresh = try fresh.decoder.decode(packet, into: frames.fresh)
      let isSame = isWhole && isFresh && frames.whole.hasSameSamples(as: frames.fresh)
      let agreed = isSame ? fresh.agreed + 1 : 0
      self.fresh?.agreed = agreed
      if agreed >= ConvergenceFinder.agreement {
        places.append(Place(feedFrom: fresh.feedFrom, frame: end))
        next = end + ConvergenceFinder.stride
        self.fresh = nil
      } else if end - fresh.feedFrom > ConvergenceFinder.longest {
        self.fresh = nil
      }
      return true
    }
  }
}

extension ConvergenceFinder: Hashable {
  static func == (one: ConvergenceFinder, other: ConvergenceFinder) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Decoder {
  /// Decodes a packet of a codec whose packets have one frame each; false where it is damaged.
  func decode(_ packet: Packet, into frame: Frame) throws(LibAVError) -> Bool {
    do throws(LibAVError) {
      try send(packet)
      return try receive(into: frame)
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }
}

extension StreamFacts {
  /// How many of the frames `range` a decoder that is fed from `feedFrom` on makes otherwise than one
  /// that decoded all before: up to the last that differs ahead of many that do not.
  ///
  /// Raw frames throughout.
  func divergence(
    in range: Range<Int64>, feeding feedFrom: Int64, unless cancellation: CancellationFlag
  ) throws(LibAVError) -> Int64 {
    guard case .converging(let finder) = access, feedFrom > firstRaw else { return 0 }
    let place = try finder?.place(before: feedFrom, in: self, unless: cancellation)
    let packets = try PacketReader(self)
    var following: Packet?
    if let place {
      // The packet that is read on the way is one that is fed.
      let first = try packets.jump(toRaw: place.feedFrom)
      if first?.start == place.feedFrom { following = first?.packet } else { try packets.reopen() }
    }
    let whole = try Decoder.open(packets.stream, removesPadding: false)
    let copy = try Decoder.open(packets.stream, removesPadding: false)
    let frames = (whole: try Frame(), copy: try Frame())
    var (end, agreed) = (range.lowerBound, 0)
    while agreed < ConvergenceFinder.agreement, !cancellation.isCancelled {
      if following == nil { following = try packets.next() }
      guard let packet = following else { break }
      following = nil
      guard let start = packet.timestamp.flatMap(rawFrame) else { continue }
      guard start < range.upperBound else { break }
      let isWhole = try whole.decode(packet, into: frames.whole)
      guard start >= feedFrom else { continue }
      let isCopy = try copy.decode(packet, into: frames.copy)
      guard isWhole, isCopy else { continue }
      let behind = start + Int64(frames.whole.sampleCount)
      guard behind > range.lowerBound else { continue }
      let isSame = frames.whole.hasSameSamples(as: frames.copy)
      agreed = isSame ? agreed + 1 : 0
      if !isSame { end = min(behind, range.upperBound) }
    }
    return end - range.lowerBound
  }
}
