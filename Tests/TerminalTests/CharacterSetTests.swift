import Testing

@testable import Terminal

@Suite struct CharacterSetTests {
  private func set(_ variables: [String: String]) -> CharacterSet {
    CharacterSet.named { variables[$0] }
  }

  @Test("the first variable of the locale that is not empty names the character set")
  func variables() {
    #expect(set(["LANG": "de_DE.UTF-8"]) == .unicode)
    #expect(set(["LANG": "en_US.utf8", "LC_CTYPE": "", "LC_ALL": ""]) == .unicode)
    #expect(set(["LANG": "de_DE.UTF-8", "LC_ALL": "C"]) == .ascii)
    #expect(set(["LANG": "C", "LC_CTYPE": "C.UTF-8"]) == .unicode)
    #expect(set(["LANG": "xx_XX.UTF-8@euro"]) == .unicode)
    #expect(set(["LANG": "de_DE.ISO-8859-1"]) == .ascii)
    #expect(set(["LANG": "POSIX"]) == .ascii)
    #expect(set(["LANG": "no such locale"]) == .ascii)
    #expect(set([:]) == .ascii)
  }

  @Test("in ASCII, signs become their like, and other characters one mark for each column")
  func text() {
    let name = "Größe — „é“ 1.2× 漢…"
    #expect(CharacterSet.unicode.text(name) == name)
    #expect(CharacterSet.ascii.text(name) == "Gr??e - \"?\" 1.2x ??...")
    #expect(CharacterSet.ascii.text("plain ~") == "plain ~")
  }
}
