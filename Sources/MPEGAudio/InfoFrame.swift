/// The silent first frame of an MP3, with facts that headers cannot hold: Xing's header (frames,
/// bytes, a table of contents) with LAME's extension (delay and padding, how it was encoded, CRCs).
///
/// It is made from the frames as they are written, so that it is right for frames that no one
/// encoder made in a row. It says what LAME's own would (`PutLameVBR` and `lame_get_lametag_frame`
/// in LAME's VbrTag.c; "Mp3 Info Tag rev 1"), except that the table of contents has true positions,
/// where LAME's is a sum of bit rates, and that there is a frame also where LAME leaves it out
/// because the stream's are too small.
///
/// Holds 512 KiB at most, however long the stream is.
package struct InfoFrame: Sendable {
  /// Bytes of the frame.
  package let length: Int

  private let header: FrameHeader
  private let encoding: Encoding
  private var positions: FramePositions
  private var checksum: UInt16 = 0

  /// A frame for a stream to which nothing was added yet.
  ///
  /// - Parameters:
  ///   - header: The header of any of the stream's Layer III frames: version, sample rate, channel
  ///     mode and flags are taken from it.
  ///   - encoding: How the stream is encoded.
  package init(like header: FrameHeader, encoding: Encoding) {
    self.header = Self.header(like: header, encoding)
    self.encoding = encoding
    length = self.header.frameLength ?? 4
    positions = FramePositions(start: length)
  }

  /// What stands behind the side information: a name, flags, four fields; LAME's extension.
  private static let tagLength = 120 + 36

  /// The stream's header, without padding, CRC and joint stereo's mode: at LAME's bit rate for the
  /// tag, the stream's own where that is constant (`setLameTagFrameHeader`); at the lowest that
  /// holds it where that does not.
  private static func header(like header: FrameHeader, _ encoding: Encoding) -> FrameHeader {
    let usual =
      switch (encoding.method, header.version) {
      case (.constant, _): encoding.bitRate
      case (_, .mpeg1): 128_000
      case (_, .mpeg2): 64_000
      case (_, .mpeg25): 32_000
      }
    let plain = header.bits & ~0xF230 | 0x1_0000
    let fitting = (1...14).compactMap { FrameHeader(bits: plain | $0 << 12) }.filter {
      $0.frameLength ?? 0 >= 4 + $0.sideInformationLength + tagLength
    }
    return fitting.first { $0.bitRate == usual } ?? fitting.first ?? header
  }

  /// `length` bytes that reserve the place: a valid frame of silence.
  package var placeholder: [UInt8] {
    header.bits.bigEndianBytes + [UInt8](repeating: 0, count: length - 4)
  }

  /// Counts the stream's next frame in, which must be whole. Linear in its bytes.
  package mutating func add(frame: some Collection<UInt8>) {
    positions.add(frame.count)
    checksum = CRC16.checksum(frame, continuing: checksum)
  }

  /// What belongs in the reserved place.
  ///
  /// - Parameters:
  ///   - delay: PCM frames of silence before the sound, without the 529 by which a decoder is late.
  ///   - padding: PCM frames behind it. What is over the 4095 that either field holds stays with the
  ///     sound as silence: nothing of the sound is lost.
  /// - Returns: `length` bytes.
  package func encoded(delay: Int, padding: Int) -> [UInt8] {
    var frame = placeholder
    var end = 4 + header.sideInformationLength
    func put(_ bytes: some Collection<UInt8>) {
      frame.replaceSubrange(end..<end + bytes.count, with: bytes)
      end += bytes.count
    }
    let size = UInt32(clamping: positions.end).bigEndianBytes
    put((encoding.method == .constant ? "Info" : "Xing").utf8)
    // All four fields.
    put(UInt32(0xF).bigEndianBytes)
    put(UInt32(clamping: positions.count).bigEndianBytes)
    put(size)
    put(positions.tableOfContents)
    put(UInt32(clamping: encoding.quality).bigEndianBytes)
    put(encoding.bytes(delay: delay, padding: padding))
    put(size)
    put(checksum.bigEndianBytes)
    put(CRC16.checksum(frame[..<end]).bigEndianBytes)
    return frame
  }
}

/// Where frames lie, remembered for a table of contents: each of them up to 65,536, then every
/// second, fourth, and so on.
private struct FramePositions: Sendable {
  /// Frames.
  private(set) var count = 0
  /// Where the next frame will lie.
  private(set) var end: Int
  /// Of the frames whose number is a multiple of `stride`.
  private var positions: [Int] = []
  private var stride = 1

  private static let capacity = 1 << 16

  init(start: Int) { end = start }

  mutating func add(_ length: Int) {
    if count.isMultiple(of: stride) {
      if positions.count == Self.capacity {
        for index in 0..<Self.capacity / 2 { positions[index] = positions[2 * index] }
        positions.removeLast(Self.capacity / 2)
        stride *= 2
      }
      // The capacity is even, so this frame's number is a multiple of the new stride, too.
      positions.append(end)
    }
    end += length
    count += 1
  }

  /// For each hundredth of the frames, where in the stream its first one lies, as a fraction of 256.
  var tableOfContents: [UInt8] {
    (0..<100).map { UInt8(clamping: position(of: $0 * count / 100) * 256 / end) }
  }

  /// Exact where the frame is remembered. Between two that are it lies on a line: off by less than
  /// `stride` frames, which is less than a 32,768th of them all and 1/128 of an entry's unit.
  private func position(of frame: Int) -> Int {
    let (index, rest) = frame.quotientAndRemainder(dividingBy: stride)
    guard index < positions.count else { return end }
    guard rest > 0 else { return positions[index] }
    let next = index + 1 < positions.count ? positions[index + 1] : end
    let span = min(stride, count - index * stride)
    return positions[index] + (next - positions[index]) * rest / span
  }
}

extension FixedWidthInteger {
  /// The bytes, the highest first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
