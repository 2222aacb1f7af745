import Testing

@testable import Tagging

@Suite("The index of a movie in front of its media") struct MovieIndexTests {
  private func bytes(_ number: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  /// An index of two tracks, whose chunks lie at these places.
  private func movie(_ tables: [(name: String, places: [UInt64])]) -> [UInt8] {
    let tracks = tables.flatMap { table -> [UInt8] in
      let width = table.name == "co64" ? 8 : 4
      var body: [UInt8] = [0, 0, 0, 0] + bytes(UInt64(table.places.count), 4)
      for place in table.places { body += bytes(place, width) }
      var atom = AtomHead.encoded("stts", [1, 2, 3]) + AtomHead.encoded(table.name, body)
      for name in ["stbl", "minf", "mdia", "trak"] { atom = AtomHead.encoded(name, atom) }
      return atom
    }
    return AtomHead.encoded(
      "moov", AtomHead.encoded("mvhd", [7]) + tracks + AtomHead.encoded("udta", [0, 0, 0, 0]))
  }

  private func inFront(_ movie: [UInt8]) -> [UInt8]? {
    var movie = movie
    return MovieIndex.placeInFront(&movie) ? movie : nil
  }

  @Test("all places are later by the size of the index, and nothing else changes")
  func moved() throws {
    let old = movie([("stco", [40, 90]), ("co64", [70, 1 << 33]), ("stco", [])])
    let size = UInt64(old.count)
    let new = movie([
      ("stco", [40 + size, 90 + size]), ("co64", [70 + size, 1 << 33 + size]), ("stco", []),
    ])
    #expect(inFront(old) == new)
  }

  @Test(
    "places that 32 bits do not hold get 64, and all are later by the size that the index then has")
  func widened() throws {
    let last = UInt64(UInt32.max)
    let old = movie([("stco", [40, last]), ("stco", [50])])
    let size = UInt64(old.count + 8)
    #expect(
      inFront(old)
        == movie([("co64", [40 + size, last + size]), ("stco", [50 + size])]))
  }

  @Test("an atom around a table that becomes wider may have a size of 64 bits")
  func longHead() throws {
    let body = AtomHead.encoded("stco", [0, 0, 0, 0, 0, 0, 0, 1] + bytes(UInt64(UInt32.max), 4))
    func movie(_ body: [UInt8]) -> [UInt8] {
      AtomHead.encoded(
        "moov", bytes(1, 4) + Array("trak".utf8) + bytes(UInt64(body.count + 16), 8) + body)
    }
    let place = UInt64(UInt32.max) + UInt64(movie(body).count + 4)
    let wide = AtomHead.encoded("co64", [0, 0, 0, 0, 0, 0, 0, 1] + bytes(place, 8))
    #expect(inFront(movie(body)) == movie(wide))
  }

  @Test("what is no index, or damaged, is refused")
  func refused() {
    let movie = movie([("stco", [40])])
    #expect(inFront([]) == nil)
    #expect(inFront(Array(movie.dropLast())) == nil)
    #expect(inFront(movie + [0]) == nil)
    #expect(inFront(AtomHead.encoded("free", [])) == nil)
    let table = AtomHead.encoded("stco", [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 40])
    #expect(inFront(AtomHead.encoded("moov", table)) == nil)
    #expect(inFront(AtomHead.encoded("moov", [1, 2, 3])) == nil)
  }
}
