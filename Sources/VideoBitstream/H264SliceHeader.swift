extension H264 {
  /// A slice header (7.3.3), complete: read and written it gives the same bits.
  package struct SliceHeader: Sendable, Hashable {
    /// What may be in a slice (Table 7-6).
    package enum Kind: UInt32, Sendable {
      case p, b, i
    }

    package var nal: NALHeader
    /// `first_mb_in_slice`.
    package var firstMacroblock: UInt32
    package var kind: Kind
    /// Whether all slices of the picture are of this kind: `slice_type` is 5 or more.
    package var isKindOfPicture: Bool
    package var pictureParameterSetID: UInt32
    /// `colour_plane_id`, with separate planes.
    package var colourPlane: UInt32 = 0
    package var frameNumber: UInt32
    /// `idr_pic_id`, of IDR pictures.
    package var idrPictureID: UInt32 = 0
    /// `pic_order_cnt_lsb`, of picture order type 0.
    package var pictureOrderLSB: UInt32 = 0
    /// `delta_pic_order_cnt_bottom`.
    package var bottomDelta: Int32 = 0
    package var redundantCount: UInt32 = 0
    /// `direct_spatial_mv_pred_flag`, of B slices.
    package var usesSpatialDirect = false
    /// `num_ref_idx_active_override_flag`: the header gives the sizes of the lists.
    package var overridesListSizes = false
    /// How many references each list has: none of I slices, one of P slices, two of B slices.
    package var listSizes: [Int] = []
    /// How each list is changed, if it is.
    package var listModifications: [[ListModification]?] = []
    package var weights: PredictionWeights?
    /// What becomes of reference pictures; nil where the picture is none.
    package var marking: Marking?
    package var cabacInitIDC: UInt32 = 0
    package var qpDelta: Int32 = 0
    /// `disable_deblocking_filter_idc`, then the two offsets unless it is 1.
    package var deblocking: UInt32 = 0
    package var deblockingOffsets: [Int32] = [0, 0]
  }

  /// One step of `ref_pic_list_modification` (7.3.3.1).
  package enum ListModification: Sendable, Hashable {
    /// The picture number falls (`modification_of_pic_nums_idc` 0) by this, 1 to MaxPicNum.
    case subtract(UInt32)
    /// It rises (1).
    case add(UInt32)
    /// `long_term_pic_num` (2).
    case longTerm(UInt32)
  }

  /// `pred_weight_table` (7.3.3.2).
  package struct PredictionWeights: Sendable, Hashable {
    /// The logarithm of the denominators, of luma and of chroma.
    package var denominators: [UInt32] = []
    /// For each list, for each reference.
    package var references: [[Weights]] = []

    /// Weight and offset of luma, then of both of chroma, as far as they are given.
    package struct Weights: Sendable, Hashable {
      package var luma: [Int32]?
      package var chroma: [Int32]?
    }
  }

  /// `dec_ref_pic_marking` (7.3.3.3).
  package enum Marking: Sendable, Hashable {
    case idr(discardsOutput: Bool, isLongTerm: Bool)
    case slidingWindow
    case adaptive([MemoryOperation])
  }

  /// `memory_management_control_operation` (Table 7-9). Differences are as counted: from 1 on.
  package enum MemoryOperation: Sendable, Hashable {
    /// 1: the picture with the number that is less by this is no reference any more.
    case unmark(UInt32)
    /// 2: nor is this long-term picture.
    case unmarkLongTerm(UInt32)
    /// 3: it gets an index for the long term.
    case makeLongTerm(difference: UInt32, index: UInt32)
    /// 4: how many indices for the long term there are.
    case limitLongTerm(count: UInt32)
    /// 5: all references go, and numbers begin anew.
    case reset
    /// 6: the picture itself gets an index for the long term.
    case makeCurrentLongTerm(UInt32)
  }
}

extension H264.SliceHeader {
  /// Lists have at most 32 references (7.4.3), and are not changed much more often than that.
  private static let mostSteps = 66

