import Tagging

/// A WAV or Wave64 as libavformat reads it rightly: another source's bytes, with another header where its own
/// would be misunderstood.
struct WaveSource {
  /// What is read.
  let source: any ByteSource
  /// nil for anything else.
  private(set) var header: WaveHeader?

  /// Looks at the first bytes of a source, and at its chunks if it is one.
  ///
  /// - Throws: `LibAVError` where it cannot be read, or cannot be read rightly.
  init(_ source: any ByteSource) throws(LibAVError) {
    do {
      guard let header = try WaveHeader(size: source.size(), reading: source.bytes(at:count:))
      else {
        self.source = source
        return
      }
      self.header = header
      let pieces =
        switch header.kind {
        case .riff: header.hasStrangeChunks ? header.bare : header.corrected
        case .rifx: try header.converted(source.bytes(at:count:))
        case .wave64: header.reordered
        }
      self.source = pieces.map { SplicedBytes(source, $0) } ?? source
    } catch let error as LibAVError {
      throw error
    } catch {
      throw LibAVError(reading: error)
    }
    if header?.mayBeWrapped == true { throw .wrappedSize }
  }
}

extension WaveHeader {
  /// Bytes of a `LIST` that are converted at most.
  private static let longestList = 1 << 20

  private static func chunk(_ name: String, _ size: Int64) -> [UInt8] {
    Array(name.utf8) + bytes(UInt64(min(size, 0xFFFF_FFFF)), count: 4)
  }

  private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// The head of an RF64 with a sound of `count` bytes (EBU Tech 3306).
  private static func longHead(_ count: Int64, fileSize: Int64) -> [UInt8] {
    chunk("RF64", 0xFFFF_FFFF) + Array("WAVE".utf8) + chunk("ds64", 28)
      + bytes(UInt64(fileSize + 28), count: 8) + bytes(UInt64(count), count: 8)
      + bytes(0, count: 12)
  }

  /// The pieces of a Wave64 whose sound does not end the file, by which libavformat takes its length, or
  /// whose `fmt ` has not the bits of its samples' containers; nil for others.
  fileprivate var reordered: [SplicedBytes.Piece]? {
    let behind = sound.upperBound + kind.layout.padding(behind: soundSize)
    let isLast = announcedSize == nil || sound.upperBound >= fileSize
    guard format.hasOddBits || !isLast else { return nil }
    let dataStart = sound.lowerBound - Int64(kind.layout.headSize)
    var pieces: [SplicedBytes.Piece] = []
    var rest: Int64 = 0
    if format.hasOddBits {
      pieces += [.range(0..<formatContent.lowerBound), .bytes(format.littleEndian)]
      rest = formatContent.lowerBound + Int64(format.littleEndian.count)
    }
    pieces.append(.range(rest..<max(rest, dataStart)))
    let end = fileSize - unclaimedSize
    if !isLast, behind < end {
      let padding = [UInt8](repeating: 0, count: Int(kind.layout.padding(behind: end - behind)))
      pieces += [.range(behind..<end), .bytes(padding)]
    }
    pieces.append(.range(dataStart..<sound.upperBound))
    return pieces
  }

  /// The pieces of a file with the lowest byte first whose header is wrong; nil where all is right.
  fileprivate var corrected: [SplicedBytes.Piece]? {
    let isEmpty = announcedSize == 0
    guard
      format.hasOddBits || isWrapped || unclaimedSize >= 8 || isEmpty || hasUselessLongSize
        || hasCountedPadding
    else { return nil }
    let count = sound.upperBound - sound.lowerBound
    let end = isEmpty ? sound.lowerBound : fileSize - unclaimedSize
    var pieces: [SplicedBytes.Piece] = []
    if isWrapped {
      pieces.append(.bytes(Self.longHead(count, fileSize: fileSize)))
    } else if hasUselessLongSize {
      // libavformat takes a size of 64 bits at its word, also 0, whatever that of 32 bits is.
      pieces += [.bytes(Array("RIFF".utf8)), .range(4..<12)]
    } else {
      pieces.append(.range(0..<12))
    }
    pieces.append(.range(12..<formatContent.lowerBound))
    var rest = formatContent.lowerBound
    if format.hasOddBits {
      let bytes = format.littleEndian
      pieces.append(.bytes(bytes))
      rest += Int64(bytes.count)
    }
    pieces.append(.range(rest..<sound.lowerBound - 4))
    pieces.append(
      isWrapped
        ? .bytes(Self.bytes(0xFFFF_FFFF, count: 4))
        : hasCountedPadding
          ? .bytes(Self.bytes(UInt64(announcedSize ?? count), count: 4))
          : .range(sound.lowerBound - 4..<sound.lowerBound))
    pieces.append(.range(sound.lowerBound..<max(sound.lowerBound, end)))
    return pieces
  }

