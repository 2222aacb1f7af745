import TestSupport
import Testing

@testable import Tagging

@Suite("Tables of a movie's sound, exchanged for others")
struct MovieTablesTests {
  private func atom(_ name: String, _ parts: [UInt8]...) -> [UInt8] {
    AtomHead.encoded(name, parts.flatMap(\.self))
  }

  private func word(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private func track(_ handler: String, _ tables: [UInt8]...) -> [UInt8] {
    atom(
      "trak", atom("tkhd", [1, 2, 3]),
      atom(
        "mdia", atom("hdlr", word(0) + word(0) + Array(handler.utf8) + word(0)),
        atom("minf", atom("smhd", word(0)), AtomHead.encoded("stbl", tables.flatMap(\.self)))))
  }

  private let pictures = Array("pictures".utf8)

  @Test("the sound's have the new ones, the sizes around them grow, and all else stays")
  func exchanged() throws {
    let old = atom("stsz", word(0) + word(0) + word(2) + word(7) + word(8))
    let own = [atom("stsd", [5]), atom("stts", [1]), old, atom("co64", word(0)), atom("sgpd", [6])]
    let other = track("vide", atom("stts", pictures), old)
    let movie = atom(
      "moov", atom("mvhd", [9]), other, track("soun", own.flatMap(\.self)), atom("udta", [4]))
    let times = atom("stts", word(1) + word(2))
    let places = atom("stco", word(77))
    var dice = Dice(3)
    for count in [0, 1, 2, 1000] {
      let tables = try #require(
        MovieTables(
          replacing: ["stts": times, "stco": places, "sbgp": atom("sbgp", [1])], lengths: count,
          in: movie))
      let lengths = (0..<count).flatMap { _ in word(Int(dice.number(0..<1 << 32))) }
      let sizes = atom("stsz", word(0) + word(0) + word(count) + lengths)
      let wanted = atom(
        "moov", atom("mvhd", [9]), other,
        track("soun", atom("stsd", [5]), times, sizes, places, atom("sgpd", [6])),
        atom("udta", [4]))
      #expect(tables.front + lengths + tables.behind == wanted)
    }
  }

  @Test("an index without sound, with two tables of lengths, or of 4 GiB, is refused")
  func refused() {
    let sizes = atom("stsz", word(0) + word(0) + word(0))
    #expect(MovieTables(replacing: [:], lengths: 1, in: atom("moov", track("vide", sizes))) == nil)
    let twice = atom("moov", track("soun", sizes, sizes))
    #expect(MovieTables(replacing: [:], lengths: 1, in: twice) == nil)
    let one = atom("moov", track("soun", sizes))
    #expect(MovieTables(replacing: [:], lengths: 1, in: one) != nil)
    #expect(MovieTables(replacing: [:], lengths: 1 << 30, in: one) == nil)
    #expect(MovieTables(replacing: [:], lengths: 1, in: one + [0]) == nil)
    #expect(MovieTables(replacing: [:], lengths: 1, in: []) == nil)
  }
}
