import Diagnosis
import LibAV
import MediaComposition
import MediaTime

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
    guard rest <= behind.heard else {
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
    guard range == nil, var found = try unclaimed(stream, demuxer, measured),
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
    func behind(_ start: Int64, heard: Int64? = nil) -> BytesBehind? {
      start < size ? BytesBehind(range: start..<size, heard: heard ?? start) : nil
    }
    switch demuxer.formatName {
    case "au":
      guard let sound = try ContainerFacts.soundOfAU(bytes) else { return nil }
      var found = behind(sound.upperBound, heard: Int64(sound.count))
      found?.otherwise = "that its header does not count"
      return found
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
      var found = behind(start, heard: heard)
      found?.otherwise = "that its header does not count"
      return found
    case "asf":
      let (_, end) = try ContainerFacts.claimed("6&?u", of: "asf", .asf, from: 0, bytes)
      return behind(end)
    case "wv", "tta", "voc":
      // Between packets of sound others may lie.
      guard demuxer.videoCodec == nil, let end = measured.lastEnd else { return nil }
      var found = behind(end)
      found?.otherwise = "that cannot be read"
      found?.remedy = "it is damaged, download it again"
      return found
    case let name where name.hasPrefix("mov,"):
      guard let end = try ContainerFacts.endOfAtoms(in: bytes, size) else { return nil }
      return behind(max(end, stream.indexedEnd ?? 0))
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
    _ name: String, of format: String, _ layout: Layout, from start: Int64, _ medium: MediumBytes
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
  fileprivate static func file(
    near place: Int64, in medium: MediumBytes
  ) throws(Failure) -> String? {
    let head = try medium.bytes(at: place, count: 64 + 12)
    for start in head.indices.prefix(64) where head.count - start >= 12 {
      if let kind = kind(of: head[start..<start + 12]) { return kind }
    }
    return nil
  }

  private static func kind(of head: ArraySlice<UInt8>) -> String? {
    let start = head.startIndex
    func holds(_ text: String, at offset: Int = 0) -> Bool {
      head[(start + offset)...].starts(with: text.utf8)
    }
    if holds("ftyp", at: 4) { return "MP4" }
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
