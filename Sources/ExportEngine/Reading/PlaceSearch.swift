import Diagnosis
import LibAV
import Tagging

/// Where the packets of a stream lie, found by where they should: in two or three looks.
///
/// libavformat halves the file some twenty times, with a hundred KiB each: nothing on a disk, and
/// seconds from a server. What is found here bounds its search; it decides by itself what it finds
/// there, so a wrong bound costs time and no sample.
struct PlaceSearch {
  /// A byte at which a packet begins, and the packet's first frame.
  struct Place: Sendable, Hashable {
    var offset: Int64
    var frame: Int64
  }

  /// What a look is made for.
  enum Container: Sendable {
    /// FLAC; the samples of each frame, where all but the last have the same number.
    case flac(blockSize: Int64?)
    /// Ogg; the stream's serial number.
    case ogg(serial: UInt32)
  }

  private let bytes: MediumBytes
  private let container: Container
  /// Where packets begin, and where the file ends.
  private let start, size: Int64

  /// Bytes of a look: some packets of most files.
  private static let look: Int64 = 32 << 10
  /// Bytes that a parser of libavformat takes in before it gives a packet, at most as a rule.
  private static let prefetched: Int64 = 160 << 10

  /// - Returns: nil where the file is neither FLAC nor Ogg.
  /// - Throws: `Failure` where it cannot be read.
  init?(_ bytes: MediumBytes) throws(Failure) {
    self.bytes = bytes
    size = try bytes.size()
    let head = try bytes.bytes(at: 0, count: 18)
    guard head.count == 18 else { return nil }
    switch String(decoding: head[..<4], as: UTF8.self) {
    case "fLaC":
      // The least and the most samples of a frame (RFC 9639, 8.2).
      let (least, most) = (AtomHead.number(head[8..<10]), AtomHead.number(head[10..<12]))
      guard
        let last = try FLACBlock.all(from: 4, reading: bytes.bytes(at:count:)).last, last.isLast,
        last.body.upperBound < size
      else { return nil }
      container = .flac(blockSize: least == most ? Int64(most) : nil)
      start = last.body.upperBound
    case "OggS":
      guard let page = OggPage(try bytes.bytes(at: 0, count: OggPage.longestHead)) else {
        return nil
      }
      (container, start) = (.ogg(serial: page.serial), 0)
    default: return nil
    }
  }

  /// A place at or before a frame, near it, and one behind it; nil where they are not found soon.
  ///
  /// - Parameters:
  ///   - frame: Of the stream, from 0.
  ///   - total: Frames of the stream.
  ///   - near: How many frames the first may begin before `frame`.
  ///   - slack: How many frames the second begins behind it at least.
  /// - Returns: Both.
  /// - Throws: `Failure` where the file cannot be read.
  func places(
    around frame: Int64, of total: Int64, near: Int64, slack: Int64
  ) throws(Failure) -> (before: Place, behind: Place?)? {
    var (low, high) = (Place(offset: start, frame: 0), Place(offset: size, frame: total))
    for _ in 0..<6 where frame - low.frame > near {
      let span = Double(high.offset - low.offset)
      let part = Double(frame - near / 2 - low.frame) / Double(high.frame - low.frame)
      let guess = low.offset + Int64(span * part) - Self.look / 4
      let start = max(low.offset, min(guess, high.offset - Self.look))
      guard let found = try places(from: start).first, found.offset > low.offset,
        found.offset < high.offset, (low.frame..<high.frame).contains(found.frame)
      else { return nil }
      if found.frame <= frame { low = found } else { high = found }
    }
    guard frame - low.frame <= near else { return nil }
    bytes.prefetch(now: low.offset..<low.offset + Self.prefetched)
    return (low, try place(behind: frame + slack, from: low))
  }

  /// The first place that begins behind a frame.
  private func place(behind frame: Int64, from low: Place) throws(Failure) -> Place? {
    var start = low.offset
    for _ in 0..<16 {
      let found = try places(from: start)
      if let behind = found.first(where: { $0.frame > frame }) { return behind }
      guard let last = found.last, last.offset > start else { return nil }
      start = last.offset
    }
    return nil
  }

  /// The places in one look.
  private func places(from offset: Int64) throws(Failure) -> [Place] {
    let block = try bytes.bytes(at: offset, count: Int(Self.look))
    return switch container {
    case .flac(let blockSize): Self.frames(in: block, at: offset, blockSize)
    case .ogg(let serial): Self.pages(in: block, at: offset, serial)
    }
  }

  /// FLAC's frames that another one follows as it should: other bytes may look like a head.
  static func frames(in block: [UInt8], at offset: Int64, _ blockSize: Int64?) -> [Place] {
    var found: [Place] = []
    var previous: (place: Place, end: Int64)?
    for index in block.indices.dropLast(15)
    where block[index] == 0xFF && block[index + 1] >> 1 == 0x7C {
      guard let head = FLACFrameHead(block[index...], blockSize: blockSize) else { continue }
      if let previous, previous.end == head.sample {
        found.append(previous.place)
      } else if previous != nil, !found.isEmpty {
        continue
      }
      let place = Place(offset: offset + Int64(index), frame: head.sample)
      previous = (place, head.sample &+ head.count)
    }
    return found
  }

  /// Ogg's pages, each with the frame at which the one before it ends (RFC 3533, 6).
  static func pages(in block: [UInt8], at offset: Int64, _ serial: UInt32) -> [Place] {
    var found: [Place] = []
    var end: Int64?
    for index in block.indices where block[index] == UInt8(ascii: "O") {
      guard let page = OggPage(block[index...]), page.serial == serial else { continue }
      if let end { found.append(Place(offset: offset + Int64(index), frame: end)) }
      if page.granule < UInt64(StreamFacts.farthestFrame) { end = Int64(page.granule) }
    }
    return found
  }
}

extension StreamFacts {
  /// Tells a demuxer where the packets around a raw frame lie, where that spares it many requests: in
  /// a server's FLAC or Ogg.
  ///
  /// - Throws: `LibAVError` where the bytes cannot be read.
  func notePlaces(
    near raw: Int64, of stream: LibAV.Stream, in demuxer: Demuxer
  ) throws(LibAVError) {
    guard location.url != nil, range == nil, ["flac", "ogg"].contains(demuxer.formatName),
      clockStart == 0, let total = stream.duration.flatMap(rawFrame), raw > 0, raw < total
    else { return }
    // Ogg counts from another place than timestamps, and its packets overlap.
    let slack: Int64 = demuxer.formatName == "ogg" ? 1 << 13 : 0
    do throws(Failure) {
      guard let search = try PlaceSearch(MediumBytes(location)), raw > slack,
        let found = try search.places(
          around: raw - slack, of: total, near: Int64(sampleRate), slack: 2 * slack)
      else { return }
      demuxer.note(
        timestamp(ofRaw: found.before.frame - slack), at: found.before.offset, of: stream)
      guard let behind = found.behind else { return }
      demuxer.note(timestamp(ofRaw: behind.frame + slack), at: behind.offset, of: stream)
    } catch {
      throw LibAVError(reading: error)
    }
  }
}
