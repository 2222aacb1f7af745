/// Sound without a header, and what a WAV's header would say of it: libavformat reads one with it.
package struct HeaderlessSound: Sendable, Hashable {
  /// `WAVE_FORMAT_…`: 1 for integers, 3 for floats, 6 for A-law, 7 for mu-law.
  private let code: UInt16
  private let bits: Int
  private let channelCount: Int
  private let sampleRate: Int
  private let isBigEndian: Bool
  private let start: Int64

  /// Samples of `bits`, with the lowest byte first unless `isBigEndian`, from the byte `start` on.
  package init(
    code: UInt16, bits: Int, channelCount: Int, sampleRate: Int, isBigEndian: Bool, start: Int64 = 0
  ) {
    (self.code, self.bits, self.channelCount) = (code, bits, channelCount)
    (self.sampleRate, self.isBigEndian, self.start) = (sampleRate, isBigEndian, max(0, start))
  }

  /// `source` behind a header. What of it is no whole frame is left out.
  ///
  /// - Throws: As `source`.
  func headed(_ source: any ByteSource) throws -> SplicedBytes {
    let frameSize = channelCount * bits / 8
    let size = max(0, try source.size() - start) / Int64(frameSize) * Int64(frameSize)
    // A size of 32 bits that is open: up to the end.
    let announced = size < 0x7FFF_0000 ? size : 0xFFFF_FFFF
    func bytes(_ number: Int64, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
      return isBigEndian ? little.reversed() : little
    }
    let format =
      bytes(Int64(code), 2) + bytes(Int64(channelCount), 2) + bytes(Int64(sampleRate), 4)
      + bytes(Int64(sampleRate * frameSize), 4) + bytes(Int64(frameSize), 2)
      + bytes(Int64(bits), 2)
    let head =
      Array((isBigEndian ? "RIFX" : "RIFF").utf8) + bytes(min(announced + 36, 0xFFFF_FFFF), 4)
      + Array("WAVEfmt ".utf8) + bytes(Int64(format.count), 4) + format + Array("data".utf8)
      + bytes(announced, 4)
    return SplicedBytes(source, [.bytes(head), .range(start..<start + size)])
  }
}

extension ByteSource {
  /// These bytes as a WAV of `sound`.
  ///
  /// - Throws: `LibAVError` where they cannot be counted.
  func headed(_ sound: HeaderlessSound) throws(LibAVError) -> any ByteSource {
    do { return try sound.headed(self) } catch { throw LibAVError(reading: error) }
  }
}
