import Tagging

/// What the chunks of a WAV or Wave64 say of its sound, as far as libavformat takes it wrongly: RIFX's
/// byte order, valid bits, sizes that do not fit into 32 bits, and Wave64's length.
///
/// Formats: Microsoft's RIFF and `WAVEFORMATEXTENSIBLE`, RF64 (EBU Tech 3306), Sony's Wave64.
package struct WaveHeader: Sendable, Hashable {
  /// The content of the chunk `fmt `.
  package struct Format: Sendable, Hashable {
    /// `WAVE_FORMAT_…`, for an extensible one the number in its subformat.
    var code: UInt16
    var isExtensible: Bool
    var channelCount: Int
    var sampleRate: UInt32
    var bytesPerSecond: UInt32
    /// Bytes of one frame of all channels.
    var blockAlign: Int
    /// Bits of one sample's container.
    var bits: Int
    /// Bits of it that count, from the highest on.
    var validBits: Int
    var channelMask: UInt32
    /// Whether the samples of a plain header fill the higher bytes of larger containers.
    var isPadded = false
  }

  /// How its chunks are written.
  package enum Kind: Sendable, Hashable {
    case riff
    /// Numbers and samples have their highest byte first.
    case rifx
    /// Names are GUIDs, and sizes have 64 bits and count their heads.
    case wave64

    var layout: ChunkWalk.Layout {
      switch self {
      case .riff: .riff
      case .rifx: .aiff
      case .wave64: .wave64
      }
    }
  }

  package let kind: Kind
  let format: Format
  /// Where the content of `fmt ` lies.
  let formatContent: Range<Int64>
  /// All chunks before and behind the sound, and its own.
  package private(set) var chunks: [Chunk] = []
  /// Bytes of the file.
  let fileSize: Int64
  /// Where the sound lies.
  let sound: Range<Int64>
  /// Bytes of sound by the header; nil where it leaves that open, as writers to a pipe do.
  package let announcedSize: Int64?
  /// Bytes behind the sound that no chunk holds.
  package private(set) var unclaimedSize: Int64 = 0
  /// Whether these begin as a WAV does.
  package private(set) var holdsAnother = false
  /// Whether the size of 32 bits lacks its higher ones, which the file's own size proves.
  package private(set) var isWrapped = false
  /// Whether the size of 64 bits is another one than that of 32, which is one.
  private var hasFalseLongSize = false
  /// Whether the size counts a byte of padding behind the sound.
  private(set) var hasCountedPadding = false
  /// Whether that may be so, and nothing proves it.
  private(set) var mayBeWrapped = false

  /// One chunk.
  package struct Chunk: Sendable, Hashable {
    /// Four characters, of Wave64 those that its GUID begins with.
    package var name: String
    /// Whether its name is one.
    var isNamed: Bool
    var announcedSize: Int64
    /// Where its content lies in the file, which may break off before its end.
    package var content: Range<Int64>
    /// Whether a byte of padding follows a content of an odd size, as it must.
    package var isPadded: Bool
    /// Whether the file has all of it.
    var isWhole: Bool { Int64(content.count) == announcedSize }
    /// Whether another file begins here.
    var beginsFile: Bool { ["RIFF", "RIFX", "RF64", "BW64", "riff"].contains(name) }
  }

  /// Whether it has a size of 64 bits that is left open, or does not count, since there is another one of
  /// 32 bits (EBU Tech 3306, 3: it counts where that is 0xFFFFFFFF).
  var hasUselessLongSize: Bool {
    kind == .riff
      && (hasFalseLongSize || announcedSize == nil && chunks.contains { $0.name == "ds64" })
  }

  /// The first chunk that lacks its byte of padding, which libavformat then misses the next ones for; nil
  /// where none does.
  package var unpadded: Chunk? { chunks.first { !$0.isPadded } }

  /// Whether a list has a megabyte or more, of which not all texts are read.
  var hasLongList: Bool { chunks.contains { $0.name == "LIST" && $0.content.count >= 1_000_000 } }

  /// Further chunks of sound behind the first one, which RIFF does not know of (Microsoft's and IBM's
  /// "Multimedia Programming Interface and Data Specifications 1.0", WAVE).
  package var furtherSounds: [Chunk] { chunks.filter(isFurtherSound) }

  /// The chunks but for further sounds.
  package var chunksOfOneSound: [Chunk] { chunks.filter { !isFurtherSound($0) } }

  private func isFurtherSound(_ chunk: Chunk) -> Bool {
    chunk.name == "data" && chunk.content.lowerBound > sound.lowerBound
  }

  /// Bytes of sound.
  package var soundSize: Int64 { sound.upperBound - sound.lowerBound }
  /// Bytes of sound that the header counts and the file lacks.
  package var missingSize: Int64 { isWrapped ? 0 : max(0, (announcedSize ?? 0) - soundSize) }

  /// Significant bits of a sample that is an integer, if they are fewer than its container has.
  package var validBits: Int? {
    format.code == 1 && format.hasOddBits ? format.validBits : nil
  }
}

