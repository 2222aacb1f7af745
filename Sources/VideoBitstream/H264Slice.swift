extension H264 {
  /// A slice of a picture: its header, and its data as they are.
  package struct Slice: Sendable {
    package let header: SliceHeader
    private let unit: ArraySlice<UInt8>
    /// Where the data begin in the payload, in bits.
    private let dataStart: Int
    private let usesCABAC: Bool

    /// A slice header seldom has more bytes than the first of these, and always less than the second:
    /// its longest parts are the weights of 64 references and 66 operations.
    private static let headerBytes = [96, 4096]

    /// Reads the header of a NAL unit. Complexity: O(1), for the data are not looked at.
    package init(
      _ unit: ArraySlice<UInt8>, in sets: ParameterSets
    ) throws(BitstreamRefusal) {
      var result: (header: SliceHeader, dataStart: Int)?
      for count in Self.headerBytes where result == nil {
        var reader = BitReader(Array(UnescapedBytes(unit).prefix(count)), of: .sliceHeader)
        do throws(BitstreamRefusal) {
          result = (try SliceHeader(&reader, in: sets), reader.position)
        } catch {
          guard error == .truncated(.sliceHeader), count < unit.count else { throw error }
        }
      }
      guard let (header, dataStart) = result else { throw .truncated(.sliceHeader) }
      usesCABAC = try sets.picture(header.pictureParameterSetID).usesCABAC
      self.header = header
      self.unit = unit
      self.dataStart = dataStart
    }

    /// The slices of one picture with other headers. All get the first of their picture parameter sets
    /// under which the data of CAVLC move by whole bytes.
    ///
    /// - Throws: `.unalignedSamples` where there is no such set.
    static func units(
      _ slices: [(slice: Slice, header: SliceHeader, sets: [PictureParameterSet])],
      _ sequence: SequenceParameterSet
    ) throws(BitstreamRefusal) -> [[UInt8]] {
      for choice in 0..<(slices.map(\.sets.count).min() ?? 0) {
        let fits = slices.allSatisfy { $0.slice.fits($0.header, sequence, $0.sets[choice]) }
        guard fits else { continue }
        var units: [[UInt8]] = []
        for (slice, old, sets) in slices {
          var header = old
          header.pictureParameterSetID = sets[choice].id
          units.append(try slice.unit(with: header, sequence, sets[choice]))
        }
        return units
      }
      throw .unalignedSamples
    }

    private func fits(
      _ old: SliceHeader, _ sequence: SequenceParameterSet, _ picture: PictureParameterSet
    ) -> Bool {
      guard picture.hasBottomDelta || old.bottomDelta == 0,
        picture.hasDeblockingControl || old.deblocking == 0 && old.deblockingOffsets == [0, 0]
      else { return false }
      if usesCABAC { return true }
      var header = old
      header.pictureParameterSetID = picture.id
      var writer = BitWriter()
      header.write(to: &writer, sequence, picture)
      return (writer.position - dataStart) & 7 == 0
    }

    /// The NAL unit with another header, whose picture parameter set has the same entropy coding.
    /// Data of CABAC begin at a byte (7.3.4); those of CAVLC anywhere, and move by whole bytes.
    ///
    /// - Throws: `.unalignedSamples` where they would move by other bits.
    package func unit(
      with header: SliceHeader, _ sequence: SequenceParameterSet, _ picture: PictureParameterSet
    ) throws(BitstreamRefusal) -> [UInt8] {
      var writer = BitWriter()
      header.write(to: &writer, sequence, picture)
      if usesCABAC {
        writer.alignWithOnes()
      } else {
        guard (writer.position - dataStart) & 7 == 0 else { throw .unalignedSamples }
        let start = Array(UnescapedBytes(unit).prefix((dataStart + 7) / 8))
        try writer.rest(
          of: BitReader(start, of: .sliceHeader, at: dataStart), until: start.count * 8)
      }
      var escaped = EscapedBytes()
      for byte in writer.bytes { escaped.append(byte) }
      escaped.append(payloadOf: unit, from: (dataStart + 7) / 8)
      return escaped.finished()
    }
  }
}

extension H264 {
  /// What the NAL units of one picture show without a parameter set.
  package struct AccessUnitSummary: Sendable, Hashable {
    /// Whether it is an IDR picture.
    package private(set) var isIDR = false
    /// Whether all of its slices are I slices.
    package private(set) var isIntra = false
    /// Whether other pictures may refer to it.
    package private(set) var isReference = false
    /// `recovery_frame_cnt` of its recovery point (D.1.8), if it has one.
    package private(set) var recoveryFrameCount: UInt32?

    /// Reads the NAL units of one picture. Complexity: O(units), and O(bytes) of SEI messages.
    package init(_ units: [ArraySlice<UInt8>]) throws(BitstreamRefusal) {
      var hasSlices = false
      isIntra = true
      for unit in units {
        guard let header = unit.first.map(NALHeader.init) else { continue }
        if header.type == .supplementalInformation {
          // A damaged message is ignored: no picture is lost by it.
          for message in (try? SupplementalMessage.messages(of: unit)) ?? []
          where message.type == SupplementalMessage.recoveryPoint {
            var reader = BitReader(message.payload, of: .supplementalInformation)
            recoveryFrameCount = try? reader.unsigned()
          }
        }
        guard header.type.isSlice else { continue }
        hasSlices = true
        isIDR = isIDR || header.type == .idrSlice
        isReference = isReference || header.referenceIDC != 0
        var reader = BitReader(
          Array(UnescapedBytes(unit).prefix(16)), of: .sliceHeader, at: 8)
        _ = try reader.unsigned()
        isIntra = try reader.unsigned(atMost: 9) % 5 == SliceHeader.Kind.i.rawValue && isIntra
      }
      isIntra = isIntra && hasSlices
    }

    /// Whether decoding may begin here. `isMarked` is whether the container marks it as a key picture:
    /// it is asked where open groups have no recovery points.
    package func isEntry(isMarked: Bool) -> Bool {
      isIDR || isIntra && isReference && (recoveryFrameCount.map { $0 == 0 } ?? isMarked)
    }
  }
}

/// A message of supplemental enhancement information (H.264 7.3.2.3.1, H.265 7.3.5).
package struct SupplementalMessage: Sendable, Hashable {
  package let type: Int
  package let payload: [UInt8]

  /// `payloadType` of a recovery point, in both standards.
  package static let recoveryPoint = 6

  /// The messages of a NAL unit of H.264.
  package static func messages(
    of unit: ArraySlice<UInt8>
  ) throws(BitstreamRefusal) -> [SupplementalMessage] {
    let bytes = Array(UnescapedBytes(unit).dropFirst())
    // The last byte that is not 0 has the trailing bits.
    var rest = bytes[..<(bytes.lastIndex { $0 != 0 } ?? 0)]
    func number() throws(BitstreamRefusal) -> Int {
      var value = 0
      while let byte = rest.popFirst() {
        value += Int(byte)
        if byte < 255 { return value }
      }
      throw .truncated(.supplementalInformation)
    }
    var messages: [SupplementalMessage] = []
    while !rest.isEmpty {
      let type = try number()
      let size = try number()
      guard size <= rest.count else { throw .truncated(.supplementalInformation) }
      messages.append(SupplementalMessage(type: type, payload: Array(rest.prefix(size))))
      rest = rest.dropFirst(size)
    }
    return messages
  }
}
