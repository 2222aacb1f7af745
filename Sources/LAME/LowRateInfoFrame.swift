internal import MPEGAudio

/// The Info frame of a stream of constant bit rate whose frames are too small for one: LAME then
/// leaves it out without a word, and decoders cannot tell delay and padding from sound.
///
/// It has the bytes that LAME would write, in a frame of the lowest bit rate that holds them.
/// Layout: `PutLameVBR` and `lame_get_lametag_frame` in LAME's VbrTag.c, and "Mp3 Info Tag rev 1".
struct LowRateInfoFrame {
  /// What is known once the stream is complete.
  struct Facts {
    /// 0 … 100, Xing's count.
    var quality: Int
    /// Hertz.
    var lowpass: Int
    /// PCM frames.
    var delay: Int
    var padding: Int
    /// MP3 frames, without this one.
    var frameCount: Int
    /// Nine characters.
    var encoder: String
  }

  /// Bits a second of the stream.
  private let bitRate: Int
  private var header: FrameHeader?
  /// Bytes of MP3 frames, and their CRC-16.
  private var byteCount = 0
  private var checksum: UInt16 = 0

  init(bitRate: Int) { self.bitRate = bitRate }

  /// "Info", flags, four fields with a table of contents; LAME's extension.
  private static let tagLength = 120 + 36

  /// Whether LAME writes its own: it does where it fits a frame of the stream (`InitVbrTag`).
  static func fits(bitRate: Int, sampleRate: Int, channelCount: Int) -> Bool {
    let isMPEG1 = sampleRate >= 32000
    let sideInformation = channelCount == 1 ? (isMPEG1 ? 17 : 9) : (isMPEG1 ? 32 : 17)
    return (isMPEG1 ? 144 : 72) * bitRate / sampleRate >= 4 + sideInformation + tagLength
  }

  /// Counts frames in; before the first ones, gives the empty frame that reserves the place.
  mutating func add(_ frames: some Collection<UInt8>) -> [UInt8]? {
    byteCount += frames.count
    checksum = CRC16.checksum(frames, continuing: checksum)
    guard header == nil, frames.count >= 4 else { return nil }
    header = Self.header(like: frames.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    return header.map(Self.emptyFrame)
  }

  /// The stream's own header, at the lowest bit rate that holds the tag; without padding, CRC and
  /// joint stereo's mode.
  private static func header(like bits: UInt32) -> FrameHeader? {
    let plain = bits & ~0xF230 | 0x1_0000
    return (1...14).lazy.compactMap { FrameHeader(bits: plain | $0 << 12) }.first {
      $0.frameLength ?? 0 >= 4 + $0.sideInformationLength + tagLength
    }
  }

  private static func emptyFrame(_ header: FrameHeader) -> [UInt8] {
    header.bits.bigEndianBytes + [UInt8](repeating: 0, count: (header.frameLength ?? 4) - 4)
  }

  /// The whole frame.
  func frame(_ facts: Facts) -> [UInt8] {
    guard let header else { return [] }
    var frame = Self.emptyFrame(header)
    let size = UInt32(clamping: byteCount + frame.count)
    var tag = Array("Info".utf8)
    // All four fields.
    tag += UInt32(0xF).bigEndianBytes
    tag += UInt32(clamping: facts.frameCount).bigEndianBytes
    tag += size.bigEndianBytes
    // At a constant bit rate every hundredth of the time is a hundredth of the bytes.
    tag += (0..<100).map { UInt8($0 * 256 / 100) }
    tag += UInt32(clamping: facts.quality).bigEndianBytes
    tag += Array(facts.encoder.utf8).prefix(9)
    tag += [1, UInt8(clamping: (facts.lowpass + 50) / 100)]
    // No peak, no replay gain.
    tag += [UInt8](repeating: 0, count: 8)
    // nspsytune, and LAME's fourth type of hearing threshold.
    tag += [0x14, UInt8(clamping: bitRate / 1000)]
    tag += UInt32(facts.delay << 12 | facts.padding).bigEndianBytes.dropFirst()
    tag += [miscellany(header), 0]
    tag += UInt32(bitRate / 1000).bigEndianBytes.dropFirst(2)
    tag += size.bigEndianBytes
    tag += UInt32(checksum).bigEndianBytes.dropFirst(2)
    let start = 4 + header.sideInformationLength
    frame.replaceSubrange(start..<start + tag.count, with: tag)
    let end = start + tag.count
    frame.replaceSubrange(
      end..<end + 2, with: UInt32(CRC16.checksum(frame[..<end])).bigEndianBytes.dropFirst(2))
    return frame
  }

  /// The source's rate (2 bits), "unwise settings" (which LAME says of 32 kHz and below), the
  /// channel mode (3), noise shaping (2).
  private func miscellany(_ header: FrameHeader) -> UInt8 {
    let source: UInt8 = header.sampleRate <= 32000 ? 0 : header.sampleRate == 44100 ? 1 : 2
    let mode: UInt8 = header.channelMode == .mono ? 0 : 3
    return source << 6 | (header.sampleRate <= 32000 ? 1 << 5 : 0) | mode << 2 | 2
  }
}

extension UInt32 {
  fileprivate var bigEndianBytes: [UInt8] {
    [UInt8(self >> 24), UInt8(self >> 16 & 0xFF), UInt8(self >> 8 & 0xFF), UInt8(self & 0xFF)]
  }
}
