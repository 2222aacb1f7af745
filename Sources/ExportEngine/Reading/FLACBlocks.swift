import Diagnosis
import LibAV
import Tagging

/// A block of a FLAC's metadata (RFC 9639, 8.1).
struct FLACBlock: Sendable, Hashable {
  /// 2 an application's, 4 the comments, 5 a cue sheet.
  var kind: UInt8
  var body: Range<Int64>
  /// Whether frames follow it.
  var isLast: Bool

  /// Those of all chunks of another file, and its own.
  private static let most = 2 * ChunkLimits.chunks

  /// The blocks from a place behind `fLaC` on, up to the last one or the file's end; `read` gives so
  /// many bytes from an offset on, fewer at the end.
  static func all(
    from offset: Int64, reading read: (_ offset: Int64, _ count: Int) throws(Failure) -> [UInt8]
  ) throws(Failure) -> [FLACBlock] {
    var found: [FLACBlock] = []
    var offset = offset
    while found.count < most, found.last?.isLast != true {
      let head = try read(offset, 4)
      guard head.count == 4 else { break }
      let start = offset + 4
      offset = start + Int64(AtomHead.number(head[1...]))
      found.append(
        FLACBlock(kind: head[0] & 0x7F, body: start..<offset, isLast: head[0] & 0x80 != 0))
    }
    return found
  }

  /// The blocks of a FLAC, behind a tag of ID3 that does not belong there; nil of another file.
  static func all(of bytes: MediumBytes) throws(Failure) -> [FLACBlock]? {
    let head = try bytes.bytes(at: 0, count: 10)
    // The size of a tag has seven bits a byte (ID3v2.4, 3.1 and 6.2).
    let start: Int64 =
      head.count == 10 && head.starts(with: "ID3".utf8)
      ? head[6...].reduce(0) { $0 << 7 | Int64($1 & 0x7F) } + 10 : 0
    guard try bytes.bytes(at: start, count: 4) == Array("fLaC".utf8) else { return nil }
    return try all(from: start + 4, reading: bytes.bytes(at:count:))
  }
}

extension Prober {
  /// FFmpeg finds no frame of such a file before its version 6.
  var undecodedFLAC: Failure {
    Failure(
      .mendInput,
      "is FLAC of 32 bits, which FFmpeg \(Library.version) does not decode; encode it again with 24 bits",
      location: location, code: .mediaUnsupported)
  }
}
