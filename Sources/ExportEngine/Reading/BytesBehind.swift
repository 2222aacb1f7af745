import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import Tagging

/// What a file holds behind its sound, of which libavformat says nothing.
struct BytesBehind: Sendable, Hashable {
  /// Where they lie in the file.
  var range: Range<Int64>
  /// Bytes of what is heard.
  var heard: Int64
  /// What kind of file begins there, if one does.
  var another: String?
  /// What they are otherwise, and what mends that.
  var otherwise = "that no chunk has"
  var remedy = "its header is wrong, write it again"
}

extension Prober {
  /// Warnings of bytes behind the sound.
  ///
  /// - Throws: Where the larger part of the file would be left out.
  func warnings(
    ofBytesBehind stream: LibAV.Stream, _ demuxer: Demuxer, _ measured: Measured
  ) throws(Failure) -> [Warning] {
    guard let behind = try bytesBehind(stream, demuxer, measured) else { return [] }
    let rest = Int64(behind.range.count)
    let what =
      "holds \(rest) bytes behind its sound"
      + (behind.another.map { ", where another \($0) begins" } ?? " \(behind.otherwise)")
    guard behind.another == nil ? rest <= behind.heard : rest < behind.heard else {
      throw Failure(
        .mendInput,
        what + "; more than are heard: "
          + (behind.another == nil ? behind.remedy : "take it apart there"), location: location)
    }
    // A tenth of a second, and a hundredth: as of lengths.
    let (frames, rate) = (max(1, measured.length.frames), Int64(measured.facts.sampleRate))
    let tenth = Int128(behind.heard) * Int128(rate) / Int128(frames) / 10
    guard behind.another != nil || rest > max(Int64(clamping: tenth), behind.heard / 100) else {
      return []
    }
    return [Warning(what + ": they are left out", location: location)]
  }

  private func bytesBehind(
    _ stream: LibAV.Stream, _ demuxer: Demuxer, _ measured: Measured
  ) throws(Failure) -> BytesBehind? {
    if let wave = demuxer.wave {
      guard wave.unclaimedSize > 0 else { return nil }
      return BytesBehind(
        range: identity.size - wave.unclaimedSize..<identity.size, heard: wave.soundSize,
        another: wave.holdsAnother ? "WAV" : nil)
    }
    guard var found = try unclaimed(stream, demuxer, measured),
      let rest = try withoutTags(found.range)
    else { return nil }
    // A file's first bytes may be zeros, as those of an MP4's size are.
    for place in [found.range.lowerBound, rest.lowerBound] where found.another == nil {
      found.another = try ContainerFacts.file(near: place, in: bytes)
    }
    found.range = rest
    return found
  }

  /// What lies behind the sound by the container's outermost sizes, with tags.
  private func unclaimed(
    _ stream: LibAV.Stream, _ demuxer: Demuxer, _ measured: Measured
  ) throws(Failure) -> BytesBehind? {
    let size = identity.size
    func behind(_ start: Int64, heard: Int64? = nil, _ otherwise: String? = nil) -> BytesBehind? {
      guard start < size else { return nil }
      var found = BytesBehind(range: start..<size, heard: heard ?? start)
      if let otherwise { found.otherwise = otherwise }
      return found
    }
    let isUncounted = "that its header does not count"
    switch demuxer.formatName {
    case "au":
      guard let sound = try ContainerFacts.soundOfAU(bytes) else { return nil }
      return behind(sound.upperBound, heard: Int64(sound.count), isUncounted)
    case "caf":
      let (sound, end) = try ContainerFacts.claimed("data", of: "caf", .caf, from: 8, bytes)
      // Behind the count of edits.
      return behind(end, heard: Int64(sound.count) - 4)
    case "aiff":
      let (chunk, end) = try ContainerFacts.claimed("SSND", of: "aiff", .aiff, from: 12, bytes)
      let heard = Int64(stream.blockAlign) * measured.length.frames
      // Behind the offset and size of blocks; of what is compressed no size is known.
      guard stream.isLossless, heard > 0, chunk.count >= 8 else { return behind(end) }
      let offset = Int64(try bytes.number(at: chunk.lowerBound) ?? 0)
      let start = chunk.lowerBound + 8 + offset + heard
      guard start + Int64(stream.blockAlign) <= chunk.upperBound else {
        return behind(end, heard: heard)
      }
      return behind(start, heard: heard, isUncounted)
    case "asf":
      let (_, end) = try ContainerFacts.claimed("6&?u", of: "asf", .asf, from: 0, bytes)
      return behind(end)
    case "avi":
      let end = try ContainerFacts.endOfAVI(in: bytes, size)
      return end.flatMap { reachesBeyond($0, stream, measured) ? nil : behind($0) }
    case let name where name.hasPrefix("matroska,"):
      let end = try ContainerFacts.endOfElements(in: bytes, size)
      return end.flatMap {
        reachesBeyond($0, stream, measured) ? nil : behind($0, "that no element has")
      }
    case let name where name.hasPrefix("mov,"):
      guard let end = try ContainerFacts.endOfAtoms(in: bytes, size) else { return nil }
      return behind(max(end, stream.indexedEnd ?? 0), "that no atom has")
    default: return unframed(demuxer, measured)
    }
  }

