import TestSupport
import Testing

@testable import Transcripts

/// Character references of HTML in texts of WebVTT.
@Suite struct CharacterReferenceTests {
  private func file(_ text: String) -> String {
    "WEBVTT\n\n00:00.000 --> 00:01.000\n\(text)\n"
  }

  @Test(
    "Names of HTML 4 and numbers are characters",
    arguments: [
      ("caf&eacute; &hellip; &copy;", "café … ©"), ("&yuml;&nbsp;&szlig;", "ÿ\u{A0}ß"),
      ("&Alpha;&alpha;&omega;&thetasym;", "Ααωϑ"), ("&euro;&mdash;&rarr;&diams;", "€—→♦"),
      ("&lang;&rang;&quot;&apos;&AMP;", "⟨⟩\"'&"), ("&lt;i&gt; &amp;amp;", "<i> &amp;"),
      ("&#233;&#xE9;&#Xe9;&#x1F600;", "ééé😀"), ("&#0000000000000065;", "A"),
      ("&#0;&#xD800;&#x110000;&#99999999999;", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
      // Numbers of Windows-1252.
      ("&#133;&#x92;&#146;", "…’’"),
    ])
  func known(markup: String, text: String) {
    let (transcript, messages) = TranscriptBench.read(Array(file(markup).utf8))
    #expect(transcript.cues.map(\.text) == [text])
    #expect(messages == [])
    #expect(TranscriptBench.read(transcript.bytes(as: .vtt)).transcript == transcript)
  }

  @Test(
    "Numbers, and the names that HTML has without a semicolon, end where they end",
    arguments: [
      ("a &amp", "a &"), ("1 &lt 3 &GTx", "1 < 3 >x"), ("caf&eacutes &copyright", "cafés ©right"),
      ("&notit &sup &frac12 &yumlx", "¬it &sup ½ ÿx"), ("&#65 &#x42g&#67", "A BgC"),
      ("&#65a;&#x41", "Aa;A"), ("&euro &hellip &apos &alpha", "&euro &hellip &apos &alpha"),
    ])
  func unclosed(markup: String, text: String) {
    let (transcript, messages) = TranscriptBench.read(Array(file(markup).utf8))
    #expect(transcript.cues.map(\.text) == [text])
    #expect(messages == [])
    #expect(TranscriptBench.read(transcript.bytes(as: .vtt)).transcript == transcript)
  }

  @Test("Names of symbols are each a character of their own")
  func names() {
    let words =
      "OElig Scaron fnof circ tilde Dagger permil image weierp real trade alefsym crarr forall nabla "
      + "notin prod radic infin there4 cong asymp equiv nsub supe oplus perp sdot lceil rfloor loz hearts"
    let names = words.split(separator: " ")
    let text = names.map { "&\($0);" }.joined()
    let read = TranscriptBench.read(Array(file(text).utf8)).transcript.cues.first?.text ?? ""
    #expect(read.unicodeScalars.count == names.count)
    #expect(Set(read.unicodeScalars).count == names.count)
  }

  @Test("What is unknown is kept as it is, and each is counted")
  func unknown() {
    let text = "&unknown; &EACUTE; &#; &#x; &copyright; &unknown;"
    #expect(TranscriptBench.cues(file(text)) == ["0-1000 \(text)"])
    // `&#;` and `&#x;` have no number, and are no references.
    #expect(
      TranscriptBench.messages(file(text)) == [
        "4:1: note: 4 character references are unknown and kept as they are"
      ])
  }

  @Test(
    "A bare ampersand is text, and nothing to note",
    arguments: [
      "R&D", "Q & A; B", "&", "&;", "AT&T", "&hearts", "&-x;", "&&", "&1;",
      "&\(String(repeating: "x", count: 33));",
    ])
  func bare(text: String) {
    #expect(TranscriptBench.cues(file(text)) == ["0-1000 \(text)"])
    #expect(TranscriptBench.messages(file(text)) == [])
  }
}
