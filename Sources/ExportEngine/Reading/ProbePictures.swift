import LibAV
import MediaComposition

extension Prober {
  /// The file's front cover, else the first of its pictures that is no icon.
  func cover(of demuxer: Demuxer) -> Artwork? {
    let pictures = demuxer.pictures
    let best =
      pictures.first(where: \.isFrontCover) ?? pictures.first { !$0.isIcon } ?? pictures.first
    guard let picture = best,
      let bytes = demuxer.bytes(ofPicture: picture.streamIndex)
    else { return nil }
    return .embedded(
      EmbeddedArtwork(
        media: location, place: .stream(picture.streamIndex),
        format: EmbeddedArtwork.Format(of: bytes),
        byteCount: Int64(bytes.count), identity: identity))
  }
}

extension EmbeddedArtwork.Format {
  /// The format of a picture's bytes, whatever its declared one is.
  init(of bytes: [UInt8]) {
    switch Picture(bytes)?.format {
    case .jpeg: self = .jpeg
    case .png: self = .png
    case nil:
      let known = Self.signatures.first { bytes.starts(with: $0.bytes) }?.name
      let isWebP = known == "RIFF" && bytes.dropFirst(8).starts(with: "WEBP".utf8)
      self = .other(isWebP ? "WebP" : known ?? "unknown")
    }
  }

  /// Files' first bytes; a JPEG or PNG here is damaged.
  private static let signatures: [(bytes: [UInt8], name: String)] = [
    ([0xFF, 0xD8, 0xFF], "damaged JPEG"), ([0x89, 0x50, 0x4E, 0x47], "damaged PNG"),
    (Array("GIF8".utf8), "GIF"), (Array("BM".utf8), "BMP"), (Array("RIFF".utf8), "RIFF"),
    ([0x49, 0x49, 0x2A, 0x00], "TIFF"), ([0x4D, 0x4D, 0x00, 0x2A], "TIFF"),
  ]
}
