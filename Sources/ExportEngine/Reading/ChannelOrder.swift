import Diagnosis
import LibAV
import Tagging

/// The places of a file's channels, in the file's order.
///
/// Samples go to their planes by the order of FFmpeg's channel bits. Uncompressed sound of Apple's
/// containers may have another one, such as L R Ls Rs C LFE of Logic: their chunk says it
/// (`AudioChannelLayout`, CoreAudioBaseTypes.h), and libavformat before version 61 (FFmpeg 7) takes the
/// set of the places from it alone.
struct ChannelOrder: Sendable, Hashable {
  /// FFmpeg's channel bit of each channel, none twice.
  let bits: [Int]

  /// nil where a place has no bit, or two channels have one place.
  init?(bits: [Int]) {
    guard bits.allSatisfy({ 0..<64 ~= $0 }), Set(bits).count == bits.count else { return nil }
    self.bits = bits
  }

  /// FFmpeg's mask of the places.
  var mask: UInt64 { bits.reduce(0) { $0 | 1 << UInt64($1) } }

  /// The plane of each channel; nil where each is in its own.
  var planes: [Int]? {
    let planes = bits.map { bit in bits.count { $0 < bit } }
    return planes == Array(bits.indices) ? nil : planes
  }
}

extension ChannelOrder {
  /// The longest layout that is read: of more channels than any output has.
  static let longestLayout = 12 + 20 * 64

  /// Reads a layout of Apple's; nil where it names no order, or the order of FFmpeg's bits.
  ///
  /// - Parameters:
  ///   - layout: The content of a chunk `chan` of CAF or `CHAN` of AIFF, or of an atom `chan` behind its
  ///     version and flags.
  ///   - channelCount: The channels of the sound.
  init?(appleLayout layout: [UInt8], channelCount: Int) {
    guard layout.count >= 12 else { return nil }
    func number(at offset: Int) -> Int { Int(AtomHead.number(layout[offset..<offset + 4])) }
    let tag = number(at: 0)
    let labels: [Int]
    if tag == Self.usesDescriptions {
      let count = number(at: 8)
      guard count == channelCount, layout.count >= 12 + 20 * count else { return nil }
      labels = (0..<count).map { number(at: 12 + 20 * $0) }
    } else {
      guard let names = Self.ordersOfTags[tag >> 16] else { return nil }
      labels = names.split(separator: " ").compactMap { Self.labels[String($0)] }
    }
    guard labels.count == channelCount else { return nil }
    // Surrounds are at the side where a tag says so, or where others are at the back.
    let haveSides = tag != Self.usesDescriptions || labels.contains { $0 == 33 || $0 == 34 }
    self.init(bits: labels.map { Self.bit(ofLabel: $0, surroundsAtSide: haveSides) ?? -1 })
  }

  /// `kAudioChannelLayoutTag_UseChannelDescriptions`
  private static let usesDescriptions = 0

  /// FFmpeg's channel bit of `kAudioChannelLabel_…`.
  private static func bit(ofLabel label: Int, surroundsAtSide: Bool) -> Int? {
    switch label {
    case 5, 6: surroundsAtSide ? label + 4 : label - 1
    case 10, 11: surroundsAtSide ? label + 23 : label - 1
    // The order of a WAV's bits, where sides stand for Apple's "direct" surrounds.
    case 1...18: label - 1
    case 33, 34: label - 29
    case 35, 36: label - 4
    default: nil
    }
  }

  /// `kAudioChannelLabel_…` by the names that the tags' comments have for them.
  private static let labels = [
    "L": 1, "R": 2, "C": 3, "LFE": 4, "Ls": 5, "Rs": 6, "Lc": 7, "Rc": 8, "Cs": 9, "Lsd": 10,
    "Rsd": 11, "Ts": 12, "Vhl": 13, "Vhc": 14, "Vhr": 15, "Rls": 33, "Rrs": 34, "Lw": 35, "Rw": 36,
  ]

