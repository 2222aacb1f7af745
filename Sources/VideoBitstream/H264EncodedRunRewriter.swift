extension H264 {
  /// Puts one run of encoded pictures under the sequence parameter set of their source: picture
  /// parameter sets are added to the source's, and the slice headers are rewritten to fit. The sample
  /// entry `avc1` stays valid, and decoders are not reconfigured at the seam.
  ///
  /// The encoder is x264 with `bframes=0`, `ref=1`, `weightp=0`, `scenecut=0`, an infinite group of
  /// pictures and `stitchable`, in the source's profile.
  package struct EncodedRunRewriter: Sendable {
    /// The NAL units that the source's record needs beside its own: one for CABAC, eight for CAVLC.
    package let pictureParameterSets: [[UInt8]]
    private let encoded: ParameterSets
    private let source: SequenceParameterSet
    private let pictures: [PictureParameterSet]
    private let idrPictureID: UInt32
    private var counter: Counter?

    /// Where the run stands, counted in pictures as the source's SPS counts them.
    private struct Counter: Sendable {
      /// Reference pictures since the IDR picture.
      var references: UInt32 = 0
      /// Pictures since the IDR picture.
      var pictures: UInt32 = 0
    }

    /// A run whose pictures are rewritten in order of decoding.
    ///
    /// - Parameters:
    ///   - encoder: The parameter sets of the encoder: one of each kind.
    ///   - source: The source's, with those of its `OpenGOPRewriter` where it has one. Runs of equal
    ///     records get equal sets.
    ///   - idrPictureID: `idr_pic_id` of the first picture, which an IDR picture next to it must not
    ///     have.
    /// - Throws: Why the pictures cannot be put under the source's parameter set.
    package init(
      encoder: AVCConfiguration, source: AVCConfiguration, idrPictureID: UInt16
    ) throws(BitstreamRefusal) {
      encoded = try encoder.parameterSets()
      let sets = try source.parameterSets()
      self.source = sets.sequence
      self.idrPictureID = UInt32(idrPictureID)
      guard let unit = encoder.pictureParameterSets.first else {
        throw .missingPictureParameterSet(0)
      }
      var usedIDs = Set(sets.pictures.keys)
      pictureParameterSets = try PictureParameterSet.copies(
        of: unit, under: sets.sequence, usedIDs: &usedIDs)
      var pictures: [PictureParameterSet] = []
      for unit in pictureParameterSets { pictures.append(try PictureParameterSet(unit[...])) }
      self.pictures = pictures
      try Self.check(encoded.sequence, under: sets.sequence, pictures[0])
    }

    private static func check(
      _ encoded: SequenceParameterSet, under source: SequenceParameterSet,
      _ picture: PictureParameterSet
    ) throws(BitstreamRefusal) {
      guard source.hasFramesOnly, encoded.hasFramesOnly else { throw .fieldCoding }
      guard source.pictureOrderType != 1, encoded.pictureOrderType != 1 else {
        throw .pictureOrderType1
      }
      guard !source.hasScalingMatrices, !encoded.hasScalingMatrices, !picture.hasScalingMatrices
      else { throw .scalingMatrices }
      let sizes = [source, encoded].map {
        [$0.widthInMacroblocks, $0.heightInMacroblocks] + $0.cropping
      }
      guard sizes[0] == sizes[1] else { throw .differs(.size) }
      guard source.chromaFormat == encoded.chromaFormat,
        source.hasSeparatePlanes == encoded.hasSeparatePlanes
      else { throw .differs(.chromaFormat) }
      guard source.lumaBitDepth == encoded.lumaBitDepth,
        source.chromaBitDepth == encoded.chromaBitDepth
      else { throw .differs(.bitDepth) }
      guard source.bypassesTransform == encoded.bypassesTransform else {
        throw .differs(.transformBypass)
      }
      guard source.referenceFrames >= 1, picture.listSizes[0] <= source.referenceFrames else {
        throw .differs(.references)
      }
      // CABAC begins with Main, the 8×8 transform with High (A.2).
      guard !picture.usesCABAC || ![66, 88].contains(source.profile),
        !picture.hasHighFields || ![66, 77, 88].contains(source.profile)
      else { throw .differs(.profile) }
      guard !picture.weighsP else { throw .unexpected(.weightedPrediction) }
    }

    /// The slices of the next picture. Messages and parameter sets of the encoder are left out.
    package mutating func rewrite(
      _ units: [ArraySlice<UInt8>]
    ) throws(BitstreamRefusal) -> [[UInt8]] {
      var slices: [(Slice, SliceHeader, [PictureParameterSet])] = []
      var isReference = false
      for unit in units where H264.type(of: unit)?.isSlice == true {
        let slice = try Slice(unit, in: encoded)
        if slices.isEmpty { try begin(slice.header) }
        isReference = slice.header.nal.referenceIDC != 0
        slices.append((slice, try header(replacing: slice.header), pictures))
      }
      guard !slices.isEmpty else { throw .invalid(.nalUnit) }
      if isReference { counter?.references += 1 }
      counter?.pictures += 1
      return try Slice.units(slices, source)
    }

    private mutating func begin(_ header: SliceHeader) throws(BitstreamRefusal) {
      if counter == nil {
        guard header.isIDR else { throw .notAnEntry }
        counter = Counter()
      } else if header.isIDR {
        throw .unexpected(.secondIDR)
      }
    }

    private func header(
      replacing old: SliceHeader
    ) throws(BitstreamRefusal) -> SliceHeader {
      guard old.kind != .b else { throw .unexpected(.bSlices) }
      guard old.listModifications.allSatisfy({ $0 == nil }) else {
        throw .unexpected(.listModification)
      }
      if case .adaptive = old.marking { throw .unexpected(.marking) }
      var header = old
      let counter = counter ?? Counter()
      header.frameNumber = counter.references & ((1 << UInt32(source.frameNumberBits)) - 1)
      header.idrPictureID = idrPictureID
      header.pictureOrderLSB =
        (counter.pictures &* 2) & ((1 << UInt32(source.pictureOrderBits)) - 1)
      return header
    }
  }
}
