import FoundationEssentials
import TestSupport
import Testing

@testable import MediaComposition

@Suite("Descriptions of filters")
struct FilterDescriptionTests {
  @Test(
    "names and arguments are parted by FFmpeg's rules of quoting",
    arguments: [
      ("treble", ["treble:"]), ("treble=g=2", ["treble:g=2"]), (" treble = g=2 ", ["treble:g=2"]),
      ("treble=g=2,bass", ["treble:g=2", "bass:"]),
      ("volume=enable='between(t,1,2)':volume=2", ["volume:enable=between(t,1,2):volume=2"]),
      (#"volume=between(t\,1\,2)"#, ["volume:between(t,1,2)"]),
      (#"volume='a\b'\'c\ "#, [#"volume:a\b'c "#]), ("'tre'ble=' x '", ["treble: x "]),
      ("pan=stereo|c0=c1|c1=c0", ["pan:stereo|c0=c1|c1=c0"]),
    ])
  func parses(text: String, filters: [String]) throws {
    let description = try FilterDescription(parsing: text)
    #expect(description.filters.map { "\($0.name):\($0.arguments)" } == filters)
    #expect("\(description)" == text)
    let there = try JSONEncoder().encode(description)
    #expect(try JSONDecoder().decode(FilterDescription.self, from: there) == description)
  }

  @Test(
    "other syntax, and what is not allowed, is refused",
    arguments: [
      "", " ", "=", ",treble", "treble,", "treble=g='2", #"treble=g=2\"#, "[a]treble", "treble[a]",
      "treble;bass", "TREBLE", "treble@a=g=2", "amovie=a.wav", #"amo\vie=a"#, "'amovie'",
      "ladspa=f=x", "volume=while(1,1)", #"volume=wh\il'e'( 1,1)"#, "volume=random(0)*time(0)",
      "volume='whi\tle(1,1)'", "volume='whi\n\u{B}\u{C}\rle(1,1)'",
      "volume=while(\u{301}1,1)", "volume=\u{D4E}while(1,1)",
      String(repeating: "bass,", count: 33) + "bass", String(repeating: "b", count: 5000),
    ])
  func refuses(text: String) throws {
    #expect(throws: FilterRefusal.self) { try FilterDescription(parsing: text) }
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(FilterDescription.self, from: try JSONEncoder().encode(text))
    }
  }

  @Test("what is taken of any text is allowed, and taken again as it was")
  func anyText() throws {
    var dice = Dice(5)
    let pieces = [
      "treble", "bass", "amovie", "g=2", "=", ",", ":", "'", "\\", " ", "[a]", ";", "while(", "é",
      "\n",
    ]
    var taken = 0
    for _ in 0..<20_000 {
      let text = (0..<dice.number(0..<7)).map { _ in
        pieces[Int(dice.number(0..<Int64(pieces.count)))]
      }.joined()
      guard let filter = try? FilterDescription(parsing: text) else { continue }
      taken += 1
      #expect(filter.filters.allSatisfy { FilterTable.allowed.contains($0.name) }, "\(text)")
      // Quoted as a whole, names and arguments are what they were.
      let quoted = filter.filters.map { "\(Self.quoted($0.name))=\(Self.quoted($0.arguments))" }
      let again = try FilterDescription(parsing: quoted.joined(separator: ","))
      #expect(again.filters == filter.filters, "\(text)")
    }
    #expect(taken > 500)
  }

  private static func quoted(_ text: String) -> String {
    text.split(separator: "'", omittingEmptySubsequences: false).map { "'\($0)'" }
      .joined(separator: "\\'")
  }

  @Test("FFmpeg's audio filters are allowed, refused with a reason, or of no use here")
  func table() throws {
    #expect(FilterTable.allowed.isDisjoint(with: FilterTable.refused.keys))
    let list = try Tool.succeed("ffmpeg", "-hide_banner", "-filters").text
    // Names of filters with one input and one output of sound.
    let names = list.split(separator: "\n").compactMap { line -> String? in
      let words = line.split(separator: " ")
      return words.count > 2 && words[2] == "A->A" ? String(words[1]) : nil
    }
    #expect(names.count > 90)
    #expect(FilterTable.allowed.isSubset(of: names))
    let unnamed = Set(names).subtracting(FilterTable.allowed).subtracting(FilterTable.refused.keys)
    // They measure, do nothing, or are made for other programs; FFmpeg 6 has no "adrc" yet, and 7 no
    // "afifo" any more.
    #expect(
      unnamed.subtracting(["adrc", "afifo"]).sorted() == [
        "abench", "acopy", "aderivative", "aeval", "aexciter", "aintegral", "alatency", "anull",
        "aperms", "ashowinfo", "asidedata", "aspectralstats", "astats", "drmeter", "hdcd",
        "mcompand", "replaygain", "silencedetect", "volumedetect",
      ])
  }
}