extension WaveHeader.Format {
  /// Whether the container of a sample is not what libavformat would take for it.
  var hasOddBits: Bool {
    isPadded
      || isExtensible && (code == 1 || code == 3) && container % 8 == 0 && container > 0
        && (bits != container || validBits != container) && (bits + 7) / 8 * 8 == container
        && (1...container).contains(validBits)
  }

  /// Whether its numbers are those of integers in larger containers, and of the floats that Cool Edit
  /// wrote.
  fileprivate var mayBePadded: Bool {
    !isExtensible && code == 1 && bits == 24 && container == 32
      && blockAlign == 4 * channelCount
  }

  /// Whether so many bytes of sound are an odd number of blocks of GSM 6.10, of 65 bytes each, and a byte
  /// of padding: sox counts it.
  fileprivate func hasPadding(in count: Int64) -> Bool {
    code == 0x31 && blockAlign == 65 && count > 1 && count % 130 == 66
  }

  /// Bits of a sample's container by the size of a frame.
  var container: Int { channelCount > 0 ? blockAlign * 8 / channelCount : 0 }
}

extension WaveHeader {
  /// Sizes from here on stand for an unknown one where the file is shorter: 0x7FFFF000 is sox's and
  /// espeak's, 0x7FFFFFFF oggdec's, 0x80000000 arecord's; others take their header's size from
  /// 0xFFFFFFFF.
  private static let openSizes: [ClosedRange<Int64>] = [
    0x7FFF_0000...0x8000_0000, 0xFFFF_0000...0xFFFF_FFFF,
  ]

  /// Sizes of 64 bits from here on stand for an unknown one.
  private static let openLongSize: Int64 = 1 << 60

  /// How a file's chunks are written, and where the first one is, by its first 40 bytes; nil where it is
  /// no WAV.
  private static func beginning(_ head: [UInt8]) -> (Kind, Int64)? {
    let riff: [UInt8] = [
      0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0, 0,
    ]
    if head.count == 40, head.starts(with: riff) { return (.wave64, 40) }
    guard head.count >= 12, head[8..<12].elementsEqual("WAVE".utf8) else { return nil }
    return switch String(decoding: head[..<4], as: UTF8.self) {
    case "RIFF", "RF64", "BW64": (.riff, 12)
    case "RIFX": (.rifx, 12)
    default: nil
    }
  }

  /// Whether a file that begins so has sizes of 64 bits in `ds64` (EBU Tech 3306; ITU-R BS.2088).
  private static func hasLongSizes(_ head: [UInt8]) -> Bool {
    head.starts(with: "RF64".utf8) || head.starts(with: "BW64".utf8)
  }

