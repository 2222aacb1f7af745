/// H.264 (ITU-T Rec. H.264 | ISO/IEC 14496-10), as far as cutting and joining needs it.
package enum H264 {
  /// The first byte of a NAL unit (7.3.1).
  package struct NALHeader: Sendable, Hashable {
    /// `nal_ref_idc`: 0 for what no other picture refers to.
    package var referenceIDC: UInt8
    package var type: NALType

    /// Reads a byte; `forbidden_zero_bit` is ignored, as decoders do.
    package init(_ byte: UInt8) {
      referenceIDC = byte >> 5 & 3
      type = NALType(rawValue: byte & 31)
    }

    package var byte: UInt8 { referenceIDC << 5 | type.rawValue }
  }

  /// `nal_unit_type` (Table 7-1).
  package struct NALType: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let slice = NALType(rawValue: 1)
    package static let idrSlice = NALType(rawValue: 5)
    package static let supplementalInformation = NALType(rawValue: 6)
    package static let sequenceParameterSet = NALType(rawValue: 7)
    package static let pictureParameterSet = NALType(rawValue: 8)

    /// Whether it is a slice that a slice header of 7.3.3 begins.
    package var isSlice: Bool { self == .slice || self == .idrSlice }

    /// Data partitions, auxiliary pictures, layers and views.
    package var isUnsupportedSlice: Bool { 2...4 ~= rawValue || 19...21 ~= rawValue }
  }

  /// The type of a NAL unit; nil where it is empty.
  package static func type(of unit: ArraySlice<UInt8>) -> NALType? {
    unit.first.map { NALHeader($0).type }
  }

  /// The parameter sets of a stream that has one sequence parameter set.
  package struct ParameterSets: Sendable, Hashable {
    package private(set) var sequence: SequenceParameterSet
    /// By `pic_parameter_set_id`.
    package private(set) var pictures: [UInt32: PictureParameterSet]
    /// The NAL units of these.
    private(set) var pictureUnits: [[UInt8]] = []

    /// Reads the units that `avcC` or a stream has; equal ones count once.
    package init(
      sequences: [[UInt8]], pictures units: [[UInt8]]
    ) throws(BitstreamRefusal) {
      let distinct = Set(sequences)
      guard distinct.count == 1, let sequence = distinct.first else {
        throw .severalSequenceParameterSets(distinct.count)
      }
      self.sequence = try SequenceParameterSet(sequence[...])
      pictures = [:]
      self = try adding(pictures: units)
    }

    /// The sets with further picture parameter sets.
    package func adding(pictures units: [[UInt8]]) throws(BitstreamRefusal) -> ParameterSets {
      var copy = self
      for unit in units {
        let set = try PictureParameterSet(unit[...])
        guard copy.pictures.updateValue(set, forKey: set.id) ?? set == set else {
          throw .severalPictureParameterSets(set.id)
        }
        copy.pictureUnits.append(unit)
      }
      return copy
    }

    /// The set that a slice names.
    func picture(_ id: UInt32) throws(BitstreamRefusal) -> PictureParameterSet {
      guard let set = pictures[id] else { throw .missingPictureParameterSet(id) }
      return set
    }
  }
}