  /// The tags (`kAudioChannelLayoutTag_…`, without the number of channels in their lower half) whose
  /// order is not that of FFmpeg's bits.
  static let ordersOfTags = [
    109: "L R Rls Rrs C",  // Pentagonal
    110: "L R Rls Rrs C Cs",  // Hexagonal
    111: "L R Rls Rrs C Cs Ls Rs",  // Octagonal
    114: "C L R",  // MPEG_3_0_B
    116: "C L R Cs",  // MPEG_4_0_B
    118: "L R Ls Rs C",  // MPEG_5_0_B
    119: "L C R Ls Rs",  // MPEG_5_0_C
    120: "C L R Ls Rs",  // MPEG_5_0_D
    122: "L R Ls Rs C LFE",  // MPEG_5_1_B
    123: "L C R Ls Rs LFE",  // MPEG_5_1_C
    124: "C L R Ls Rs LFE",  // MPEG_5_1_D
    125: "L R C LFE Ls Rs Cs",  // MPEG_6_1_A
    126: "L R C LFE Ls Rs Lc Rc",  // MPEG_7_1_A
    127: "C Lc Rc L R Ls Rs LFE",  // MPEG_7_1_B
    128: "L R C LFE Ls Rs Rls Rrs",  // MPEG_7_1_C
    129: "L R Ls Rs C LFE Lc Rc",  // Emagic_Default_7_1
    138: "L R Ls Rs LFE",  // DVD_18
    139: "L R Ls Rs C Cs",  // AudioUnit_6_0
    140: "L R Ls Rs C Rls Rrs",  // AudioUnit_7_0
    141: "C L R Ls Rs Cs",  // AAC_6_0
    142: "C L R Ls Rs Cs LFE",  // AAC_6_1
    143: "C L R Ls Rs Rls Rrs",  // AAC_7_0
    144: "C L R Ls Rs Rls Rrs Cs",  // AAC_Octagonal
    148: "L R Ls Rs C Lc Rc",  // AudioUnit_7_0_Front
    150: "L C R",  // AC3_3_0
    151: "L C R Cs",  // AC3_3_1
    152: "L C R LFE",  // AC3_3_0_1
    153: "L R Cs LFE",  // AC3_2_1_1
    154: "L C R Cs LFE",  // AC3_3_1_1
    155: "L C R Ls Rs Cs",  // EAC3_6_0_A
    156: "L C R Ls Rs Rls Rrs",  // EAC3_7_0_A
    157: "L C R Ls Rs LFE Cs",  // EAC3_6_1_A
    158: "L C R Ls Rs LFE Ts",  // EAC3_6_1_B
    159: "L C R Ls Rs LFE Vhc",  // EAC3_6_1_C
    160: "L C R Ls Rs LFE Rls Rrs",  // EAC3_7_1_A
    161: "L C R Ls Rs LFE Lc Rc",  // EAC3_7_1_B
    162: "L C R Ls Rs LFE Lsd Rsd",  // EAC3_7_1_C
    163: "L C R Ls Rs LFE Lw Rw",  // EAC3_7_1_D
    164: "L C R Ls Rs LFE Vhl Vhr",  // EAC3_7_1_E
    165: "L C R Ls Rs LFE Cs Ts",  // EAC3_7_1_F
    166: "L C R Ls Rs LFE Cs Vhc",  // EAC3_7_1_G
    167: "L C R Ls Rs LFE Ts Vhc",  // EAC3_7_1_H
    168: "C L R LFE",  // DTS_3_1
    169: "C L R Cs LFE",  // DTS_4_1
    170: "Lc Rc L R Ls Rs",  // DTS_6_0_A
    171: "C L R Rls Rrs Ts",  // DTS_6_0_B
    172: "C Cs L R Rls Rrs",  // DTS_6_0_C
    173: "Lc Rc L R Ls Rs LFE",  // DTS_6_1_A
    174: "C L R Rls Rrs Ts LFE",  // DTS_6_1_B
    175: "C Cs L R Rls Rrs LFE",  // DTS_6_1_C
    176: "Lc C Rc L R Ls Rs",  // DTS_7_0
    177: "Lc C Rc L R Ls Rs LFE",  // DTS_7_1
    178: "Lc Rc L R Ls Rs Rls Rrs",  // DTS_8_0_A
    179: "Lc C Rc L R Ls Cs Rs",  // DTS_8_0_B
    180: "Lc Rc L R Ls Rs Rls Rrs LFE",  // DTS_8_1_A
    181: "Lc C Rc L R Ls Cs Rs LFE",  // DTS_8_1_B
    182: "C L R Ls Rs LFE Cs",  // DTS_6_1_D
  ]
}

extension Prober {
  /// The bytes of a layout of Apple's for uncompressed sound, where the file has one.
  func appleLayout(
    of stream: LibAV.Stream, _ demuxer: Demuxer, _ track: MP4Track?
  ) throws(Failure) -> [UInt8]? {
    guard stream.hasSamples else { return nil }
    if let track { return track.descriptions.first?.channelLayout }
    let name = ["caf": "chan", "aiff": "CHAN"][demuxer.formatName]
    guard let name,
      let chunk = try ContainerFacts.chunks(of: demuxer.formatName, wave: nil, bytes)
        .first(where: { $0.name == name })
    else { return nil }
    return try bytes.bytes(
      at: chunk.body.lowerBound, count: min(chunk.body.count, ChannelOrder.longestLayout))
  }

  /// The order of the channels of uncompressed sound, where its file says one; decoders of compressed
  /// sound give that of FFmpeg's bits.
  func channelOrder(
    of stream: LibAV.Stream, _ frame: Frame, appleLayout layout: [UInt8]?
  ) -> ChannelOrder? {
    guard stream.hasSamples else { return nil }
    return layout.flatMap { ChannelOrder(appleLayout: $0, channelCount: frame.channelCount) }
      ?? ChannelOrder(bits: frame.channelBits)
  }
}

extension LibAV.Stream {
  /// Whether its packets are samples as they are.
  fileprivate var hasSamples: Bool { codecName.hasPrefix("pcm_") }
}
