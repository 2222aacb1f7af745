import LibAV
import TestSupport

/// A FLAC of frames without compression (RFC 9639, 9.2.4), for what no encoder writes: samples of any
/// depth, and frames whose checksums are right though the sound is another one.
struct FLACFile {
  /// Samples of all channels of a frame, one channel after the other, and the number in its head.
  struct Frame {
    var channels: [[Int32]]
    var number: Int
  }

  static let blockLength = 1024

  var bits: Int
  var frames: [Frame] = []
  /// The MD5 in the header; nil: that of the frames as they were made.
  var digest: [UInt8]
  /// Samples of each channel by the header; 0: unknown.
  var total: Int

  /// Noise of so many bits; the last frame is a short one.
  init(bits: Int, channels: Int, seed: UInt64, frameCount: Int = 12) throws {
    self.bits = bits
    var dice = Dice(seed)
    let range = Int32(truncatingIfNeeded: -(1 << (bits - 1)))...Int32((1 << (bits - 1)) - 1)
    for number in 0..<frameCount {
      let length = number == frameCount - 1 ? 100 : Self.blockLength
      let sound = (0..<channels).map { _ in
        (0..<length).map { _ in Int32.random(in: range, using: &dice) }
      }
      frames.append(Frame(channels: sound, number: number))
    }
    total = (frameCount - 1) * Self.blockLength + 100
    digest = []
    digest = try soundDigest()
  }

  /// The MD5 of the frames that there are: slowly, a sample after the other.
  func soundDigest() throws -> [UInt8] {
    var bytes: [UInt8] = []
    for frame in frames {
      for index in frame.channels[0].indices {
        for channel in frame.channels {
          let width = (bits + 7) / 8
          bytes += (0..<width).map { UInt8(truncatingIfNeeded: channel[index] >> (8 * $0)) }
        }
      }
    }
    var whole = try MD5()
    bytes.withUnsafeBytes { whole.update($0) }
    return whole.finish()
  }

  /// The file.
  var bytes: [UInt8] {
    let channels = frames.first?.channels.count ?? 1
    // STREAMINFO (8.2): the sizes of blocks, those of frames, which are unknown, 44.1 kHz, and the rest.
    var info = BitWriter()
    for size in [Self.blockLength, Self.blockLength] { info.write(size, 16) }
    for size in [0, 0] { info.write(size, 24) }
    info.write(44_100, 20)
    info.write(channels - 1, 3)
    info.write(bits - 1, 5)
    info.write(total, 36)
    return Array("fLaC".utf8) + [0x80, 0, 0, 34] + info.bytes + digest + frames.flatMap(bytes(of:))
  }

  /// A frame of one block, whose head gives its length in 16 bits, and leaves rate and depth to
  /// STREAMINFO (9.1).
  private func bytes(of frame: Frame) -> [UInt8] {
    var head: [UInt8] = [0xFF, 0xF8, 0x70, UInt8((frame.channels.count - 1) << 4)]
    head += String(UnicodeScalar(UInt8(frame.number))).utf8
    let length = (frame.channels.first?.count ?? 1) - 1
    head += [UInt8(length >> 8), UInt8(length & 0xFF)]
    head.append(head.withUnsafeBytes(Checksum.crc8))
    var body = BitWriter()
    for channel in frame.channels {
      // A subframe as it is, without wasted bits.
      body.write(0b0000_0010, 8)
      for sample in channel { body.write(Int(sample) & (1 << bits - 1), bits) }
    }
    let whole = head + body.bytes
    let sum = whole.withUnsafeBytes(Checksum.crc16)
    return whole + [UInt8(sum >> 8), UInt8(sum & 0xFF)]
  }
}

/// Bits, the highest first.
private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func write(_ value: Int, _ width: Int) {
    for place in (0..<width).reversed() {
      if count % 8 == 0 { bytes.append(0) }
      if value >> place & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
      count += 1
    }
  }
}
