import JSON
import TestSupport
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
  @Test("what is written is read again, member for member and digit for digit")
  func roundTrip() throws {
    let value: JSONValue = [
      "z": [1, -9_223_372_036_854_775_808, 0], "a": .number(-16.025, decimals: 2),
      "b": [true, false, .null, [:], []], "exact": .seconds(0.25, exact: "1/4s"),
      "text": "ü\u{0}\n\"\\\u{1F600}\u{2028}", "": "",
    ]
    for text in [value.line, value.document(), value.document(columns: 40)] {
      let read = try JSONValue(reading: text.utf8)
      #expect(read.line == value.line)
      #expect(read.members.map(\.name) == ["z", "a", "b", "exact", "exact_exact", "text", ""])
    }
  }

  @Test(
    "numbers keep their decimals, and those that are no integers are numbers",
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("1.50", .number(1.5, decimals: 2)),
      ("1e2", .number(100, decimals: 15)), ("-2.5E-1", .number(-0.25, decimals: 15)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808, decimals: 0)),
    ] as [(String, JSONValue)])
  func numbers(text: String, value: JSONValue) throws {
    #expect(try JSONValue(reading: text.utf8) == value)
  }

  @Test(
    "a member that comes twice counts as it comes last, and of a number the written text counts")
  func members() throws {
    let value = try JSONValue(reading: #"{"a": 1, "b": -16.0249, "a": "x"}"#.utf8)
    #expect(value["a"]?.text == "x" && value["b"]?.number == -16.0249 && value["c"] == nil)
    #expect(JSONValue.number(-16.0249, decimals: 2).number == -16.02)
  }

  @Test(
    "what is no JSON is refused, with the place",
    arguments: [
      ("", "a value is missing at byte 0"), ("nul", "a value is missing at byte 0"),
      ("[1,]", "a value is missing at byte 3"), ("[1 2]", "',' or ']' is missing at byte 3"),
      (#"{"a"}"#, "':' is missing at byte 4"), (#"{"a":1,}"#, "a name is missing at byte 7"),
      (#"{"a":1"#, "',' or '}' is missing at byte 6"),
      ("1 2", "something follows the value at byte 2"),
      ("01", "something follows the value at byte 1"), ("1.", "a digit is missing at byte 2"),
      ("-", "a digit is missing at byte 1"), ("1e", "a digit is missing at byte 2"),
      ("1e999", "a number is too large at byte 5"), ("\"", "'\"' is missing at byte 1"),
      ("\"\n\"", "a control character is not escaped at byte 1"),
      (#""\x""#, "an escape is unknown at byte 2"),
      (#""\u12g4""#, "four digits are missing at byte 3"),
      (#""\ud800""#, "half of a surrogate pair is missing at byte 7"),
      (#""\udc00""#, "half of a surrogate pair is missing at byte 7"),
      (#""\ud800\u0041""#, "half of a surrogate pair is missing at byte 13"),
      ("\u{FEFF}1", "a value is missing at byte 0"),
      (String(repeating: "[", count: 300), "there are too many levels at byte 200"),
    ])
  func refusals(text: String, message: String) {
    #expect { try JSONValue(reading: text.utf8) } throws: { "\($0)" == message }
  }

  @Test("values are taken one by one, and what is skipped is checked as well")
  func oneByOne() throws {
    let text = #"{"a": 12.50e1, "b": [1, {"c": "x"}], "d": "\ud800y", "e": [}]}"#
    var reader = JSONReader(Array(text.utf8), levels: 3)
    var found: [String] = []
    #expect {
      try reader.eachMember { reader, name throws(JSONValue.ReadingError) in
        switch name {
        case "a":
          let number = try reader.numberText()
          found.append(String(decoding: reader.bytes[number], as: UTF8.self))
        case "d":
          let (bytes, hasHalfPair) = try reader.looseText()
          found.append(String(decoding: bytes, as: UTF8.self) + "\(hasHalfPair)")
        default: try reader.skip()
        }
      }
    } throws: {
      "\($0)" == "a value is missing at byte 59"
    }
    #expect(found == ["12.50e1", "\u{FFFD}ytrue"])
  }

  @Test("texts of careless writers are read if that is asked for")
  func careless() throws {
    var reader = JSONReader([0x22, 0xC3, 0x0A, 0x22])
    #expect(try reader.looseText().bytes == [0xC3, 0x0A])
    var list = JSONReader(Array("[[[]]]".utf8), levels: 2)
    #expect { try list.skip() } throws: { "\($0)" == "there are too many levels at byte 2" }
  }

  @Test("bytes that are not UTF-8 are refused")
  func encoding() {
    #expect(throws: JSONValue.ReadingError.self) {
      try JSONValue(reading: [0x22, 0xC3, 0x28, 0x22])
    }
  }

  @Test("damaged texts are accepted or refused as Python's reader does")
  func damaged() throws {
    var dice = Dice(19)
    let seed = Array(
      #"{"a":[1,-2.5e3,true,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":{},"d":[]},"e":0.125}"#.utf8)
    let letters = Array(#"{}[]",:\u0123-+.eEtrfalsn "#.utf8)
    let texts = (0..<400).map { _ in
      var text = seed
      for _ in 0...(dice.next() % 3) {
        let place = Int(dice.next() % UInt64(text.count))
        switch dice.next() % 3 {
        case 0: text.remove(at: place)
        case 1: text.insert(letters[Int(dice.next() % UInt64(letters.count))], at: place)
        default: text[place] = letters[Int(dice.next() % UInt64(letters.count))]
        }
      }
      return text
    }
    let folder = TestFolder()
    try writeFile(folder.path("texts"), Array(texts.joined(separator: [0x0A])))
    // Python takes halves of surrogate pairs, and is told not to.
    let script = """
      import json, sys
      for line in open(sys.argv[1], 'rb'):
        try: json.dumps(json.loads(line), ensure_ascii=False).encode(); print(1, end='')
        except ValueError: print(0, end='')
      """
    let theirs = try Tool.succeed("/usr/bin/python3", "-c", script, folder.path("texts")).text
    let ours = texts.map { (try? JSONValue(reading: $0)) == nil ? "0" : "1" }.joined()
    #expect(ours == theirs)
  }
}
