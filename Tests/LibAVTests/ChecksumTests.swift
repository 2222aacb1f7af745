import LibAV
import TestSupport
import Testing

@Suite("Checksums")
struct ChecksumTests {
  @Test("the sum of bytes and zeros behind them follows from that of the bytes")
  func zeros() {
    let noise = Signal.noise(seed: 3, count: 64).map { UInt8(($0 + 1) * 127) }
    for count in [0, 1, 2, 7, 8, 255, 256, 10_000] {
      for length in [0, 1, 5, 64] {
        let bytes = Array(noise[..<length])
        let sum = bytes.withUnsafeBytes { Checksum.crc16($0) }
        let long = bytes + [UInt8](repeating: 0, count: count)
        #expect(
          Checksum.crc16(sum, thenZeros: count) == long.withUnsafeBytes { Checksum.crc16($0) })
      }
    }
  }
}
