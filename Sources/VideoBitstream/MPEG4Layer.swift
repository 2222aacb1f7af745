/// A video object layer of MPEG-4 Part 2 that is a rectangle: what is said of all its pictures (ISO/IEC
/// 14496-2, 6.2.3).
package struct MPEG4Layer: Sendable, Hashable {
  /// The size in pixels.
  package let width: Int
  package let height: Int
  /// `aspect_ratio_info`; with 0x100, and two bytes, the ratio itself.
  package let shape: UInt32
  /// How its pictures are coded; nil where the layer is cut short, or tells how complex each picture is.
  package let tools: Tools?

  /// How pictures are coded, as far as those of one stream must agree in it.
  package struct Tools: Sendable, Hashable {
    /// The matrices of quantization, for pictures by themselves and for others, in the order of the layer:
    /// empty ones are the standard's; nil: none are used (`quant_type`).
    package var matrices: [[UInt8]]?
    /// `data_partitioned`.
    package var isPartitioned = false
  }

  /// The first layer in a header, or in a packet with one before its picture; nil where there is none.
  package init?(of bytes: [UInt8]) {
    let codes = CodedForm.startCodes(in: bytes, until: { $0 == 0xB3 || $0 == 0xB6 })
    guard let place = codes.first(where: { 0x20...0x2F ~= bytes[$0] }) else { return nil }
    let reader = BitReader(bytes, of: .sequenceHeader, at: (place + 1) * 8)
    guard let layer = try? MPEG4Layer(reader) else { return nil }
    self = layer
  }

  private init?(_ start: BitReader) throws(BitstreamRefusal) {
    var reader = start
    try reader.skip(9)
    var version: UInt32 = 1
    if try reader.flag() {
      version = try reader.bits(4)
      try reader.skip(3)
    }
    var shape = try reader.bits(4)
    if shape == 15 { shape = 0x100 | (try reader.bits(16)) }
    self.shape = shape
    if try reader.flag() {
      try reader.skip(3)
      // `vbv_parameters`.
      if try reader.flag() { try reader.skip(79) }
    }
    guard try reader.bits(2) == 0 else { return nil }
    try reader.skip(1)
    let resolution = try reader.bits(16)
    try reader.skip(1)
    // `fixed_vop_time_increment` has as many bits as the resolution needs.
    if try reader.flag() { try reader.skip(32 - (max(1, resolution) - 1 | 1).leadingZeroBitCount) }
    try reader.skip(1)
    width = Int(try reader.bits(13))
    try reader.skip(1)
    height = Int(try reader.bits(13))
    tools = try? Self.tools(&reader, version)
  }

  /// From the marker behind the height on; nil where it tells how complex pictures are.
  private static func tools(
    _ reader: inout BitReader, _ version: UInt32
  ) throws(BitstreamRefusal) -> Tools? {
    var tools = Tools()
    // `interlaced` and `obmc_disable` follow the marker.
    try reader.skip(3)
    let sprite = try reader.bits(version == 1 ? 1 : 2)
    // A static sprite has a size and a place, and says whether it comes in parts.
    if sprite == 1 { try reader.skip(56) }
    if sprite != 0 { try reader.skip(9) }
    if sprite == 1 { try reader.skip(1) }
    // `not_8_bit`.
    if try reader.flag() { try reader.skip(8) }
    if try reader.flag() { tools.matrices = [try matrix(&reader), try matrix(&reader)] }
    // `quarter_sample`.
    if version != 1 { try reader.skip(1) }
    // `complexity_estimation_disable`.
    guard try reader.flag() else { return nil }
    // `resync_marker_disable`.
    try reader.skip(1)
    tools.isPartitioned = try reader.flag()
    return tools
  }

  /// A matrix: up to 64 numbers, and a zero behind fewer; empty where the layer has none.
  private static func matrix(_ reader: inout BitReader) throws(BitstreamRefusal) -> [UInt8] {
    var matrix: [UInt8] = []
    guard try reader.flag() else { return matrix }
    while matrix.count < 64 {
      let number = UInt8(try reader.bits(8))
      guard number != 0 else { break }
      matrix.append(number)
    }
    return matrix
  }
}
