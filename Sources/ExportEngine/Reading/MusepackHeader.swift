import Diagnosis

/// What the header of a Musepack file of stream version 8 says of its length: its `SH` packet, for which
/// libavformat gives the length of one packet.
struct MusepackHeader: Sendable, Hashable {
  /// Frames of sound, with the silence.
  var frameCount: Int64
  /// Frames of silence at its beginning that are no sound.
  var silence: Int64

  /// Frames by which a decoder is late (`MPC_DECODER_SYNTH_DELAY` in libmpcdec), which FFmpeg's gives.
  static let decoderDelay: Int64 = 481

  /// Packets of a header before the sound, and bytes of an `SH` packet, at most.
  private static let most = (packets: 16, bytes: 64)

  /// Reads the header; nil where the file has none of this kind.
  static func read(in medium: MediumBytes) throws(Failure) -> MusepackHeader? {
    guard try medium.bytes(at: 0, count: 4) == Array("MPCK".utf8) else { return nil }
    var position: Int64 = 4
    for _ in 0..<most.packets {
      let bytes = try medium.bytes(at: position, count: most.bytes)
      var rest = bytes.dropFirst(2)
      guard let size = number(&rest), size >= 3, size < 1 << 40 else { return nil }
      if bytes.starts(with: Array("SH".utf8)) { return MusepackHeader(rest.prefix(Int(size))) }
      position += size
    }
    return nil
  }

  /// Reads the packet's body: a checksum of 4 bytes, the version, and two numbers.
  private init?(_ body: ArraySlice<UInt8>) {
    guard body.dropFirst(4).first == 8 else { return nil }
    var rest = body.dropFirst(5)
    guard let count = Self.number(&rest), let silence = Self.number(&rest),
      (1..<StreamFacts.farthestFrame).contains(count), silence < count
    else { return nil }
    (frameCount, self.silence) = (count, silence)
  }

  /// A number in bytes of seven bits, the highest first, of which all but the last have the eighth.
  private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<8 {
      guard let byte = bytes.popFirst() else { return nil }
      value = value << 7 | Int64(byte & 0x7F)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
