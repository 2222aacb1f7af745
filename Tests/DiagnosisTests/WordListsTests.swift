import Testing

@testable import Diagnosis

@Suite("Words and numbers in messages")
struct WordListsTests {
  @Test("words are listed with one word before the last")
  func lists() {
    #expect([String]().listed("or") == "")
    #expect(["a"].listed("or") == "a")
    #expect(["a", "b"].listed("and") == "a and b")
    #expect(["a", "b", "c"].listed("or") == "a, b or c")
    #expect(["a", "b"].quoted == "'a', 'b'")
    #expect(["b", "a", "b"].unique == ["b", "a"])
  }

  @Test("a misspelled word has a help, and another one has none")
  func spelling() {
    #expect(Spelling.help(for: "fdae_in", among: ["gain", "fade_in"]) == "did you mean 'fade_in'?")
    #expect(Spelling.help(for: "x", among: ["gain", "fade_in"]) == nil)
  }

  @Test("numbers have as many digits as are asked for, or more")
  func digits() {
    #expect(7.digits(3) == "007")
    #expect(1234.digits(3) == "1234")
    #expect(UInt32(0xFEFF).digits(4, radix: 16) == "FEFF")
    #expect(UInt64(255).digits(4, radix: 16, uppercase: false) == "00ff")
  }

  @Test("bytes of an address are escaped unless they stand for themselves")
  func addresses() {
    #expect(Array("aZ09-._~".utf8).percentEncoded() == "aZ09-._~")
    #expect([0x00, 0x20, 0x2F, 0xFF].percentEncoded() == "%00%20%2F%FF")
    #expect(Array("a/b c".utf8).percentEncoded { $0 != 0x20 } == "a/b%20c")
  }
}
