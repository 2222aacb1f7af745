import Tagging
import Testing

@testable import LibAV

/// What the track of an MP4 shows of a sound.
@Suite("Edits of sounds") struct SoundSpanTests {
  /// Packets of 1,024 ticks from `first` on, whose sound begins at `start`; all but the last are whole.
  private func span(
    from first: Int64, heardFrom start: Int64, count: Int64 = 4, last: Int64 = 1024,
    clock: Int32 = 48_000, precision: Int64 = 1
  ) throws -> SoundSpan {
    var span = SoundSpan(clock: clock, precision: precision, at: first)
    for number in 0..<count {
      let packet = try [UInt8(1)].span.withUnsafeBytes { bytes in
        try Packet(copying: bytes, timestamp: 0)
      }
      packet.retime(to: first + 1024 * number, lasting: number == count - 1 ? last : 1024)
      span.add(packet, heardFrom: start)
    }
    return span
  }

  @Test("an encoder's delay before a sound that begins late is not shown")
  func late() throws {
    let list = try span(from: 69_920, heardFrom: 70_944).list(timescale: 48_000)
    #expect(list == EditList([.init(shown: 70_944..<74_016, media: 1024)]))
  }

  @Test("a delay that is partly before the file's clock is not shown either")
  func partlyBefore() throws {
    let list = try span(from: -524, heardFrom: 500, last: 24).list(timescale: 48_000)
    #expect(list == EditList([.init(shown: 500..<2572, media: 1024)]))
  }

  @Test("the delay counts in the track's ticks, and an end between two of them is exact")
  func core() throws {
    let late = try span(from: 2000, heardFrom: 4000, count: 3).list(timescale: 24_000)
    #expect(late == EditList([.init(shown: 4000..<5072, media: 1000)]))
    let between = try span(from: -2048, heardFrom: 0, last: 1023).list(timescale: 24_000)
    #expect(between == EditList([.init(shown: 0..<2047, media: 1024)]))
  }

  @Test("libavformat's own list stays where it says the same")
  func same() throws {
    #expect(try span(from: -1024, heardFrom: 0).list(timescale: 48_000) == nil)
    #expect(try span(from: -1524, heardFrom: -500).list(timescale: 48_000) == nil)
    #expect(try span(from: 500, heardFrom: 500).list(timescale: 48_000) == nil)
    // Matroska's milliseconds: 21 of them are 1,008 samples.
    #expect(try span(from: -1008, heardFrom: 16, precision: 48).list(timescale: 48_000) == nil)
  }
}
