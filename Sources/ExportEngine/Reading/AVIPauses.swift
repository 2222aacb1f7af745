import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import Threads

/// Chunks without bytes among those of a sound in an AVI, each of which lasts as long as one with a packet.
///
/// Where chunks have no common size (`dwSampleSize` 0), the length of a stream counts them, in units of
/// `dwScale` / `dwRate` seconds ("AVI RIFF File Reference", `AVISTREAMHEADER`). FFmpeg's muxer writes
/// empty ones where packets are missing, and those before the sound behind its first packet. libavformat
/// gives none of them, and numbers the packets as if there were none.
struct AVIPauses {
  /// When the sound begins by the file's clock.
  var start: Time
  /// Those between packets.
  var gaps: [SoundGap]
  /// The length from the first packet to the last, by the header.
  var announced: Time

  /// Looks for those of a stream.
  ///
  /// - Parameters:
  ///   - number: The stream's, in the file's order.
  ///   - rate: Its samples a second.
  ///   - delay: How long before it is shown the file's first picture may be decoded.
  ///   - medium: The file.
  /// - Returns: The pauses; nil without empty chunks, and where the header does not count them.
  /// - Throws: Where the medium cannot be read, and the code `cancelled`.
  /// - Complexity: O(chunks)
  static func find(
    ofStream number: Int, atRate rate: Int, behind delay: Time, in medium: MediumBytes
  ) throws(Failure) -> AVIPauses? {
    var walk = AVIWalk(number, medium)
    try walk.walk()
    return walk.pauses(atRate: rate, behind: delay)
  }
}

/// One walk over the chunks of an AVI, also of one with several lists of them (OpenDML, `AVIX`). One
/// thread at a time.
private struct AVIWalk {
  /// More pauses are not kept.
  private static let most = 10_000
  private static let blockSize = 4096

  private let medium: MediumBytes
  private let number: Int
  /// Bytes around the latest head.
  private var block: (start: Int64, bytes: [UInt8]) = (0, [])
  private var streamCount = 0
  /// The stream's header (`strh`), behind its head.
  private var header: [UInt8] = []
  /// Chunks with bytes and without, and the latter since the last of the former.
  private var (full, empty, latest): (Int64, Int64, Int64) = (0, 0, 0)
  /// Empty chunks before the first packet, or right behind it.
  private var lead: Int64 = 0
  /// Where packets lie behind empty chunks, and behind how many.
  private var found: [(place: Int64, count: Int64)] = []

  init(_ number: Int, _ medium: MediumBytes) {
    (self.number, self.medium) = (number, medium)
  }

  mutating func walk() throws(Failure) {
    var offset: Int64 = 0
    while true {
      let head = try bytes(at: offset, count: 12)
      // Behind the last chunk may lie anything.
      guard head.count >= 8, head.prefix(4).allSatisfy({ 0x20...0x7E ~= $0 }) else { return }
      let name = String(decoding: head.prefix(4), as: UTF8.self)
      if name == "RIFF" || name == "LIST" {
        let kind = String(decoding: head.dropFirst(8), as: UTF8.self)
        // The length of other streams counts bytes.
        if kind == "movi", field(11) != 0 { return }
        if ["AVI ", "AVIX", "hdrl", "strl", "movi", "rec "].contains(kind) {
          offset += 12
          continue
        }
      }
      let size = Self.number(head.dropFirst(4))
      if name == "strh" {
        try take(at: offset + 8)
      } else if name.hasSuffix("wb"), Int(name.prefix(2)) == number {
        note(size, at: offset + 8)
      }
      offset += 8 + size + size % 2
    }
  }

  /// Takes the header of a stream; those of plug-ins are none (`pads`).
  private mutating func take(at place: Int64) throws(Failure) {
    let bytes = try bytes(at: place, count: 48)
    guard !bytes.starts(with: "pads".utf8) else { return }
    if streamCount == number { header = Array(bytes) }
    streamCount += 1
  }

  private mutating func note(_ size: Int64, at place: Int64) {
    guard size > 0 else {
      latest += 1
      return
    }
    // FFmpeg's muxer writes none before the first packet.
    if full < 2 {
      lead += latest
    } else if latest > 0, found.count < Self.most {
      found.append((place, latest))
    }
    empty += latest
    (full, latest) = (full + 1, 0)
  }

  /// The pauses of the stream, once the file has been walked to its end; nil as of `AVIPauses.find`.
  func pauses(atRate rate: Int, behind delay: Time) -> AVIPauses? {
    guard let scale = field(5), let ticks = field(6), let start = field(7), let length = field(8),
      // A packet of more than a second is none.
      empty > 0, full + empty + latest <= length, 0 < scale, scale <= ticks
    else { return nil }
    func frames(_ count: Int64) -> Int64 {
      Int64(clamping: Int128(count) * Int128(scale) * Int128(rate) / Int128(ticks))
    }
    // FFmpeg's muxer moves all streams so that no time of decoding lies before 0, the sound by whole chunks,
    // and libavformat does not move them back: so few chunks say nothing.
    let unit = Int128(delay.timescale) * Int128(scale)
    let moved = Int64(clamping: (Int128(delay.value) * Int128(ticks) + unit - 1) / unit)
    return AVIPauses(
      start: Time(frames: frames(start + (lead > moved ? lead : 0)), rate: rate),
      gaps: found.map { SoundGap(frames: frames($0.count), before: $0.place) },
      announced: Time(frames: frames(length - lead - latest), rate: rate))
  }

  /// The field of four bytes number `index` of the stream's header; nil where it has none.
  private func field(_ index: Int) -> Int64? {
    let bytes = header.dropFirst(index * 4)
    return bytes.count >= 4 ? Self.number(bytes) : nil
  }

  private static func number(_ bytes: some Collection<UInt8>) -> Int64 {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  /// `count` bytes from `offset` on; fewer at the end.
  private mutating func bytes(at offset: Int64, count: Int) throws(Failure) -> ArraySlice<UInt8> {
    if offset < block.start || offset + Int64(count) > block.start + Int64(block.bytes.count) {
      try CancellationFlag.requireWanted(at: medium.location)
      block = (offset, try medium.bytes(at: offset, count: Self.blockSize))
    }
    return block.bytes.dropFirst(Int(offset - block.start)).prefix(count)
  }
}
