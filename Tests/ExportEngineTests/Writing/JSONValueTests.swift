import SystemPackage
import Testing

@testable import ExportEngine

@Suite struct JSONValueTests {
  @Test("Members keep their order, and what has no value is left out")
  func order() {
    let value = JSONValue.members([
      "z": .count(1), "a": nil, "m": .list([.boolean(true), .null, .object([])]),
      "e": .list([]), "o": .members(["x": .text("y")]),
    ])
    #expect(value.line == #"{"z":1,"m":[true,null,{}],"e":[],"o":{"x":"y"}}"#)
    #expect(
      value.document == """
        {
          "z": 1,
          "m": [
            true,
            null,
            {}
          ],
          "e": [],
          "o": {
            "x": "y"
          }
        }

        """)
  }

  @Test("Text comes out as JSON has it, and gives a terminal no orders")
  func text() {
    #expect(
      JSONValue.text("\"\\/\n\r\t\u{0}\u{1B}\u{7F}\u{9B}\u{2028}é🎧").line
        == #""\"\\/\n\r\t\u0000\u001B\u007F\u009B\u2028é🎧""#)
  }

  @Test(
    "Numbers are rounded half away from zero, and have no zeros behind",
    arguments: [
      (0, 3, "0"), (1, 3, "1"), (1.5, 3, "1.5"), (-0.0625, 3, "-0.063"), (0.0005, 3, "0.001"),
      (-0.0001, 3, "0"), (12.3456, 2, "12.35"), (0.05, 1, "0.1"), (1e300, 3, "null"),
      (.infinity, 3, "null"), (.nan, 3, "null"), (2.5, 0, "3"),
    ] as [(Double, Int, String)])
  func numbers(value: Double, decimals: Int, text: String) {
    #expect(JSONValue.number(value, decimals: decimals).line == text)
  }

  @Test("A path that is no text is there twice: to be read, and to be found")
  func paths() {
    #expect(JSONValue.file("a b.wav", ["n": .count(1)]).line == #"{"path":"a b.wav","n":1}"#)
    #expect(
      JSONValue.file(FilePath(platformString: [97, -1, 0]), [:]).line
        == #"{"path":"a�","path_hex":"61ff"}"#)
  }
}
