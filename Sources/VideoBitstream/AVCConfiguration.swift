/// The decoder configuration of H.264 in MP4 and Matroska: `avcC` (ISO/IEC 14496-15, 5.3.3.1).
package struct AVCConfiguration: Sendable, Hashable {
  /// `AVCProfileIndication`, `profile_compatibility` and `AVCLevelIndication`.
  package var profile: UInt8
  package var constraints: UInt8
  package var level: UInt8
  /// How many bytes the length of a NAL unit has, 1 to 4.
  package var lengthSize: Int
  /// NAL units, as in a stream.
  package var sequenceParameterSets: [[UInt8]]
  package var pictureParameterSets: [[UInt8]]
  /// What records of High profiles end with, where they do.
  package var highFields: HighFields?

  /// The sampling, and extensions of sequence parameter sets.
  package struct HighFields: Sendable, Hashable {
    package var chromaFormat: UInt8
    package var lumaBitDepth: Int
    package var chromaBitDepth: Int
    package var sequenceExtensions: [[UInt8]]
  }

  /// Reads a record.
  package init(_ record: [UInt8]) throws(BitstreamRefusal) {
    var reader = ByteReader(record, of: .avcConfiguration)
    guard try reader.byte() == 1 else { throw .invalid(.avcConfiguration) }
    profile = try reader.byte()
    constraints = try reader.byte()
    level = try reader.byte()
    lengthSize = Int(try reader.byte() & 3) + 1
    sequenceParameterSets = try reader.units(count: Int(try reader.byte() & 31))
    pictureParameterSets = try reader.units(count: Int(try reader.byte()))
    guard Self.hasHighFields(profile), reader.count >= 4 else { return }
    highFields = HighFields(
      chromaFormat: try reader.byte() & 3, lumaBitDepth: Int(try reader.byte() & 7) + 8,
      chromaBitDepth: Int(try reader.byte() & 7) + 8,
      sequenceExtensions: try reader.units(count: Int(try reader.byte())))
  }

  /// A record for the parameter sets among `units`, which a stream of start codes has.
  package init(units: [ArraySlice<UInt8>], lengthSize: Int = 4) throws(BitstreamRefusal) {
    func distinct(_ type: H264.NALType) -> [[UInt8]] {
      var sets: [[UInt8]] = []
      for unit in units where H264.type(of: unit) == type && !sets.contains(Array(unit)) {
        sets.append(Array(unit))
      }
      return sets
    }
    sequenceParameterSets = distinct(.sequenceParameterSet)
    pictureParameterSets = distinct(.pictureParameterSet)
    self.lengthSize = lengthSize
    guard let first = sequenceParameterSets.first else { throw .invalid(.sequenceParameterSet) }
    let set = try H264.SequenceParameterSet(first[...])
    profile = set.profile
    constraints = set.constraints
    level = set.level
    guard Self.hasHighFields(profile) else { return }
    highFields = HighFields(
      chromaFormat: UInt8(set.chromaFormat), lumaBitDepth: set.lumaBitDepth,
      chromaBitDepth: set.chromaBitDepth, sequenceExtensions: [])
  }

  private static func hasHighFields(_ profile: UInt8) -> Bool { ![66, 77, 88].contains(profile) }

  /// How NAL units lie in packets.
  package var framing: NALFraming { .lengths(bytes: lengthSize) }

  /// The parameter sets, read.
  package func parameterSets() throws(BitstreamRefusal) -> H264.ParameterSets {
    try H264.ParameterSets(sequences: sequenceParameterSets, pictures: pictureParameterSets)
  }

  /// The record with further picture parameter sets.
  package func adding(pictureParameterSets units: [[UInt8]]) -> AVCConfiguration {
    var copy = self
    copy.pictureParameterSets += units.filter { !pictureParameterSets.contains($0) }
    return copy
  }

  /// The record as bytes, its reserved bits 1.
  ///
  /// - Throws: `.tooLarge(.avcConfiguration)` where a count or a size does not fit.
  package func bytes() throws(BitstreamRefusal) -> [UInt8] {
    guard sequenceParameterSets.count < 32, pictureParameterSets.count < 256,
      highFields?.sequenceExtensions.count ?? 0 < 256, 1...4 ~= lengthSize
    else { throw .tooLarge(.avcConfiguration) }
    var record = [1, profile, constraints, level, 0xFC | UInt8(lengthSize - 1)]
    record.append(0xE0 | UInt8(sequenceParameterSets.count))
    try record.append(units: sequenceParameterSets, of: .avcConfiguration)
    record.append(UInt8(pictureParameterSets.count))
    try record.append(units: pictureParameterSets, of: .avcConfiguration)
    guard let highFields else { return record }
    record.append(0xFC | highFields.chromaFormat)
    for depth in [highFields.lumaBitDepth, highFields.chromaBitDepth] {
      record.append(0xF8 | UInt8(truncatingIfNeeded: depth - 8) & 7)
    }
    record.append(UInt8(highFields.sequenceExtensions.count))
    try record.append(units: highFields.sequenceExtensions, of: .avcConfiguration)
    return record
  }
}

/// Reads the bytes of a record.
struct ByteReader {
  private var rest: ArraySlice<UInt8>
  private let structure: BitstreamRefusal.Structure

  init(_ bytes: [UInt8], of structure: BitstreamRefusal.Structure) {
    rest = bytes[...]
    self.structure = structure
  }

  /// How many are left.
  var count: Int { rest.count }

  mutating func byte() throws(BitstreamRefusal) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .truncated(structure) }
    return byte
  }

  mutating func bytes(_ count: Int) throws(BitstreamRefusal) -> [UInt8] {
    guard count <= rest.count else { throw .truncated(structure) }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// 16 bits, the higher first.
  mutating func short() throws(BitstreamRefusal) -> Int {
    Int(try byte()) << 8 | Int(try byte())
  }

  /// NAL units behind their sizes of 16 bits. Zeros behind a unit are no part of it: FFmpeg leaves
  /// one there when it copies a stream of start codes.
  mutating func units(count: Int) throws(BitstreamRefusal) -> [[UInt8]] {
    var units: [[UInt8]] = []
    for _ in 0..<count {
      let unit = try bytes(try short())
      units.append(Array(unit[..<((unit.lastIndex { $0 != 0 } ?? -1) + 1)]))
    }
    return units
  }
}

extension [UInt8] {
  /// NAL units behind their sizes of 16 bits.
  mutating func append(
    units: [[UInt8]], of structure: BitstreamRefusal.Structure
  ) throws(BitstreamRefusal) {
    for unit in units {
      guard unit.count < 1 << 16 else { throw .tooLarge(structure) }
      self += [UInt8(unit.count >> 8), UInt8(unit.count & 255)] + unit
    }
  }
}
