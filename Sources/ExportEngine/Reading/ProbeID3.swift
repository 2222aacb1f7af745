import Files
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage

/// The ID3 tag of an MP3 or an AIFF: libavformat has neither a chapter's link nor its image, and
/// drops chapters with unexpected frames.
extension Prober {
  /// The ID3v2 tag at the file's start, or at `offset`.
  func storedTag(at offset: Int = 0) -> StoredID3Tag? {
    withFile { file in
      StoredID3Tag.read(at: offset, byteCount: Int(clamping: identity.size)) { offset, target in
        (try? file.read(fromAbsoluteOffset: Int64(offset), into: target)) ?? 0
      }
    }
  }

  private func withFile<Value>(_ body: (FileDescriptor) -> Value?) -> Value? {
    guard let file = try? PathCalls.openToRead(path) else {
      return nil
    }
    defer { try? file.close() }
    return body(file)
  }

  /// Tags and cover. Several values of one are separated by `;`, as in FFmpeg's Vorbis comments.
  func metadata(of tag: StoredID3Tag) -> Metadata {
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
    metadata.cover = tag.cover.flatMap { artwork($0.image) }
    return metadata
  }

  /// In order of time, each at a time of its own.
  func chapters(of tag: StoredID3Tag) -> [Chapter] {
    tag.chapters.map { chapter in
      Chapter(
        start: chapter.range.start, title: chapter.title, url: chapter.url.map(Self.plainLink),
        image: chapter.image.flatMap(artwork), isInherited: true)
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

  private func artwork(_ image: StoredID3Tag.Image) -> Artwork? {
    // Most pictures have their size in their first bytes.
    var bytes = read(image, limit: 1 << 16)
    guard !bytes.isEmpty else { return nil }
    if Picture(bytes) == nil, image.stored.count > 1 << 16 { bytes = read(image, limit: .max) }
    return .embedded(
      EmbeddedArtwork(
        media: path, place: .tag(image), format: EmbeddedArtwork.Format(of: bytes),
        byteCount: Int64(image.stored.count), identity: identity))
  }

  private func read(_ image: StoredID3Tag.Image, limit: Int) -> [UInt8] {
    let count = min(limit, image.stored.count)
    let stored = withFile { file -> [UInt8]? in
      var bytes = [UInt8](repeating: 0, count: count)
      let read = bytes.withUnsafeMutableBytes { buffer in
        (try? file.read(fromAbsoluteOffset: Int64(image.stored.lowerBound), into: buffer)) ?? 0
      }
      bytes.removeLast(count - read)
      return bytes
    }
    return image.bytes(from: stored ?? [])
  }
}
