import Files
import MediaComposition
import SystemPackage

/// Facts about the end of two containers that libavformat does not pass on. Each reads a few
/// kilobytes.
enum ContainerFacts {
  /// Bytes of sound by a WAV's header (EBU Tech 3306 for RF64); nil where it leaves that open, as
  /// writers to a pipe do.
  static func announcedWAVSize(_ path: FilePath) -> UInt64? {
    let bytes = read(path, from: 0, count: 1 << 16)
    func number(_ offset: Int, bytes size: Int) -> UInt64 {
      (0..<size).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
    var offset = 12
    var longSize: UInt64?
    while offset + 8 <= bytes.count {
      let size = number(offset + 4, bytes: 4)
      switch String(decoding: bytes[offset..<offset + 4], as: UTF8.self) {
      case "ds64" where offset + 24 <= bytes.count:
        longSize = number(offset + 16, bytes: 8)
      case "data":
        guard size == 0xFFFF_FFFF else { return size == 0 ? nil : size }
        return longSize
      default: break
      }
      offset += 8 + Int(size + size % 2)
    }
    return nil
  }

  /// Where the content of an AIFF's ID3 chunk begins; nil where it has none.
  static func tagOffset(ofAIFF path: FilePath) -> Int? {
    var offset: Int64 = 12
    // More chunks than any honest file has.
    for _ in 0..<1000 {
      let head = read(path, from: offset, count: 8)
      guard head.count == 8 else { return nil }
      if head.starts(with: "ID3 ".utf8) { return Int(offset) + 8 }
      let size = head[4...].reduce(0) { $0 << 8 | Int64($1) }
      offset += 8 + size + size % 2
    }
    return nil
  }

  /// Whether an Ogg file's last page is incomplete, or does not end a stream (RFC 3533, 6).
  static func oggBreaksOff(_ path: FilePath) -> Bool {
    // A page has at most 65,307 bytes.
    let bytes = read(path, from: -(1 << 17), count: 1 << 17)
    let capture = Array("OggS".utf8)
    guard
      let start = bytes.indices.dropLast(27).last(where: { index in
        bytes[index] == capture[0] && bytes[index..<index + 5].elementsEqual(capture + [0])
      })
    else { return true }
    let lacing = start + 27
    let count = Int(bytes[lacing - 1])
    guard lacing + count <= bytes.count else { return true }
    let end = bytes[lacing..<lacing + count].reduce(lacing + count) { $0 + Int($1) }
    return end > bytes.count || bytes[start + 5] & 4 == 0
  }

  /// Bytes of a file, from its end where `offset` is negative; fewer at the file's end.
  private static func read(_ path: FilePath, from offset: Int64, count: Int) -> [UInt8] {
    guard let file = try? PathCalls.openToRead(path) else {
      return []
    }
    defer { try? file.close() }
    let size = (try? file.seek(offset: 0, from: .end)) ?? 0
    let start = offset < 0 ? max(0, size + offset) : offset
    var bytes = [UInt8](repeating: 0, count: Int(min(Int64(count), max(0, size - start))))
    let read = bytes.withUnsafeMutableBytes { buffer in
      (try? file.read(fromAbsoluteOffset: start, into: buffer)) ?? 0
    }
    bytes.removeLast(bytes.count - read)
    return bytes
  }
}
