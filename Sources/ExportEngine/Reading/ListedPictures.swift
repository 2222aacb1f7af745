import Diagnosis
import JSON
import LibAV
import MediaComposition
import Tagging

/// A picture among a file's tags, and where it lies: libavformat lists those alone whose type it has.
struct ListedPicture: Sendable, Hashable {
  /// Its kind (`PictureType`); of MP4, which does not say that, a front cover.
  var type: Int
  var stored: EmbeddedArtwork.Stored
  /// Its size, without the Base64 that it is stored in.
  var byteCount: Int64
}

/// The pictures of one list of tags.
struct PictureList: Sendable, Hashable {
  private(set) var pictures: [ListedPicture] = []
  /// Names of entries that should hold a picture and do not, for people.
  private(set) var unread: [String] = []

  /// More than any honest file has.
  private static let most = 1000

  init() {}

  /// Those of Vorbis comments.
  ///
  /// - Parameters:
  ///   - comments: From the vendor's length on; they are the last bytes of the packet.
  ///   - ranges: Where in the file the bytes of the packet lie, in order.
  init(comments: ArraySlice<UInt8>, in ranges: [Range<Int64>]) {
    for (name, value) in VorbisComment.pictures(in: comments) where !value.isEmpty {
      let places = Self.places(of: value, in: ranges)
      guard let bytes = EmbeddedArtwork.Stored.decoded(comments[value]) else {
        unread.append(name)
        continue
      }
      if name == "COVERART" {
        add(3, EmbeddedArtwork.Stored(ranges: places, form: .base64), Int64(bytes.count))
      } else if let block = PictureBlock(bytes, size: bytes.count) {
        add(block, EmbeddedArtwork.Stored(ranges: places, form: .block))
      } else {
        unread.append(name)
      }
    }
  }

  /// Adds a block `PICTURE` of FLAC.
  mutating func add(block body: Range<Int64>, of bytes: MediumBytes) throws(Failure) {
    let size = Int(clamping: body.count)
    let head = try bytes.bytes(
      at: body.lowerBound, count: min(size, PictureBlock.longestHead))
    guard let block = PictureBlock(head, size: size) else { return unread.append("PICTURE") }
    let start = body.lowerBound
    add(
      block,
      EmbeddedArtwork.Stored(
        ranges: [start + Int64(block.data.lowerBound)..<start + Int64(block.data.upperBound)],
        form: .plain))
  }

  /// Adds one of MP4.
  mutating func add(cover range: Range<Int64>) {
    add(3, EmbeddedArtwork.Stored(ranges: [range], form: .plain), Int64(range.count))
  }

  private mutating func add(_ block: PictureBlock, _ stored: EmbeddedArtwork.Stored) {
    if block.isLink {
      unread.append("the address of a picture")
    } else {
      add(block.type, stored, Int64(block.data.count))
    }
  }

  private mutating func add(_ type: Int, _ stored: EmbeddedArtwork.Stored, _ byteCount: Int64) {
    guard pictures.count < Self.most else { return }
    pictures.append(ListedPicture(type: type, stored: stored, byteCount: byteCount))
  }

  /// Where in the file bytes of a packet lie, `ranges` being those of the packet.
  static func places(of part: Range<Int>, in ranges: [Range<Int64>]) -> [Range<Int64>] {
    var found: [Range<Int64>] = []
    var start = 0
    for range in ranges {
      let end = start + range.count
      let inside = part.clamped(to: start..<end)
      if !inside.isEmpty {
        let first = range.lowerBound + Int64(inside.lowerBound - start)
        found.append(first..<first + Int64(inside.count))
      }
      start = end
    }
    return found
  }
}

extension SourceTags {
  /// Adds the pictures of its list.
  mutating func take(_ list: PictureList) {
    pictures += list.pictures
    unread += list.unread.filter { !unread.contains($0) }
  }
}

extension Prober {
  /// Takes the front cover of all pictures, and names the others.
  func settlePictures(of demuxer: Demuxer, in tags: inout SourceTags) throws(Failure) {
    let demuxed = demuxer.pictures
    guard !tags.pictures.isEmpty else {
      // A tag of ID3 names its own.
      guard tags.metadata.cover == nil else { return }
      tags.metadata.cover = cover(of: demuxer)
      if demuxed.count > 1 { tags.unread.append(Self.more(demuxed.count - 1, "picture")) }
      return
    }
    let best = tags.pictures.min { PictureType.rank($0.type) < PictureType.rank($1.type) }
    // Of a track with the pictures of chapters libavformat has the first one.
    var others = tags.pictures.count - 1 + demuxed.count(where: \.isOfChapters)
    if tags.metadata.cover != nil { others += 1 }
    if let best {
      let head = try best.stored.picture(in: bytes, limit: 1 << 16) ?? []
      // Most pictures have their size in their first bytes, and no output holds larger ones than these.
      let isEnough =
        Picture(head) != nil || !(Int64(head.count)...Int64(largestCover) ~= best.byteCount)
      let bytes = isEnough ? head : try best.stored.picture(in: bytes) ?? []
      tags.metadata.cover = .embedded(
        EmbeddedArtwork(
          media: location, place: .bytes(best.stored), format: EmbeddedArtwork.Format(of: bytes),
          byteCount: best.byteCount, identity: identity))
    }
    if others > 0 { tags.unread.append(Self.more(others, "picture")) }
  }
}

extension EmbeddedArtwork.Stored {
  /// Reads the picture, or of one that is stored as it is `limit` bytes at most.
  ///
  /// - Returns: nil where the file does not have it.
  /// - Throws: Where the medium cannot be read.
  func picture(in medium: MediumBytes, limit: Int = .max) throws(Failure) -> [UInt8]? {
    var found: [UInt8] = []
    for range in ranges {
      let count = form == .plain ? min(range.count, limit - found.count) : range.count
      let bytes = try medium.bytes(at: range.lowerBound, count: count)
      guard bytes.count == count else { return nil }
      found += bytes
    }
    switch form {
    case .plain: return found
    case .base64: return Self.decoded(found[...])
    case .block:
      guard let block = Self.decoded(found[...]),
        let head = PictureBlock(block, size: block.count)
      else { return nil }
      return Array(block[head.data])
    }
  }

  /// The bytes of Base64, which may have line breaks in it; nil where it is none, or has no bytes.
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let digits = text.filter { $0 > 0x20 }
    let bytes = JSONValue.text(String(decoding: digits, as: UTF8.self)).base64Bytes
    return bytes?.isEmpty == true ? nil : bytes
  }
}
