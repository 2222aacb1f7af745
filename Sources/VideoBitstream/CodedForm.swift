/// The form of pictures as a key picture's own headers have it, of codecs whose packets stand for themselves.
///
/// Containers describe a picture once. Where these headers change midway, what stands behind does not fit
/// that description.
package struct CodedForm: Sendable, Hashable {
  /// The size in pixels.
  package var width: Int
  package var height: Int
  /// How pixels lie and how many bits they have, by the codes of the codec; 0 where it has one way.
  package var format: UInt32 = 0
  /// The shape of pixels or of the picture, by the codes of the codec; 0 where its headers have none.
  package var shape: UInt32 = 0

  /// The form that a packet says; nil where the packet does not say it, is damaged, or its codec is none of
  /// these: VP8, VP9, AV1, MPEG-1, MPEG-2, MPEG-4 Part 2, MJPEG, ProRes and DNxHD.
  ///
  /// - Parameters:
  ///   - bytes: Of a packet with which decoding begins.
  ///   - codec: FFmpeg's name of the codec.
  /// - Complexity: O(bytes before the first slice)
  package init?(of bytes: [UInt8], codec: String) {
    let found: CodedForm? =
      switch codec {
      case "vp8": Self.ofVP8(bytes)
      case "vp9": try? Self.ofVP9(bytes)
      case "av1": try? Self.ofAV1(bytes)
      case "mpeg1video", "mpeg2video": Self.ofMPEG2(bytes)
      case "mpeg4": Self.ofMPEG4(bytes)
      case "mjpeg": Self.ofJPEG(bytes)
      case "prores": Self.ofProRes(bytes)
      case "dnxhd": Self.ofDNxHD(bytes)
      default: nil
      }
    guard let found, found.width > 0, found.height > 0 else { return nil }
    self = found
  }

  private init(_ width: Int, _ height: Int, format: UInt32 = 0, shape: UInt32 = 0) {
    (self.width, self.height, self.format, self.shape) = (width, height, format, shape)
  }

  /// In what this form, which comes later, differs from another, for people; nil: in nothing.
  package func change(from earlier: CodedForm) -> String? {
    if (width, height) != (earlier.width, earlier.height) {
      return "size of its picture from \(earlier.width)x\(earlier.height) to \(width)x\(height)"
    }
    if format != earlier.format { return "format of its pixels" }
    return shape != earlier.shape ? "shape of its pixels" : nil
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> Int {
    Int(bytes[place]) << 8 | Int(bytes[place + 1])
  }
}

// MARK: - Headers of fixed places

extension CodedForm {
  /// The frame header of a key frame (RFC 6386, 9.1).
  fileprivate static func ofVP8(_ bytes: [UInt8]) -> CodedForm? {
    guard bytes.count >= 10, bytes[0] & 1 == 0, bytes[3..<6].elementsEqual([0x9D, 1, 0x2A]) else {
      return nil
    }
    func size(_ place: Int) -> Int { (Int(bytes[place + 1]) << 8 | Int(bytes[place])) & 0x3FFF }
    return CodedForm(size(6), size(8))
  }

  /// The frame header, behind a size and `icpf` (SMPTE RDD 36, 5.1.1).
  fileprivate static func ofProRes(_ bytes: [UInt8]) -> CodedForm? {
    guard bytes.count >= 24, bytes[4..<8].elementsEqual(Array("icpf".utf8)) else { return nil }
    // Its `chroma_format`, and whether alpha is coded.
    let alpha: UInt32 = bytes.count > 25 && bytes[25] & 15 != 0 ? 1 : 0
    return CodedForm(
      number(bytes, at: 16), number(bytes, at: 18), format: UInt32(bytes[20] >> 6) << 1 | alpha)
  }

  /// The picture header (SMPTE ST 2019-1, 8.2), with its `CompressionID`.
  fileprivate static func ofDNxHD(_ bytes: [UInt8]) -> CodedForm? {
    guard bytes.count >= 0x2C, bytes.starts(with: [0, 0]) else { return nil }
    return CodedForm(
      number(bytes, at: 0x1A), number(bytes, at: 0x18),
      format: UInt32(number(bytes, at: 0x28)) << 16 | UInt32(number(bytes, at: 0x2A)))
  }

  /// The frame header (ITU-T T.81, B.2.2): the first marker of these.
  fileprivate static func ofJPEG(_ bytes: [UInt8]) -> CodedForm? {
    var place = 2
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    while place + 9 < bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      if marker == 0xFF {
        place += 1
        continue
      }
      guard !(0xC0...0xC3).contains(marker) else {
        var format = UInt32(bytes[place + 4])
        // Of each component how often it is sampled (`Hi`, `Vi`).
        for component in 0..<min(3, Int(bytes[place + 9])) {
          let sampling = place + 11 + 3 * component
          guard sampling < bytes.count else { return nil }
          format = format << 8 | UInt32(bytes[sampling])
        }
        return CodedForm(number(bytes, at: place + 7), number(bytes, at: place + 5), format: format)
      }
      guard marker != 0xDA, marker != 0xD9 else { return nil }
      place += 2 + number(bytes, at: place + 2)
    }
    return nil
  }

  /// The sequence header, and the extension behind it (ISO/IEC 13818-2, 6.2.2.1 and 6.2.2.3). The rate of
  /// pictures is not looked at: containers say when each is shown.
  fileprivate static func ofMPEG2(_ bytes: [UInt8]) -> CodedForm? {
    let codes = startCodes(in: bytes, until: { $0 == 0 || 1...0xAF ~= $0 })
    guard let place = codes.first(where: { bytes[$0] == 0xB3 }), place + 4 < bytes.count else {
      return nil
    }
    var form = CodedForm(
      Int(bytes[place + 1]) << 4 | Int(bytes[place + 2] >> 4),
      Int(bytes[place + 2] & 15) << 8 | Int(bytes[place + 3]), shape: UInt32(bytes[place + 4] >> 4))
    guard let extended = codes.first(where: { $0 > place && bytes[$0] == 0xB5 }),
      extended + 3 < bytes.count, bytes[extended + 1] >> 4 == 1
    else { return form }
    let (second, third) = (bytes[extended + 2], bytes[extended + 3])
    form.format = UInt32(second >> 1 & 3)
    form.width |= Int(second & 1) << 13 | Int(third >> 7) << 12
    form.height |= Int(third >> 5 & 3) << 12
    return form
  }

  /// Where start codes stand, by their last byte, up to the first one that ends what is looked for.
  static func startCodes(in bytes: [UInt8], until isEnd: (UInt8) -> Bool) -> [Int] {
    var places: [Int] = []
    var place = 2
    while place + 1 < bytes.count, places.count < 64 {
      guard bytes[place] == 1, bytes[place - 1] == 0, bytes[place - 2] == 0 else {
        place += 1
        continue
      }
      guard !isEnd(bytes[place + 1]) else { break }
      places.append(place + 1)
      place += 4
    }
    return places
  }
}

