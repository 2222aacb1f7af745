import Diagnosis
import Tagging

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
    let capture = Array("OggS".utf8) + [0]
    guard
      let place = bytes.indices.dropLast(27).last(where: { index in
        bytes[index] == capture[0] && bytes[index...].starts(with: capture)
      }), let page = OggPage(bytes[place...])
    else { return true }
    return place + page.size > bytes.count || isLast && !page.isLast
  }
}
