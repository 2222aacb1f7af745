import Testing

@testable import MPEGAudio

@Suite struct FileWindowTests {
  /// A window of a file that ends at `end`, though `count` says otherwise, and what it asks for.
  private final class Rig {
    var asked: [Range<Int>] = []
    let end: Int

    init(end: Int) { self.end = end }

    func window(count: Int) -> FileWindow {
      FileWindow(count: count) { [self] offset, bytes in
        asked.append(offset..<offset + bytes.count)
        let found = max(0, min(bytes.count, end - offset))
        for index in 0..<found { bytes[index] = UInt8(truncatingIfNeeded: (offset + index) / 3) }
        return found
      }
    }
  }

  @Test("at a file's end no more is read than is there, and nothing before it")
  func tail() {
    let rig = Rig(end: 1_000_000)
    let window = rig.window(count: 1_000_000)
    #expect(window[999_872] == UInt8(truncatingIfNeeded: 999_872 / 3))
    #expect(window[999_999] == UInt8(truncatingIfNeeded: 999_999 / 3))
    #expect(rig.asked == [999_872..<1_000_000])
    // Farther before the end the bytes around it are read, too.
    #expect(window[500_000] == UInt8(truncatingIfNeeded: 500_000 / 3))
    #expect(rig.asked.last == 467_232..<729_376)
  }

  @Test("behind the end of a file that was cut short nothing is read, and all is zeros")
  func cut() {
    let rig = Rig(end: 600_000)
    let window = rig.window(count: 1_000_000)
    #expect(window[599_999] == UInt8(truncatingIfNeeded: 599_999 / 3))
    for place in [900_000, 999_999] { #expect(window.bigEndian32(at: place) == 0) }
    #expect(window.count <= 900_000)
    let asked = rig.asked
    #expect(asked.last?.lowerBound ?? 0 <= 867_232)
    for place in [900_000, 999_999] { #expect(window.bigEndian32(at: place) == 0) }
    #expect(rig.asked == asked)
  }
}
