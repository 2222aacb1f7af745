extension H264 {
  /// A sequence parameter set (7.3.2.1.1).
  package struct SequenceParameterSet: Sendable, Hashable {
    /// `profile_idc`, the constraint flags and `level_idc`.
    package let profile: UInt8
    package let constraints: UInt8
    package let level: UInt8
    package let id: UInt32
    /// `chroma_format_idc`: 0 for grey, then 4:2:0, 4:2:2 and 4:4:4.
    package let chromaFormat: UInt32
    /// `separate_colour_plane_flag`.
    package let hasSeparatePlanes: Bool
    package let lumaBitDepth: Int
    package let chromaBitDepth: Int
    /// `qpprime_y_zero_transform_bypass_flag`: pictures may be lossless.
    package let bypassesTransform: Bool
    package let hasScalingMatrices: Bool
    /// The width of `frame_num` in bits, 4 to 16.
    package let frameNumberBits: Int
    /// `pic_order_cnt_type`, 0 to 2.
    package let pictureOrderType: UInt32
    /// The width of `pic_order_cnt_lsb` in bits, 4 to 16; 0 unless the type is 0.
    package let pictureOrderBits: Int
    /// `max_num_ref_frames`.
    package let referenceFrames: Int
    package let allowsGaps: Bool
    package let widthInMacroblocks: Int
    package let heightInMacroblocks: Int
    /// `frame_mbs_only_flag`: no picture is a field.
    package let hasFramesOnly: Bool
    /// Samples of luma cut off left, right, above and below.
    package let cropping: [Int]
    /// `max_num_reorder_frames` and `max_dec_frame_buffering`, where the VUI has them (E.2.1).
    package let restriction: Restriction?

    /// How deep pictures are reordered, in frames.
    package struct Restriction: Sendable, Hashable {
      package let reorderDepth: Int
      package let bufferedFrames: Int
    }

    /// Reads a NAL unit. A VUI that is cut short, as some cameras write it, counts as none.
    package init(_ unit: ArraySlice<UInt8>) throws(BitstreamRefusal) {
      guard H264.type(of: unit) == .sequenceParameterSet else {
        throw .invalid(.sequenceParameterSet)
      }
      var reader = BitReader(Array(UnescapedBytes(unit)), of: .sequenceParameterSet, at: 8)
      profile = UInt8(try reader.bits(8))
      constraints = UInt8(try reader.bits(8))
      level = UInt8(try reader.bits(8))
      id = try reader.unsigned(atMost: 31)
      let sampling = try Sampling(&reader, profile: profile)
      chromaFormat = sampling.chromaFormat
      hasSeparatePlanes = sampling.hasSeparatePlanes
      lumaBitDepth = sampling.lumaBitDepth
      chromaBitDepth = sampling.chromaBitDepth
      bypassesTransform = sampling.bypassesTransform
      hasScalingMatrices = sampling.hasScalingMatrices
      frameNumberBits = Int(try reader.unsigned(atMost: 12)) + 4
      pictureOrderType = try reader.unsigned(atMost: 2)
      pictureOrderBits = pictureOrderType == 0 ? Int(try reader.unsigned(atMost: 12)) + 4 : 0
      if pictureOrderType == 1 { try Self.skipPictureOrderCycle(&reader) }
      referenceFrames = Int(try reader.unsigned(atMost: 16))
      allowsGaps = try reader.flag()
      widthInMacroblocks = Int(try reader.unsigned(atMost: 4094)) + 1
      let units = Int(try reader.unsigned(atMost: 4094)) + 1
      hasFramesOnly = try reader.flag()
      heightInMacroblocks = hasFramesOnly ? units : units * 2
      if !hasFramesOnly { _ = try reader.flag() }
      _ = try reader.flag()
      var cropping = [0, 0, 0, 0]
      if try reader.flag() {
        let width = (1...2).contains(sampling.chromaFormat) ? 2 : 1
        let height = (sampling.chromaFormat == 1 ? 2 : 1) * (hasFramesOnly ? 1 : 2)
        for side in 0..<4 {
          cropping[side] = Int(try reader.unsigned(atMost: 65_535)) * (side < 2 ? width : height)
        }
      }
      self.cropping = cropping
      restriction = try? reader.flag() ? Self.readRestriction(&reader) : nil
    }

    /// 7.3.2.1.1: `offset_for_non_ref_pic` to `offset_for_ref_frame`.
    private static func skipPictureOrderCycle(_ reader: inout BitReader) throws(BitstreamRefusal) {
      _ = try reader.flag()
      for _ in 0..<2 { _ = try reader.signed() }
      for _ in 0..<(try reader.unsigned(atMost: 255)) { _ = try reader.signed() }
    }

    /// Samples of luma that are shown, in a row; 0 where cropping leaves none.
    package var width: Int { max(0, widthInMacroblocks * 16 - cropping[0] - cropping[1]) }

    /// Rows of luma that are shown.
    package var height: Int { max(0, heightInMacroblocks * 16 - cropping[2] - cropping[3]) }

    /// By how many pictures decoding runs ahead of output; where nothing says it, the most that the
    /// level allows (E.2.1).
    package var reorderDepth: Int {
      if let restriction { return restriction.reorderDepth }
      let isIntraOnly = [44, 86, 100, 110, 122, 244].contains(profile) && constraints & 0x10 != 0
      return pictureOrderType == 2 || isIntraOnly ? 0 : mostBufferedFrames
    }

    /// MaxDpbFrames (A.3.1 and Table A-1).
    package var mostBufferedFrames: Int {
      let macroblocks =
        switch (level, constraints & 0x10) {
        case (...10, _): 396
        case (11, 0): 900
        case (11, _): 396
        case (12...20, _): 2_376
        case (21, _): 4_752
        case (22...30, _): 8_100
        case (31, _): 18_000
        case (32, _): 20_480
        case (33...41, _): 32_768
        case (42, _): 34_816
        case (43...50, _): 110_400
        case (51...52, _): 184_320
        default: 696_320
        }
      return min(16, macroblocks / (widthInMacroblocks * heightInMacroblocks))
    }
  }
}

