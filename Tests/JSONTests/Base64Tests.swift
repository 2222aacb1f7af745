import JSON
import TestSupport
import Testing

@Suite("Bytes as text") struct Base64Tests {
  @Test(
    "texts of RFC 4648, §10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, text: String) {
    #expect(JSONValue.base64(Array(plain.utf8)) == .text(text))
    #expect(JSONValue.text(text).base64Bytes == Array(plain.utf8))
  }

  @Test("any bytes come back, and other values have none")
  func roundTrips() {
    var dice = Dice(4)
    for count in 0..<100 {
      let bytes = dice.bytes(count)
      #expect(JSONValue.base64(bytes).base64Bytes == bytes)
    }
    #expect(JSONValue.text("Zm9v!").base64Bytes == nil)
    #expect(JSONValue.integer(4).base64Bytes == nil)
  }
}
