/// The four bytes that every MPEG audio frame starts with (ISO 11172-3 §2.4.1.3 and §2.4.2.3,
/// ISO 13818-3 §2.4.2.3 for the low sample rates; MPEG-2.5 is Fraunhofer's extension of it).
package struct FrameHeader: Sendable, Hashable {
  /// Which standard's tables apply.
  package enum Version: Sendable, Hashable, CaseIterable {
    case mpeg1
    case mpeg2
    case mpeg25
  }

  /// Which of the three codecs the frame holds.
  package enum Layer: Int, Sendable, Hashable {
    case layer1 = 1
    case layer2
    case layer3
  }

  /// How the channels are coded; the raw value is the header's.
  package enum ChannelMode: UInt32, Sendable, Hashable {
    case stereo
    case jointStereo
    case dualChannel
    case mono
  }

  /// The bytes, the first in the highest place.
  package let bits: UInt32
  package let version: Version
  package let layer: Layer
  package let channelMode: ChannelMode
  /// Frames of PCM a second.
  package let sampleRate: Int
  /// Bits a second; 0 in free format, where the stream has a rate of its own.
  package let bitRate: Int

  /// Reads a header; nil where the bytes are none, or use reserved values.
  package init?(bits: UInt32) {
    guard bits & 0xFFE0_0000 == 0xFFE0_0000 else { return nil }
    switch bits >> 19 & 3 {
    case 0: version = .mpeg25
    case 2: version = .mpeg2
    case 3: version = .mpeg1
    default: return nil
    }
    guard let layer = Layer(rawValue: 4 - Int(bits >> 17 & 3)),
      let channelMode = ChannelMode(rawValue: bits >> 6 & 3)
    else { return nil }
    let rates = Self.bitRates(of: version, layer: layer)
    let rateIndex = Int(bits >> 12 & 15)
    let sampleRateIndex = Int(bits >> 10 & 3)
    guard rateIndex < rates.count, sampleRateIndex < 3 else { return nil }
    self.bits = bits
    self.layer = layer
    self.channelMode = channelMode
    bitRate = rates[rateIndex] * 1000
    sampleRate = version.sampleRates[sampleRateIndex]
  }

  /// Reads the header that `bytes` begin with; nil where there is none.
  package init?(startOf bytes: some Collection<UInt8>) {
    let header = bytes.prefix(4)
    guard header.count == 4 else { return nil }
    self.init(bits: header.reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension FrameHeader.Version {
  /// Frames of PCM a second, by the header's index (ISO 11172-3 §2.4.2.3, 13818-3 §2.4.2.3).
  package var sampleRates: [Int] {
    switch self {
    case .mpeg1: [44100, 48000, 32000]
    case .mpeg2: [22050, 24000, 16000]
    case .mpeg25: [11025, 12000, 8000]
    }
  }
}

extension FrameHeader {
  /// PCM frames in each Layer III frame (ISO 11172-3 §2.4.2.1, 13818-3 §2.4.2.1).
  package static func samplesPerFrame(ofSampleRate sampleRate: Int) -> Int {
    sampleRate >= 32_000 ? 1152 : 576
  }

  /// The most that `main_data_begin` can say: it has 9 bits, in MPEG-2 and 2.5 it has 8
  /// (ISO 11172-3 §2.4.1.7, 13818-3 §2.4.1.7).
  package static func largestMainDataBegin(ofSampleRate sampleRate: Int) -> Int {
    sampleRate >= 32_000 ? 511 : 255
  }

  /// Kilobits a second by the header's index; index 0 is free format.
  package static func bitRates(of version: Version, layer: Layer) -> [Int] {
    switch (version, layer) {
    case (.mpeg1, .layer1):
      [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
    case (.mpeg1, .layer2):
      [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    case (.mpeg1, .layer3):
      [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case (_, .layer1):
      [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
    case (_, .layer2), (_, .layer3):
      [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    }
  }

  package var isFreeFormat: Bool { bitRate == 0 }

  /// Whether a CRC of two bytes follows the header.
  package var hasChecksum: Bool { bits & 0x1_0000 == 0 }

  package var hasPadding: Bool { bits & 0x200 != 0 }

  /// Bytes of a frame like this one that has no padding; nil in free format.
  var lengthWithoutPadding: Int? { frameLength.map { hasPadding ? $0 - 1 : $0 } }

  package var channelCount: Int { channelMode == .mono ? 1 : 2 }

  /// Frames of PCM that this frame becomes.
  package var samplesPerFrame: Int {
    switch layer {
    case .layer1: 384
    case .layer2: 1152
    case .layer3: version == .mpeg1 ? 1152 : 576
    }
  }

  /// Bytes from this header to the next; nil in free format.
  package var frameLength: Int? {
    guard !isFreeFormat else { return nil }
    let padding = hasPadding ? 1 : 0
    if layer == .layer1 { return (12 * bitRate / sampleRate + padding) * 4 }
    return samplesPerFrame / 8 * bitRate / sampleRate + padding
  }

  /// Bytes of Layer III's side information (ISO 11172-3 §2.4.1.7, 13818-3 §2.4.1.7).
  package var sideInformationLength: Int {
    Self.sideInformationLength(isMPEG1: version == .mpeg1, isMono: channelMode == .mono)
  }

  static func sideInformationLength(isMPEG1: Bool, isMono: Bool) -> Int {
    switch (isMPEG1, isMono) {
    case (true, false): 32
    case (true, true), (false, false): 17
    case (false, true): 9
    }
  }

  /// The bits in which all frames of a stream agree: sync word, version, layer and sample rate.
  static let streamMask: UInt32 = 0xFFFE_0C00

  /// Whether both can be frames of one stream; bit rate and channel mode may differ.
  package func isConsistent(with other: FrameHeader) -> Bool {
    (bits ^ other.bits) & Self.streamMask == 0
  }
}

extension UnsafeRawBufferPointer {
  /// Four bytes, the first in the highest place. `offset + 4` must not be past the end.
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Two bytes, the first in the higher place. `offset + 2` must not be past the end.
  func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Whether `text` stands at `offset`, which may be anywhere.
  func holds(_ text: StaticString, at offset: Int) -> Bool {
    guard offset >= 0, offset <= count - text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { bytes in
      bytes.indices.allSatisfy { self[offset + $0] == bytes[$0] }
    }
  }
}
