import LibAV
import VideoBitstream

/// Gives pictures of MPEG-1, 2 and 4 the times at which they are shown, in order of decoding, where their
/// container has times of decoding: AVI, which has no others, and MPEG-PS, where libavformat makes up those
/// of pictures that do not begin a packet of it, and not always rightly.
///
/// A picture that others refer to is shown when the next such picture is decoded, any other when it is
/// decoded itself; where no picture is shown later than it is decoded, all are (ISO/IEC 13818-2, 6.1.1.11).
struct PresentationClock {
  private enum Coding { case mpeg2, mpeg4 }

  private let coding: Coding
  /// Whether pictures that others refer to are shown later than they are decoded.
  private var isDelayed = false
  /// One that others refer to, and those behind it that do not.
  private var waiting: [Packet] = []
  private var waitingBytes = 0
  private var ready: ArraySlice<Packet> = []
  private var lastDecoded: Int64?

  /// Beyond any recording: what is counted from there would not fit.
  private static let farthest: UInt64 = 1 << 56
  /// Pictures that wait for the next one that others refer to, and their bytes: several times as many as
  /// encoders put there.
  private static let mostWaiting = (packets: 64, bytes: 64 << 20)

  /// Whether it is needed for pictures of a codec in a container, by FFmpeg's names.
  static func isNeeded(_ container: String, codec: String) -> Bool {
    coding(container, codec) != nil
  }

  private static func coding(_ container: String, _ codec: String) -> Coding? {
    switch (container, codec) {
    case ("avi", "mpeg4"): .mpeg4
    case ("mpeg", "mpeg1video"), ("mpeg", "mpeg2video"): .mpeg2
    default: nil
    }
  }

  /// A clock for pictures of a codec in a container, by FFmpeg's names; nil where that has all times.
  /// `first` are some of them, from the start on.
  ///
  /// - Throws: A refusal of packets of several pictures.
  init?(_ container: String, codec: String, first: [Packet]) throws(LibAVError) {
    guard let coding = Self.coding(container, codec) else { return nil }
    self.coding = coding
    var (isLate, isPrompt, isUnknown) = (false, false, false)
    for packet in first {
      switch try picture(packet) {
      case .bidirectional?: isLate = true
      case .reference?:
        guard let shown = packet.timestamp, let decoded = packet.decodingTime else {
          isUnknown = true
          continue
        }
        if shown > decoded { isLate = true } else { isPrompt = true }
      case nil: break
      }
    }
    isDelayed = isLate || isUnknown && !isPrompt
  }

  private func picture(_ packet: Packet) throws(LibAVError) -> MPEGPicture? {
    guard coding == .mpeg4 else { return MPEGPicture.first(ofMPEG2: packet.bytes) }
    let all = MPEGPicture.all(ofMPEG4: packet.bytes)
    guard all.count <= 1 else {
      throw LibAVError.refusedPicture(
        "has two pictures of MPEG-4 in one packet, as DivX packs them, so that their times are not "
          + "known; remux it, as with 'ffmpeg -fflags +genpts -i IN -c copy -bsf:v mpeg4_unpack_bframes "
          + "OUT.mkv'")
    }
    return all.first
  }

  /// Takes the next packet; one without a picture is left out.
  ///
  /// - Throws: A refusal of pictures whose times do not follow from those of decoding.
  mutating func add(_ packet: Packet) throws(LibAVError) {
    guard let picture = try picture(packet) else { return }
    guard let decoded = packet.decodingTime, lastDecoded.map({ $0 < decoded }) ?? true,
      decoded.magnitude < Self.farthest, packet.duration.magnitude < Self.farthest
    else { throw LibAVError.untimedPicture }
    lastDecoded = decoded
    switch picture {
    case .reference where isDelayed:
      try release(decoded)
      (waiting, waitingBytes) = ([packet], packet.size)
    case .bidirectional where !isDelayed: throw LibAVError.untimedPicture
    case .reference, .bidirectional:
      packet.place(shown: decoded, decoded: decoded, lasting: packet.duration)
      guard !waiting.isEmpty else { return ready.append(packet) }
      waiting.append(packet)
      waitingBytes += packet.size
      guard waiting.count <= Self.mostWaiting.packets, waitingBytes <= Self.mostWaiting.bytes else {
        throw LibAVError.unreferencedPictures
      }
    }
  }

  /// Gives out what was waiting for the next picture that others refer to, which is decoded at a tick.
  private mutating func release(_ tick: Int64) throws(LibAVError) {
    guard let first = waiting.first, let decoded = first.decodingTime else { return }
    var shown = tick
    if let said = said(of: first, decoded) {
      // Rounded otherwise, or by another clock.
      guard abs(said - tick) <= max(1, first.duration / 4) else { throw LibAVError.untimedPicture }
      shown = said
    }
    first.place(shown: shown, decoded: decoded, lasting: first.duration)
    ready += waiting
    (waiting, waitingBytes) = ([], 0)
  }

  /// When a picture is shown that others refer to, where its container says so.
  private func said(of packet: Packet, _ decoded: Int64) -> Int64? {
    packet.timestamp.flatMap { $0 > decoded && $0.magnitude < Self.farthest ? $0 : nil }
  }

  /// Ends it: nothing comes behind the last packet.
  mutating func finish() throws(LibAVError) {
    guard let first = waiting.first, let decoded = first.decodingTime, let last = waiting.last,
      let lastDecoded
    else { return }
    try release(said(of: first, decoded) ?? lastDecoded + max(1, last.duration))
  }

  /// The next packet with its time; nil before more are added.
  mutating func next() -> Packet? { ready.popFirst() }

  /// Begins anew at another place of the file.
  mutating func clear() { (waiting, waitingBytes, ready, lastDecoded) = ([], 0, [], nil) }
}
