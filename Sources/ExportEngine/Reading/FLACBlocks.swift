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
  /// Bytes without the head of another frame in which FFmpeg looks for it in a native FLAC
  /// (`flac_parser.c`: 20 times `FLAC_AVG_FRAME_SIZE`).
  private static let mostFrameBytes = 20 * 8192

  /// Why nothing is read of a FLAC that has frames; nil of other files.
  func unreadFLAC(_ stream: LibAV.Stream, _ demuxer: Demuxer) -> Failure? {
    func failure(_ text: String) -> Failure {
      Failure(.mendInput, text, location: location, code: .mediaUnsupported)
    }
    // FFmpeg finds no frame of such a file before its version 6.
    if stream.bitsOfFLAC == 32 {
      return failure(
        "is FLAC of 32 bits, which FFmpeg \(Library.version) does not decode; encode it again with 24 "
          + "bits")
    }
    guard demuxer.formatName == "flac", identity.size > Self.mostFrameBytes,
      let bound = stream.boundOfFLACFrame, bound > Self.mostFrameBytes
    else { return nil }
    return failure(
      "is FLAC with frames of up to \(bound) bytes, and FFmpeg finds none of more than "
        + "\(Self.mostFrameBytes); encode it again with shorter blocks, as 'flac -b 4096' does")
  }
}
