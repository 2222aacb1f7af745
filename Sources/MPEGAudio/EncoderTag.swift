/// What an encoder wrote into the silent first frame: Xing's or Info's header with LAME's
/// extension, or Fraunhofer's VBRI header.
package struct EncoderTag: Sendable, Hashable {
  /// Which header it is.
  package enum Kind: String, Sendable, Hashable {
    /// Of a stream of variable or mean bit rate.
    case xing = "Xing"
    /// Of a stream of constant bit rate.
    case info = "Info"
    /// Fraunhofer's.
    case vbri = "VBRI"
  }

  /// LAME's rate control, by its tag.
  package enum RateControl: Sendable, Hashable {
    case constant, variable
    /// The requested mean bits a second; nil where they were too many for its byte.
    case mean(bitRate: Int?)
  }

  package var kind: Kind
  /// Layer III frames after this one.
  package var frameCount: Int?
  /// Bytes from this frame to the end of the last.
  package var byteCount: Int?
  /// 0 (best) to 100 in Xing's count, as LAME writes it: 100 - 10 V - q.
  package var quality: Int?
  /// nil where LAME did not write the tag.
  package var rateControl: RateControl?
  /// The encoder's name and version, such as `LAME3.100` or `Lavc59.37`.
  package var encoder: String?
  /// PCM frames that the encoder put before the first of its input; without the 529 by which a
  /// decoder is late.
  package var delay: Int?
  /// PCM frames that it put after the last of its input.
  package var padding: Int?
  /// Whether the tag's own CRC-16 is right; nil where the tag has none.
  package var isChecksumValid: Bool?
  /// What LAME wrote of its settings; nil where another encoder wrote the tag.
  package var encoding: InfoFrame.Encoding?
}

extension EncoderTag {
  /// The encoder, if players look for delay and padding behind its name: in the tags of other encoders
  /// these bytes may mean something else (`mp3_parse_info_tag` in FFmpeg's mp3dec.c).
  var gaplessEncoder: String? {
    ["LAME", "Lavf", "Lavc"].contains { encoder?.hasPrefix($0) == true } ? encoder : nil
  }

  /// Whether its counts can be right: they cannot in a damaged tag, nor where the frames would have
  /// fewer bytes each than the smallest has (8 kbps at 24 kHz; ISO 13818-3, 2.4.2.3).
  package var isCredible: Bool {
    guard isChecksumValid != false else { return false }
    guard let frameCount, let byteCount else { return true }
    return byteCount / 24 >= frameCount
  }

  /// Reads the tag of the frame that starts at `offset`; nil where the frame holds none, or does
  /// not lie in the file as a whole.
  init?(in bytes: FileWindow, at offset: Int, header: FrameHeader) {
    guard header.layer == .layer3, let length = header.frameLength,
      offset >= 0, offset + length <= bytes.count,
      let tag = bytes.withBytes(at: offset, count: length, { EncoderTag(frame: $0, header) })
    else { return nil }
    self = tag
  }

  private init?(frame: UnsafeRawBufferPointer, _ header: FrameHeader) {
    let start = 4 + header.sideInformationLength
    // With a CRC some writers move the tag on by its two bytes, and some do not.
    for start in header.hasChecksum ? [start + 2, start] : [start] {
      if let tag = EncoderTag(xingIn: frame, at: start) {
        self = tag
        return
      }
    }
    guard let tag = EncoderTag(vbriIn: frame) else { return nil }
    self = tag
  }

  /// Xing's header: a name, flags, and up to four fields; LAME's extension behind them.
  private init?(xingIn frame: UnsafeRawBufferPointer, at start: Int) {
    if frame.holds("Xing", at: start) {
      kind = .xing
    } else if frame.holds("Info", at: start) {
      kind = .info
    } else {
      return nil
    }
    guard start + 8 <= frame.count else { return nil }
    let flags = frame.bigEndian32(at: start + 4)
    var position = start + 8
    func field(_ flag: UInt32, length: Int) -> Int? {
      guard flags & flag != 0, position + length <= frame.count else { return nil }
      defer { position += length }
      return length == 4 ? Int(frame.bigEndian32(at: position)) : nil
    }
    // A stream that could not be rewound has zeros.
    frameCount = field(1, length: 4).flatMap { $0 == 0 ? nil : $0 }
    byteCount = field(2, length: 4).flatMap { $0 == 0 ? nil : $0 }
    _ = field(4, length: 100)
    quality = field(8, length: 4)
    readExtension(in: frame, at: position)
  }

  /// LAME's extension: 36 bytes, of which the last two are a CRC over all bytes before them. Old Lavf's
  /// frame may end behind delay and padding.
  private mutating func readExtension(in frame: UnsafeRawBufferPointer, at start: Int) {
    guard start + 24 <= frame.count else { return }
    let name = frame[start..<start + 9].prefix { 0x20...0x7E ~= $0 }
    guard name.count >= 4 else { return }
    encoder = String(decoding: name, as: UTF8.self).trimmingSpaces()
    guard gaplessEncoder != nil else { return }
    if frame.holds("LAME", at: start), start + 28 <= frame.count {
      // The low half of a byte is the method; another byte the bit rate in kbps, 255 for more.
      let bitRate = Int(frame[start + 20])
      switch frame[start + 9] & 0xF {
      case 1, 8: rateControl = .constant
      case 2, 9: rateControl = .mean(bitRate: bitRate == 255 ? nil : bitRate * 1000)
      case 3...6: rateControl = .variable
      default: break
      }
      encoding = InfoFrame.Encoding(
        extension: frame[start..<start + 28], quality: quality ?? 0, encoder: encoder ?? "LAME")
    }
    let gaps = Int(frame.bigEndian16(at: start + 21)) << 8 | Int(frame[start + 23])
    delay = gaps >> 12
    padding = gaps & 0xFFF
    guard start + 36 <= frame.count else { return }
    isChecksumValid = Self.isChecksumValid(of: frame, at: start + 34)
  }

  /// LAME sums all bytes before the checksum; FFmpeg's mp3enc.c always 190 bytes of a buffer that is
  /// zero from the checksum on, also where the frame is shorter than that.
  private static func isChecksumValid(
    of frame: UnsafeRawBufferPointer, at position: Int
  ) -> Bool {
    let checksum = frame.bigEndian16(at: position)
    let head = Array(frame[..<position])
    return checksum == CRC16.checksum(head)
      || checksum == CRC16.checksum(head + Array(repeating: 0, count: max(0, 190 - position)))
  }

  /// VBRI stands 32 bytes behind the header, whatever the side information's length.
  private init?(vbriIn frame: UnsafeRawBufferPointer) {
    let start = 4 + 32
    guard frame.holds("VBRI", at: start), start + 18 <= frame.count else { return nil }
    kind = .vbri
    quality = Int(frame.bigEndian16(at: start + 8))
    byteCount = Int(frame.bigEndian32(at: start + 10))
    frameCount = Int(frame.bigEndian32(at: start + 14))
  }
}

extension String {
  fileprivate func trimmingSpaces() -> String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