// MARK: - Headers of bits

extension CodedForm {
  /// The video object layer.
  fileprivate static func ofMPEG4(_ bytes: [UInt8]) -> CodedForm? {
    MPEG4Layer(of: bytes).map { CodedForm($0.width, $0.height, shape: $0.shape) }
  }

  /// The uncompressed header of a key frame (VP9 Bitstream & Decoding Process Specification, 6.2).
  fileprivate static func ofVP9(_ bytes: [UInt8]) throws(BitstreamRefusal) -> CodedForm? {
    var reader = BitReader(bytes, of: .sequenceHeader)
    guard try reader.bits(2) == 2 else { return nil }
    let profile = try reader.bits(1) | reader.bits(1) << 1
    if profile == 3 { try reader.skip(1) }
    // An existing frame, or one that is no key frame.
    guard try reader.bits(2) == 0 else { return nil }
    try reader.skip(2)
    guard try reader.bits(24) == 0x49_8342 else { return nil }
    let depth = profile >= 2 ? try reader.bits(1) + 1 : 0
    var sampling: UInt32 = 3
    let isRGB = try reader.bits(3) == 7
    if !isRGB { try reader.skip(1) }
    if profile & 1 == 1 {
      if !isRGB { sampling = try reader.bits(2) }
      try reader.skip(1)
    }
    if isRGB { sampling = 4 }
    let width = Int(try reader.bits(16)) + 1
    return CodedForm(width, Int(try reader.bits(16)) + 1, format: depth << 3 | sampling)
  }

