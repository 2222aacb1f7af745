import Tagging
import Testing

/// An edit list in an index whose other parts stay as they are.
@Suite("Edit lists") struct EditListTests {
  private func word(_ number: UInt64, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64(count - 1 - $0))) }
  }

  private func atom(_ name: String, _ body: [UInt8]) -> [UInt8] {
    word(UInt64(body.count + 8)) + Array(name.utf8) + body
  }

  /// A header with two dates, a number, and a duration behind `gap` bytes.
  private func header(
    _ name: String, _ number: UInt64, gap: Int = 0, duration: UInt64, isWide: Bool = false
  ) -> [UInt8] {
    let width = isWide ? 8 : 4
    return atom(
      name,
      [isWide ? 1 : 0, 0, 0, 0] + word(1, width) + word(2, width) + word(number)
        + word(0, gap) + word(duration, width) + [7, 7, 7])
  }

  private func track(
    _ id: UInt64, _ handler: String, lasting duration: UInt64, timescale: UInt64 = 60_000,
    isWide: Bool = false, edits: [UInt8] = []
  ) -> [UInt8] {
    let media = atom(
      "mdia",
      header("mdhd", timescale, duration: 5, isWide: isWide)
        + atom("hdlr", word(0, 8) + Array(handler.utf8) + [0]) + atom("minf", [1, 2]))
    return atom(
      "trak",
      header("tkhd", id, gap: 4, duration: duration, isWide: isWide)
        + (edits.isEmpty ? [] : atom("edts", edits)) + media)
  }

  private func movie(
    _ tracks: [UInt8], lasting duration: UInt64, isWide: Bool = false
  ) -> [UInt8] {
    atom(
      "moov",
      header("mvhd", 48_000, duration: duration, isWide: isWide) + tracks + atom("udta", [9]))
  }

  private func entries(_ entries: [(UInt64, Int64)], width: Int = 4) -> [UInt8] {
    let list = entries.flatMap { entry -> [UInt8] in
      word(entry.0, width) + word(UInt64(bitPattern: entry.1), width) + [0, 1, 0, 0]
    }
    return atom(
      "elst", [width == 8 ? 1 : 0, 0, 0, 0] + word(UInt64(entries.count)) + list)
  }

  @Test(
    "a list replaces that of the picture, and the lengths of the track and the movie follow",
    arguments: [false, true])
  func replaced(isWide: Bool) {
    let sound = track(1, "soun", lasting: 1000)
    let before = movie(
      sound + track(2, "vide", lasting: 77, isWide: isWide, edits: entries([(5, 5)])),
      lasting: 1000, isWide: isWide)
    // Ends at 1.25 ticks of the track for one of the movie.
    let list = EditList([
      .init(shown: 100..<1000, media: 300), .init(shown: 1000..<1001, media: 2000),
      .init(shown: 1001..<3000, media: 5000),
    ])
    let after = movie(
      sound
        + track(
          2, "vide", lasting: 2400, isWide: isWide,
          edits: entries([(80, -1), (720, 300), (1, 2000), (1599, 5000)])),
      lasting: 2400, isWide: isWide)
    #expect(list.put(into: before, handler: "vide", timescale: 60_000) == after)
  }

  @Test("a track without a list gets one, and an edit without a length none")
  func added() {
    let before = movie(track(2, "vide", lasting: 7), lasting: 9000)
    let list = EditList([
      .init(shown: 0..<0, media: 1), .init(shown: 0..<5 << 32, media: 1 << 33),
    ])
    let duration = (UInt64(5) << 32) * 4 / 5
    let after = movie(
      track(
        2, "vide", lasting: UInt64(UInt32.max),
        edits: entries([(duration, 1 << 33)], width: 8)), lasting: UInt64(UInt32.max))
    #expect(list.put(into: before, handler: "vide", timescale: 60_000) == after)
  }

  @Test("a list may show more exactly than its track counts")
  func finer() {
    let before = movie(track(1, "soun", lasting: 7, timescale: 24_000), lasting: 7)
    let after = movie(
      track(1, "soun", lasting: 1001, timescale: 24_000, edits: entries([(1001, 2529)])),
      lasting: 1001)
    let list = EditList([.init(shown: 0..<1001, media: 2529)])
    #expect(
      list.put(into: before, handler: "soun", timescale: 24_000, shownIn: 48_000) == after)
  }

  @Test("of several tracks of a kind, the one at a place gets the list")
  func ofSeveral() {
    let others = (track(1, "soun", lasting: 70), track(2, "vide", lasting: 80))
    let before = movie(others.0 + others.1 + track(3, "soun", lasting: 90), lasting: 90)
    let list = EditList([.init(shown: 50..<100, media: 5)])
    let after = movie(
      others.0 + others.1 + track(3, "soun", lasting: 80, edits: entries([(40, -1), (40, 5)])),
      lasting: 80)
    #expect(list.put(into: before, handler: "soun", at: 1, timescale: 60_000) == after)
    for place in [nil, 2] {
      #expect(list.put(into: before, handler: "soun", at: place, timescale: 60_000) == nil)
    }
  }

  @Test("what is no index with one such track is refused")
  func refused() {
    let picture = track(2, "vide", lasting: 7)
    let list = EditList([.init(shown: 0..<100, media: 0)])
    let whole = movie(picture, lasting: 7)
    let others = [
      [], Array(whole.dropLast()), whole + [0], atom("free", [1]), atom("moov", picture),
      movie(track(1, "soun", lasting: 7), lasting: 7), movie(picture + picture, lasting: 7),
      movie(track(2, "vide", lasting: 7, timescale: 90_000), lasting: 7),
    ]
    for bytes in others {
      #expect(list.put(into: bytes, handler: "vide", timescale: 60_000) == nil)
    }
    for count in 0..<whole.count {
      #expect(list.put(into: Array(whole.prefix(count)), handler: "vide", timescale: 1) == nil)
    }
  }
}