  /// Reads the header of a slice and leaves the reader at its data.
  init(_ reader: inout BitReader, in sets: H264.ParameterSets) throws(BitstreamRefusal) {
    nal = H264.NALHeader(UInt8(try reader.bits(8)))
    guard nal.type.isSlice else {
      throw nal.type.isUnsupportedSlice ? .unsupportedSlice : .invalid(.sliceHeader)
    }
    let sequence = sets.sequence
    guard sequence.hasFramesOnly else { throw .fieldCoding }
    guard sequence.pictureOrderType != 1 else { throw .pictureOrderType1 }
    firstMacroblock = try reader.unsigned()
    let type = try reader.unsigned(atMost: 9)
    guard let kind = Kind(rawValue: type % 5) else { throw .switchingSlices }
    self.kind = kind
    isKindOfPicture = type >= 5
    pictureParameterSetID = try reader.unsigned(atMost: 255)
    let picture = try sets.picture(pictureParameterSetID)
    if sequence.hasSeparatePlanes { colourPlane = try reader.bits(2) }
    frameNumber = try reader.bits(sequence.frameNumberBits)
    if nal.type == .idrSlice { idrPictureID = try reader.unsigned(atMost: 65_535) }
    if sequence.pictureOrderType == 0 {
      pictureOrderLSB = try reader.bits(sequence.pictureOrderBits)
      if picture.hasBottomDelta { bottomDelta = try reader.signed() }
    }
    if picture.hasRedundantCount { redundantCount = try reader.unsigned(atMost: 127) }
    try readLists(&reader, picture)
    if isWeighted(by: picture) {
      weights = try H264.PredictionWeights(
        &reader, listSizes: listSizes, hasChroma: sequence.hasChromaWeights)
    }
    if nal.referenceIDC != 0 { marking = try Self.readMarking(&reader, isIDR: isIDR) }
    if picture.usesCABAC, kind != .i { cabacInitIDC = try reader.unsigned(atMost: 2) }
    qpDelta = try reader.signed()
    guard picture.hasDeblockingControl else { return }
    deblocking = try reader.unsigned(atMost: 2)
    if deblocking != 1 { deblockingOffsets = [try reader.signed(), try reader.signed()] }
  }

  package var isIDR: Bool { nal.type == .idrSlice }

  fileprivate func isWeighted(by picture: H264.PictureParameterSet) -> Bool {
    kind == .p && picture.weighsP || kind == .b && picture.weighsB == 1
  }

  private mutating func readLists(
    _ reader: inout BitReader, _ picture: H264.PictureParameterSet
  ) throws(BitstreamRefusal) {
    if kind == .b { usesSpatialDirect = try reader.flag() }
    let listCount = kind == .i ? 0 : kind == .p ? 1 : 2
    listSizes = Array(picture.listSizes.prefix(listCount))
    guard listCount > 0 else { return }
    overridesListSizes = try reader.flag()
    if overridesListSizes {
      for list in 0..<listCount { listSizes[list] = Int(try reader.unsigned(atMost: 31)) + 1 }
    }
    for _ in 0..<listCount {
      listModifications.append(try reader.flag() ? Self.readModifications(&reader) : nil)
    }
  }

  private static func readModifications(
    _ reader: inout BitReader
  ) throws(BitstreamRefusal) -> [H264.ListModification] {
    var steps: [H264.ListModification] = []
    while steps.count < mostSteps {
      switch try reader.unsigned(atMost: 3) {
      case 0: steps.append(.subtract(try reader.unsigned(atMost: 1 << 17) + 1))
      case 1: steps.append(.add(try reader.unsigned(atMost: 1 << 17) + 1))
      case 2: steps.append(.longTerm(try reader.unsigned()))
      default: return steps
      }
    }
    throw .invalid(.sliceHeader)
  }

  private static func readMarking(
    _ reader: inout BitReader, isIDR: Bool
  ) throws(BitstreamRefusal) -> H264.Marking {
    if isIDR { return .idr(discardsOutput: try reader.flag(), isLongTerm: try reader.flag()) }
    guard try reader.flag() else { return .slidingWindow }
    var operations: [H264.MemoryOperation] = []
    while operations.count < mostSteps {
      switch try reader.unsigned(atMost: 6) {
      case 1: operations.append(.unmark(try reader.unsigned(atMost: 1 << 17) + 1))
      case 2: operations.append(.unmarkLongTerm(try reader.unsigned()))
      case 3:
        let difference = try reader.unsigned(atMost: 1 << 17) + 1
        operations.append(.makeLongTerm(difference: difference, index: try reader.unsigned()))
      case 4: operations.append(.limitLongTerm(count: try reader.unsigned()))
      case 5: operations.append(.reset)
      case 6: operations.append(.makeCurrentLongTerm(try reader.unsigned()))
      default: return .adaptive(operations)
      }
    }
    throw .invalid(.sliceHeader)
  }
}

