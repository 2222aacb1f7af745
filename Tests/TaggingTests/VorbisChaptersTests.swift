import Testing

@testable import Tagging

@Suite("Chapters in Vorbis comments") struct VorbisChaptersTests {
  private func read(_ fields: [(String, String)]) -> VorbisChapters? {
    VorbisChapters(fields.map { VorbisComment.Field($0.0, $0.1) })
  }

  @Test(
    "numbers of two digits, as of OGM, are chapters like those of three, in any order of fields")
  func numbers() throws {
    let found = try #require(
      read([
        ("CHAPTER02NAME", "B"), ("TITLE", "T"), ("Chapter02", "00:00:01.500"),
        ("CHAPTER001URL", "https://example.org"), ("chapter001name", "A=1"),
        ("CHAPTER001", "0:00:00.5"), ("CHAPTER010", "01:02:03,000000001"), ("CHAPTER010URL", ""),
        ("CHAPTER1000NAME", "Z"), ("CHAPTER1000", "02:00:00"),
      ]))
    #expect(
      found.chapters == [
        .init(start: 500_000_000, title: "A=1", url: "https://example.org"),
        .init(start: 1_500_000_000, title: "B", url: nil),
        .init(start: 3_723_000_000_001, title: "", url: nil),
        .init(start: 7_200_000_000_000, title: "Z", url: nil),
      ])
    #expect(found.timeless.isEmpty && found.repeated.isEmpty)
  }

  @Test("a number without a time is no chapter, and its fields are named")
  func timeless() throws {
    let times = [
      "", "bad", "00:01.500", "1", "00:00:00:00", "-1:00:00.000", "00:00:0x.000", "00:00:00.",
      "00:00:00.0000000000", "000000:00:00.000", "00:٠٠:00.000", "00:00:00.0.0", "::.",
    ]
    for time in times {
      let found = try #require(
        read([("CHAPTER02", time), ("CHAPTER02NAME", "B"), ("CHAPTER03", "00:00:01.000")]))
      #expect(found.chapters.map(\.start) == [1_000_000_000], "\(time)")
      #expect(found.timeless == ["CHAPTER02", "CHAPTER02NAME"], "\(time)")
    }
  }

  @Test("of two times of a number the last one counts, and is named")
  func repeated() throws {
    let found = try #require(
      read([("CHAPTER01", "00:00:01.000"), ("CHAPTER001", "00:00:02.000")]))
    #expect(found.chapters.map(\.start) == [2_000_000_000] && found.repeated == ["CHAPTER001"])
    let often = try #require(read((1...5).map { ("CHAPTER01", "00:00:0\($0)") }))
    #expect(often.chapters.map(\.start) == [5_000_000_000] && often.repeated == ["CHAPTER01"])
    let same = try #require(
      read([("CHAPTER01", "00:00:01.000"), ("CHAPTER01", "00:00:01.0")]))
    #expect(same.chapters.count == 1 && same.repeated.isEmpty)
  }

  @Test("other names are tags")
  func tags() {
    for name in ["CHAPTER", "CHAPTERS", "CHAPTER1", "CHAPTER٠١", "CHAPTER01TITLE", "XCHAPTER01"] {
      #expect(!VorbisChapters.isPart(name) && read([(name, "00:00:01.000")]) == nil, "\(name)")
    }
    #expect(VorbisChapters.isPart("chapter0001Url"))
  }
}
