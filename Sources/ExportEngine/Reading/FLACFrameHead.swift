import Diagnosis
import LibAV

/// The head of a frame (RFC 9639, 9.1).
struct FLACFrameHead: Sendable, Hashable {
  /// The first sample's number.
  let sample: Int64
  /// Samples of the frame.
  let count: Int64
  /// Where its coded number ends, which begins with the fifth byte, and where its checksum stands.
  let numberEnd, end: Int

  /// Reads a head at the start of `bytes`; nil where there is none.
  ///
  /// - Parameters:
  ///   - bytes: From the first byte of the head on.
  ///   - blockSize: Samples of a frame, for streams that count frames.
  init?(_ bytes: some Collection<UInt8>, blockSize: Int64?) {
    let there = min(16, bytes.count)
    let head = bytes.prefix(16) + [UInt8](repeating: 0, count: 16 - there)
    guard head[0] == 0xFF, head[1] >> 1 == 0x7C, head[3] & 1 == 0,
      head[3] >> 4 < 11, head[3] >> 1 & 7 != 3, head[2] & 15 != 15,
      let (number, numberEnd) = Self.number(head)
    else { return nil }
    var index = numberEnd
    func next() -> Int64 {
      defer { index += 1 }
      return Int64(head[index])
    }
    switch head[2] >> 4 {
    case 0: return nil
    case 1: count = 192
    case let code where code < 6: count = 576 << Int64(code - 2)
    case 6: count = next() + 1
    case 7: count = (next() << 8 | next()) + 1
    case let code: count = 256 << Int64(code - 8)
    }
    switch head[2] & 15 {
    case 12: index += 1
    case 13, 14: index += 2
    default: break
    }
    // CRC-8 (9.1.8).
    guard index < there, head[..<index].withUnsafeBytes(Checksum.crc8) == head[index] else {
      return nil
    }
    (self.numberEnd, end) = (numberEnd, index)
    let countsSamples = head[1] & 1 == 1
    guard countsSamples || blockSize != nil else { return nil }
    sample = countsSamples ? number : number * (blockSize ?? 0)
  }

  /// The coded number from the fifth byte on, and where it ends (9.1.5).
  private static func number(_ head: [UInt8]) -> (value: Int64, end: Int)? {
    let first = head[4]
    guard first & 0x80 != 0 else { return (Int64(first), 5) }
    let ones = (~first).leadingZeroBitCount
    guard (2...7).contains(ones) else { return nil }
    var value = ones == 7 ? 0 : Int64(first & (0x7F >> UInt8(ones)))
    for byte in head[5..<4 + ones] {
      guard byte >> 6 == 2 else { return nil }
      value = value << 6 | Int64(byte & 0x3F)
    }
    return (value, 4 + ones)
  }
}

extension ContainerFacts {
  /// Whether frames of a FLAC count anew midway, as where another file lies behind it: of two that are
  /// as long as one another the last packet proves nothing.
  ///
  /// - Complexity: O(1): 16 places are looked at
  static func flacCountsAnew(_ medium: MediumBytes) throws(Failure) -> Bool {
    let size = try medium.size()
    // Too few frames to compare: a header behind them is looked for.
    if size <= 1 << 18 {
      let bytes = try medium.bytes(at: 0, count: Int(size))
      // The file's own may stand behind a tag.
      return bytes.indices.dropLast(8).lazy.filter { index in
        bytes[index] == 0x66 && bytes[index...].starts(with: "fLaC".utf8)
          && bytes[index + 4] & 0x7F == 0
          && bytes[index + 5..<index + 8].elementsEqual([0, 0, 0x22])
      }.dropFirst().first != nil
    }
    // Holds two frames of most files; where it does not, nothing is known of the place.
    let window = Int64(1 << 17)
    var last: Int64 = 0
    for place in 1...16 {
      let bytes = try medium.bytes(at: (size - window) / 16 * Int64(place), count: Int(window))
      guard let number = firstNumber(in: bytes) else { continue }
      if number < last { return true }
      last = number
    }
    return false
  }

  /// The number of the first frame whose successor is there as well: bytes that look like one head are
  /// found in any sound.
  private static func firstNumber(in bytes: [UInt8]) -> Int64? {
    var heads: [(number: Int64, next: Int64)] = []
    for index in bytes.indices.dropLast(16) where bytes[index] == 0xFF {
      // Of a fixed size of blocks the numbers are those of frames.
      guard let head = FLACFrameHead(bytes[index...], blockSize: 1) else { continue }
      if let before = heads.first(where: { $0.next == head.sample }) { return before.number }
      let step = bytes[index + 1] & 1 == 1 ? head.count : 1
      heads.append((head.sample, head.sample + step))
      if heads.count > 64 { return nil }
    }
    return nil
  }
}

extension Packet {
  /// Finds where a frame of FLAC ends that it begins with, by the sum there.
  ///
  /// - Parameter largest: The most bytes of a frame, if the file says it.
  /// - Returns: How many bytes the frame has; all, where no such sum is among them.
  /// - Complexity: O(bytes)
  func flacFrameSize(largest: Int?) -> Int {
    withBytes { bytes in
      // What looks like an end is one, but for one of 65,536 places.
      guard let largest else {
        let ends = Checksum.crc16Ends(in: bytes)
        return ends?.upperBound == bytes.count ? bytes.count : ends?.lowerBound ?? bytes.count
      }
      let most = min(bytes.count, largest)
      return Checksum.crc16Ends(in: UnsafeRawBufferPointer(rebasing: bytes[..<most]))?.upperBound
        ?? most
    }
  }
}
