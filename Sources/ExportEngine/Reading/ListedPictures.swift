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
    try add(block: 0..<Int(clamping: body.count), in: [body], of: bytes)
  }

  /// Adds a block `PICTURE` that lies in pieces, `body` of their bytes.
  private mutating func add(
    block body: Range<Int>, in pieces: [Range<Int64>], of bytes: MediumBytes
  ) throws(Failure) {
    let first = body.prefix(PictureBlock.longestHead)
    var head: [UInt8] = []
    for range in Self.places(of: first, in: pieces) {
      head += try bytes.bytes(at: range.lowerBound, count: range.count)
    }
    guard let block = PictureBlock(head, size: body.count) else { return unread.append("PICTURE") }
    let (start, end) = (
      body.lowerBound + block.data.lowerBound, body.lowerBound + block.data.upperBound
    )
    add(
      block,
      EmbeddedArtwork.Stored(ranges: Self.places(of: start..<end, in: pieces), form: .plain))
  }

  /// Adds the pictures among the blocks of a FLAC in Ogg, of which each is a packet ("Ogg FLAC mapping" of
  /// Xiph's FLAC; RFC 9639, 10.1).
  ///
  /// - Parameters:
  ///   - packets: Where those behind the comments lie, each in pieces.
  ///   - bytes: The file.
  /// - Throws: Where the file cannot be read.
  mutating func add(blocks packets: [[Range<Int64>]], of bytes: MediumBytes) throws(Failure) {
    for pieces in packets {
      var head: [UInt8] = []
      for range in Self.places(of: 0..<4, in: pieces) {
        head += try bytes.bytes(at: range.lowerBound, count: range.count)
      }
      // A frame begins with eleven ones (RFC 9639, 9.1), and no block does.
      guard head.count == 4, head[0] != 0xFF else { return }
      let size = pieces.reduce(0) { $0 + $1.count }
      if head[0] & 0x7F == 6 { try add(block: 4..<size, in: pieces, of: bytes) }
      if head[0] & 0x80 != 0 { return }
    }
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

extension OggPage {
  /// Whether frames of sound end on it: headers have the granule position 0 (RFC 9639, 10.1).
  var hasFrames: Bool { granule != 0 && granule != .max }
}

extension SourceTags {
  /// Adds the pictures of its list.
  mutating func take(_ list: PictureList) {
    pictures += list.pictures
    unread += list.unread.filter { !unread.contains($0) }
  }
}

extension Prober {
  /// How many packets of a FLAC in Ogg, whose first packet lies at an offset, are blocks of metadata behind
  /// the comments: as many as it says, and at most some thousand, also where it does not say.
  func otherBlocks(at offset: Int64) throws(Failure) -> Int {
    let most = 1000
    let head = try bytes.bytes(at: offset, count: 9)
    guard head.count == 9 else { return 0 }
    let count = Int(AtomHead.number(head[7...]))
    return count == 0 ? most : min(most, count - 1)
  }

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
