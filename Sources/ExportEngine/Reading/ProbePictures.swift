import LibAV
import MediaComposition

extension Prober {
  /// The front cover that the file holds, else the first of its pictures.
  func cover(of demuxer: Demuxer) -> Artwork? {
    let pictures = demuxer.pictures
    guard let picture = pictures.first(where: \.isFrontCover) ?? pictures.first,
      let bytes = demuxer.bytes(ofPicture: picture.streamIndex)
    else { return nil }
    return .embedded(
      EmbeddedArtwork(
        media: path, place: .stream(picture.streamIndex),
        format: EmbeddedArtwork.Format(of: bytes, named: picture.codecName),
        byteCount: Int64(bytes.count), identity: identity))
  }
}

extension EmbeddedArtwork.Format {
  /// What the bytes of a picture are; `name` is what they are said to be.
  init(of bytes: [UInt8], named name: String) {
    switch Picture(bytes)?.format {
    case .jpeg: self = .jpeg
    case .png: self = .png
    case nil: self = .other(Self.names[name] ?? name)
    }
  }

  /// Those of FFmpeg's codecs; a JPEG or PNG that comes here is damaged.
  private static let names = [
    "mjpeg": "damaged JPEG", "png": "damaged PNG", "webp": "WebP", "gif": "GIF", "bmp": "BMP",
    "tiff": "TIFF", "none": "unknown",
  ]
}
