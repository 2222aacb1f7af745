/// HEVC (ITU-T Rec. H.265 | ISO/IEC 23008-2), as far as cutting and joining needs it.
package enum HEVC {
  /// `nal_unit_type` (Table 7-1).
  package struct NALType: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A broken link without leading pictures.
    package static let blaNLP = NALType(rawValue: 18)
    package static let cra = NALType(rawValue: 21)
    package static let videoParameterSet = NALType(rawValue: 32)
    package static let sequenceParameterSet = NALType(rawValue: 33)
    package static let pictureParameterSet = NALType(rawValue: 34)
    /// Supplemental enhancement information that stands before slices.
    package static let prefixMessage = NALType(rawValue: 39)

    package var isSlice: Bool { rawValue < 32 }

    /// Of a video, of sequences, or of pictures.
    package var isParameterSet: Bool { 32...34 ~= rawValue }

    /// Whether decoding may begin at the picture: BLA, IDR or CRA.
    package var isEntry: Bool { 16...21 ~= rawValue }

    /// Whether its slice headers have `no_output_of_prior_pics_flag` (7.3.6.1).
    var hasOutputFlag: Bool { 16...23 ~= rawValue }

    /// Whether the picture is shown before the entry that it follows.
    package var isLeading: Bool { 6...9 ~= rawValue }

    /// Whether such a picture refers to what is before the entry: RASL.
    package var isSkipped: Bool { 8...9 ~= rawValue }
  }

  /// The type of a NAL unit (7.3.1.2); nil where it has no whole header.
  package static func type(of unit: ArraySlice<UInt8>) -> NALType? {
    guard unit.count >= 2, let first = unit.first else { return nil }
    return NALType(rawValue: first >> 1 & 63)
  }

  /// The type of a picture: that of its first slice of the base layer (7.4.2.2).
  package static func pictureType(of units: [ArraySlice<UInt8>]) -> NALType? {
    for unit in units {
      // `nuh_layer_id` is the last bit of the first byte and five of the second.
      guard let type = type(of: unit), let first = unit.first, first & 1 == 0,
        unit[unit.startIndex + 1] >> 3 == 0
      else { continue }
      if type.isSlice { return type }
    }
    return nil
  }

  /// A CRA picture as a broken link without leading pictures, which begins a new sequence behind a
  /// seam: the six bits of the type in each slice's header. Its leading pictures must be left out.
  package static func brokenLink(_ units: [ArraySlice<UInt8>]) -> [[UInt8]] {
    units.map { unit in
      var bytes = Array(unit)
      if type(of: unit) == .cra { bytes[0] = bytes[0] & 0x81 | NALType.blaNLP.rawValue << 1 }
      return bytes
    }
  }

  /// The parameter sets of a stream. Two streams with equal sets share one sample entry.
  package struct ParameterSets: Sendable, Hashable {
    /// NAL units, each kind in its order, equal ones once.
    package private(set) var video: [[UInt8]] = []
    package private(set) var sequence: [[UInt8]] = []
    package private(set) var picture: [[UInt8]] = []

    /// The parameter sets among `units`.
    package init(_ units: [ArraySlice<UInt8>]) {
      for unit in units.map(Array.init) {
        switch HEVC.type(of: unit[...]) {
        case .videoParameterSet? where !video.contains(unit): video.append(unit)
        case .sequenceParameterSet? where !sequence.contains(unit): sequence.append(unit)
        case .pictureParameterSet? where !picture.contains(unit): picture.append(unit)
        default: break
        }
      }
    }

    /// All, in the order in which they refer to each other.
    package var units: [[UInt8]] { video + sequence + picture }
  }
}

extension HEVC {
  /// How pictures are reordered (7.4.3.1 and 7.4.3.2.1), of the highest sub-layer.
  package struct Reordering: Sendable, Hashable {
    /// `…_max_dec_pic_buffering_minus1` + 1.
    package let bufferedPictures: Int
    /// `…_max_num_reorder_pics`.
    package let depth: Int

    fileprivate init(_ reader: inout BitReader, subLayers: Int) throws(BitstreamRefusal) {
      let count = try reader.flag() ? subLayers : 1
      var numbers: (UInt32, UInt32) = (0, 0)
      for _ in 0..<count {
        numbers = (try reader.unsigned(atMost: 15), try reader.unsigned(atMost: 15))
        _ = try reader.unsigned()
      }
      bufferedPictures = Int(numbers.0) + 1
      depth = Int(numbers.1)
    }
  }