extension H264.SliceHeader {
  /// Writes the header in the syntax that `sequence` and `picture` select. Other fields are left out;
  /// `weights` must have as many references as `listSizes`.
  func write(
    to writer: inout BitWriter, _ sequence: H264.SequenceParameterSet,
    _ picture: H264.PictureParameterSet
  ) {
    writer.bits(UInt32(nal.byte), 8)
    writer.unsigned(firstMacroblock)
    writer.unsigned(kind.rawValue + (isKindOfPicture ? 5 : 0))
    writer.unsigned(pictureParameterSetID)
    if sequence.hasSeparatePlanes { writer.bits(colourPlane, 2) }
    writer.bits(frameNumber, sequence.frameNumberBits)
    if isIDR { writer.unsigned(idrPictureID) }
    if sequence.pictureOrderType == 0 {
      writer.bits(pictureOrderLSB, sequence.pictureOrderBits)
      if picture.hasBottomDelta { writer.signed(bottomDelta) }
    }
    if picture.hasRedundantCount { writer.unsigned(redundantCount) }
    if kind == .b { writer.flag(usesSpatialDirect) }
    if kind != .i { writer.flag(overridesListSizes) }
    if overridesListSizes { for size in listSizes { writer.unsigned(UInt32(size - 1)) } }
    for steps in listModifications { Self.write(steps, to: &writer) }
    if isWeighted(by: picture) {
      weights?.write(to: &writer, hasChroma: sequence.hasChromaWeights)
    }
    marking?.write(to: &writer)
    if picture.usesCABAC, kind != .i { writer.unsigned(cabacInitIDC) }
    writer.signed(qpDelta)
    guard picture.hasDeblockingControl else { return }
    writer.unsigned(deblocking)
    if deblocking != 1 { for offset in deblockingOffsets { writer.signed(offset) } }
  }

  private static func write(_ steps: [H264.ListModification]?, to writer: inout BitWriter) {
    writer.flag(steps != nil)
    guard let steps else { return }
    for step in steps {
      switch step {
      case .subtract(let difference): writer.fields(0, difference &- 1)
      case .add(let difference): writer.fields(1, difference &- 1)
      case .longTerm(let number): writer.fields(2, number)
      }
    }
    writer.unsigned(3)
  }
}

extension H264.Marking {
  fileprivate func write(to writer: inout BitWriter) {
    switch self {
    case .idr(let discardsOutput, let isLongTerm):
      writer.flag(discardsOutput)
      writer.flag(isLongTerm)
    case .slidingWindow: writer.flag(false)
    case .adaptive(let operations):
      writer.flag(true)
      for operation in operations {
        switch operation {
        case .unmark(let difference): writer.fields(1, difference &- 1)
        case .unmarkLongTerm(let number): writer.fields(2, number)
        case .makeLongTerm(let difference, let index): writer.fields(3, difference &- 1, index)
        case .limitLongTerm(let count): writer.fields(4, count)
        case .reset: writer.fields(5)
        case .makeCurrentLongTerm(let index): writer.fields(6, index)
        }
      }
      writer.unsigned(0)
    }
  }
}

extension H264.SequenceParameterSet {
  /// Whether ChromaArrayType is not 0 (7.4.2.1.1).
  fileprivate var hasChromaWeights: Bool { chromaFormat != 0 && !hasSeparatePlanes }
}

extension H264.PredictionWeights {
  fileprivate init(
    _ reader: inout BitReader, listSizes: [Int], hasChroma: Bool
  ) throws(BitstreamRefusal) {
    for _ in 0..<(hasChroma ? 2 : 1) { denominators.append(try reader.unsigned(atMost: 7)) }
    for size in listSizes {
      var list: [Weights] = []
      for _ in 0..<size {
        list.append(
          Weights(
            luma: try Self.read(&reader, 2), chroma: hasChroma ? try Self.read(&reader, 4) : nil))
      }
      references.append(list)
    }
  }

  private static func read(
    _ reader: inout BitReader, _ count: Int
  ) throws(BitstreamRefusal) -> [Int32]? {
    guard try reader.flag() else { return nil }
    var values: [Int32] = []
    for _ in 0..<count { values.append(try reader.signed()) }
    return values
  }

  fileprivate func write(to writer: inout BitWriter, hasChroma: Bool) {
    for denominator in denominators { writer.unsigned(denominator) }
    for weights in references.joined() {
      for values in hasChroma ? [weights.luma, weights.chroma] : [weights.luma] {
        writer.flag(values != nil)
        for value in values ?? [] { writer.signed(value) }
      }
    }
  }
}

extension BitWriter {
  fileprivate mutating func fields(_ values: UInt32...) {
    for value in values { unsigned(value) }
  }
}
