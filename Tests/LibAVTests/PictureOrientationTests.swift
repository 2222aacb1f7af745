import Testing

@testable import LibAV

@Suite("How still pictures are turned")
struct PictureOrientationTests {
  /// A TIFF with one field, the orientation.
  private func tiff(
    _ number: UInt8, isLittle: Bool = true, type: UInt8 = 3, count: UInt8 = 1
  ) -> [UInt8] {
    func field(_ bytes: [UInt8]) -> [UInt8] { isLittle ? bytes.reversed() : bytes }
    let head = Array((isLittle ? "II" : "MM").utf8) + field([0, 42]) + field([0, 0, 0, 8])
    let entry = field([1, 0x12]) + field([0, type]) + field([0, 0, 0, 1]) + field([0, number])
    return head + field([0, count]) + entry + [0, 0, 0, 0, 0, 0]
  }

  /// A JPEG of 3 by 2 pixels up to its frame header, behind segments.
  private func jpeg(_ segments: [(UInt8, [UInt8])]) -> [UInt8] {
    segments.reduce([0xFF, 0xD8]) { bytes, segment in
      bytes + [0xFF, segment.0, 0, UInt8(segment.1.count + 2)] + segment.1
    } + [0xFF, 0xC0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0]
  }

  private func exif(_ tiff: [UInt8]) -> (UInt8, [UInt8]) {
    (0xE1, Array("Exif".utf8) + [0, 0] + tiff)
  }

  private func orientation(_ bytes: [UInt8]) throws -> [Int] {
    let picture = try #require(Picture(bytes))
    #expect((picture.width, picture.height) == (3, 2))
    return [picture.orientation.isMirrored ? 1 : 0, picture.orientation.rotation]
  }

  @Test("Exif's eight numbers are mirrors and turns", arguments: [true, false])
  func numbers(isLittle: Bool) throws {
    let expected = [
      [0, 0], [1, 0], [0, 180], [1, 180], [1, 270], [0, 90], [1, 90], [0, 270],
    ]
    for (number, turn) in zip(UInt8(1)..., expected) {
      let bytes = jpeg([(0xE0, Array("JFIF".utf8)), exif(tiff(number, isLittle: isLittle))])
      #expect(try orientation(bytes) == turn)
    }
  }

  @Test("a PNG has it in a chunk of its own")
  func png() throws {
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      [0, 0, 0, UInt8(content.count)] + Array(name.utf8) + content + [0, 0, 0, 0]
    }
    let head = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] as [UInt8]
    let size = chunk("IHDR", [0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0])
    #expect(try orientation(head + size + chunk("eXIf", tiff(6))) == [0, 90])
    #expect(try orientation(head + size + chunk("IDAT", tiff(6))) == [0, 0])
  }

  @Test("what is no orientation turns nothing")
  func others() throws {
    let plain = [
      exif(tiff(0)), exif(tiff(9)), exif(tiff(6, type: 4)), exif(tiff(6, count: 0)),
      exif(Array(tiff(6).prefix(19))), exif(Array("IM".utf8) + tiff(6).dropFirst(2)), exif([]),
      (0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8) + tiff(6)), (0xE2, exif(tiff(6)).1),
    ]
    for segment in plain { #expect(try orientation(jpeg([segment])) == [0, 0]) }
    // A count that lies ends with the bytes.
    #expect(try orientation(jpeg([exif(tiff(1, count: 255))])) == [0, 0])
  }
}
