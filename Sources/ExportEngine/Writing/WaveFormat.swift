/// The content of a WAV's chunk `fmt ` (`WAVEFORMATEX` and `WAVEFORMATEXTENSIBLE` of Microsoft's
/// mmreg.h).
package struct WaveFormat: Sendable, Hashable {
  /// How samples are stored; the raw value is its `WAVE_FORMAT_…`.
  package enum Coding: UInt16, Sendable {
    case integer = 1
    case float = 3
    case aLaw = 6
    case muLaw = 7
    /// Blocks of 65 bytes for 320 frames of one channel (Microsoft's `GSM610WAVEFORMAT`).
    case gsm = 0x31
  }

  private let coding: Coding
  private let sampleRate: Int
  private let channelCount: Int
  /// A bit for each channel that has a position.
  private let channelMask: UInt64
  /// Bits of a sample; 0 of GSM.
  private let bits: Int

  /// A format of samples of so many bits; `channelMask` has a bit for each channel (`AV_CH_…`), or none.
  package init(
    _ coding: Coding, bits: Int, sampleRate: Int, channelCount: Int, channelMask: UInt64
  ) {
    (self.coding, self.bits, self.sampleRate) = (coding, bits, sampleRate)
    (self.channelCount, self.channelMask) = (channelCount, channelMask)
  }

  /// Reads the content of a chunk; nil where it is not PCM or G.711.
  init?(_ content: [UInt8]) {
    func number(_ place: Int, _ count: Int) -> Int {
      content[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard content.count >= 16 else { return nil }
    let code = number(0, 2)
    let isLong = code == 0xFFFE && content.count >= 40
    guard let coding = Coding(rawValue: UInt16(isLong ? number(24, 2) : code)) else { return nil }
    let (channels, bits) = (number(2, 2), number(14, 2))
    guard channels > 0, coding != .gsm, number(12, 2) == channels * bits / 8,
      !isLong || number(18, 2) == bits
    else {
      return nil
    }
    self.init(
      coding, bits: bits, sampleRate: number(4, 4), channelCount: channels,
      channelMask: isLong ? UInt64(number(20, 4)) : Self.usualMask(ofCount: channels))
  }

  /// Whether a chunk's content is the format of the same samples, whatever it says beside: fewer valid
  /// bits than a sample's bytes hold, other positions of channels, the short form.
  func isTold(by content: [UInt8]) -> Bool {
    func number(_ place: Int, _ count: Int) -> Int {
      content[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard coding != .gsm, content.count >= 16 else { return content == self.content }
    let code = number(0, 2)
    let isLong = code == 0xFFFE && content.count >= 40
    return (isLong ? number(24, 2) : code) == Int(coding.rawValue) && number(2, 2) == channelCount
      && number(4, 4) == sampleRate && number(12, 2) == blockSize
      && (number(14, 2) + 7) / 8 == bits / 8
  }

  /// Bytes of a frame of all channels, or of a block of GSM (`nBlockAlign`).
  package var blockSize: Int { coding == .gsm ? 65 : channelCount * bits / 8 }

  /// PCM frames of a block.
  package var blockLength: Int { coding == .gsm ? 320 : 1 }

  /// Whether the number of frames must stand in a chunk `fact`: all but PCM.
  var needsFact: Bool { coding != .integer }

  /// The positions of one or two channels without a mask; 0 for more.
  private static func usualMask(ofCount count: Int) -> UInt64 {
    count == 1 ? 0b100 : count == 2 ? 0b11 : 0
  }

  /// Windows requires the long form for more than two channels and for more than 16 bits; libavformat
  /// writes it also for rates above 48 kHz and for channels that are not the usual ones.
  private var isExtensible: Bool {
    let isUsual = [0, Self.usualMask(ofCount: channelCount)].contains(channelMask)
    return !isUsual || sampleRate > 48_000 || bits > 16
  }

  /// The bytes.
  package var content: [UInt8] {
    let code = coding.rawValue
    var bytes: [UInt8] = []
    bytes.append(littleEndian: isExtensible ? 0xFFFE : code)
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: channelCount))
    bytes.append(littleEndian: UInt32(clamping: sampleRate))
    bytes.append(littleEndian: UInt32(clamping: sampleRate * blockSize / blockLength))
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: blockSize))
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: bits))
    if isExtensible {
      bytes.append(littleEndian: 22 as UInt16)
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: bits))
      bytes.append(littleEndian: UInt32(truncatingIfNeeded: channelMask))
      // The GUID of a format that has a number.
      bytes.append(littleEndian: UInt32(code))
      bytes += [0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    } else if coding == .gsm {
      bytes.append(littleEndian: 2 as UInt16)
      bytes.append(littleEndian: UInt16(blockLength))
    } else if coding != .integer {
      // No more follows.
      bytes.append(littleEndian: 0 as UInt16)
    }
    return bytes
  }
}

extension [UInt8] {
  /// Appends the bytes of a number, the lowest first.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