/// What the High profiles add to a sequence parameter set.
private struct Sampling {
  var chromaFormat: UInt32 = 1
  var hasSeparatePlanes = false
  var lumaBitDepth = 8
  var chromaBitDepth = 8
  var bypassesTransform = false
  var hasScalingMatrices = false

  init(_ reader: inout BitReader, profile: UInt8) throws(BitstreamRefusal) {
    guard [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244].contains(profile) else {
      return
    }
    chromaFormat = try reader.unsigned(atMost: 3)
    if chromaFormat == 3 { hasSeparatePlanes = try reader.flag() }
    lumaBitDepth = Int(try reader.unsigned(atMost: 6)) + 8
    chromaBitDepth = Int(try reader.unsigned(atMost: 6)) + 8
    bypassesTransform = try reader.flag()
    hasScalingMatrices = try reader.flag()
    guard hasScalingMatrices else { return }
    for number in 0..<(chromaFormat == 3 ? 12 : 8) where try reader.flag() {
      try Self.skipScalingList(&reader, count: number < 6 ? 16 : 64)
    }
  }

  /// 7.3.2.1.1.1: differences up to the first that makes the scale 0.
  private static func skipScalingList(
    _ reader: inout BitReader, count: Int
  ) throws(BitstreamRefusal) {
    var scale: Int32 = 8
    for _ in 0..<count where scale != 0 { scale = (scale &+ (try reader.signed())) & 255 }
  }
}

extension H264.SequenceParameterSet {
  /// `bitstream_restriction` of the VUI (E.1.1).
  private static func readRestriction(
    _ reader: inout BitReader
  ) throws(BitstreamRefusal) -> Restriction? {
    if try reader.flag(), try reader.bits(8) == 255 { try reader.skip(32) }
    if try reader.flag() { try reader.skip(1) }
    if try reader.flag() {
      try reader.skip(4)
      if try reader.flag() { try reader.skip(24) }
    }
    if try reader.flag() { for _ in 0..<2 { _ = try reader.unsigned() } }
    if try reader.flag() { try reader.skip(65) }
    var hasBufferModel = false
    for _ in 0..<2 where try reader.flag() {
      try skipBufferModel(&reader)
      hasBufferModel = true
    }
    if hasBufferModel { try reader.skip(1) }
    try reader.skip(1)
    guard try reader.flag() else { return nil }
    try reader.skip(1)
    for _ in 0..<4 { _ = try reader.unsigned() }
    let depth = Int(try reader.unsigned(atMost: 16))
    return Restriction(
      reorderDepth: depth, bufferedFrames: Int(try reader.unsigned(atMost: 16)))
  }

  /// `hrd_parameters` (E.1.2).
  private static func skipBufferModel(_ reader: inout BitReader) throws(BitstreamRefusal) {
    let count = try reader.unsigned(atMost: 31)
    try reader.skip(8)
    for _ in 0...count {
      for _ in 0..<2 { _ = try reader.unsigned() }
      try reader.skip(1)
    }
    try reader.skip(20)
  }
}
