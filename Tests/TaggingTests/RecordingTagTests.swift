import FoundationEssentials
import TestSupport
import Testing

@testable import Tagging

/// When, where and with what something was recorded.
@Suite("Tags of a recording") struct RecordingTagTests {
  @Test("a header's date is UTC, whatever zone it is written in, as a calendar has it")
  func dates() throws {
    var random = Dice(20)
    for _ in 0..<500 {
      let second = Int.random(in: 1..<2_208_988_800, using: &random)
      let minutes = Int.random(in: -14 * 60...14 * 60, using: &random)
      func written(_ second: Int) -> String {
        Date(timeIntervalSince1970: Double(second)).formatted(Date.ISO8601FormatStyle())
      }
      let plain = written(second)
      #expect(HeaderDate(plain)?.text == plain)
      func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
      let zone = two(abs(minutes) / 60) + ":" + two(abs(minutes) % 60)
      let local = second + 60 * minutes
      guard 0..<2_208_988_800 ~= local else { continue }
      let text = written(local).dropLast() + (minutes < 0 ? "-" : "+") + zone
      #expect(HeaderDate(String(text))?.text == plain, "\(text)")
    }
  }

  @Test("a header's date may lack a time or a zone, and keeps its fraction of a second")
  func forms() {
    for (text, expected) in [
      ("2024-05-06", "2024-05-06T00:00:00Z"), ("2024-05-06 07:08", "2024-05-06T07:08:00Z"),
      ("2024-02-29T07:08:09", "2024-02-29T07:08:09Z"),
      ("2024-05-06T07:08:09.000000Z", "2024-05-06T07:08:09Z"),
      ("2024-05-06T07:08:09.250000z", "2024-05-06T07:08:09.25Z"),
      ("2024-01-01T01:00:00+0200", "2023-12-31T23:00:00Z"),
      ("2024-12-31T23:00:00-02", "2025-01-01T01:00:00Z"),
    ] { #expect(HeaderDate(text)?.text == expected, "\(text)") }
  }

  @Test(
    "what is no date, or none that a header holds, is no header's date",
    arguments: [
      "", "now", "2024", "2024-05", "2023-02-29", "2024-13-01", "2024-00-10", "2024-05-06T",
      "2024-05-06T24:00:00", "2024-05-06T07:08:09.", "2024-05-06T07:08:09+", "2024-05-06 morning",
      "1969-12-31", "1970-01-01T00:00:00Z", "2040-01-01", "2039-12-31T23:59:59-01:00",
      "2024-05-06T07:08:09+02:0", "20２4-05-06",
    ])
  func noDates(text: String) {
    #expect(HeaderDate(text) == nil)
  }

  @Test("a place is a point of ISO 6709 in any of its three forms")
  func places() throws {
    let tower = try #require(RecordingPlace("+48.8577+002.2950/"))
    for text in [
      "+48.8577+002.2950+035.000/", "+48.8577+002.2950/Paris", "+48.85770+002.29500",
      "+4851.462+00217.700/", "+485127.7+0021742.0+35/", "+48.8577+002.2950+35.0CRSWGS_84/",
    ] { #expect(try #require(RecordingPlace(text)).isNear(tower), "\(text)") }
    let other = try #require(RecordingPlace("-33.8568+151.2153/"))
    #expect(!other.isNear(tower) && !tower.isNear(other))
    for text in [
      "", "Paris", "48.8577+002.2950/", "+48.8577", "+48.8577+002.2950x",
      "+98.8577+002.2950/", "+48.8577+202.2950/", "+8.8577+002.2950/", "+48+02/", "+48+002+/",
    ] { #expect(RecordingPlace(text) == nil, "\(text)") }
  }

  @Test("Apple's names of a recording's tags are those of FFmpeg, and go back to Apple's")
  func names() {
    for (name, key) in [
      ("location.ISO6709", "location"), ("make", "make"), ("model", "model"),
      ("creationdate", "date"),
    ] {
      #expect(TagNames.key(ofQuickTime: "com.apple.quicktime." + name) == key)
      #expect(TagNames.quickTimeName(of: key) == "com.apple.quicktime." + name)
    }
    let software = "com.apple.quicktime.software"
    #expect(TagNames.key(ofQuickTime: software) == software)
    #expect(TagNames.key(ofQuickTime: "com.android.version") == "com.android.version")
    for (name, key) in [
      ("COM.APPLE.QUICKTIME.MAKE", "make"), ("COM.ANDROID.VERSION", "com.android.version"),
      ("COM.APPLE.QUICKTIME.SOFTWARE", software), ("LOCATION", "location"),
      ("OWN.Name", "OWN.Name"),
    ] { #expect(TagNames.key(ofMatroska: name) == key) }
    #expect(TagNames.key(ofApple: "make") == nil && TagNames.quickTimeName(of: "title") == nil)
    #expect(TagClass(of: "CREATION_TIME") == .headerDate && TagClass(of: "location") == .content)
  }

  /// What readers find of tags in a movie that had an atom.
  private func found(
    _ tags: [ItemList.Item], isQuickTime: Bool
  ) throws -> (list: [ItemList.Item], texts: [ItemList.Item], keys: [String: [String]]) {
    let old = AtomHead.encoded("moov", AtomHead.encoded("mvhd", [1, 2, 3]))
    let written = MovieTags(tags, isQuickTime: isQuickTime)
    let movie = try #require(written.added(to: old))
    let whole = try #require(Atom.all(in: movie[...]).first)
    #expect(whole.name == "moov" && whole.whole.count == movie.count)
    let parts = Atom.all(in: whole.body)
    #expect(parts.first?.name == "mvhd" && parts.first.map { Array($0.body) } == [1, 2, 3])
    var list: [ItemList.Item] = []
    var texts = UserData()
    for atom in parts.first(where: { $0.name == "udta" }).map({ Atom.all(in: $0.body) }) ?? [] {
      guard atom.name == "meta" else {
        texts.add(atom.name, atom.body)
        continue
      }
      let inner = Atom.all(in: atom.body.dropFirst(4))
      #expect(inner.map(\.name) == ["hdlr", "ilst"] && inner[0].body.count == 25)
      list = ItemList(parsing: inner[1].body).items
    }
    var keys: [String: [String]] = [:]
    if let meta = parts.first(where: { $0.name == "meta" }) {
      let inner = Atom.all(in: meta.body)
      #expect(inner.map(\.name) == ["hdlr", "keys", "ilst"] && inner[0].body.count == 25)
      let names = ItemList.names(parsing: inner[1].body)
      for (name, atom) in zip(names, Atom.all(in: inner[2].body)) {
        keys[name] = Atom.all(in: atom.body).map {
          String(decoding: $0.body.dropFirst(8), as: UTF8.self)
        }
      }
      #expect(keys.count == Atom.all(in: inner[2].body).count)
    }
    return (list, texts.items, keys)
  }

  private static let phone: [ItemList.Item] = [
    .init("title", ["Tower"]), .init("location", ["+48.8577+002.2950/"]),
    .init("make", ["Apple"]), .init("date", ["2024-05-06T09:08:09+0200"]),
    .init("com.apple.quicktime.software", ["17.4"]), .init("com.android.version", ["14", "15"]),
  ]

  @Test("tags of a recording are texts of the movie in MP4, and phones' own are keys")
  func mp4() throws {
    let found = try found(Self.phone, isQuickTime: false)
    #expect(Set(found.list) == Set([Self.phone[0], Self.phone[3]]))
    #expect(found.texts == [Self.phone[1], Self.phone[2]])
    #expect(
      found.keys == [
        "com.apple.quicktime.software": ["17.4"], "com.android.version": ["14", "15"],
      ])
  }

  @Test("in MOV they are keys by Apple's names, too, and so is a date with a time")
  func mov() throws {
    let found = try found(Self.phone, isQuickTime: true)
    #expect(found.texts == [Self.phone[1], Self.phone[2]])
    #expect(Set(found.list) == Set([Self.phone[0], Self.phone[3]]))
    #expect(
      found.keys == [
        "com.apple.quicktime.location.ISO6709": ["+48.8577+002.2950/"],
        "com.apple.quicktime.make": ["Apple"],
        "com.apple.quicktime.creationdate": ["2024-05-06T09:08:09+0200"],
        "com.apple.quicktime.software": ["17.4"], "com.android.version": ["14", "15"],
      ])
    #expect(try self.found([.init("date", ["2024"])], isQuickTime: true).keys == [:])
  }

  @Test("a place that is no point, and a text that is too long, are items of the list")
  func others() throws {
    let tags: [ItemList.Item] = [
      .init("location", ["Paris"]), .init("make", ["A", "B"]),
      .init("model", [String(repeating: "x", count: 70_000)]),
    ]
    let found = try found(tags, isQuickTime: true)
    #expect(Set(found.list) == Set(tags) && found.texts.isEmpty)
    #expect(MovieTags([], isQuickTime: true).isEmpty)
    #expect(!MovieTags([Self.phone[1]], isQuickTime: false).isEmpty)
  }
}
