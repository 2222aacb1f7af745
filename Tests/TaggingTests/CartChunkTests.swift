import TestSupport
import Testing

@testable import Tagging

/// The chunks `cart` and `chna`.
@Suite("Carts and channel allocations") struct CartChunkTests {
  private let names = ["title", "artist", "000123", "client", "SPOT", "class", "out"]

  /// AES46-2002, 4: each field at its offset.
  private var literal: [UInt8] {
    Field.all(
      Field.name("0101"), names.flatMap { Field.text($0, 64) }, Field.name("2026/11/29"),
      Field.name("07:30:00"), Field.name("2027/01/31"), Field.name("23:59:59"),
      Field.text("avjob", 64), Field.text("0.2", 64), Field.text("user", 64),
      Field.little(32_768), Field.name("SEGs"), Field.little(441_000), Field.name("EOD "),
      Field.little(1_000_000), Field.zeros(48), Field.zeros(276),
      Field.text("https://example.org", 1024), Field.name("free\r\n"))
  }

  @Test("all fields are read and written where the standard has them")
  func literalFields() throws {
    var defects: [ChunkDefect] = []
    #expect(literal.count == 2048 + 6)
    let cart = try #require(CartChunk(literal, defects: &defects))
    #expect(defects.isEmpty)
    #expect(
      [
        cart.title, cart.artist, cart.cutID, cart.clientID, cart.category, cart.classification,
        cart.outCue,
      ] == names)
    #expect(cart.startDate == "2026/11/29" && cart.endTime == "23:59:59")
    #expect(cart.producerID == "avjob" && cart.userText == "user" && cart.levelReference == 32_768)
    #expect(
      cart.postTimers == [
        .init(usage: "SEGs", frame: 441_000), .init(usage: "EOD ", frame: 1_000_000),
      ])
    #expect(cart.url == "https://example.org" && cart.text == "free\r\n")
    #expect(cart.bytes() == literal && cart.losses.isEmpty)
  }

  @Test("post timers without a usage are none, and negative ones are named")
  func timers() throws {
    var bytes = literal
    bytes.replaceSubrange(684..<692, with: Field.text("    ", 4) + Field.little(7))
    bytes.replaceSubrange(692..<700, with: Array("AUDe".utf8) + Field.little(0xFFFF_FFFF))
    var defects: [ChunkDefect] = []
    let cart = try #require(CartChunk(bytes, defects: &defects))
    #expect(cart.postTimers.isEmpty)
    #expect(defects.map(\.problem) == [.badValue(field: "post timer AUDe")])
    var full = CartChunk()
    full.postTimers = (0..<9).map { .init(usage: "T\($0)", frame: $0) }
    #expect(full.losses.map(\.problem) == [.tooMany(limit: 8)])
    let again = CartChunk(full.bytes(), defects: &defects)
    #expect(again?.postTimers.map(\.usage) == (0..<8).map { "T\($0)  " })
  }

  @Test("codes of timers that are no ASCII keep their bytes")
  func oddCodes() throws {
    for code in [[0xFF, 0xFE, 0x20, 0x20], [0x80, 0x81, 0x9D, 0xE9]] as [[UInt8]] {
      var bytes = literal
      bytes.replaceSubrange(692..<700, with: code + Field.little(9))
      var defects: [ChunkDefect] = []
      let cart = try #require(CartChunk(bytes, defects: &defects))
      #expect(cart.postTimers.count == 2 && cart.bytes() == bytes)
    }
  }

  @Test("texts that nobody changes keep their bytes in any encoding")
  func storedTexts() throws {
    var bytes = literal + [0xE9]
    bytes.replaceSubrange(4..<68, with: [UInt8](repeating: 0xFC, count: 64))
    var defects: [ChunkDefect] = []
    var cart = try #require(CartChunk(bytes, defects: &defects))
    #expect(cart.bytes() == bytes && cart.losses.isEmpty)
    cart.category = "NEWS"
    bytes.replaceSubrange(260..<324, with: Field.text("NEWS", 64))
    #expect(cart.bytes() == bytes)
  }

  @Test("a short cart gives what it has, and what is written reads as the same")
  func shortAndRoundTrips() {
    var defects: [ChunkDefect] = []
    let short = CartChunk(Array(literal.prefix(500)), defects: &defects)
    #expect(short?.title == "title" && short?.postTimers.isEmpty == true)
    #expect(defects.map(\.problem) == [.short(has: 500, needs: 2048)])
    #expect(CartChunk([], defects: &defects) == nil)
    var dice = Dice(46)
    for _ in 0..<200 {
      var cart = CartChunk()
      (cart.title, cart.cutID, cart.endDate) = (dice.text(64), dice.text(64), dice.text(10))
      (cart.url, cart.text) = (dice.text(1024), dice.text(100))
      cart.levelReference = Int32(truncatingIfNeeded: dice.next())
      cart.postTimers = (0..<dice.number(0..<9)).map { _ in
        .init(usage: "INTs", frame: dice.word() >> 1)
      }
      let isBig = dice.bit()
      defects = []
      let again = CartChunk(cart.bytes(isBigEndian: isBig), isBigEndian: isBig, defects: &defects)
      #expect(again == cart && defects.isEmpty)
    }
  }
}
