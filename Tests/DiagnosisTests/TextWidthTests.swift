import TestSupport
import Testing

@testable import Diagnosis

@Suite struct TextWidthTests {
  @Test("a character many times is what the library makes of it", arguments: ["a", "━", "é", "👩‍🚀"])
  func repeats(character: Character) {
    for count in [-1, 0, 1, 2, 7, 15, 16, 200] {
      #expect(character.repeated(count) == String(repeating: character, count: max(0, count)))
    }
  }

  @Test(
    "A text is as wide as terminals show it",
    arguments: [
      ("", 0), ("abc", 3), ("naïve", 5), ("nai\u{308}ve", 5), ("音声", 4), ("한국어", 6),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("ｱｲｳ", 3), ("Ａ", 2), ("🎧", 2), ("👩‍🎤", 2), ("👍🏽", 2),
      ("🇩🇪", 2), ("❤️", 2), ("é", 1), ("e\u{301}\u{323}", 1), ("…", 1), ("━", 1), ("×", 1),
      ("สวัสดี", 4), ("a\u{200B}b", 2), ("\u{AD}", 0),
    ])
  func width(text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test("What is measured quickly is as wide as character by character")
  func quickWidth() {
    var dice = Dice(4)
    let signs = Array(
      "aZ~ \u{1F}\u{7F}\u{A0}\u{AD}\u{9B}ßé×ŷ\u{2FF}\u{300}…‥━─│╿▀音🎧\u{200D}\u{FE0F}"
    )
    .flatMap(\.unicodeScalars)
    for _ in 0..<3000 {
      var text = ""
      for _ in 0..<dice.number(0..<8) {
        text.unicodeScalars.append(signs[Int(dice.number(0..<Int64(signs.count)))])
      }
      #expect(text.columns == Array(text).columns, "\(text.unicodeScalars.map(\.value))")
    }
  }

  @Test(
    "What does not fit is left out of the middle",
    arguments: [
      ("interview-part-2.flac", 21, "interview-part-2.flac"),
      ("interview-part-2.flac", 20, "interview-…rt-2.flac"),
      ("interview-part-2.flac", 5, "in…ac"), ("interview-part-2.flac", 4, "in…c"),
      ("interview-part-2.flac", 2, "i…"), ("interview-part-2.flac", 1, "…"),
      ("interview-part-2.flac", 0, ""), ("interview-part-2.flac", -3, ""), ("", 0, ""),
      ("音声ファイル.wav", 11, "音声フ….wav"), ("音声ファイル", 6, "音…ル"), ("👩‍🎤👩‍🎤👩‍🎤", 5, "👩‍🎤…👩‍🎤"),
    ])
  func shortened(text: String, limit: Int, result: String) {
    #expect(text.shortened(to: limit) == result)
  }

  @Test("Shortened text fits at every limit, and uses it but for the half of a wide character")
  func shortenedFits() {
    for text in ["interview-part-2.flac", "音声ファイル第二部.wav", "a音b声cフdァe", "👩‍🎤👍🏽🇩🇪❤️naïve"] {
      for limit in 0...text.columns + 2 {
        let width = text.shortened(to: limit).columns
        #expect(width <= limit)
        #expect(width >= min(limit, text.columns) - 2)
      }
    }
  }

  @Test("Padding counts columns, and leaves alone what is wide enough")
  func padded() {
    #expect("音声".padded(to: 6) == "音声  ")
    #expect("音声".aligned(to: 6) == "  音声")
    #expect("abc".padded(to: 2) == "abc")
    #expect("abc".aligned(to: 2) == "abc")
  }

  @Test("A name gives the terminal no orders and stays one line")
  func printable() {
    #expect("a\u{1B}[31mb\n\rc\tü 音\u{7F}".printable == "a�[31mb��c�ü 音�")
    #expect("x\u{202E}3pm\u{2066}\u{2028}\u{9B}2J".printable == "x�3pm���2J")
    #expect("👩‍🎤".printable == "👩‍🎤")
  }
}
