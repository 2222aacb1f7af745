/// The kind of a picture in a file (ID3v2.4 native frames §4.14; RFC 9639, 8.8).
package enum PictureType {
  /// Where a picture stands among those that may be the front cover, the best one first: a front cover, one
  /// of no kind, others, and icons.
  package static func rank(_ type: Int) -> Int {
    switch type {
    case 3: 0
    case 0: 1
    case 1, 2: 3
    default: 2
    }
  }
}

/// The head of a picture as FLAC has it (RFC 9639, 8.8), also in the field `METADATA_BLOCK_PICTURE` of
/// Vorbis comments.
package struct PictureBlock: Sendable, Hashable {
  /// Its kind.
  package let type: Int
  /// Whether it has the address of a picture, and no picture.
  package let isLink: Bool
  /// Where in the block the picture lies.
  package let data: Range<Int>

  /// Bytes before a picture, at most: more are no honest head.
  package static let longestHead = 1 << 16

  /// nil where a block is no picture, or one without bytes.
  ///
  /// - Parameters:
  ///   - bytes: What the block begins with: `longestHead`, if it has as many.
  ///   - size: Bytes of the whole block; a picture that should be longer ends there.
  package init?(_ bytes: [UInt8], size: Int) {
    var position = 0
    func number() -> Int? {
      guard bytes.count - position >= 4 else { return nil }
      defer { position += 4 }
      return Int(AtomHead.number(bytes[position..<position + 4]))
    }
    guard let type = number(), let mimeSize = number(), mimeSize <= bytes.count - position else {
      return nil
    }
    let mime = bytes[position..<position + mimeSize]
    position += mimeSize
    guard let descriptionSize = number(), descriptionSize <= bytes.count - position else {
      return nil
    }
    // Width, height, depth and colours come before the picture's length.
    position += descriptionSize + 16
    guard let count = number(), position < size, count > 0 else { return nil }
    self.type = type
    isLink = mime.elementsEqual("-->".utf8)
    data = position..<position + min(count, size - position)
  }
}
