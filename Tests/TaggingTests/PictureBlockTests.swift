import Testing

@testable import Tagging

@Suite("Pictures in FLAC and in Vorbis comments")
struct PictureBlockTests {
  private func word(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private func block(_ type: Int, _ mime: String, _ data: [UInt8], count: Int? = nil) -> [UInt8] {
    let head = word(type) + word(mime.utf8.count) + Array(mime.utf8) + word(2) + Array("ab".utf8)
    let size = word(64) + word(64) + word(24) + word(0)
    return head + size + word(count ?? data.count) + data
  }

  @Test("a block says what it shows, and where its picture lies, whatever its type is called")
  func fields() throws {
    for mime in ["image/webp", "image/jpeg", ""] {
      let bytes = block(4, mime, [1, 2, 3])
      let read = try #require(PictureBlock(bytes, size: bytes.count))
      #expect(read.type == 4 && !read.isLink)
      #expect(Array(bytes[read.data]) == [1, 2, 3])
    }
    let link = block(3, "-->", Array("https://a.example".utf8))
    #expect(PictureBlock(link, size: link.count)?.isLink == true)
  }

  @Test("a picture that should be longer than its block ends with it, and one of no bytes is none")
  func hostile() {
    let long = block(3, "image/png", [1, 2, 3], count: 1 << 30)
    #expect(PictureBlock(long, size: long.count).map { Array(long[$0.data]) } == [1, 2, 3])
    #expect(PictureBlock(block(3, "image/png", []), size: 100) == nil)
    let bytes = block(3, "image/png", [1])
    for count in 0..<bytes.count {
      let found = PictureBlock(Array(bytes.prefix(count)), size: count)
      #expect(found == nil, "\(count) bytes")
    }
    var mime = bytes
    mime.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(PictureBlock(mime, size: mime.count) == nil)
  }

  @Test("front covers come before pictures of no kind, these before others, and icons last")
  func ranks() {
    let types = [1, 17, 0, 2, 3, 4]
    let sorted = types.enumerated().sorted {
      (PictureType.rank($0.element), $0.offset) < (PictureType.rank($1.element), $1.offset)
    }
    #expect(sorted.map(\.element) == [3, 0, 17, 4, 1, 2])
  }

  @Test("fields with pictures are found in any case, longer ones than any text among them")
  func fieldsOfComments() {
    func number(_ value: Int) -> [UInt8] { word(value).reversed() }
    let long = String(repeating: "A", count: 1 << 21)
    let fields = [
      "TITLE=T", "metadata_block_picture=\(long)", "COVERART=QQ==", "COVERARTMIME=image/png",
      "COVERARTIST=x", "nothing",
    ]
    let bytes =
      number(0) + number(fields.count)
      + fields.flatMap { number($0.utf8.count) + Array($0.utf8) }
    let found = VorbisComment.pictures(in: bytes[...])
    #expect(found.map(\.name) == ["METADATA_BLOCK_PICTURE", "COVERART"])
    #expect(found.map { bytes[$0.value].count } == [1 << 21, 4])
  }
}
