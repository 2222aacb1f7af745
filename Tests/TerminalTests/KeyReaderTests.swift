import TestSupport
import Testing

@testable import Terminal

@Suite struct KeyReaderTests {
  private func keys(_ text: String) -> [Key] {
    var reader = KeyReader()
    return reader.keys(text.utf8) + reader.endOfPause()
  }

  @Test("arrows, page keys and home are known as xterm, rxvt and the console send them")
  func sequences() {
    #expect(keys("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D") == [.up, .down, .right, .left])
    #expect(keys("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD\u{1B}OH") == [.up, .down, .right, .left, .home])
    #expect(
      keys("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[1~\u{1B}[7~") == [.pageUp, .pageDown] + [
        .home, .home, .home,
      ])
    #expect(
      keys("\u{1B}[F\u{1B}OF\u{1B}[4~\u{1B}[8~\u{1B}[3~\t") == [
        .end, .end, .end, .end, .delete, .tab,
      ])
    #expect(keys("\r\n\u{7F}\u{08}") == [.enter, .enter, .backspace, .backspace])
  }

  @Test("arrows and page keys come with their one modifier, as xterm and rxvt send it")
  func modifiers() {
    #expect(
      keys("\u{1B}[1;2C\u{1B}[1;3D\u{1B}[1;5A\u{1B}[5;5~") == [
        .modified(.shift, .right), .modified(.alt, .left), .modified(.control, .up),
        .modified(.control, .pageUp),
      ])
    #expect(
      keys("\u{1B}[c\u{1B}Od") == [.modified(.shift, .right), .modified(.control, .left)])
    // No modifier, several at once, and one that is no number.
    #expect(
      keys("\u{1B}[1;1C\u{1B}[1;6C\u{1B}[1;C\u{1B}[1;:C") == [.right, .right, .right, .right])
    #expect(keys("\u{1B}[eq") == [.character("q")])
  }

  @Test("keys that nobody knows are left out whole, and the next key is heard")
  func unknownSequences() {
    #expect(keys("\u{1B}[15~q") == [.character("q")])
    #expect(keys("\u{1B}[[Aq") == [.character("q")])
    #expect(keys("\u{1B}[<0;12;7Mq") == [.character("q")])
    #expect(keys("\u{1B}[200~") == [])
    #expect(keys("\u{01}\u{00}\u{0B}q") == [.character("q")])
    // Broken off by the next one.
    #expect(keys("\u{1B}[1\u{1B}[Aq") == [.up, .character("q")])
    #expect(keys("\u{1B}[" + String(repeating: "1", count: 40) + "q").count <= 2)
  }

  @Test("characters are UTF-8, and what is none is left out")
  func characters() {
    #expect(keys("gé€😀") == ["g", "é", "€", "😀"].map { .character($0) })
    var reader = KeyReader()
    #expect(reader.keys([0xFF, 0xC3, 0x28, 0xE2, 0x82]) == [.character("(")])
    #expect(reader.isWaiting)
    #expect(reader.keys([0xAC]) == [.character("€")])
    #expect(!reader.isWaiting)
  }

  @Test("Escape is a key when nothing follows it")
  func escape() {
    var reader = KeyReader()
    #expect(reader.keys([0x1B]) == [])
    #expect(reader.isWaiting)
    #expect(reader.endOfPause() == [.escape])
    #expect(!reader.isWaiting)
    #expect(reader.keys([0x1B, 0x1B]) == [.escape])
    #expect(reader.endOfPause() == [.escape])
    #expect(reader.keys("\u{1B}q".utf8) == [.escape, .character("q")])
    // The rest of a sequence that never came is no key.
    #expect(reader.keys("\u{1B}[1".utf8) == [])
    #expect(reader.endOfPause() == [.escape])
  }

  @Test("whatever a terminal sends, each byte is used up soon")
  func anything() {
    var dice = Dice(23)
    let likely = Array("\u{1B}[O;0123456789:ACa~é".utf8)
    var reader = KeyReader()
    for _ in 0..<20_000 {
      let isLikely = dice.number(0..<4) > 0
      let byte =
        isLikely
        ? likely[Int(dice.number(0..<Int64(likely.count)))] : UInt8(dice.number(0..<256))
      #expect(reader.keys([byte]).count < 40)
    }
    _ = reader.endOfPause()
    #expect(reader.keys([UInt8(ascii: "q")]) == [.character("q")])
  }

  @Test("however the bytes are cut into reads, the keys are the same")
  func pieces() {
    let text = "a\u{1B}[A\u{1B}[1;2Cé\u{1B}OD\u{1B}[5~g1:23\r\u{1B}[[Bq€"
    let bytes = Array(text.utf8)
    var whole = KeyReader()
    let expected = whole.keys(bytes)
    var dice = Dice(7)
    for _ in 0..<200 {
      var reader = KeyReader()
      var found: [Key] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int(dice.number(1..<5))
        found += reader.keys(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(found == expected)
    }
  }
}