  /// A video parameter set (7.3.2.1), as far as its base layer.
  package struct VideoParameterSet: Sendable, Hashable {
    package let id: UInt32
    package let reordering: Reordering

    /// Reads a NAL unit.
    package init(_ unit: ArraySlice<UInt8>) throws(BitstreamRefusal) {
      guard HEVC.type(of: unit) == .videoParameterSet else { throw .invalid(.videoParameterSet) }
      var reader = BitReader(Array(UnescapedBytes(unit)), of: .videoParameterSet, at: 16)
      id = try reader.bits(4)
      try reader.skip(8)
      let subLayers = Int(try reader.bits(3)) + 1
      try reader.skip(17)
      try HEVC.skipProfile(&reader, subLayers: subLayers)
      reordering = try Reordering(&reader, subLayers: subLayers)
    }
  }

  /// A sequence parameter set of the base layer (7.3.2.2.1), up to the reordering.
  package struct SequenceParameterSet: Sendable, Hashable {
    package let id: UInt32
    package let videoID: UInt32
    package let subLayers: Int
    package let isNested: Bool
    /// `general_profile_space` to `general_level_idc`, as in `hvcC`.
    package let profile: [UInt8]
    package let chromaFormat: UInt32
    package let lumaBitDepth: Int
    package let chromaBitDepth: Int
    /// Samples of luma that are shown; 0 where cropping leaves none.
    package let width: Int
    package let height: Int
    /// The width of `slice_pic_order_cnt_lsb` in bits, 4 to 16.
    package let pictureOrderBits: Int
    package let reordering: Reordering

    /// Reads a NAL unit.
    package init(_ unit: ArraySlice<UInt8>) throws(BitstreamRefusal) {
      guard HEVC.type(of: unit) == .sequenceParameterSet else {
        throw .invalid(.sequenceParameterSet)
      }
      let bytes = Array(UnescapedBytes(unit))
      var reader = BitReader(bytes, of: .sequenceParameterSet, at: 16)
      videoID = try reader.bits(4)
      subLayers = Int(try reader.bits(3)) + 1
      isNested = try reader.flag()
      try HEVC.skipProfile(&reader, subLayers: subLayers)
      profile = Array(bytes[3..<15])
      id = try reader.unsigned(atMost: 15)
      chromaFormat = try reader.unsigned(atMost: 3)
      if chromaFormat == 3 { _ = try reader.flag() }
      var size = [Int(try reader.unsigned(atMost: 65_535)), 0]
      size[1] = Int(try reader.unsigned(atMost: 65_535))
      if try reader.flag() {
        // Left and right, then above and below (7.4.3.2.1).
        let units = [(1...2).contains(chromaFormat) ? 2 : 1, chromaFormat == 1 ? 2 : 1]
        for side in 0..<4 {
          size[side / 2] -= Int(try reader.unsigned(atMost: 65_535)) * units[side / 2]
        }
      }
      width = max(0, size[0])
      height = max(0, size[1])
      lumaBitDepth = Int(try reader.unsigned(atMost: 8)) + 8
      chromaBitDepth = Int(try reader.unsigned(atMost: 8)) + 8
      pictureOrderBits = Int(try reader.unsigned(atMost: 12)) + 4
      reordering = try Reordering(&reader, subLayers: subLayers)
    }
  }

  /// `profile_tier_level` (7.3.3) of up to eight sub-layers.
  static func skipProfile(
    _ reader: inout BitReader, subLayers: Int
  ) throws(BitstreamRefusal) {
    try reader.skip(96)
    guard subLayers > 1 else { return }
    var bits = 0
    for layer in 0..<8 {
      let flags = try reader.bits(2)
      guard layer < subLayers - 1 else { continue }
      bits += flags & 2 != 0 ? 88 : 0
      bits += flags & 1 != 0 ? 8 : 0
    }
    try reader.skip(bits)
  }
}
