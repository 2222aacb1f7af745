import Diagnosis
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime

/// The ID3 tag of an MP3 or an AIFF: libavformat has neither a chapter's link nor its image, and
/// drops chapters with unexpected frames.
extension Prober {
  /// The ID3v2 tag at the file's start, or at `offset`.
  func storedTag(at offset: Int = 0) throws(Failure) -> StoredID3Tag? {
    var failure: Failure?
    let tag = StoredID3Tag.read(at: offset, byteCount: Int(clamping: identity.size)) {
      offset, target in
      do throws(Failure) {
        return try bytes.fill(target, from: Int64(offset))
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return tag
  }

  /// Tags and cover. Several values of one are separated by `;`, as in FFmpeg's Vorbis comments.
  func metadata(of tag: StoredID3Tag) throws(Failure) -> Metadata {
    let spoken = tag.items.first { $0.key == "language" }?.value.lowercased()
    var keys: [String] = []
    var values: [String: [String]] = [:]
    for item in tag.items where !Self.isTechnical(item.key) {
      var key = item.key
      let isOtherComment = key == "comment" && values[key]?.contains(item.value) == false
      if let language = item.language, language != spoken, key == "lyrics" || isOtherComment {
        key += "-" + language
      }
      let name = key.lowercased()
      if values[name] == nil, keys.count < Metadata.mostItems { keys.append(key) }
      guard values[name]?.contains(item.value) != true,
        (values[name]?.count ?? 0) < Metadata.mostItems
      else { continue }
      values[name, default: []].append(item.value)
    }
    var metadata = Metadata()
    for key in keys { metadata[key] = values[key.lowercased()]?.joined(separator: ";") }
    metadata.cover = try tag.cover.flatMap { cover throws(Failure) in try artwork(cover.image) }
    return metadata
  }

  /// In order of time, each at a time of its own.
  func chapters(of tag: StoredID3Tag) throws(Failure) -> [Chapter] {
    try tag.chapters.map { chapter throws(Failure) in
      Chapter(
        start: chapter.range.start, title: chapter.title, url: chapter.url.map(Self.plainLink),
        image: try chapter.image.flatMap(artwork), isInherited: true)
    }
    .lasting(by: \.start)
  }

  /// A link in plain ASCII (RFC 3986 §2.1): its bytes were read as Latin-1.
  private static func plainLink(_ link: String) -> String {
    link.unicodeScalars.reduce(into: "") { plain, scalar in
      if 0x21...0x7E ~= scalar.value { return plain.unicodeScalars.append(scalar) }
      let digits = String(scalar.value & 0xFF, radix: 16, uppercase: true)
      plain += (digits.count == 1 ? "%0" : "%") + digits
    }
  }

  private func artwork(_ image: StoredID3Tag.Image) throws(Failure) -> Artwork? {
    // Most pictures have their size in their first bytes.
    var bytes = try read(image, limit: 1 << 16)
    guard !bytes.isEmpty else { return nil }
    if Picture(bytes) == nil, image.stored.count > 1 << 16 {
      bytes = try read(image, limit: .max)
    }
    return .embedded(
      EmbeddedArtwork(
        media: location, place: .tag(image), format: EmbeddedArtwork.Format(of: bytes),
        byteCount: Int64(image.stored.count), identity: identity))
  }

  private func read(_ image: StoredID3Tag.Image, limit: Int) throws(Failure) -> [UInt8] {
    image.bytes(
      from: try bytes.bytes(
        at: Int64(image.stored.lowerBound), count: min(limit, image.stored.count)))
  }
}
