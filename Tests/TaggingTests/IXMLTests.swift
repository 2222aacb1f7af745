import TestSupport
import Testing

@testable import Tagging

/// Texts of `iXML` that are replaced where they stand.
@Suite("iXML") struct IXMLTests {
  private let text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- <BWFXML> in a comment -->
    <BWFXML>
      <IXML_VERSION>1.61</IXML_VERSION>
      <SCENE a=">">12/A &amp; B</SCENE>
      <SPEED>
        <FILE_SAMPLE_RATE> 48000 </FILE_SAMPLE_RATE>
        <TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>1</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>
        <TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>5</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>
        <NOTE/>
      </SPEED>
      <SYNC_POINT_LIST>
        <SYNC_POINT_COUNT>3</SYNC_POINT_COUNT>
        <SYNC_POINT><SYNC_POINT_TYPE>RELATIVE</SYNC_POINT_TYPE><SYNC_POINT_LOW>100</SYNC_POINT_LOW>\
    <SYNC_POINT_HIGH>0</SYNC_POINT_HIGH></SYNC_POINT>
        <SYNC_POINT><SYNC_POINT_TYPE>RELATIVE</SYNC_POINT_TYPE><SYNC_POINT_LOW>10</SYNC_POINT_LOW>\
    </SYNC_POINT>
        <SYNC_POINT><SYNC_POINT_TYPE>ABSOLUTE</SYNC_POINT_TYPE><SYNC_POINT_LOW>7</SYNC_POINT_LOW>\
    <SYNC_POINT_HIGH>1</SYNC_POINT_HIGH></SYNC_POINT>
      </SYNC_POINT_LIST>
      <TRACK_LIST><TRACK><NAME>Boom</NAME></TRACK></TRACK_LIST>
      <BEXT><BWF_TIME_REFERENCE_LOW>5</BWF_TIME_REFERENCE_LOW></BEXT>
    </BWFXML>
    """

  private func read(_ text: String) -> (IXML, [ChunkDefect.Problem]) {
    var defects: [ChunkDefect] = []
    let value = IXML(Array(text.utf8), defects: &defects)
    return (value, defects.map(\.problem))
  }

  private func written(_ value: IXML) -> String { String(decoding: value.bytes, as: UTF8.self) }

  @Test("texts are found by the names of their elements, and nothing is expanded")
  func finds() {
    let (value, problems) = read(text)
    #expect(problems.isEmpty)
    #expect(value.number("SPEED/FILE_SAMPLE_RATE") == 48_000)
    #expect(value.texts("SCENE") == ["12/A &amp; B"])
    #expect(value.texts("TRACK_LIST/TRACK/NAME") == ["Boom"])
    #expect(value.timestamp == 0x1_0000_0005)
    #expect(value.texts("BWFXML").isEmpty && value.number("SCENE") == nil)
    #expect(written(value) == text)
  }

  @Test("replacing a text leaves every other byte")
  func replaces() {
    var (value, _) = read(text)
    let places = ["SPEED/FILE_SAMPLE_RATE", "SCENE", "SPEED", "SPEED/NOTE", "MISSING"]
    let texts = ["44100", "<1> & 2", "x", "x", "x"]
    let isSet = zip(places, texts).map { value.set($0, to: $1) }
    #expect(isSet == [true, true, false, false, false])
    value.setTimestamp(0x2_0000_0009)
    #expect(value.timestamp == 0x2_0000_0009)
    let expected =
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        switch true {
        case line.contains("FILE_SAMPLE_RATE"):
          "    <FILE_SAMPLE_RATE>44100</FILE_SAMPLE_RATE>"
        case line.contains("SCENE"): "  <SCENE a=\">\">&lt;1&gt; &amp; 2</SCENE>"
        case line.contains("MIDNIGHT_HI"):
          "    <TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>2</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI>"
        case line.contains("MIDNIGHT_LO"):
          "    <TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>9</TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO>"
        case line.contains("<BEXT>"):
          "  <BEXT><BWF_TIME_REFERENCE_LOW>9</BWF_TIME_REFERENCE_LOW></BEXT>"
        default: String(line)
        }
      }.joined(separator: "\n")
    #expect(written(value) == expected)
  }

  @Test("an element goes with what it holds")
  func removes() {
    var (value, _) = read(text)
    let isGone = [value.remove("TRACK_LIST"), value.remove("TRACK_LIST")]
    #expect(isGone == [true, false])
    #expect(value.texts("TRACK_LIST/TRACK/NAME").isEmpty)
    #expect(
      written(value)
        == text.split(separator: "<TRACK_LIST><TRACK><NAME>Boom</NAME></TRACK></TRACK_LIST>")
        .joined())
  }

  @Test("sync points move, and those that are cut off go")
  func syncPoints() {
    var (value, _) = read(text)
    var seen: [Bool] = []
    value.moveSyncPoints { frame, isAbsolute in
      seen.append(isAbsolute)
      return frame < 50 ? nil : frame + 1
    }
    #expect(seen == [false, false, true])
    #expect(value.texts("SYNC_POINT_LIST/SYNC_POINT/SYNC_POINT_LOW") == ["101", "8"])
    #expect(value.texts("SYNC_POINT_LIST/SYNC_POINT/SYNC_POINT_HIGH") == ["0", "1"])
    #expect(value.number("SYNC_POINT_LIST/SYNC_POINT_COUNT") == 2)
  }

  @Test("a bomb of entities is passed over")
  func bomb() {
    let (value, problems) = read(
      """
      <!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><BWFXML><NOTE>&b;</NOTE>\
      <SCENE><![CDATA[<TAPE>1</TAPE>]]></SCENE></BWFXML>
      """)
    #expect(problems.isEmpty && value.texts("NOTE") == ["&b;"])
    #expect(value.texts("SCENE") == ["<![CDATA[<TAPE>1</TAPE>]]>"] && value.texts("TAPE").isEmpty)
  }

  @Test("XML that does not end, pair or nest sanely is read up to its fault")
  func broken() {
    #expect(read("<a><b>1</b><c>").1.count == 1)
    #expect(read("<a><b>1</b><c>").0.texts("b") == ["1"])
    #expect(read("<a><b>1</b></c><d>2</d>").0.texts("d").isEmpty)
    for text in ["<", "<!--", "<![CDATA[", "<?", "<!D", "</", "<a b='>", "</a>", "\u{FEFF}<a/>x"] {
      #expect(read(text).0.elements.isEmpty)
    }
    #expect(read("").1.isEmpty)
    let deep = String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)
    #expect(read(deep).0.elements.count == 15 && read(deep).1.isEmpty)
    let many = "<x>" + String(repeating: "<a/>", count: 100_001) + "</x>"
    #expect(read(many).0.elements.count == 100_000 && read(many).1 == [.tooMany(limit: 100_000)])
    var defects: [ChunkDefect] = []
    #expect(IXML([0xFF, 0xFE, 0x3C, 0], defects: &defects).elements.isEmpty && defects.count == 1)
  }
}