  /// The first sequence header (AV1 Bitstream & Decoding Process Specification, 5.3 to 5.5).
  fileprivate static func ofAV1(_ bytes: [UInt8]) throws(BitstreamRefusal) -> CodedForm? {
    var place = 0
    while place < bytes.count {
      let (type, hasExtension) = (bytes[place] >> 3 & 15, bytes[place] & 4 != 0)
      // Without a size it is the last one.
      let hasSize = bytes[place] & 2 != 0
      place += hasExtension ? 2 : 1
      var size = hasSize ? 0 : bytes.count - place
      if hasSize {
        for shift in 0..<8 {
          guard place < bytes.count else { return nil }
          size |= Int(bytes[place] & 0x7F) << (7 * shift)
          place += 1
          if bytes[place - 1] & 0x80 == 0 { break }
        }
      }
      guard size >= 0, size <= bytes.count - place else { return nil }
      if type == 1 { return try sequence(Array(bytes[place..<place + size])) }
      place += size
    }
    return nil
  }

  /// A sequence header of AV1 (5.5.1), up to the way in which pixels lie.
  private static func sequence(_ bytes: [UInt8]) throws(BitstreamRefusal) -> CodedForm {
    var reader = BitReader(bytes, of: .sequenceHeader)
    let profile = try reader.bits(3)
    try reader.skip(1)
    let isReduced = try reader.flag()
    if isReduced {
      try reader.skip(5)
    } else {
      try skipOperatingPoints(&reader)
    }
    let (width, height) = (Int(try reader.bits(4)) + 1, Int(try reader.bits(4)) + 1)
    let (columns, rows) = (Int(try reader.bits(width)) + 1, Int(try reader.bits(height)) + 1)
    if !isReduced, try reader.flag() { try reader.skip(7) }
    try reader.skip(3)
    if !isReduced { try skipTools(&reader) }
    try reader.skip(3)
    return CodedForm(columns, rows, format: try format(&reader, profile))
  }

  /// The tools of a sequence header of AV1 that is not reduced, from `enable_interintra_compound` to
  /// `order_hint_bits_minus_1` (5.5.1).
  private static func skipTools(_ reader: inout BitReader) throws(BitstreamRefusal) {
    try reader.skip(4)
    let hasOrderHint = try reader.flag()
    if hasOrderHint { try reader.skip(2) }
    // Where the header leaves it to pictures, they may be of a screen.
    let isLeftOpen = try reader.flag()
    let mayBeScreen = isLeftOpen ? true : try reader.flag()
    if mayBeScreen, try !reader.flag() { try reader.skip(1) }
    if hasOrderHint { try reader.skip(3) }
  }

  /// The profile, the depth in bits, and how colours are sampled (AV1, 5.5.2, `color_config`).
  private static func format(
    _ reader: inout BitReader, _ profile: UInt32
  ) throws(BitstreamRefusal) -> UInt32 {
    let isHigh = try reader.flag()
    let isTwelve = isHigh && profile == 2 ? try reader.flag() : false
    let isGray = profile == 1 ? false : try reader.flag()
    // The primaries, the transfer and the matrix.
    let colours = try reader.flag() ? try reader.bits(24) : 0
    var sampling: UInt32 = 0
    if isGray {
      sampling = 1
    } else if colours == 0x01_0D00 {
      sampling = 2
    } else {
      try reader.skip(1)
      if isTwelve { sampling = try reader.flag() ? 4 + reader.bits(1) : 3 }
    }
    return profile << 5 | (isHigh ? 16 : 0) | (isTwelve ? 8 : 0) | sampling
  }

  private static func skipOperatingPoints(
    _ reader: inout BitReader
  ) throws(BitstreamRefusal) {
    var delayBits: Int?
    if try reader.flag() {
      try reader.skip(64)
      if try reader.flag() { _ = try reader.unsigned() }
      if try reader.flag() {
        delayBits = Int(try reader.bits(5)) + 1
        try reader.skip(42)
      }
    }
    let hasDelays = try reader.flag()
    for _ in 0...(try reader.bits(5)) {
      try reader.skip(12)
      if try reader.bits(5) > 7 { try reader.skip(1) }
      if let delayBits, try reader.flag() { try reader.skip(2 * delayBits + 1) }
      if hasDelays, try reader.flag() { try reader.skip(4) }
    }
  }
}
