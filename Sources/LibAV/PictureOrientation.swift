/// How a picture is turned when it is shown.
package struct PictureOrientation: Sendable, Hashable {
  /// Whether it is mirrored from left to right, before it is turned.
  package var isMirrored: Bool
  /// By how many degrees it is turned clockwise: 0, 90, 180 or 270.
  package var rotation: Int

  /// That of Exif's number, 1 to 8 (CIPA DC-008, 4.6.4, Orientation).
  init?(exif number: Int) {
    let turns = [0, 0, 180, 180, 270, 90, 90, 270]
    guard 1...8 ~= number else { return nil }
    isMirrored = [2, 4, 5, 7].contains(number)
    rotation = turns[number - 1]
  }

  /// As it lies in its file.
  static let upright = PictureOrientation(isMirrored: false, rotation: 0)

  init(isMirrored: Bool, rotation: Int) {
    (self.isMirrored, self.rotation) = (isMirrored, rotation)
  }
}

extension Picture {
  /// How it is turned, by Exif's number of it: of a JPEG in its segment (CIPA DC-008, 4.7.2), of a PNG in
  /// its chunk `eXIf` (PNG, section 11.3.4.5). Nothing else of Exif is read.
  package var orientation: PictureOrientation {
    let found =
      switch format {
      case .jpeg:
        Self.jpegSegment(in: bytes) { marker, content in
          marker == 0xE1 && content.starts(with: Self.exifHead)
            ? Self.orientation(inTIFF: content.dropFirst(Self.exifHead.count)) : nil
        }
      case .png: Self.pngExif(in: bytes).flatMap { Self.orientation(inTIFF: $0) }
      }
    return found ?? .upright
  }

  private static let exifHead = Array("Exif".utf8) + [0, 0]

  private static func pngExif(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    var at = 8
    while at + 12 <= bytes.count {
      let count = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      guard count <= bytes.count - at - 12 else { return nil }
      if bytes[at + 4..<at + 8].elementsEqual("eXIf".utf8) { return bytes[at + 8..<at + 8 + count] }
      at += 12 + count
    }
    return nil
  }

  /// The first directory of a TIFF has the number of the picture itself (TIFF 6.0, section 2).
  private static func orientation(inTIFF content: ArraySlice<UInt8>) -> PictureOrientation? {
    let bytes = Array(content)
    let isLittle = bytes.starts(with: "II".utf8)
    guard isLittle || bytes.starts(with: "MM".utf8) else { return nil }
    func number(_ at: Int, _ count: Int) -> Int? {
      guard at <= bytes.count - count else { return nil }
      let field = bytes[at..<at + count]
      return isLittle
        ? field.reversed().reduce(0) { $0 << 8 | Int($1) } : field.reduce(0) { $0 << 8 | Int($1) }
    }
    guard number(2, 2) == 42, let directory = number(4, 4), let count = number(directory, 2) else {
      return nil
    }
    for entry in 0..<count {
      let at = directory + 2 + 12 * entry
      guard let tag = number(at, 2), let type = number(at + 2, 2), let value = number(at + 8, 2)
      else { return nil }
      // A SHORT.
      if tag == 0x112, type == 3 { return PictureOrientation(exif: value) }
    }
    return nil
  }
}
