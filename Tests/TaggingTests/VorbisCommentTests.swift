import Testing

@testable import Tagging

@Suite("Vorbis comments")
struct VorbisCommentTests {
  private func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }

  private func comments(_ fields: [String]) -> [UInt8] {
    number(4) + Array("Lavf".utf8) + number(fields.count)
      + fields.flatMap { number($0.utf8.count) + Array($0.utf8) }
  }

  @Test("a field that stands twice has two values, in order")
  func repeated() {
    let comment = VorbisComment(parsing: comments(["ARTIST=Ann", "TITLE=T", "ARTIST=Bob"])[...])
    #expect(comment.fields.map(\.value) == ["Ann", "T", "Bob"])
  }

  @Test("a placeholder gives way to fields of the same length, beside what stays")
  func placeholder() throws {
    let fields = [
      VorbisComment.Field("COMMENT", "CC"), .init("DESCRIPTION", "DD"), .init("ARTIST", "ä"),
      .init("ARTIST", "Bob"),
    ]
    let value = try #require(VorbisComment.placeholderValue(for: fields))
    let old = comments(["_=" + value, "CHAPTER000=00:00:00.000"])
    let new = try #require(VorbisComment.replacingPlaceholder(in: old, with: fields))
    #expect(new.count == old.count)
    let read = VorbisComment(parsing: new[...])
    #expect(read.fields == fields + [.init("CHAPTER000", "00:00:00.000")])
    #expect(VorbisComment.replacingPlaceholder(in: comments(["A=b"]), with: fields) == nil)
    let shortest = [VorbisComment.Field("A", "b")]
    let one = try #require(VorbisComment.placeholderValue(for: shortest))
    #expect(
      VorbisComment.replacingPlaceholder(in: comments(["_=" + one]), with: shortest)
        == comments(["A=b"]))
  }

  @Test("lengths and counts that cannot be true end the comments")
  func hostile() {
    let whole = comments(["A=b", "C=d"])
    for end in 0...whole.count {
      #expect(VorbisComment(parsing: whole[..<end]).fields.count <= 2)
    }
    var many = comments(["A=b"])
    many.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(VorbisComment(parsing: many[...]).fields.count == 1)
  }

  @Test("a text that is no UTF-8 is taken for Windows-1252, and named")
  func guess() {
    var bytes = comments(["TITLE=Tr?ck"])
    bytes[bytes.count - 3] = 0xE4
    let comment = VorbisComment(parsing: bytes[...])
    #expect(comment.fields.first?.value == "Träck" && comment.guessed == ["TITLE"])
  }
}