  /// Whether sound is read behind a container's own end, as libavformat does of some that are doubled.
  private func reachesBeyond(_ end: Int64, _ stream: LibAV.Stream, _ measured: Measured) -> Bool {
    max(stream.indexedEnd ?? 0, measured.lastEnd ?? 0) > end
  }

  /// What lies behind the last packet, or page, of a container that has no size.
  private func unframed(_ demuxer: Demuxer, _ measured: Measured) -> BytesBehind? {
    func behind(_ start: Int64, heard: Int64? = nil, _ otherwise: String) -> BytesBehind? {
      let end = ogg?.rest.upperBound ?? range?.upperBound ?? identity.size
      guard start < end else { return nil }
      return BytesBehind(
        range: start..<end, heard: heard ?? start, otherwise: otherwise,
        remedy: "it is damaged, copy or download it again")
    }
    if let ogg {
      return behind(ogg.rest.lowerBound, heard: Int64(ogg.range.count), "that no page has")
    }
    guard let end = measured.lastEnd else { return nil }
    switch demuxer.formatName {
    case "wv", "tta", "voc":
      // Between packets of sound others may lie.
      return demuxer.hasMovingPicture || measured.breaksOff
        ? nil : behind(end, "that cannot be read")
    case "flac": return behind(end, "that no frame has")
    case _ where isBare(demuxer):
      return behind(end, "that no frame has")
    default: return nil
    }
  }
}

extension ContainerFacts {
  /// Where the sound of an AU lies by its header; nil where that leaves it open.
  static func soundOfAU(_ medium: MediumBytes) throws(Failure) -> Range<Int64>? {
    guard let start = try medium.number(at: 4), let count = try medium.number(at: 8), count > 0,
      count != 0xFFFF_FFFF
    else { return nil }
    return Int64(start)..<Int64(start) + Int64(count)
  }

  /// The content of a file's last chunk of a name, and where the last chunk ends.
  fileprivate static func claimed(
    _ name: String, of format: String, _ layout: ChunkWalk.Layout, from start: Int64,
    _ medium: MediumBytes
  ) throws(Failure) -> (sound: Range<Int64>, end: Int64) {
    let size = try medium.size()
    var chunks = try chunks(in: start..<max(start, size), of: layout, medium)
    // What begins there is another file, whose header is the same.
    if layout.countsHead, let first = chunks.first?.name,
      let next = chunks.dropFirst().firstIndex(where: { $0.name == first })
    {
      chunks = Array(chunks[..<next])
    }
    // Samples that look like a name, and have no size.
    if let last = chunks.last, last.missing > 0, last.name != name,
      known[format]?.contains(last.name) != true
    {
      chunks.removeLast()
    }
    guard let sound = chunks.last(where: { $0.name == name })?.body, let last = chunks.last else {
      return (size..<size, size)
    }
    return (sound, last.body.upperBound)
  }

  /// Where the last of an AVI's outermost chunks ends, of which the first is the file and others go on
  /// (OpenDML 1.02, "Index Locations in RIFF File"); nil where its size is left open.
  fileprivate static func endOfAVI(
    in medium: MediumBytes, _ size: Int64
  ) throws(Failure) -> Int64? {
    var end: Int64?
    for chunk in try chunks(in: 0..<size, of: .riff, medium) where chunk.name == "RIFF" {
      let isNext = try medium.bytes(at: chunk.body.lowerBound, count: 4).elementsEqual("AVIX".utf8)
      guard chunk.body.count > 4, (end != nil) == isNext else { break }
      end = chunk.body.upperBound
    }
    return end
  }