  /// Reads the chunks of a file of `size` bytes; nil where it is no WAV and no Wave64, or has no `fmt `
  /// before its `data`.
  ///
  /// - Parameters:
  ///   - size: Bytes of the file.
  ///   - read: Gives bytes from an offset on, fewer at the end.
  /// - Throws: As `read`.
  /// - Complexity: O(chunks), of which there are at most twice `ChunkLimits.chunks`
  package init?(
    size: Int64, reading read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws {
    let head = try read(0, 40)
    guard let (kind, offset) = Self.beginning(head) else { return nil }
    self.kind = kind
    var walk = ChunkWalk(in: offset..<max(offset, size), kind.layout, isLenient: true)
    var format: (Format, Range<Int64>)?
    var longSize: Int64?
    while let chunk = try walk.nextChunk(of: kind, read) {
      chunks.append(chunk)
      switch chunk.name {
      case "fmt ":
        let content = try read(chunk.content.lowerBound, min(40, chunk.content.count))
        format = Format(content, isBigEndian: kind == .rifx).map { ($0, chunk.content) }
      case "ds64":
        let content = try read(chunk.content.lowerBound, 16)
        if content.count == 16 {
          longSize = Int64(clamping: content[8...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
      case "data":
        guard var format else { return nil }
        format.0.isPadded =
          try format.0.mayBePadded
          && Self.hasEmptyBytes(chunk.content, isFirst: kind != .rifx, read)
        // Some writers have the lower half of it here, or 0, and not the number that stands for it.
        let isLong =
          chunk.announcedSize == 0xFFFF_FFFF
          || longSize.map { $0 & 0xFFFF_FFFF == chunk.announcedSize } == true
          || chunk.announcedSize == 0 && longSize != nil && Self.hasLongSizes(head)
        hasCountedPadding = kind == .riff && !isLong && format.0.hasPadding(in: chunk.announcedSize)
        let announced = isLong ? longSize : chunk.announcedSize - (hasCountedPadding ? 1 : 0)
        hasFalseLongSize = longSize != nil && !isLong
        (self.format, formatContent) = format
        fileSize = size
        let start = chunk.content.lowerBound
        // Writers to a pipe leave the size at 0, too.
        let isOpen =
          try announced.map { announced in
            try announced == 0
              ? !Self.endsWithChunks(kind, from: start, size: size, read)
              : announced >= Self.openLongSize
                || Self.openSizes.contains { $0.contains(announced) } && start + announced > size
          } ?? true
        announcedSize = isOpen ? nil : announced
        var end = start + min(size - start, announcedSize ?? size)
        if kind != .wave64, longSize == nil || hasFalseLongSize, let announced = announcedSize,
          size - start - announced >= 1 << 32
        {
          (end, isWrapped, mayBeWrapped) = try Self.wrapped(
            kind, start: start, announced, size: size, read)
        }
        sound = start..<max(start, end)
        if announcedSize != nil { try walkBehindSound(size: size, read) }
        return
      default: break
      }
    }
    return nil
  }

  /// Whether the lowest byte of samples of four bytes is 0 at the beginning, middle and end of a sound,
  /// as of integers of 24 bits, and not of floats.
  private static func hasEmptyBytes(
    _ sound: Range<Int64>, isFirst: Bool, _ read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws -> Bool {
    let window = min(1 << 12, sound.count) / 4 * 4
    for part: Int64 in 0...2 {
      let offset = Int64(sound.count - window) / 2 * part / 4 * 4
      let bytes = try read(sound.lowerBound + offset, window)
      let lowest = stride(from: isFirst ? 0 : 3, to: bytes.count, by: 4)
      guard lowest.allSatisfy({ bytes[$0] == 0 }) else { return false }
    }
    return true
  }

  /// Notes what lies behind the sound.
  private mutating func walkBehindSound(
    size: Int64, _ read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws {
    let isPadded = chunks.last { $0.name == "data" }?.isPadded ?? true
    let start = sound.upperBound + (isPadded ? kind.layout.padding(behind: soundSize) : 0)
    var walk = ChunkWalk(in: start..<max(start, size), kind.layout, isLenient: true)
    while walk.offset + Int64(kind.layout.headSize) <= size {
      let chunk = try walk.nextChunk(of: kind, read)
      guard let chunk, chunk.isNamed, !chunk.beginsFile else {
        unclaimedSize = size - walk.start
        holdsAnother = chunk?.beginsFile ?? false
        return
      }
      chunks.append(chunk)
    }
  }

  /// The end of a sound whose size lacks its higher bits, where the rest of the file proves it.
  private static func wrapped(
    _ kind: Kind, start: Int64, _ announced: Int64, size: Int64,
    _ read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws -> (end: Int64, isWrapped: Bool, mayBe: Bool) {
    // A chunk that is larger than any sound of this file.
    if try endsWithChunks(kind, from: start + announced + announced % 2, size: size, read) {
      return (start + announced, false, false)
    }
    var end = start + announced
    while end <= size {
      // The last byte of an odd size may be missing.
      if end == size || (announced % 2 == 1 && end + 1 == size) { return (end, true, false) }
      if end > start + announced,
        try endsWithChunks(kind, from: end + announced % 2, size: size, read)
      {
        return (end, true, false)
      }
      end += 1 << 32
    }
    return (start + announced, false, true)
  }

  /// Whether nothing but whole chunks, and at least one, lie between an offset and the file's end.
  private static func endsWithChunks(
    _ kind: Kind, from offset: Int64, size: Int64,
    _ read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws -> Bool {
    var walk = ChunkWalk(in: offset..<max(offset, size), kind.layout)
    guard offset < size else { return false }
    while walk.offset < size {
      guard let chunk = try walk.nextChunk(of: kind, read), chunk.isNamed, chunk.isWhole else {
        return false
      }
    }
    return true
  }
}

extension ChunkWalk {
  /// The next chunk of a WAV or Wave64.
  fileprivate mutating func nextChunk(
    of kind: WaveHeader.Kind, _ read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws -> WaveHeader.Chunk? {
    guard let chunk = try next(read), chunk.announcedSize >= 0 else { return nil }
    // Sony's GUIDs that are no names.
    let others: [[UInt8]: String] = [
      [0xBC, 0x94, 0x5F, 0x92]: "summary list", [0x56, 0x62, 0xF7, 0xAB]: "marker",
    ]
    let other = kind == .wave64 ? others[chunk.name] : nil
    return WaveHeader.Chunk(
      name: other ?? String(decoding: chunk.name, as: UTF8.self),
      isNamed: other != nil || chunk.name.allSatisfy { (32...126).contains($0) },
      announcedSize: chunk.announcedSize, content: chunk.content, isPadded: chunk.isPadded)
  }
}

extension WaveHeader.Format {
  /// Reads `fmt `; nil where it is too short.
  init?(_ bytes: [UInt8], isBigEndian isBig: Bool) {
    guard bytes.count >= 14 else { return nil }
    func short(_ offset: Int) -> UInt16 {
      bytes.count >= offset + 2 ? UInt16(bytes[offset...].prefix(2), isBigEndian: isBig) : 0
    }
    func long(_ offset: Int) -> UInt32 {
      bytes.count >= offset + 4 ? UInt32(bytes[offset...].prefix(4), isBigEndian: isBig) : 0
    }
    code = short(0)
    channelCount = Int(short(2))
    (sampleRate, bytesPerSecond) = (long(4), long(8))
    blockAlign = Int(short(12))
    bits = bytes.count >= 16 ? Int(short(14)) : 8
    isExtensible = code == 0xFFFE && bytes.count >= 40
    validBits = isExtensible ? Int(short(18)) : bits
    channelMask = isExtensible ? long(20) : 0
    // A GUID whose first number is the code. Of RIFX some writers swap its first number alone, as one
    // of 16 bits or of 32.
    if isExtensible {
      let first = long(24)
      code = isBig && first > 0xFFFF ? short(24) : UInt16(truncatingIfNeeded: first)
    }
    // None are given.
    if validBits == 0 { validBits = container }
  }

  /// This format as the content of a little-endian `fmt ` chunk.
  var littleEndian: [UInt8] {
    func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let plain =
      bytes(isExtensible ? 0xFFFE : code) + bytes(UInt16(truncatingIfNeeded: channelCount))
      + bytes(sampleRate) + bytes(bytesPerSecond) + bytes(UInt16(truncatingIfNeeded: blockAlign))
      + bytes(UInt16(truncatingIfNeeded: hasOddBits ? container : bits))
    guard isExtensible else { return plain }
    let guid: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    return plain + bytes(UInt16(22))
      + bytes(UInt16(truncatingIfNeeded: hasOddBits ? container : validBits))
      + bytes(channelMask) + bytes(code) + guid
  }
}

extension FixedWidthInteger {
  /// The number of some bytes.
  init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
    self =
      isBigEndian
      ? bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
      : bytes.reversed().reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }
}
