/// The block CUESHEET of a FLAC: tracks as places in the sound (RFC 9639, 8.7).
package struct CueSheetBlock: Sendable, Hashable, Codable {
  /// A place within a track.
  package struct Index: Sendable, Hashable, Codable {
    /// Frames from the track's start.
    package var offset: UInt64
    /// 0 for a gap before the track, 1 for its music, and further ones.
    package var number: UInt8

    package init(offset: UInt64, number: UInt8) { (self.offset, self.number) = (offset, number) }
  }

  /// One track.
  package struct Track: Sendable, Hashable, Codable {
    /// Frames from the start of the sound; of a CD in multiples of 588.
    package var offset: UInt64
    /// 1 to 99 of a CD, else 1 to 254.
    package var number: UInt8
    /// 12 characters, or empty.
    package var isrc: String
    package var isAudio: Bool
    package var hasPreEmphasis: Bool
    package var indices: [Index]

    package init(
      offset: UInt64, number: UInt8, isrc: String = "", isAudio: Bool = true,
      hasPreEmphasis: Bool = false, indices: [Index] = [Index(offset: 0, number: 1)]
    ) {
      (self.offset, self.number, self.isrc) = (offset, number, isrc)
      (self.isAudio, self.hasPreEmphasis, self.indices) = (isAudio, hasPreEmphasis, indices)
    }
  }

  /// The media catalogue number, up to 128 characters; 13 digits of a CD.
  package var catalog = ""
  /// Frames of silence before the first track of a CD.
  package var leadIn: UInt64 = 0
  package var isCD = false
  /// Without the lead-out.
  package var tracks: [Track] = []
  /// Where the sound ends, in frames; 0 where the block does not say.
  package var leadOut: UInt64 = 0

  package init() {}

  private static let name = "CUESHEET"
  private static let (fixedSize, trackSize, indexSize) = (396, 36, 12)
  /// The frames of a sector of a CD, which its offsets are multiples of.
  package static let sector: UInt64 = 588

  /// Reads the block's content; nil where its fields are not whole. O(n)
  package init?(_ bytes: [UInt8], defects: inout [ChunkDefect]) {
    guard bytes.count >= Self.fixedSize else {
      defects.note(Self.name, .unreadable(has: bytes.count, needs: Self.fixedSize))
      return nil
    }
    var reader = ChunkReader(Self.name, bytes, isBigEndian: true)
    catalog = reader.text(128, "catalog", &defects)
    leadIn = reader.number()
    isCD = reader.number(UInt8.self) & 0x80 != 0
    _ = reader.bytes(258)
    let announced = reader.number(UInt8.self)
    for number in 0..<announced {
      guard let track = Self.track(&reader, &defects) else {
        defects.note(Self.name, .overstated(announced: UInt64(announced), found: Int(number)))
        break
      }
      // The last one is the lead-out, 170 of a CD, else 255.
      if track.number == (isCD ? 170 : 255) { leadOut = track.offset } else { tracks.append(track) }
      if isCD, track.offset % Self.sector != 0 {
        defects.note(Self.name, .badValue(field: "offset of the track \(track.number)"))
      }
    }
    if tracks.contains(where: { $0.number == 0 }) { defects.note(Self.name, .badID(0)) }
  }

  private static func track(
    _ reader: inout ChunkReader, _ defects: inout [ChunkDefect]
  ) -> Track? {
    guard reader.rest >= trackSize else { return nil }
    let offset = reader.number(UInt64.self)
    let number = reader.number(UInt8.self)
    let isrc = reader.text(12, "ISRC", &defects)
    let flags = reader.number(UInt8.self)
    _ = reader.bytes(13)
    let count = Int(reader.number(UInt8.self))
    guard reader.rest >= count * indexSize else { return nil }
    let indices = (0..<count).map { _ in
      let index = Index(offset: reader.number(), number: reader.number())
      _ = reader.bytes(3)
      return index
    }
    return Track(
      offset: offset, number: number, isrc: isrc, isAudio: flags & 0x80 == 0,
      hasPreEmphasis: flags & 0x40 != 0, indices: indices)
  }

  /// Tracks that fit beside the lead-out.
  private var trackLimit: Int { isCD ? 99 : 254 }

  /// What `bytes` cannot hold.
  package var losses: [ChunkDefect] {
    var found: [ChunkDefect] = []
    catalog.noteLosses(Self.name, "catalog", limit: 128, isASCII: true, &found)
    if tracks.count > trackLimit { found.note(Self.name, .tooMany(limit: trackLimit)) }
    for track in tracks {
      track.isrc.noteLosses(Self.name, "ISRC", limit: 12, isASCII: true, &found)
      if track.indices.count > 255 { found.note(Self.name, .tooMany(limit: 255)) }
    }
    return found
  }

  /// The block's content, its lead-out among the tracks. O(n)
  package var bytes: [UInt8] {
    var writer = ChunkWriter(isBigEndian: true)
    writer.append(catalog, filling: 128)
    writer.append(leadIn)
    writer.append(UInt8(isCD ? 0x80 : 0))
    writer.append(zeros: 258)
    let end = Track(offset: leadOut, number: isCD ? 170 : 255, indices: [])
    let all = tracks.prefix(trackLimit) + [end]
    writer.append(UInt8(all.count))
    for track in all {
      writer.append(track.offset)
      writer.append(track.number)
      writer.append(track.isrc, filling: 12)
      writer.append(UInt8((track.isAudio ? 0 : 0x80) | (track.hasPreEmphasis ? 0x40 : 0)))
      writer.append(zeros: 13)
      let indices = track.indices.prefix(255)
      writer.append(UInt8(indices.count))
      for index in indices {
        writer.append(index.offset)
        writer.append(index.number)
        writer.append(zeros: 3)
      }
    }
    return writer.bytes
  }
}
