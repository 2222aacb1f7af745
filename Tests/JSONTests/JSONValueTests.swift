import JSON
import Testing

@Suite struct JSONValueTests {
  private let value = JSONValue.members([
    "z": 1, "a": nil, "m": [true, .null, [:]], "e": [], "o": ["x": "y"],
  ])

  @Test("members keep their order, and what has no value is left out")
  func order() {
    #expect(value.line == #"{"z":1,"m":[true,null,{}],"e":[],"o":{"x":"y"}}"#)
    #expect(
      value.document() == """
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

  @Test("lists and objects that fit into the columns stand on one line")
  func columns() {
    #expect(
      value.document(columns: 21) == """
        {
          "z": 1,
          "m": [true, null, {}],
          "e": [],
          "o": { "x": "y" }
        }

        """)
    let line = "{ \"z\": 1, \"m\": [true, null, {}], \"e\": [], \"o\": { \"x\": \"y\" } }\n"
    #expect(value.document(columns: line.count - 1) == line)
    #expect(value.document(columns: line.count - 2) != line)
  }

  @Test("a time has its exact text beside it in an object, and stands alone in a list")
  func times() {
    let time = JSONValue.seconds(1001.0 / 30000, exact: "1001/30000s")
    #expect(
      JSONValue.members(["start": time, "n": 1]).line
        == #"{"start":0.033367,"start_exact":"1001/30000s","n":1}"#)
    #expect(JSONValue.list([time]).line == "[0.033367]")
    #expect(JSONValue.elapsed(.milliseconds(1500) + .nanoseconds(1)).line == "1.5")
  }

  @Test("text comes out as JSON has it, and gives a terminal no orders")
  func text() throws {
    #expect(
      JSONValue.text("\"\\/\n\r\t\u{0}\u{1B}\u{7F}\u{9B}\u{2028}é🎧").line
        == #""\"\\/\n\r\t\u0000\u001B\u007F\u009B\u2028é🎧""#)
    // Marks of direction, and what is a command to the runner of a CI.
    let odd = "\u{202E}a\u{200F}b\u{2066}c\u{61C} ##[d] ###vso[e]"
    #expect(
      JSONValue.text(odd).line
        == #""\u202Ea\u200Fb\u2066c\u061C #\u0023[d] #\u0023\u0023vso[e]""#)
    #expect(try JSONValue(reading: JSONValue.text(odd).line.utf8) == .text(odd))
  }

  @Test(
    "numbers are rounded half away from zero, and have no zeros behind",
    arguments: [
      (0, 3, "0"), (1, 3, "1"), (1.5, 3, "1.5"), (-0.0625, 3, "-0.063"), (0.0005, 3, "0.001"),
      (-0.0001, 3, "0"), (12.3456, 2, "12.35"), (0.05, 1, "0.1"), (1e300, 3, "null"),
      (.infinity, 3, "null"), (.nan, 3, "null"), (2.5, 0, "3"),
    ] as [(Double, Int, String)])
  func numbers(value: Double, decimals: Int, text: String) {
    #expect(JSONValue.number(value, decimals: decimals).line == text)
  }
}
