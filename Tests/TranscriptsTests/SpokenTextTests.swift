import Testing
import Transcripts

/// Texts that sound alike are alike.
@Suite struct SpokenTextTests {
  @Test(
    "Case, punctuation, spaces, width and kinds of apostrophes do not count",
    arguments: [
      ("  So, let us\nBEGIN — now! ", "so let us begin now"),
      ("don’t 'quote' me", "don't quote me"),
      ("Straße ﬁn ΣΊΣΥΦΟΣ", "strasse fin σίσυφοσ"), ("Ｆｕｌｌ　２", "full 2"), ("m²  ①", "m2 1"),
      ("so\u{AD}ft\u{200B} \u{202E}x", "soft x"), ("$5, 100%", "$5 100"), ("…", ""),
      ("e\u{301}t\u{E9}", "été"), ("¿Qué?", "qué"), ("rock 'n' roll", "rock n roll"),
      ("İstanbul", "i\u{307}stanbul"), ("你好。", "你好"),
      ("3.5.", "3.5"), ("1,000, 2", "1,000 2"), ("3..5 3, 5 v2.x", "35 3 5 v2x"), ("３．５", "3.5"),
    ])
  func folding(text: String, folded: String) {
    #expect(SpokenText.folded(text) == folded)
    #expect(SpokenText.folded(folded) == folded)
  }

  @Test(
    "Texts are joined with a blank, but for letters of scripts without spaces and their punctuation",
    arguments: [
      (["one", "", "two"], "one two"), (["今日は", "いい", "天気"], "今日はいい天気"),
      (["สวัสดี", "ครับ"], "สวัสดีครับ"), (["好。", "好"], "好。好"), (["안녕", "하세요"], "안녕 하세요"),
      (["私の", "Mac"], "私の Mac"), (["Mac", "、", "iPhone"], "Mac、iPhone"), ([], ""),
    ])
  func joining(texts: [String], joined: String) {
    #expect(SpokenText.joined(texts) == joined)
    #expect(SpokenText.onOneLine(" " + texts.joined(separator: "\r\n \t") + "\n") == joined)
  }

  @Test("Blanks within a line stay, whatever the script")
  func blanks() {
    #expect(SpokenText.onOneLine("今日は  いい\n天気") == "今日は いい天気")
  }

  @Test("Words are what spaces part")
  func words() {
    #expect(SpokenText.words(of: "You — know, don't you?") == ["you", "know", "don't", "you"])
  }
}
