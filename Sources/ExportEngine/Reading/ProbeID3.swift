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
    try readingBytes { read in
      StoredID3Tag.read(
        at: offset, byteCount: Int(clamping: identity.size), inflating: Inflation.inflate(_:to:),
        reading: read)
    }
  }

  /// Calls `body` with a way to read the file that gives what is here and waits for no more, and
  /// nothing after a failure, which is thrown.
  func readingBytes<Tags>(
    _ body: (@escaping (Int, UnsafeMutableRawBufferPointer) -> Int) -> Tags
  ) throws(Failure) -> Tags {
    var failure: Failure?
    let tags = body { offset, target in
      do throws(Failure) {
        return try bytes.read(at: Int64(offset), into: target)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return tags
  }

  /// All tags of a bare MPEG audio file. What one has, those after it do not change.
  func mpegTags() throws(Failure) -> SourceTags {
    let found = try readingBytes { read in
      MPEGTags.read(
        byteCount: Int(clamping: identity.size), inflating: Inflation.inflate(_:to:), reading: read)
    }
    var tags = SourceTags()
    for tag in found.id3 { try tags.complete(with: self.tags(of: tag)) }
    for tag in found.ape { tags.complete(with: SourceTags(tag)) }
    if let tag = found.id3v1 { tags.complete(with: SourceTags(tag)) }
    tags.unread += found.unread.filter { !tags.unread.contains($0) }
    return tags
  }

  /// Tags, cover and chapters.
  func tags(of tag: StoredID3Tag) throws(Failure) -> SourceTags {
    let spoken = tag.items.first { $0.key == "language" }?.value.lowercased()
    var tags = SourceTags()
    for item in tag.items {
      var key = item.key
      let others = tags.metadata.values(of: key)
      let isOtherComment = key == "comment" && !others.isEmpty && !others.contains(item.value)
      if let language = item.language, language != spoken, language != ID3Languages.unknown,
        key == "lyrics" || isOtherComment
      {
        key += "-" + language
      }
      tags.add(item.value, to: key)
      if let language = item.language, key == item.key,
        tags.metadata.values(of: key).contains(item.value)
      {
        tags.metadata.add(language: language, of: item.value, in: key)
      }
    }
    if tag.hasGuesses { tags.guessed.append("ID3") }
    tags.unread += tag.unread
    if tag.pictures.count > 1 { tags.unread.append(Self.more(tag.pictures.count - 1, "picture")) }
    if let cover = tag.cover, let artwork = try artwork(cover.image) {
      tags.metadata.cover = artwork
    }
    if !tag.chapters.isEmpty { tags.chapters = try chapters(of: tag) }
    return tags
  }

  static func more(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 more \(noun)" : "\(count) more \(noun)s"
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
    link.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      .percentEncoded { 0x21...0x7E ~= $0 }
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