  /// Where the last of a Matroska's elements ends that no other one holds; nil where its sizes are left
  /// open.
  fileprivate static func endOfElements(
    in medium: MediumBytes, _ size: Int64
  ) throws(Failure) -> Int64? {
    var offset: Int64 = 0
    var hasSegment = false
    // One head, one segment, and few elements beside these.
    for _ in 0..<16 where offset < size {
      let bytes = try medium.bytes(at: offset, count: EBMLElement.Head.longest)
      guard let head = EBMLElement.Head(bytes[...]), outermost.contains(head.id),
        !hasSegment || head.id == MatroskaID.void
      else { break }
      guard let count = head.size, count <= UInt64(size - offset) else { return nil }
      hasSegment = hasSegment || head.id == MatroskaID.segment
      offset += Int64(head.count) + Int64(count)
    }
    return hasSegment ? offset : nil
  }

  private static let outermost: Set<UInt32> = [
    MatroskaID.header, MatroskaID.segment, MatroskaID.void, MatroskaID.checksum,
  ]

  /// Where the last of an MP4's atoms ends; nil where its sound is missing in part, or is fragments, of
  /// which libavformat reads on.
  fileprivate static func endOfAtoms(
    in medium: MediumBytes, _ size: Int64
  ) throws(Failure) -> Int64? {
    var reader = AtomReader(medium: medium, limit: medium.location.url == nil ? 100_000 : 16)
    var offset: Int64 = 0
    var hasIndex = false
    while offset < size {
      // Of a sound that was cut short the rest is missing.
      let name = try medium.bytes(at: offset + 4, count: 4)
      let isCut = name.elementsEqual("mdat".utf8)
      guard let atom = try reader.atom(at: offset, in: 0..<size),
        atom.name.unicodeScalars.allSatisfy({ 0x20...0x7E ~= $0.value || $0.value >= 0xA0 })
      else {
        if isCut || reader.rest <= 0 { return nil }
        break
      }
      if ["moof", "styp", "sidx"].contains(atom.name) { return nil }
      // One movie has one index, and its brand before that.
      if hasIndex, ["ftyp", "moov"].contains(atom.name) { break }
      hasIndex = hasIndex || atom.name == "moov"
      offset = atom.body.upperBound
    }
    return hasIndex ? offset : nil
  }

  /// The kind of file that begins at a place, or within the few bytes of a packet's end behind it; nil
  /// where none does.
  static func file(
    near place: Int64, in medium: MediumBytes
  ) throws(Failure) -> String? {
    if try beginsMPEGAudio(at: place, in: medium) { return "MP3" }
    let head = try medium.bytes(at: place, count: 64 + 12)
    for start in head.indices.prefix(64) where head.count - start >= 12 {
      if let kind = kind(of: head[start..<start + 12]) { return kind }
    }
    return nil
  }

  /// Whether two frames of MPEG audio lie there.
  private static func beginsMPEGAudio(
    at place: Int64, in medium: MediumBytes
  ) throws(Failure) -> Bool {
    guard let first = FrameHeader(startOf: try medium.bytes(at: place, count: 4)),
      let length = first.frameLength,
      let next = FrameHeader(startOf: try medium.bytes(at: place + Int64(length), count: 4))
    else { return false }
    return next.layer == first.layer && next.sampleRate == first.sampleRate
  }

  static func kind(of head: ArraySlice<UInt8>) -> String? {
    let start = head.startIndex
    func holds(_ text: String, at offset: Int = 0) -> Bool {
      head[(start + offset)...].starts(with: text.utf8)
    }
    if holds("ftyp", at: 4) { return "MP4" }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "Matroska" }
    if holds("FORM") { return holds("AIF", at: 8) ? "AIFF" : nil }
    if holds("AVI ", at: 8), holds("RIFF") { return "AVI" }
    if holds("WAVE", at: 8), ["RIFF", "RIFX", "RF64", "BW64"].contains(where: { holds($0) }) {
      return "WAV"
    }
    // The first bytes of the header object's GUID.
    if head.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) { return "ASF" }
    return [
      "Creative Voi": "VOC", ".snd": "AU", "caff": "CAF", "fLaC": "FLAC", "wvpk": "WavPack",
      "TTA1": "TTA", "OggS": "Ogg",
    ].first { holds($0.key) }?.value
  }
}
