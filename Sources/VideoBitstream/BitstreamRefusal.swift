/// Why a stream of pictures cannot be read or rewritten. Each case asks for the same reaction: the
/// pictures concerned are encoded instead of copied, or the file is refused with these words.
package enum BitstreamRefusal: Error, Sendable, Hashable {
  /// A structure ends within one of its fields.
  case truncated(Structure)
  /// A field has a value that the standard does not allow, or a structure has no valid start.
  case invalid(Structure)
  /// A size or a count does not fit its field in the output.
  case tooLarge(Structure)
  /// A slice names a parameter set that the stream does not have.
  case missingPictureParameterSet(UInt32)
  /// H.264: `frame_mbs_only_flag` is 0, so pictures may be fields.
  case fieldCoding
  /// H.264: `pic_order_cnt_type` is 1.
  case pictureOrderType1
  /// H.264: the stream has this many sequence parameter sets.
  case severalSequenceParameterSets(Int)
  /// H.264: different picture parameter sets have this id.
  case severalPictureParameterSets(UInt32)
  /// HEVC: the source's sets of this kind have all ids.
  case noUnusedID(Structure)
  /// H.264: `num_slice_groups_minus1` is not 0.
  case sliceGroups
  /// H.264: a parameter set has scaling matrices.
  case scalingMatrices
  /// H.264: SP or SI slices.
  case switchingSlices
  /// H.264: data partitions or the slices of a layer or of a second view.
  case unsupportedSlice
  /// H.264: a picture refers to another for longer than the sliding window.
  case longTermReferences
  /// H.264: `frame_num` jumps, so a reference picture is missing.
  case missingReference
  /// H.264: a list of references may hold pictures before the entry in an unknown place.
  case unknownReferences
  /// H.264: slice data of CAVLC cannot be moved by whole bytes, as samples in them ask for.
  case unalignedSamples
  /// The first picture is no entry.
  case notAnEntry
  /// What was encoded differs from the source in this.
  case differs(Property)
  /// What was encoded uses this, which the encoder was asked not to use.
  case unexpected(Feature)

  /// What is read or written.
  package enum Structure: String, Sendable {
    case nalUnit = "NAL unit"
    case avcConfiguration = "avcC record"
    case hevcConfiguration = "hvcC record"
    case videoParameterSet = "video parameter set"
    case sequenceHeader = "sequence header"
    case sequenceParameterSet = "sequence parameter set"
    case pictureParameterSet = "picture parameter set"
    case sliceHeader = "slice header"
    case supplementalInformation = "SEI message"
  }

  /// In what an encoded picture must equal its source.
  package enum Property: String, Sendable {
    case size
    case chromaFormat = "chroma format"
    case bitDepth = "bit depth"
    case profile
    case references = "number of reference pictures"
    case transformBypass = "lossless coding"
  }

  /// What an encoder must leave out.
  package enum Feature: String, Sendable {
    case bSlices = "B slices"
    case weightedPrediction = "weighted prediction"
    case listModification = "modified reference lists"
    case marking = "explicit marking of references"
    case secondIDR = "a second IDR picture"
  }
}

extension BitstreamRefusal: CustomStringConvertible {
  /// One clause without a full stop, for a message that names the file.
  package var description: String {
    switch self {
    case .truncated(let structure): "the \(structure.rawValue) is cut short"
    case .invalid(let structure): "the \(structure.rawValue) is damaged"
    case .tooLarge(let structure): "the \(structure.rawValue) is too large"
    case .missingPictureParameterSet(let id): "picture parameter set \(id) is missing"
    case .fieldCoding: "the picture is interlaced (coded in fields)"
    case .pictureOrderType1: "pictures are counted by a cycle (picture order count type 1)"
    case .severalSequenceParameterSets(let count): "the stream has \(count) sequence parameter sets"
    case .severalPictureParameterSets(let id):
      "the stream has several picture parameter sets with the id \(id)"
    case .noUnusedID(let structure): "no id is left for another \(structure.rawValue)"
    case .sliceGroups: "the picture is coded in slice groups"
    case .scalingMatrices: "the stream has scaling matrices"
    case .switchingSlices: "the stream has switching slices (SP or SI)"
    case .unsupportedSlice: "the stream has data partitions, layers or several views"
    case .longTermReferences: "the stream has long-term reference pictures"
    case .missingReference: "a reference picture is missing"
    case .unknownReferences: "a picture may refer to pictures before the cut"
    case .unalignedSamples: "the data of a slice cannot be moved by whole bytes"
    case .notAnEntry: "decoding cannot begin at this picture"
    case .differs(let property): "the encoded pictures differ in \(property.rawValue)"
    case .unexpected(let feature): "the encoded pictures have \(feature.rawValue)"
    }
  }
}
