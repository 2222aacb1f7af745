import Testing

@testable import LibAV

@Suite("Sizes of WAVs")
struct WaveSizeTests {
  /// An RF64 of `fileSize` bytes, of which the head alone is there, with these sizes of its sound.
  private func header(short: UInt32, long: UInt64, fileSize: Int64) throws -> WaveHeader? {
    func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var head = Array("RF64".utf8) + bytes(UInt32.max) + Array("WAVEds64".utf8)
    head += bytes(UInt32(28)) + bytes(UInt64(0)) + bytes(long) + bytes(UInt64(0)) + bytes(UInt32(0))
    head += Array("fmt ".utf8) + bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(2))
    head += bytes(UInt32(44100)) + bytes(UInt32(176_400)) + bytes(UInt16(4)) + bytes(UInt16(16))
    head += Array("data".utf8) + bytes(short)
    return try WaveHeader(size: fileSize) { offset, count in
      let count = max(0, min(Int64(count), fileSize - offset))
      return (offset..<offset + count).map { $0 < head.count ? head[Int($0)] : 0x80 }
    }
  }

  @Test("a size of 64 bits counts where that of 32 is its lower half, or stands for it")
  func long() throws {
    let long: UInt64 = 5 << 30
    for short in [UInt32.max, UInt32(truncatingIfNeeded: long)] {
      let wave = try #require(try header(short: short, long: long, fileSize: 80 + Int64(long)))
      #expect(wave.soundSize == Int64(long) && !wave.hasUselessLongSize && wave.unclaimedSize == 0)
    }
  }

  @Test(
    "a size of 64 bits counts beside one of 32 bits that was left at 0, also if the file is shorter"
  )
  func longBesideNone() throws {
    for (fileSize, missing) in [(80 + 4000 as Int64, 0 as Int64), (80 + 3000, 1000)] {
      let wave = try #require(try header(short: 0, long: 4000, fileSize: fileSize))
      #expect(wave.announcedSize == 4000 && wave.missingSize == missing)
      #expect(!wave.hasUselessLongSize && wave.unclaimedSize == 0)
    }
  }

  @Test("another size of 32 bits is the sound's", arguments: [0, 1000, 1 << 40] as [UInt64])
  func short(long: UInt64) throws {
    let wave = try #require(try header(short: 4000, long: long, fileSize: 80 + 4000))
    #expect(wave.soundSize == 4000 && wave.announcedSize == 4000 && wave.hasUselessLongSize)
  }

  @Test("a size of 32 bits that has wrapped is found beside an empty one of 64 bits, too")
  func wrapped() throws {
    let size = Int64(1) << 32 + 400_000
    let wave = try #require(try header(short: 400_000, long: 0, fileSize: 80 + size))
    #expect(wave.soundSize == size && wave.isWrapped)
  }
}
