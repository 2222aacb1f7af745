import Testing

@testable import DBus

@Suite("DBusValue") struct DBusValueTests {
  @Test(
    "the type of a value is written as the specification does",
    arguments: [
      (DBusValue.boolean(true), "b"), (.int32(1), "i"), (.int64(1), "x"), (.double(1), "d"),
      (.string("a"), "s"), (.objectPath("/a"), "o"), (.strings(["a"]), "as"),
      (.objectPaths([]), "ao"), (.array(of: "a{sv}", []), "aa{sv}"), (.dictionary([]), "a{sv}"),
    ])
  func signatures(value: DBusValue, signature: String) {
    #expect(value.signature == signature)
  }

  @Test("what no message may hold is replaced")
  func characters() {
    #expect("a\0b".fitForDBus == "a\u{FFFD}b")
    for number: UInt32 in [0xFFFE, 0x1FFFF, 0xFDD0, 0xFDEF] {
      let text = Unicode.Scalar(number).map { String(Character($0)) } ?? ""
      #expect(("a" + text).fitForDBus == "a\u{FFFD}")
    }
    #expect("Grüße, 世界 🎧".fitForDBus == "Grüße, 世界 🎧")
  }
}
