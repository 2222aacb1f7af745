import LibAV
import MediaComposition
import Threads

/// The packets of one picture of a file, in order of decoding, each with the time at which it is shown.
///
/// Owns its demuxer, which reads no other stream. One thread at a time. Memory is bounded by some groups
/// of pictures.
final class PicturePackets {
  private let demuxer: Demuxer
  private let stream: LibAV.Stream
  private let cancellation: CancellationFlag
  /// nil where the container has all times.
  private var clock: PresentationClock?
  /// Where the file's first packet is decoded.
  private let firstDecoded: Int64?
  /// When the file's first picture in order of decoding is shown; nil before it is read.
  private var firstShown: Int64?
  /// Whether it is read from its start alone: behind a seek, libavformat counts times of MPEG-PS wrongly.
  private let isSequential: Bool
  /// Packets that were read last, of such a file.
  private var recent: [Packet] = []
  private var byteCount = 0
  /// Whether `recent` begins with the file's first packet.
  private var isFromStart = true
  /// The place in `recent` of the next packet.
  private var place = 0

  /// Packets that are looked at of a file's beginning, and their bytes: large pictures are entries, each of
  /// them.
  private static let mostFirst = (packets: 64, bytes: 32 << 20)
  /// Packets and their bytes that may be gone back to: several groups of pictures.
  private static let most = (packets: 1024, bytes: 64 << 20)

  /// A stream of a demuxer at its start.
  ///
  /// - Throws: As reading does, and a refusal of pictures without times.
  init(
    _ demuxer: Demuxer, _ stream: LibAV.Stream, unless cancellation: CancellationFlag
  ) throws(LibAVError) {
    (self.demuxer, self.stream, self.cancellation) = (demuxer, stream, cancellation)
    isSequential = demuxer.formatName == "mpeg"
    guard ["avi", "mpeg"].contains(demuxer.formatName) else {
      firstDecoded = nil
      return
    }
    // They show how the file counts times.
    let isTimed = PresentationClock.isNeeded(demuxer.formatName, codec: stream.codecName)
    let first = try Self.first(isTimed ? Self.mostFirst.packets : 1) { () throws(LibAVError) in
      try Self.next(of: demuxer, stream, unless: cancellation)
    }
    firstDecoded = first.first?.decodingTime
    clock = try PresentationClock(
      demuxer.formatName, codec: stream.codecName, first: first)
    try rewind()
  }

  /// The first of the packets that `read` gives, up to so many, and within a bound of bytes.
  static func first(
    _ count: Int = mostFirst.packets, reading read: () throws(LibAVError) -> Packet?
  ) throws(LibAVError) -> [Packet] {
    var first: [Packet] = []
    var bytes = 0
    while first.count < count, bytes < mostFirst.bytes, let packet = try read() {
      first.append(packet)
      bytes += packet.size
    }
    return first
  }

  /// The next packet; nil at the end.
  ///
  /// - Throws: Also where nobody waits for it any more.
  func read() throws(LibAVError) -> Packet? {
    // Others may be looked at by the hour before one of them is used.
    guard !cancellation.isCancelled else { throw LibAVError.cancelled }
    guard isSequential else { return try timed() }
    if place == recent.count {
      guard let packet = try timed() else { return nil }
      recent.append(packet)
      byteCount += packet.size
      while recent.count > Self.most.packets || recent.count > 1 && byteCount > Self.most.bytes {
        byteCount -= recent.removeFirst().size
        isFromStart = false
        place -= 1
      }
    }
    place += 1
    // Whoever gets it gives it other times.
    return try Packet(copying: recent[place - 1])
  }

  private func timed() throws(LibAVError) -> Packet? {
    guard clock != nil else {
      let packet = try Self.next(of: demuxer, stream, unless: cancellation)
      if firstShown == nil { firstShown = packet?.timestamp }
      return packet
    }
    while true {
      if let packet = clock?.next() { return packet }
      guard let packet = try Self.next(of: demuxer, stream, unless: cancellation) else {
        try clock?.finish()
        return clock?.next()
      }
      try clock?.add(packet)
    }
  }

  /// The next packet of a stream as the demuxer gives it; nil at the end.
  private static func next(
    of demuxer: Demuxer, _ stream: LibAV.Stream, unless cancellation: CancellationFlag
  ) throws(LibAVError) -> Packet? {
    // MPEG-PS names its streams as they come.
    while let packet = try demuxer.read(unless: { cancellation.isCancelled }) {
      if packet.streamIndex == stream.index { return packet }
    }
    return nil
  }

  /// Goes to the first packet.
  func rewind() throws(LibAVError) {
    if isSequential {
      if isFromStart, !recent.isEmpty {
        place = 0
        return
      }
      (recent, byteCount, isFromStart, place) = ([], 0, true, 0)
    }
    clock?.clear()
    // Some demuxers know no moment before the first packet, and AVI counts packets from the one that its
    // index leads to.
    let start = demuxer.formatName == "avi" ? firstDecoded ?? 0 : -(1 << 40)
    do throws(LibAVError) {
      try demuxer.seek(stream: stream.index, to: start)
    } catch {
      guard error.cause == nil else { throw error }
      guard demuxer.formatName == MovieContainer.mkv.demuxer else {
        return try demuxer.seek(toByte: 0)
      }
      demuxer.noteFirstCluster(beginningAt: firstShown ?? 0, of: stream)
      try demuxer.seek(stream: stream.index, to: start)
    }
  }

  /// Goes to a packet at or before a tick; where the container finds none, to the first.
  func seek(to tick: Int64) throws(LibAVError) {
    if isSequential {
      // Whatever was read meanwhile, the same tick leads to an entry that is shown at or before it.
      guard let entry = recent.lastIndex(where: { $0.isKey && $0.timestamp ?? .max <= tick }) else {
        return try rewind()
      }
      place = entry
      return
    }
    clock?.clear()
    do throws(LibAVError) {
      try demuxer.seek(stream: stream.index, to: tick)
    } catch {
      guard error.cause == nil else { throw error }
      try rewind()
    }
  }
}
