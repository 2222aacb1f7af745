extension HEVC {
  /// A picture parameter set of the base layer (7.3.2.3.1), as far as its ids.
  package struct PictureParameterSet: Sendable, Hashable {
    package let id: UInt32
    package let sequenceID: UInt32

    /// Reads a NAL unit.
    package init(_ unit: ArraySlice<UInt8>) throws(BitstreamRefusal) {
      guard HEVC.type(of: unit) == .pictureParameterSet else {
        throw .invalid(.pictureParameterSet)
      }
      var reader = BitReader(Array(UnescapedBytes(unit)), of: .pictureParameterSet, at: 16)
      id = try reader.unsigned(atMost: 63)
      sequenceID = try reader.unsigned(atMost: 15)
    }
  }

  /// Puts runs of encoded pictures beside those of their source: the encoder's parameter sets get ids that
  /// the source's do not have, and slices name the new ones. So all sets stand in one record, and the
  /// sample entry `hvc1` is true, which allows none in the stream (ISO/IEC 14496-15, 8.3.3).
  ///
  /// The encoder is x265, which has one set of each kind, all of them with the id 0.
  package struct EncodedRunRewriter: Sendable {
    /// The encoder's sets with their new ids.
    package let sets: ParameterSets
    private let pictureSetID: UInt32

    /// - Parameters:
    ///   - encoder: The encoder's sets.
    ///   - source: The source's.
    /// - Throws: Where an encoder has other sets, or the source leaves no ids.
    package init(encoder: ParameterSets, source: ParameterSets) throws(BitstreamRefusal) {
      guard encoder.video.count == 1, encoder.sequence.count == 1, encoder.picture.count == 1 else {
        throw .invalid(.videoParameterSet)
      }
      let (video, sequence, picture) = (
        encoder.video[0][...], encoder.sequence[0][...], encoder.picture[0][...]
      )
      let own = try PictureParameterSet(picture)
      guard own.id == 0, try SequenceParameterSet(sequence).id == own.sequenceID else {
        throw .invalid(.pictureParameterSet)
      }
      var used: (video: Set<UInt32>, sequence: Set<UInt32>, picture: Set<UInt32>) = ([], [], [])
      for unit in source.video { used.video.insert(try VideoParameterSet(unit[...]).id) }
      for unit in source.sequence { used.sequence.insert(try SequenceParameterSet(unit[...]).id) }
      for unit in source.picture { used.picture.insert(try PictureParameterSet(unit[...]).id) }
      let videoID = try Self.unused(0...15, used.video, .videoParameterSet)
      let sequenceID = try Self.unused(0...15, used.sequence, .sequenceParameterSet)
      pictureSetID = try Self.unused(Self.pictureIDs, used.picture, .pictureParameterSet)
      let renamed = try [
        Self.renamed(video: video, videoID),
        Self.renamed(sequence: sequence, sequenceID, in: videoID),
        Self.renamed(picture: picture, pictureSetID, in: sequenceID),
      ]
      sets = ParameterSets(renamed.map { $0[...] })
    }

    /// Those of nine bits, where 0 has one: all that follows moves by a whole byte, so that the header need
    /// not be understood, and ends at a byte as before (7.3.6.1, `byte_alignment`).
    private static let pictureIDs: ClosedRange<UInt32> = 15...30

    private static func unused(
      _ all: ClosedRange<UInt32>, _ used: Set<UInt32>, _ structure: BitstreamRefusal.Structure
    ) throws(BitstreamRefusal) -> UInt32 {
      guard let id = all.first(where: { !used.contains($0) }) else { throw .noUnusedID(structure) }
      return id
    }

    // MARK: - Parameter sets

    private static func renamed(
      video unit: ArraySlice<UInt8>, _ id: UInt32
    ) throws(BitstreamRefusal) -> [UInt8] {
      var payload = Array(UnescapedBytes(unit))
      guard payload.count > 3 else { throw .truncated(.videoParameterSet) }
      payload[2] = UInt8(id) << 4 | payload[2] & 0x0F
      return EscapedBytes.unit(of: payload)
    }

    private static func renamed(
      sequence unit: ArraySlice<UInt8>, _ id: UInt32, in videoID: UInt32
    ) throws(BitstreamRefusal) -> [UInt8] {
      let payload = Array(UnescapedBytes(unit))
      let start = BitReader(payload, of: .sequenceParameterSet, at: 20)
      var reader = start
      let subLayers = Int(try reader.bits(3)) + 1
      _ = try reader.flag()
      try HEVC.skipProfile(&reader, subLayers: subLayers)
      var writer = BitWriter()
      try writer.rest(of: BitReader(payload, of: .sequenceParameterSet), until: 16)
      writer.bits(videoID, 4)
      try writer.rest(of: start, until: reader.position)
      writer.unsigned(id)
      _ = try reader.unsigned()
      return try finished(&writer, reader, .sequenceParameterSet)
    }

    private static func renamed(
      picture unit: ArraySlice<UInt8>, _ id: UInt32, in sequenceID: UInt32
    ) throws(BitstreamRefusal) -> [UInt8] {
      let payload = Array(UnescapedBytes(unit))
      var reader = BitReader(payload, of: .pictureParameterSet)
      var writer = BitWriter()
      try writer.rest(of: reader, until: 16)
      try reader.skip(16)
      for id in [id, sequenceID] {
        _ = try reader.unsigned()
        writer.unsigned(id)
      }
      return try finished(&writer, reader, .pictureParameterSet)
    }

    /// The set with the rest of another one.
    private static func finished(
      _ writer: inout BitWriter, _ reader: BitReader, _ structure: BitstreamRefusal.Structure
    ) throws(BitstreamRefusal) -> [UInt8] {
      guard let end = reader.end, end >= reader.position else { throw .truncated(structure) }
      try writer.rest(of: reader, until: end)
      writer.trailingBits()
      return EscapedBytes.unit(of: writer.bytes)
    }

    // MARK: - Pictures

    /// The units of a picture; without parameter sets, and without messages that name them.
    package func rewrite(_ units: [ArraySlice<UInt8>]) throws(BitstreamRefusal) -> [[UInt8]] {
      var rewritten: [[UInt8]] = []
      var hasSlice = false
      for unit in units {
        guard let type = HEVC.type(of: unit) else { throw .truncated(.nalUnit) }
        if type.isSlice {
          hasSlice = true
          rewritten.append(try slice(unit, type))
        } else if !type.isParameterSet, !Self.namesSets(unit, type) {
          rewritten.append(Array(unit))
        }
      }
      guard hasSlice else { throw .invalid(.nalUnit) }
      return rewritten
    }

    /// Whether it is a buffering period or a list of active parameter sets (D.2.2 and D.2.21).
    private static func namesSets(_ unit: ArraySlice<UInt8>, _ type: NALType) -> Bool {
      type == .prefixMessage && [0, 129].contains(unit.dropFirst(2).first)
    }

    /// A slice with the new id (7.3.6.1): `first_slice_segment_in_pic_flag`, of an entry
    /// `no_output_of_prior_pics_flag`, the id, and what follows.
    private func slice(
      _ unit: ArraySlice<UInt8>, _ type: NALType
    ) throws(BitstreamRefusal) -> [UInt8] {
      let count = 3
      let start = Array(UnescapedBytes(unit).prefix(count + 1))
      guard start.count > count else { throw .truncated(.sliceHeader) }
      var reader = BitReader(start, of: .sliceHeader)
      var writer = BitWriter()
      let flags = type.hasOutputFlag ? 2 : 1
      try writer.rest(of: reader, until: 16 + flags)
      try reader.skip(16 + flags)
      guard try reader.flag() else { throw .invalid(.sliceHeader) }
      writer.unsigned(pictureSetID)
      try writer.rest(of: reader, until: 8 * count)
      var escaped = EscapedBytes()
      for byte in writer.bytes { escaped.append(byte) }
      escaped.append(payloadOf: unit, from: count)
      return escaped.finished()
    }
  }
}