  /// Whether libavformat misses what is behind a chunk without padding, refuses a chunk that is not whole,
  /// takes much memory for a large one, or the last of several sounds.
  fileprivate var hasStrangeChunks: Bool {
    !furtherSounds.isEmpty
      || chunks.contains { chunk in
        !chunk.isPadded || chunk.name != "data" && (!chunk.isWhole || chunk.content.count > 1 << 16)
      }
  }

  /// The pieces of a file with its sound, its ID3 tag and a header that is right; its other chunks are read
  /// elsewhere.
  fileprivate var bare: [SplicedBytes.Piece] {
    let isLong = fileSize > 0xFFFF_FFFF
    let head = isLong ? Self.longHead(soundSize, fileSize: fileSize) : Self.chunk("RIFF", fileSize)
    var pieces: [SplicedBytes.Piece] = [.bytes(isLong ? head : head + Array("WAVE".utf8))]
    for chunk in chunks where chunk.isWhole || chunk.name == "data" {
      var count = chunk.content.count
      switch chunk.name {
      case "fmt " where format.hasOddBits:
        let content = format.littleEndian
        pieces.append(.bytes(Self.chunk("fmt ", Int64(content.count)) + content))
      case "data":
        // The first one alone.
        guard chunk.content.lowerBound == sound.lowerBound else { continue }
        pieces += [.bytes(Self.chunk("data", isLong ? 0xFFFF_FFFF : soundSize)), .range(sound)]
        count = Int(soundSize)
      case "fmt ", "fact", "id3 ", "ID3 ":
        pieces.append(.range(chunk.content.lowerBound - 8..<chunk.content.upperBound))
      default: continue
      }
      if count % 2 == 1 { pieces.append(.bytes([0])) }
    }
    return pieces
  }

  /// The pieces of a RIFX as those of a RIFF: its samples stay as they are.
  fileprivate func converted(
    _ read: (Int64, Int) throws -> [UInt8]
  ) throws -> [SplicedBytes.Piece]? {
    let isPCM = format.code == 1 && [8, 16, 24, 32].contains(format.container)
    let isFloat = format.code == 3 && [32, 64].contains(format.container)
    // G.711 has no order of bytes.
    guard isPCM || isFloat || format.code == 6 || format.code == 7 else {
      throw LibAVError.refused(
        "is a RIFX file (a WAV with the highest byte first) of format \(format.code), of which only "
          + "PCM, floats and G.711 are read; write it as a WAV")
    }
    let count = sound.upperBound - sound.lowerBound
    let content = format.littleEndian
    var head = isWrapped ? Self.longHead(count, fileSize: fileSize) : []
    if head.isEmpty { head = Self.chunk("RIFF", fileSize - 8) + Array("WAVE".utf8) }
    head += Self.chunk("fmt ", Int64(content.count)) + content
    for list in chunks where list.name == "LIST" && list.content.count <= Self.longestList {
      let bytes = try read(list.content.lowerBound, list.content.count)
      head += Self.littleEndian(list: bytes)
    }
    let isOpen = isWrapped || announcedSize == nil
    head += Self.chunk("data", isOpen ? 0xFFFF_FFFF : count)
    return [.bytes(head), .range(sound)]
  }

  /// A list of tags with sizes in the other order; nothing for other lists.
  private static func littleEndian(list: [UInt8]) -> [UInt8] {
    guard list.starts(with: "INFO".utf8) else { return [] }
    var content = Array("INFO".utf8)
    var walk = ChunkWalk(in: 4..<Int64(list.count), .aiff)
    while let chunk = walk.next({ Array(list[Int($0)...].prefix($1)) }), chunk.isWhole {
      content += chunk.name + bytes(UInt64(chunk.content.count), count: 4)
      content += list[Int(chunk.content.lowerBound)..<Int(chunk.content.upperBound)]
      if chunk.content.count % 2 == 1 { content.append(0) }
    }
    return chunk("LIST", Int64(content.count)) + content
  }
}
