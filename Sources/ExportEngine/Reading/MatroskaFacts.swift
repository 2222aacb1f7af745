import Diagnosis
import MediaComposition
import Tagging

/// Matroska's tags, of which libavformat keeps the last of each name.
extension ContainerFacts {
  /// The tags of a file and of its `stream`th track; nil where the file does not say where they lie.
  static func matroskaTags(
    in medium: MediumBytes, stream: Int
  ) throws(Failure) -> SourceTags? {
    guard let segment = try matroskaSegment(in: medium) else { return nil }
    var places: [Int64] = []
    var track: UInt64?
    var offset = segment.lowerBound
    // Before the first cluster stands all but the tags as a rule, and where these are.
    for _ in 0..<100 where offset < segment.upperBound {
      guard let element = try element(at: offset, in: segment, medium) else { break }
      switch element.id {
      case 0x114D_9B74: places += try seeks(in: element.body, of: segment, medium)
      case 0x1654_AE6B: track = try trackUID(stream, in: element.body, medium)
      case 0x1254_C367: if !places.contains(offset) { places.append(offset) }
      default: break
      }
      if element.id == 0x1F43_B675 { break }
      offset = element.body.upperBound
    }
    var tags = SourceTags()
    for place in places.prefix(8) {
      guard let element = try element(at: place, in: segment, medium), element.id == 0x1254_C367
      else { continue }
      let found = MatroskaTags(parsing: try content(element.body, medium)[...])
      for item in found.items where item.track == 0 || item.track == track {
        tags.add(item.value, to: key(of: item.name))
      }
      tags.unread += found.binary
    }
    return tags
  }

  /// FFmpeg's names of two (`ff_mkv_metadata_conv`).
  private static func key(of name: String) -> String {
    switch name {
    case "LEAD_PERFORMER": "performer"
    case "PART_NUMBER": "track"
    default: TagNames.key(ofField: name)
    }
  }

  private static func matroskaSegment(in medium: MediumBytes) throws(Failure) -> Range<Int64>? {
    let whole = 0..<(try medium.size())
    guard let header = try element(at: 0, in: whole, medium), header.id == 0x1A45_DFA3,
      let segment = try element(at: header.body.upperBound, in: whole, medium),
      segment.id == 0x1853_8067
    else { return nil }
    return segment.body
  }

  /// An element; one of unknown size lasts to the end of `range`.
  private static func element(
    at offset: Int64, in range: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> (id: UInt32, body: Range<Int64>)? {
    guard range.contains(offset) else { return nil }
    let bytes = try medium.bytes(at: offset, count: EBMLElement.Head.longest)
    guard let head = EBMLElement.Head(bytes[...]) else { return nil }
    let start = offset + Int64(head.count)
    let (end, isTooMuch) = start.addingReportingOverflow(
      head.size.map { Int64(clamping: $0) } ?? range.upperBound - start)
    guard !isTooMuch, start <= end, end <= range.upperBound else {
      return start <= range.upperBound ? (head.id, start..<range.upperBound) : nil
    }
    return (head.id, start..<end)
  }

  private static func content(
    _ range: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> [UInt8] {
    try medium.bytes(at: range.lowerBound, count: min(range.count, 1 << 24))
  }

  /// Where tags lie, by the segment's table.
  private static func seeks(
    in range: Range<Int64>, of segment: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> [Int64] {
    var found: [Int64] = []
    for seek in EBMLElement.all(in: try content(range, medium)[...]) where seek.id == 0x4DBB {
      let parts = EBMLElement.all(in: seek.body)
      guard let id = parts.first(where: { $0.id == 0x53AB }), id.number == 0x1254_C367,
        let position = parts.first(where: { $0.id == 0x53AC })?.number
      else { continue }
      let (place, isTooMuch) = segment.lowerBound.addingReportingOverflow(Int64(clamping: position))
      if !isTooMuch, !found.contains(place) { found.append(place) }
    }
    return found
  }

  private static func trackUID(
    _ stream: Int, in range: Range<Int64>, _ medium: MediumBytes
  ) throws(Failure) -> UInt64? {
    let entries = EBMLElement.all(in: try content(range, medium)[...]).filter { $0.id == 0xAE }
    guard entries.indices.contains(stream) else { return nil }
    return EBMLElement.all(in: entries[stream].body).first { $0.id == 0x73C5 }?.number
  }
}
