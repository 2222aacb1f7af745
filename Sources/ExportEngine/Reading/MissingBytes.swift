import Diagnosis
import LibAV
import Tagging

/// Whether a file ends before what it holds does, of which libavformat says nothing.
extension ContainerFacts {
  /// How many bytes the outermost sizes of a container count beyond its file; 0 where it has none, or
  /// leaves them open.
  ///
  /// - Complexity: O(outermost elements)
  static func missingBytes(
    of format: String, wave: WaveHeader?, in medium: MediumBytes
  ) throws(Failure) -> Int64 {
    let size = try medium.size()
    func last(_ name: String, _ layout: ChunkWalk.Layout, from start: Int64) throws(Failure)
      -> Int64
    {
      let chunk = try chunks(in: start..<max(start, size), of: layout, medium).last
      return chunk?.name == name ? chunk?.missing ?? 0 : 0
    }
    switch format {
    case "wav", "w64": return wave?.missingSize ?? 0
    case "aiff":
      return try soundOfAIFF(medium)?.isOpen == true ? 0 : last("SSND", .aiff, from: 12)
    case "caf": return try last("data", .caf, from: 8)
    // The data object's GUID, whose letters these are.
    case "asf": return try last("6&?u", .asf, from: 0)
    case "avi":
      // A recorder that broke off has left the size open, and some writers count the head, too.
      let missing = try last("RIFF", .riff, from: 0)
      return 9..<0xF000_0000 ~= missing ? missing : 0
    case "au": return max(0, (try soundOfAU(medium)?.upperBound ?? 0) - size)
    case _ where format.hasPrefix("mov,"): return try missingOfAtoms(in: medium, size)
    case _ where format.hasPrefix("matroska,"): return try missingOfElements(in: medium, size)
    default: return 0
    }
  }

  /// Heads that are looked at of a server's file, each of which may cost a request.
  private static let mostRemoteHeads = 16
  private static let mostHeads = 1_000_000

  private static func mostHeads(of medium: MediumBytes) -> Int {
    medium.location.url == nil ? mostHeads : mostRemoteHeads
  }

  /// Of atoms that sound needs: others may be no atoms.
  private static func missingOfAtoms(
    in medium: MediumBytes, _ size: Int64
  ) throws(Failure) -> Int64 {
    var reader = AtomReader(medium: medium, limit: mostHeads(of: medium) + 1)
    var offset: Int64 = 0
    while let atom = try reader.atom(at: offset, in: 0..<size) { offset = atom.body.upperBound }
    guard reader.rest > 0,
      let head = AtomHead(
        try medium.bytes(at: offset, count: AtomHead.longest), space: .max),
      ["mdat", "moof", "moov"].contains(head.name)
    else { return 0 }
    return head.size - (size - offset)
  }

  /// Matroska's outermost elements, those of a segment, and those of a cluster (RFC 9559, 5.1): others
  /// may be none.
  private static let elements: Set<UInt32> = [
    MatroskaID.header, MatroskaID.segment, MatroskaID.seekHead, 0x1549_A966, MatroskaID.tracks,
    MatroskaID.cluster, 0x1C53_BB6B, 0x1941_A469, MatroskaID.chapters, MatroskaID.tags,
    MatroskaID.void, MatroskaID.checksum, 0xE7, 0xA3, 0xA0, 0xA7, 0xAB,
  ]

  /// Elements of unknown size last as long as what stands in them (RFC 8794, 6.2).
  private static func missingOfElements(
    in medium: MediumBytes, _ size: Int64
  ) throws(Failure) -> Int64 {
    var offset: Int64 = 0
    for _ in 0..<mostHeads(of: medium) where offset < size {
      let bytes = try medium.bytes(at: offset, count: EBMLElement.Head.longest)
      guard let head = EBMLElement.Head(bytes[...]), elements.contains(head.id) else { return 0 }
      offset += Int64(head.count)
      guard let count = head.size else { continue }
      let (end, isTooMuch) = offset.addingReportingOverflow(Int64(clamping: count))
      guard !isTooMuch else { return 0 }
      if end > size { return end - size }
      // Bytes behind the segment are none of these elements.
      if head.id == MatroskaID.segment { return 0 }
      offset = end
    }
    return 0
  }
}
