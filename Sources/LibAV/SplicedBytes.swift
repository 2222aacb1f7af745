/// Bytes that are made of pieces of another source and of bytes of their own. One thread at a time.
final class SplicedBytes: ByteSource {
  /// One piece after the other.
  enum Piece {
    case bytes([UInt8])
    /// Of the other source.
    case range(Range<Int64>)

    var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .range(let range): range.upperBound - range.lowerBound
      }
    }
  }

  private let source: any ByteSource
  /// Each with its first offset.
  private let pieces: [(start: Int64, piece: Piece)]
  private let end: Int64

  init(_ source: any ByteSource, _ pieces: [Piece]) {
    self.source = source
    var end: Int64 = 0
    self.pieces = pieces.filter { $0.count > 0 }.map { piece in
      defer { end += piece.count }
      return (end, piece)
    }
    self.end = end
  }

  func size() throws -> Int64 { end }

  func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset < end, let (start, piece) = pieces.last(where: { $0.start <= offset }) else {
      return 0
    }
    let count = Int(min(Int64(bytes.count), start + piece.count - offset))
    let target = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
    switch piece {
    case .bytes(let own):
      target.copyBytes(from: own[Int(offset - start)...].prefix(count))
      return count
    case .range(let range):
      return try source.read(at: range.lowerBound + offset - start, into: target)
    }
  }
}
