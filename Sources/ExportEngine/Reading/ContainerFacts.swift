import Diagnosis

/// Facts about the end of two containers that libavformat does not pass on. Each reads a few
/// kilobytes.
enum ContainerFacts {
  /// Bytes of sound by a WAV's header (EBU Tech 3306 for RF64); nil where it leaves that open, as
  /// writers to a pipe do.
  static func announcedWAVSize(_ medium: MediumBytes) throws(Failure) -> UInt64? {
    let bytes = try medium.bytes(at: 0, count: 1 << 16)
    func number(_ offset: Int, bytes size: Int) -> UInt64 {
      (0..<size).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
    var offset = 12
    var longSize: UInt64?
    while offset + 8 <= bytes.count {
      let size = number(offset + 4, bytes: 4)
      switch String(decoding: bytes[offset..<offset + 4], as: UTF8.self) {
      case "ds64" where offset + 24 <= bytes.count:
        longSize = number(offset + 16, bytes: 8)
      case "data":
        guard size == 0xFFFF_FFFF else { return size == 0 ? nil : size }
        return longSize
      default: break
      }
      offset += 8 + Int(size + size % 2)
    }
    return nil
  }

  /// Whether an Ogg file's last page is incomplete, or does not end a stream (RFC 3533, 6).
  static func oggBreaksOff(_ medium: MediumBytes) throws(Failure) -> Bool {
    // A page has at most 65,307 bytes.
    let bytes = try medium.bytes(at: max(0, try medium.size() - 1 << 17), count: 1 << 17)
    let capture = Array("OggS".utf8)
    guard
      let start = bytes.indices.dropLast(27).last(where: { index in
        bytes[index] == capture[0] && bytes[index..<index + 5].elementsEqual(capture + [0])
      })
    else { return true }
    let lacing = start + 27
    let count = Int(bytes[lacing - 1])
    guard lacing + count <= bytes.count else { return true }
    let end = bytes[lacing..<lacing + count].reduce(lacing + count) { $0 + Int($1) }
    return end > bytes.count || bytes[start + 5] & 4 == 0
  }
}
