import Diagnosis

/// Facts about the end of two containers that libavformat does not pass on. Each reads a few
/// kilobytes.
enum ContainerFacts {
  /// Whether the last page of an Ogg file, or of the link at `range` of a chained one, is incomplete,
  /// or, of the last one, does not end a stream (RFC 3533, 6): recorded streams often change to the
  /// next link without an end.
  static func oggBreaksOff(
    _ medium: MediumBytes, in range: Range<Int64>? = nil, isLast: Bool = true
  ) throws(Failure) -> Bool {
    let size = try medium.size()
    let link = range ?? 0..<size
    // A page has at most 65,307 bytes.
    let start = max(link.lowerBound, link.upperBound - 1 << 17)
    let bytes = try medium.bytes(at: start, count: Int(link.upperBound - start))
    let capture = Array("OggS".utf8)
    guard
      let page = bytes.indices.dropLast(27).last(where: { index in
        bytes[index] == capture[0] && bytes[index..<index + 5].elementsEqual(capture + [0])
      })
    else { return true }
    let lacing = page + 27
    let count = Int(bytes[lacing - 1])
    guard lacing + count <= bytes.count else { return true }
    let end = bytes[lacing..<lacing + count].reduce(lacing + count) { $0 + Int($1) }
    return end > bytes.count || isLast && bytes[page + 5] & 4 == 0
  }
}
