import TestSupport
import Testing

@testable import Tagging

/// Markers of AIFF and CAF, which have the highest byte first.
@Suite("Markers of AIFF and CAF") struct MarkersTests {
  @Test("markers, comments and the instrument are written as AIFF 1.3 has them")
  func literalAIFF() {
    let marks = Field.all(
      Field.big(2, 2), Field.big(1, 2), Field.big(44_100), [3], Field.name("beg"),
      Field.big(2, 2), Field.big(88_200), [2], Field.name("en"), [0])
    let comments = Field.all(
      Field.big(1, 2), Field.big(3_800_000_000), Field.big(2, 2), Field.big(3, 2),
      Field.name("why"), [0])
    let instrument = Field.all(
      [60, 0xFB, 0, 127, 1, 127, 0xFF, 0xFA], [0, 1, 0, 1, 0, 2], [0, 2, 0, 2, 0, 1])
    var defects: [ChunkDefect] = []
    let value = AIFFMarkers(
      marks: marks, comments: comments, instrument: instrument, defects: &defects)
    #expect(defects.isEmpty)
    #expect(
      value.markers == [
        .init(id: 1, frame: 44_100, name: "beg"), .init(id: 2, frame: 88_200, name: "en"),
      ])
    #expect(value.comments == [.init(time: 3_800_000_000, marker: 2, text: "why")])
    #expect(value.instrument?.playing.fineTune == -5 && value.instrument?.playing.gain == -6)
    #expect(value.instrument.flatMap { value.frames(of: $0.sustain) } == 44_100..<88_200)
    #expect(value.instrument.flatMap { value.frames(of: $0.release) } == nil)
    #expect(value.frames(of: .init(mode: 0, begin: 1, end: 2)) == nil)
    #expect(value.markBytes == marks && value.commentBytes == comments)
    #expect(value.instrumentBytes == instrument && value.losses.isEmpty)
    #expect(AIFFMarkers().markBytes == nil && AIFFMarkers().commentBytes == nil)
  }

  @Test("a marker's number 0, a count without markers and a text without an end are named")
  func brokenAIFF() {
    var defects: [ChunkDefect] = []
    let marks = Field.all(
      Field.big(0xFFFF, 2), Field.big(0, 2), Field.big(9), [200], Field.name("cut"))
    let value = AIFFMarkers(
      marks: marks, comments: Field.big(7, 2), instrument: [1], defects: &defects)
    #expect(value.markers == [.init(id: 0, frame: 9, name: "cut")] && value.instrument == nil)
    #expect(
      defects.map(\.problem) == [
        .short(has: 12, needs: 209), .badID(0), .overstated(announced: 0xFFFF, found: 1),
        .overstated(announced: 7, found: 0),
        .unreadable(has: 1, needs: 20),
      ])
    var long = AIFFMarkers()
    long.markers = [.init(id: 1, frame: 0, name: String(repeating: "x", count: 256))]
    #expect(long.losses.map(\.problem) == [.cut(field: "marker", limit: 255)])
    #expect(long.markBytes?.count == 2 + 6 + 256)
  }

  @Test("the last letter of a text in Windows-1252 stays, and one that 255 bytes cut goes")
  func lastLetters() {
    func marks(_ name: [UInt8]) -> [UInt8] {
      Field.all(
        Field.big(1, 2), Field.big(1, 2), Field.big(9), [UInt8(name.count)], name,
        Field.zeros((name.count + 1) % 2))
    }
    let cafe: [UInt8] = [0x63, 0x61, 0x66, 0xE9]
    let comments = Field.all(
      Field.big(1, 2), Field.big(7), Field.big(1, 2), Field.big(4, 2), cafe)
    var defects: [ChunkDefect] = []
    let value = AIFFMarkers(marks: marks(cafe), comments: comments, defects: &defects)
    #expect(value.markers.map(\.name) == ["café"] && value.comments.map(\.text) == ["café"])
    #expect(
      defects.map(\.problem) == [
        .guessedEncoding(field: "marker"), .guessedEncoding(field: "comment"),
      ])
    defects = []
    let full = [UInt8](repeating: 0x78, count: 254) + [0xC3]
    let cut = AIFFMarkers(marks: marks(full), defects: &defects)
    #expect(cut.markers.map(\.name.utf8.count) == [254] && defects.isEmpty)
    let strings = Field.all(Field.big(1), Field.big(1), Field.big(0, 8), cafe, [0])
    let mark = Field.all(
      Field.big(0), Field.big(1), Field.zeros(4), Field.big((1.0).bitPattern, 8), Field.big(1),
      Field.zeros(12))
    let core = CAFMarkers(marks: mark, strings: strings, defects: &defects)
    #expect(core.markers.map(\.name) == ["café"])
    #expect(defects.map(\.problem) == [.guessedEncoding(field: "name")])
  }

  @Test("stored comments are the bytes that they were, and a cut one is whole again")
  func storedComments() {
    let first = Field.all(Field.big(7), Field.big(0, 2), Field.big(3, 2), [0x61, 0xE9, 0x62, 0])
    let cut = Field.all(Field.big(8), Field.big(5, 2), Field.big(900, 2), [0x63, 0x64])
    let found = AIFFMarkers.storedComments(in: Field.big(9, 2) + first + cut)
    let whole = Field.all(Field.big(8), Field.big(5, 2), Field.big(2, 2), [0x63, 0x64])
    #expect(found.map(\.marker) == [0, 5] && found.map(\.bytes) == [first, whole])
    #expect(AIFFMarkers.commentBytes(of: found) == Field.big(2, 2) + first + whole)
    #expect(AIFFMarkers.commentBytes(of: []) == nil && AIFFMarkers.storedComments(in: []).isEmpty)
  }

  @Test("markers of CAF have their names in another chunk")
  func literalCAF() {
    let none = [UInt8](repeating: 0xFF, count: 8)
    let marks = Field.all(
      Field.big(0), Field.big(2), Field.zeros(4), Field.big((48_000.0).bitPattern, 8),
      Field.big(1), none, Field.zeros(4), Field.name("rbeg"),
      Field.big((96_000.0).bitPattern, 8), Field.big(2), none, Field.big(1))
    let strings = Field.all(
      Field.big(2), Field.big(1), Field.big(0, 8), Field.big(2), Field.big(4, 8),
      Field.name("One\0Zwö\0"))
    var defects: [ChunkDefect] = []
    let value = CAFMarkers(marks: marks, strings: strings, defects: &defects)
    #expect(
      value.markers == [
        .init(frame: 48_000, id: 1, name: "One"),
        .init(type: CAFMarkers.Marker.regionStart, frame: 96_000, id: 2, name: "Zwö", channel: 1),
      ])
    #expect(value.markBytes == marks && value.stringBytes == strings && defects.isEmpty)
    #expect(CAFMarkers().markBytes == nil)
    #expect(CAFMarkers([.init(frame: 1, id: 1)]).stringBytes == nil)
  }

  @Test("positions that are no frames, and names that lie nowhere, are left out")
  func brokenCAF() {
    func mark(_ position: Double) -> [UInt8] {
      Field.zeros(4) + Field.big(position.bitPattern, 8) + Field.big(1) + Field.zeros(12)
    }
    let positions: [Double] = [.nan, .infinity, -1, 1e300, 2.4]
    let marks = Field.big(0) + Field.big(0xFFFF_FFFF) + positions.flatMap(mark)
    func entry(_ id: UInt64, _ offset: Int64) -> [UInt8] {
      Field.big(id) + Field.big(UInt64(bitPattern: offset), 8)
    }
    let strings = Field.all(
      Field.big(4), entry(3, .max), entry(4, -1), entry(5, 9), entry(1, 0), [0x61])
    var defects: [ChunkDefect] = []
    let value = CAFMarkers(marks: marks, strings: strings, defects: &defects)
    #expect(value.markers.map(\.frame) == [2] && value.markers.first?.name == "a")
    #expect(
      defects.map(\.problem) == [
        .badValue(field: "offset"), .overstated(announced: 0xFFFF_FFFF, found: 5),
        .badValue(field: "position"),
      ])
  }

  @Test("100,000 names that share one text are not copied each")
  func sharedText() {
    let entries = (0..<UInt64(1000)).flatMap { Field.big($0) + Field.big(0, 8) }
    let strings = Field.big(1000) + entries + [UInt8](repeating: 0x61, count: 10_000)
    var defects: [ChunkDefect] = []
    let value = CAFMarkers(marks: Field.zeros(8), strings: strings, defects: &defects)
    #expect(value.markers.isEmpty)
    #expect(defects.map(\.problem) == [.inconsistent("texts overlap")])
  }

  @Test("what is written reads as the same")
  func roundTrips() {
    var dice = Dice(1904)
    for _ in 0..<300 {
      var (aiff, caf) = (AIFFMarkers(), CAFMarkers())
      for id in 1..<UInt16(dice.number(2..<20)) {
        aiff.markers.append(.init(id: id, frame: dice.word(), name: dice.text(255)))
        aiff.comments.append(.init(time: dice.word(), marker: id, text: dice.text(300)))
        caf.markers.append(
          .init(
            type: dice.bit() ? CAFMarkers.Marker.regionEnd : 0, frame: dice.next() >> 11,
            id: UInt32(id),
            name: dice.bit() ? dice.text(30) : nil, smpteTime: dice.bytes(8)))
      }
      var playing = InstrumentChunk()
      playing.gain = Int16(truncatingIfNeeded: dice.next())
      aiff.instrument = .init(playing: playing, sustain: .init(mode: 1, begin: 1, end: 2))
      var defects: [ChunkDefect] = []
      #expect(
        AIFFMarkers(
          marks: aiff.markBytes, comments: aiff.commentBytes, instrument: aiff.instrumentBytes,
          defects: &defects) == aiff)
      #expect(
        CAFMarkers(marks: caf.markBytes ?? [], strings: caf.stringBytes, defects: &defects) == caf)
      #expect(defects.isEmpty)
    }
  }
}
