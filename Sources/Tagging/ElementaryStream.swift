/// What MP4 and CAF say of a stream of AAC.
package enum ElementaryStream {
  /// Its descriptors (`ES_Descriptor`; ISO 14496-1, 7.2.6), in an MP4 the body of `esds`.
  ///
  /// - Parameters:
  ///   - configuration: The AudioSpecificConfig (ISO 14496-3, 1.6.2.1).
  ///   - bitRate: Bits a second in the mean; 0 where that is not known.
  /// - Returns: The descriptor, with sizes of four bytes, as Apple writes them.
  package static func descriptor(configuration: [UInt8], bitRate: Int) -> [UInt8] {
    func descriptor(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
      // Seven bits of the size a byte, of which all but the last have the highest bit set (8.3.3).
      let size = [21, 14, 7].map { 0x80 | UInt8(body.count >> $0 & 0x7F) }
      return [tag] + size + [UInt8(body.count & 0x7F)] + body
    }
    // ISO 14496-3, as a stream of sound.
    var decoder = ChunkWriter(isBigEndian: true)
    decoder.append([0x40, 0x15, 0, 0, 0])
    decoder.append(UInt32(clamping: bitRate))
    decoder.append(UInt32(clamping: bitRate))
    decoder.append(descriptor(5, configuration))
    return descriptor(3, [0, 1, 0] + descriptor(4, decoder.bytes) + descriptor(6, [2]))
  }
}