extension H264 {
  /// A picture parameter set without slice groups (7.3.2.2).
  package struct PictureParameterSet: Sendable, Hashable {
    package let id: UInt32
    package let sequenceID: UInt32
    /// `entropy_coding_mode_flag`: CABAC, otherwise CAVLC.
    package let usesCABAC: Bool
    /// `bottom_field_pic_order_in_frame_present_flag`, and where it stands in the payload.
    package let hasBottomDelta: Bool
    private let bottomDeltaPosition: Int
    /// How many references each list has where a slice does not say it.
    package let listSizes: [Int]
    /// `weighted_pred_flag`, of P slices.
    package let weighsP: Bool
    /// `weighted_bipred_idc`, of B slices; 1 is explicit.
    package let weighsB: UInt32
    /// `deblocking_filter_control_present_flag`, and where it stands in the payload.
    package let hasDeblockingControl: Bool
    private let deblockingControlPosition: Int
    /// `redundant_pic_cnt_present_flag`.
    package let hasRedundantCount: Bool
    /// Whether it has the fields of the High profiles.
    package let hasHighFields: Bool
    /// `pic_scaling_matrix_present_flag`.
    package let hasScalingMatrices: Bool

    /// Reads a NAL unit.
    package init(_ unit: ArraySlice<UInt8>) throws(BitstreamRefusal) {
      guard H264.type(of: unit) == .pictureParameterSet else {
        throw .invalid(.pictureParameterSet)
      }
      var reader = BitReader(Array(UnescapedBytes(unit)), of: .pictureParameterSet, at: 8)
      id = try reader.unsigned(atMost: 255)
      sequenceID = try reader.unsigned(atMost: 31)
      usesCABAC = try reader.flag()
      bottomDeltaPosition = reader.position
      hasBottomDelta = try reader.flag()
      guard try reader.unsigned(atMost: 7) == 0 else { throw .sliceGroups }
      let sizes = try (reader.unsigned(atMost: 31), reader.unsigned(atMost: 31))
      listSizes = [Int(sizes.0) + 1, Int(sizes.1) + 1]
      weighsP = try reader.flag()
      weighsB = try reader.bits(2)
      for _ in 0..<3 { _ = try reader.signed() }
      deblockingControlPosition = reader.position
      hasDeblockingControl = try reader.flag()
      _ = try reader.flag()
      hasRedundantCount = try reader.flag()
      hasHighFields = reader.hasMore
      guard hasHighFields else {
        hasScalingMatrices = false
        return
      }
      _ = try reader.flag()
      hasScalingMatrices = try reader.flag()
    }

    /// The NAL unit with other ids, all else as it is.
    package static func unit(
      _ unit: ArraySlice<UInt8>, id: UInt32, sequenceID: UInt32
    ) throws(BitstreamRefusal) -> [UInt8] {
      guard let header = unit.first else { throw .truncated(.pictureParameterSet) }
      var reader = BitReader(Array(UnescapedBytes(unit)), of: .pictureParameterSet, at: 8)
      for _ in 0..<2 { _ = try reader.unsigned() }
      guard let end = reader.end else { throw .truncated(.pictureParameterSet) }
      var writer = BitWriter()
      writer.bits(UInt32(header), 8)
      writer.unsigned(id)
      writer.unsigned(sequenceID)
      try writer.rest(of: reader, until: end)
      writer.trailingBits()
      return EscapedBytes.unit(of: writer.bytes)
    }

    /// Sets under which pictures decode as under `unit`, with ids that are not used: one for CABAC. For
    /// CAVLC up to eight, because slice data may hold samples that begin at a byte (`I_PCM`, 7.3.5)
    /// and must move by whole bytes: ids have different lengths, and half of the sets have a flag the
    /// other way round that makes an odd difference to slice headers.
    static func copies(
      of unit: [UInt8], under sequence: SequenceParameterSet, usedIDs: inout Set<UInt32>
    ) throws(BitstreamRefusal) -> [[UInt8]] {
      let set = try PictureParameterSet(unit[...])
      var variants = [unit]
      if !set.usesCABAC {
        let position =
          sequence.pictureOrderType == 0 ? set.bottomDeltaPosition : set.deblockingControlPosition
        var payload = Array(UnescapedBytes(unit[...]))
        payload[position >> 3] ^= 0x80 >> UInt8(position & 7)
        variants.append(EscapedBytes.unit(of: payload))
      }
      var copies: [[UInt8]] = []
      for variant in variants {
        for exponent in set.usesCABAC ? [0] : [0, 1, 2, 3] {
          let id = (UInt32(0)...255).first { id in
            let ownExponent = UInt32.bitWidth - 1 - (id + 1).leadingZeroBitCount
            return !usedIDs.contains(id) && (set.usesCABAC || ownExponent % 4 == exponent)
          }
          guard let id else { throw .tooLarge(.pictureParameterSet) }
          usedIDs.insert(id)
          copies.append(try Self.unit(variant[...], id: id, sequenceID: sequence.id))
        }
      }
      return copies
    }
  }
}
