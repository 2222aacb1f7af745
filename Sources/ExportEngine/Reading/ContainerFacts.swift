import Diagnosis
import Tagging

/// Facts about the end of two containers that libavformat does not pass on. Each reads a few
/// kilobytes.
enum ContainerFacts {
  /// How an Ogg file ends, or a link of a chained one.
  enum OggEnd: Sendable, Hashable {
    /// With a page that is whole and, of the last link, ends a stream (RFC 3533, 6): recorded streams
    /// often change to the next link without an end.
    case whole
    /// With a page that is incomplete, or without one that ends a stream.
    case missing
    /// With a page of another checksum than it names, which libavformat leaves out.
    case damaged
  }

  /// How an Ogg file, or the link at `range` of a chained one, ends.
  static func oggEnd(
    _ medium: MediumBytes, in range: Range<Int64>? = nil, isLast: Bool = true
  ) throws(Failure) -> OggEnd {
    let size = try medium.size()
    let link = range ?? 0..<size
    // A page has at most 65,307 bytes.
    let start = max(link.lowerBound, link.upperBound - 1 << 17)
    let bytes = try medium.bytes(at: start, count: Int(link.upperBound - start))
    let capture = Array("OggS".utf8) + [0]
    guard
      // A page without packets is its head alone, which has 27 bytes.
      let place = bytes.indices.dropLast(26).last(where: { index in
        bytes[index] == capture[0] && bytes[index...].starts(with: capture)
      }), let page = OggPage(bytes[place...])
    else { return .missing }
    guard place + page.size <= bytes.count else { return .missing }
    guard OggPage.isIntact(Array(bytes[place..<place + page.size])) else { return .damaged }
    return isLast && !page.isLast ? .missing : .whole
  }
}
