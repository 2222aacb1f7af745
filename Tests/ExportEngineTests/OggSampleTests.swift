import Diagnosis
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Pages here and there in an Ogg file")
struct OggSampleTests {
  private let folder = TestFolder()

  /// The pages of a link, one second each.
  private func link(
    _ serial: Int, pages: Int, of sizes: ClosedRange<Int> = 3000...6000, dice: inout Dice
  ) -> [[UInt8]] {
    (0..<pages).map { number in
      func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
      let size = Int.random(in: sizes, using: &dice)
      let lacing = [UInt8](repeating: 255, count: size / 255) + [UInt8(size % 255)]
      let flags: UInt8 = number == 0 ? 2 : number == pages - 1 ? 4 : 0
      // Pages on which no packet ends have no position.
      let granule = number % 5 == 3 ? -1 : number * 48_000
      return Array("OggS".utf8) + [0, flags] + bytes(granule, 8) + bytes(serial, 4)
        + bytes(number, 4) + bytes(0, 4) + [UInt8(lacing.count)] + lacing
        + [UInt8](repeating: 0, count: size)
    }
  }

  private func countsUp(_ pages: [[UInt8]]) throws -> Bool {
    let bytes = pages.flatMap { $0 }
    let path = folder.path("a.ogg")
    try writeFile(path, bytes)
    return try OggSample.countsUp(
      in: MediumBytes(.file(FilePath(path))), to: Array(bytes.suffix(1 << 17)))
  }

  @Test("links of one serial number are found behind 64 KiB or a seventh, and one link is one")
  func chains() throws {
    var dice = Dice(11)
    for _ in 0..<40 {
      let counts = (0..<2).map { _ in 2 + Int(dice.number(0..<(1 << dice.number(1..<9)))) }
      let first = link(5, pages: counts[0], dice: &dice)
      let second = link(5, pages: counts[1], dice: &dice)
      #expect(try countsUp(first), "\(counts)")
      let (lead, size) = (first.joined().count, (first + second).joined().count)
      guard lead < 1 << 16 || lead >= size / 7 + 1 << 14 else { continue }
      #expect(try !countsUp(first + second), "\(counts)")
    }
  }

  @Test("links with pages of up to twice the size are found, too")
  func sizes() throws {
    var dice = Dice(12)
    for (one, other) in [(8000...8200, 4200...4400), (4200...4400, 8000...8200)] {
      for count in [10, 20, 30, 60, 100, 150] {
        let chain =
          link(5, pages: count, of: one, dice: &dice) + link(5, pages: 120, of: other, dice: &dice)
        #expect(try !countsUp(chain), "\(count)")
      }
    }
  }

  @Test("streams beside one another are one link, and one that begins later is none of it")
  func streams() throws {
    var dice = Dice(13)
    let (one, other) = (link(5, pages: 200, dice: &dice), link(6, pages: 200, dice: &dice))
    let both = zip(one, other).flatMap { [$0, $1] }
    #expect(try countsUp(both))
    #expect(try !countsUp(one + other))
    #expect(try !countsUp(Array(one.dropLast(100)) + other + Array(one.suffix(100))))
    // Pages may be longer than what is looked at first.
    #expect(try countsUp(link(5, pages: 20, of: 60_000...65_000, dice: &dice)))
  }
}
