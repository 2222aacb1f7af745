/// The decoder configuration of HEVC in MP4 and Matroska: `hvcC` (ISO/IEC 14496-15, 8.3.3.1).
package struct HEVCConfiguration: Sendable, Hashable {
  /// The 22 bytes before the arrays: version, profile, sampling and the size of lengths.
  private var head: [UInt8]
  /// NAL units by their type, in order.
  package var arrays: [UnitArray]

  /// NAL units of one type.
  package struct UnitArray: Sendable, Hashable {
    package var type: HEVC.NALType
    /// Whether the stream has no others: `array_completeness`.
    package var isComplete: Bool
    package var units: [[UInt8]]
  }

  /// Reads a record.
  package init(_ record: [UInt8]) throws(BitstreamRefusal) {
    var reader = ByteReader(record, of: .hevcConfiguration)
    head = try reader.bytes(22)
    // Files from before the standard have version 0.
    guard head[0] <= 1 else { throw .invalid(.hevcConfiguration) }
    arrays = []
    for _ in 0..<(try reader.byte()) {
      let type = try reader.byte()
      arrays.append(
        UnitArray(
          type: HEVC.NALType(rawValue: type & 63), isComplete: type & 0x80 != 0,
          units: try reader.units(count: try reader.short())))
    }
  }

  /// A record for the parameter sets of a stream of start codes, which may repeat them.
  package init(_ sets: HEVC.ParameterSets) throws(BitstreamRefusal) {
    guard let first = sets.sequence.first else { throw .invalid(.sequenceParameterSet) }
    let set = try HEVC.SequenceParameterSet(first[...])
    head = [1] + set.profile
    // No restriction of segments, no kind of parallelism, no frame rate.
    head += [0xF0, 0, 0xFC, 0xFC | UInt8(set.chromaFormat)]
    for depth in [set.lumaBitDepth, set.chromaBitDepth] { head.append(0xF8 | UInt8(depth - 8) & 7) }
    head += [0, 0, UInt8(set.subLayers) << 3 | (set.isNested ? 4 : 0) | 3]
    arrays = []
    add(sets)
  }

  /// How many bytes the length of a NAL unit has, 1 to 4.
  package var lengthSize: Int { Int(head[21] & 3) + 1 }

  /// How NAL units lie in packets.
  package var framing: NALFraming { .lengths(bytes: lengthSize) }

  /// The parameter sets of the record.
  package var parameterSets: HEVC.ParameterSets {
    HEVC.ParameterSets(arrays.flatMap(\.units).map { $0[...] })
  }

  /// Adds sets that the record does not have. From then on the stream may have others.
  package mutating func add(_ sets: HEVC.ParameterSets) {
    for unit in sets.units {
      guard let type = HEVC.type(of: unit[...]) else { continue }
      if let index = arrays.firstIndex(where: { $0.type == type }) {
        guard !arrays[index].units.contains(unit) else { continue }
        arrays[index].units.append(unit)
        arrays[index].isComplete = false
      } else {
        arrays.append(UnitArray(type: type, isComplete: false, units: [unit]))
      }
    }
  }

  /// Says of its parameter sets whether the stream has no others (`array_completeness`).
  package mutating func setCompleteness(_ isComplete: Bool) {
    for index in arrays.indices where arrays[index].type.isParameterSet {
      arrays[index].isComplete = isComplete
    }
  }

  /// Adds the sets of other pictures of the same form: profile, tier and level become those that all of
  /// them keep to (ISO/IEC 14496-15, 8.3.3.1.2).
  ///
  /// - Throws: `.differs` where they have another profile or form.
  package mutating func include(_ sets: HEVC.ParameterSets) throws(BitstreamRefusal) {
    for unit in sets.sequence {
      let set = try HEVC.SequenceParameterSet(unit[...])
      // `general_profile_space` and `general_profile_idc`, without the tier between them.
      guard (head[1] ^ set.profile[0]) & 0xDF == 0 else { throw .differs(.profile) }
      guard UInt32(head[16] & 3) == set.chromaFormat else { throw .differs(.chromaFormat) }
      guard Int(head[17] & 7) + 8 == set.lumaBitDepth, Int(head[18] & 7) + 8 == set.chromaBitDepth
      else { throw .differs(.bitDepth) }
      head[1] |= set.profile[0] & 0x20
      // What pictures are compatible with, and what they do without.
      for place in 2...11 { head[place] &= set.profile[place - 1] }
      head[12] = max(head[12], set.profile[11])
    }
    // No restriction of segments, no kind of parallelism.
    (head[13], head[14], head[15]) = (0xF0, 0, 0xFC)
    add(sets)
  }

  /// The record as bytes.
  ///
  /// - Throws: `.tooLarge(.hevcConfiguration)` where a count or a size does not fit.
  package func bytes() throws(BitstreamRefusal) -> [UInt8] {
    guard arrays.count < 256, arrays.allSatisfy({ $0.units.count < 1 << 16 }) else {
      throw .tooLarge(.hevcConfiguration)
    }
    var record = head + [UInt8(arrays.count)]
    for array in arrays {
      record.append((array.isComplete ? 0x80 : 0) | array.type.rawValue & 63)
      record += [UInt8(array.units.count >> 8), UInt8(array.units.count & 255)]
      try record.append(units: array.units, of: .hevcConfiguration)
    }
    return record
  }
}
