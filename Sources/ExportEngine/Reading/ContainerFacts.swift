import Diagnosis

/// Facts about the end of two containers that libavformat does not pass on. Each reads a few
/// kilobytes.
enum ContainerFacts {
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
