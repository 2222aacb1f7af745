import Diagnosis
import LibAV
import Tagging

/// How many frames the packets of an Ogg stream have, by their first bytes.
enum OggClock {
  /// Headers come next; these came.
  case headers([[UInt8]])
  case opus
  case vorbis(VorbisBlocks)
  case flac
  /// Each packet has as many frames.
  case speex(frames: Int64)
  /// Of another codec, or behind headers that are not understood.
  case unknown

  /// The clock behind all of `headers`, of which the last one just came.
  fileprivate init(_ headers: [[UInt8]]) {
    let first = headers[0]
    self = .headers(headers)
    if first.starts(with: "OpusHead".utf8) {
      // Two headers (RFC 7845, 3).
      guard let tags = headers.dropFirst().first else { return }
      self = tags.starts(with: "OpusTags".utf8) ? .opus : .unknown
    } else if first.starts(with: [1] + "vorbis".utf8) {
      // Three headers (Vorbis I, 4.2.1).
      guard headers.count > 2 else { return }
      let blocks = try? VorbisBlocks(identification: first, setup: headers[2])
      self = blocks.map(OggClock.vorbis) ?? .unknown
    } else if first.starts(with: Self.speexName), first.count >= 80 {
      // Two headers, and as many more as the first one says ("The Speex Codec Manual", 7.1).
      let (perFrame, perPacket) = (Self.number(first, at: 56), Self.number(first, at: 64))
      let more = Self.number(first, at: 68)
      if !(1...1 << 12 ~= perFrame && 1...1 << 8 ~= perPacket && 0..<8 ~= more) {
        self = .unknown
      } else if headers.count >= 2 + more {
        self = .speex(frames: Int64(perFrame * perPacket))
      }
    } else {
      // Its headers are told from its frames (RFC 9639, 10.1).
      self = first.starts(with: [0x7F] + "FLAC".utf8) ? .flac : .unknown
    }
  }

  private static let speexName = Array("Speex   ".utf8)

  /// A number of four bytes, the lowest first.
  private static func number(_ header: [UInt8], at place: Int) -> Int {
    header[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Bytes of the longest header that is read whole, several times those that encoders write.
  private static let mostHeader = 1 << 18

  /// Bytes of the next packet that are looked at.
  fileprivate var headSize: Int {
    guard case .headers(let known) = self, known.count != 1 else { return 16 }
    return Self.mostHeader
  }

  /// Frames a second of the stream with this first header.
  fileprivate static func rate(_ header: [UInt8]) -> Int {
    if header.starts(with: [1] + "vorbis".utf8), header.count >= 16 {
      return number(header, at: 12)
    }
    if header.starts(with: speexName), header.count >= 40 { return number(header, at: 36) }
    if header.starts(with: [0x7F] + "FLAC".utf8), header.count >= 30 {
      return Int(header[27]) << 12 | Int(header[28]) << 4 | Int(header[29]) >> 4
    }
    return 48_000
  }

  /// The frames of a packet of Opus (RFC 6716, 3.1 and 3.2); nil of one that libavformat reads nothing
  /// behind.
  fileprivate static func opusFrames(_ head: [UInt8], size: Int) -> Int64? {
    guard let first = head.first else { return nil }
    let mode = Int64(first >> 3)
    let frame: Int64 =
      switch mode {
      case ..<12: max(480, 960 * (mode & 3))
      case ..<16: 480 << (mode & 1)
      default: 120 << (mode & 3)
      }
    switch first & 3 {
    case 0: return frame
    case 3: return size < 2 ? nil : frame * Int64(head[1] & 63)
    default: return frame * 2
    }
  }
}

/// Splits the pages of an Ogg stream into packets, and counts the frames of those of sound. One thread at
/// a time.
struct OggPackets {
  /// What ends on a page.
  struct Found {
    /// Packets of sound, and their frames, those of which no byte is missing.
    var packets = 0
    var frames: Int64 = 0
    /// Whether libavformat reads nothing behind one of them.
    var isBroken = false
    /// Whether one of them is none that a decoder takes, so that its length is not known.
    var isUncertain = false
  }

  private(set) var clock = OggClock.headers([])
  private(set) var rate = 48_000
  private(set) var modes: OpusModes?
  /// The packet that goes on behind the last page.
  private var open: (head: [UInt8], size: Int)?

  /// Takes the next page, of which `bytes` are all. O(segments)
  mutating func add(_ page: OggPage, _ bytes: ArraySlice<UInt8>, isBehindGap: Bool) -> Found {
    var found = Found()
    if isBehindGap, case .headers(let known) = clock, !known.isEmpty { clock = .unknown }
    if isBehindGap || !page.isContinued { open = nil }
    // The first packet began on a page that is missing.
    var isPartial = page.isContinued && open == nil
    var place = bytes.startIndex + page.headSize
    for size in page.lacing {
      var packet = open ?? ([], 0)
      // So that its bytes are not copied once for each segment.
      open = nil
      let wanted = min(Int(size), max(0, clock.headSize - packet.head.count))
      if wanted > 0 { packet.head += bytes[place..<place + wanted] }
      packet.size += Int(size)
      place += Int(size)
      open = isPartial ? nil : packet
      guard size < 255 else { continue }
      finish(packet.head, packet.size, isPartial: isPartial, &found)
      (open, isPartial) = (nil, false)
    }
    return found
  }

  private mutating func finish(
    _ head: [UInt8], _ size: Int, isPartial: Bool, _ found: inout Found
  ) {
    if case .headers(let known) = clock {
      guard !isPartial, known.count == 1 || head.count == size else { return clock = .unknown }
      if known.isEmpty { begin(head) }
      return clock = OggClock(known + [head])
    }
    var frames: Int64? = 0
    switch clock {
    case .headers: return
    case .unknown: break
    case .opus:
      if !isPartial {
        frames = OggClock.opusFrames(head, size: size)
        if frames == nil { found.isBroken = true }
        // At most 120 ms (RFC 6716, 3.2.5).
        frames = frames.flatMap { 1...5760 ~= $0 ? $0 : nil }
        if let first = head.first { modes?.note(first, size: size) }
      }
    case .vorbis(let blocks):
      if !isPartial {
        // Cameras write packets without bytes, which count as some that they do not have.
        guard let first = head.first else { return clock = .unknown }
        frames = blocks.frameCount(ofFirstByte: first)
      }
    case .flac:
      guard isPartial || head.first == 0xFF else { return }
      if !isPartial { frames = FLACFrameHead(head, blockSize: 0)?.count }
    case .speex(let each):
      // libavformat passes over packets without bytes.
      if !isPartial { frames = size > 0 ? each : 0 }
    }
    found.packets += 1
    found.frames += frames ?? 0
    if frames == nil { found.isUncertain = true }
  }

  private mutating func begin(_ header: [UInt8]) {
    rate = OggClock.rate(header)
    guard header.starts(with: "OpusHead".utf8) else { return }
    // Of one stream within the stream without a table (RFC 7845, 5.1.1).
    let hasTable = header.count > 19 && header[18] > 0
    modes = OpusModes(streamCount: hasTable ? Int(header[19]) : 1)
  }
}
