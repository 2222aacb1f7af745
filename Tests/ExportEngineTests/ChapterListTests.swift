import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import ExportEngine

/// Lists of chapters as bytes, of any kind.
@Suite struct ChapterListTests {
  /// An element of EBML with a size of four bytes.
  private func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] {
    let size = UInt32(body.count)
    return id + [0x10 | UInt8(size >> 24), UInt8(size >> 16 & 0xFF)]
      + [UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)] + body
  }

  private func atom(_ start: UInt8, _ title: String, _ more: [UInt8] = []) -> [UInt8] {
    element(
      [0xB6],
      element([0x91], [start]) + element([0x80], element([0x85], Array(title.utf8))) + more)
  }

  private func edition(_ body: [UInt8]) -> [UInt8] { element([0x45, 0xB9], body) }

  private func read(_ bytes: [UInt8]) -> MatroskaChapters { MatroskaChapters(bytes[...]) }

  @Test("nested chapters follow the one that holds them, down to a depth, and in a number")
  func nesting() {
    let found = read(edition(atom(1, "A", atom(2, "B")) + atom(3, "C\u{0}\u{0}")))
    #expect(found.chapters.map(\.title) == ["A", "B", "C"])
    #expect(found.chapters.map(\.start) == [1, 2, 3] && found.oddities == [])
    var nested: [UInt8] = []
    for _ in 0..<40 { nested = atom(1, "N", nested) }
    let deep = read(edition(nested))
    #expect(deep.chapters.count == 16)
    #expect(deep.oddities == ["has more chapters, or chapters in chapters, than are read"])
    let many = read(edition((0..<10_001).flatMap { _ in atom(1, "") }))
    #expect(many.chapters.count == 10_000 && many.isTooLong)
    // Atoms of two bytes.
    let empty = read(edition((0..<1 << 20).flatMap { _ in [0xB6, 0x80] as [UInt8] }))
    #expect(empty.chapters == [] && empty.isTooLong)
  }

  @Test("chapters that break off, or are damaged, are read as far as they go")
  func damage() {
    let whole = edition(atom(1, "A", atom(2, "B")) + atom(3, "C"))
    #expect(read([]).chapters == [])
    for count in whole.indices {
      #expect(read(Array(whole.prefix(count))).chapters == [])
      for byte: UInt8 in [0, 0x7F, 0xFF] {
        var damaged = whole
        damaged[count] = byte
        #expect(read(damaged).chapters.count <= 3)
      }
    }
  }

  private func nero(_ entries: [(UInt64, String)], version: UInt8 = 1) -> [UInt8] {
    var bytes: [UInt8] = [version, 0, 0, 0]
    if version > 0 { bytes += [0, 0, 0, 0] }
    bytes.append(UInt8(entries.count))
    for (start, title) in entries {
      withUnsafeBytes(of: start.bigEndian) { bytes += $0 }
      bytes.append(UInt8(title.utf8.count))
      bytes += title.utf8
    }
    return bytes
  }

  @Test("Nero's list is read in both of its versions, and as far as it goes")
  func neroList() {
    for version: UInt8 in [0, 1] {
      let bytes = nero([(0, "A"), (20_000_000, "Bé")], version: version)
      let list = NeroChapters(bytes)
      #expect(list.chapters.map(\.start) == [0, 20_000_000])
      #expect(list.chapters.map { String(decoding: $0.title, as: UTF8.self) } == ["A", "Bé"])
      for count in bytes.indices {
        #expect(NeroChapters(Array(bytes.prefix(count))).chapters.count < 2)
      }
    }
  }

  @Test("a list agrees with another one if players show the same by both")
  func agreement() {
    func chapters(_ list: [(Int64, String)]) -> [Chapter] {
      list.map { Chapter(start: Time(value: $0.0, timescale: 1000), title: $0.1) }
    }
    let own = NeroChapters(nero([(0, ""), (5_000_000, "A"), (20_000_000, "B")]))
    #expect(own.agrees(with: chapters([(500, "A"), (2000, "B")])))
    #expect(own.agrees(with: chapters([(520, "A"), (1980, "B")])))
    #expect(!own.agrees(with: chapters([(500, "A"), (2100, "B")])))
    #expect(!own.agrees(with: chapters([(500, "A"), (2000, "C")])))
    #expect(!own.agrees(with: chapters([(500, "A")])))
    #expect(NeroChapters(nero([])).agrees(with: chapters([(500, "A")])))
    let long = String(repeating: "ä", count: 200)
    let cut = NeroChapters(nero([(0, String(long.prefix(127)))]))
    #expect(cut.agrees(with: chapters([(0, long)])))
    // As many as there is room for.
    let full = NeroChapters(nero((0..<255).map { (UInt64($0) * 10_000_000, "C\($0)") }))
    #expect(full.agrees(with: chapters((0..<400).map { (Int64($0) * 1000, "C\($0)") })))
    #expect(!full.agrees(with: chapters((0..<400).map { (Int64($0) * 1000, "D\($0)") })))
  }
}
