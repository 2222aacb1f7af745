/// What a FLAC keeps of the WAV, AIFF or Wave64 that it was made of: blocks APPLICATION of `riff`, `aiff`
/// or `w64 `, as `flac --keep-foreign-metadata` writes them (flac's `doc/foreign_metadata_storage.md`).
/// The first has the file's head, each other a chunk with its head and padding, in the file's order; of
/// the sound there is the head alone.
package struct ForeignBlocks: Sendable, Hashable {
  /// What the file was; the raw value is the application's identifier.
  package enum Container: String, Sendable, Hashable, CaseIterable {
    /// RIFF, RF64 and BW64, of which flac itself does not know the last.
    case riff
    case aiff
    case wave64 = "w64 "

    package var layout: ChunkWalk.Layout {
      switch self {
      case .riff: .riff
      case .aiff: .aiff
      case .wave64: .wave64
      }
    }

    /// Bytes before the first chunk.
    fileprivate var headSize: Int { self == .wave64 ? 40 : 12 }
    fileprivate var sound: String { self == .aiff ? "SSND" : "data" }

    /// Whether bytes begin such a file.
    fileprivate func isHead(_ bytes: some Collection<UInt8>) -> Bool {
      guard bytes.count >= headSize else { return false }
      func text(_ offset: Int) -> String {
        EightBitText.windows1252(bytes.dropFirst(offset).prefix(4))
      }
      return switch self {
      case .riff: ["RIFF", "RF64", "BW64"].contains(text(0)) && text(8) == "WAVE"
      case .aiff: text(0) == "FORM" && ["AIFF", "AIFC"].contains(text(8))
      case .wave64: text(0) == "riff" && text(24) == "wave"
      }
    }
  }

  /// A chunk of the file.
  package struct Chunk: Sendable, Hashable {
    /// Four characters; of Wave64, those that its GUID begins with.
    package let name: String
    /// Without its head and padding; of the sound what stands before the first sample.
    package let content: ArraySlice<UInt8>
    package let isSound: Bool
  }

  package let container: Container
  /// The file's head and the chunks as they are stored, without the identifier.
  package private(set) var blocks: [[UInt8]] = []
  /// Where the sound's block is among them.
  package private(set) var sound = 0

  /// The most bytes of a block: a size of 24 bits, less the identifier (RFC 9639, 8.1 and 8.4).
  package static let longestBlock = (1 << 24) - 1 - 4

  /// Takes the foreign ones of a file's APPLICATION blocks, each from its identifier on; nil without
  /// any, and where they make no file: `defects` says why then. O(n)
  package init?(applications: [[UInt8]], defects: inout [ChunkDefect]) {
    func container(_ block: [UInt8]) -> Container? {
      Container(rawValue: EightBitText.windows1252(block.prefix(4)))
    }
    guard let first = applications.lazy.compactMap(container).first else { return nil }
    self.container = first
    for block in applications where container(block) == first {
      blocks.append(Array(block.dropFirst(4)))
    }
    guard check(&defects) else { return nil }
  }

  private mutating func check(_ defects: inout [ChunkDefect]) -> Bool {
    guard let head = blocks.first, head.count == container.headSize, container.isHead(head) else {
      defects.note(container.rawValue, .inconsistent("the first block has not the file's head"))
      return false
    }
    var sounds: [Int] = []
    for (index, block) in blocks.enumerated().dropFirst() {
      guard let chunk = chunk(of: block) else {
        defects.note(container.rawValue, .inconsistent("the block \(index + 1) is not one chunk"))
        return false
      }
      if chunk.isSound { sounds.append(index) }
    }
    guard sounds.count == 1 else {
      defects.note(container.rawValue, .inconsistent("the sound is there \(sounds.count) times"))
      return false
    }
    sound = sounds[0]
    return true
  }

  /// A block as a chunk; nil where it has more than one, or less.
  private func chunk(of block: [UInt8]) -> Chunk? {
    let layout = container.layout
    var walk = ChunkWalk(in: 0..<Int64(block.count), layout)
    guard let chunk = walk.next({ Array(block[Int($0)...].prefix($1)) }) else { return nil }
    let name = EightBitText.windows1252(chunk.name)
    let isSound = name == container.sound
    // Of the sound only the head is there, whatever its size says; of AIFF an offset, too.
    guard isSound || (chunk.isWhole && walk.offset == block.count) else { return nil }
    if isSound, container != .aiff, block.count != layout.headSize { return nil }
    return Chunk(
      name: name, content: block[layout.headSize...].prefix(chunk.content.count), isSound: isSound)
  }

  /// All chunks, in the file's order. O(n)
  package var chunks: [Chunk] { blocks.dropFirst().compactMap(chunk) }

  /// The contents of blocks APPLICATION, each with its identifier. O(n)
  package var applications: [[UInt8]] { blocks.map { Array(container.rawValue.utf8) + $0 } }
}

extension ForeignBlocks {
  /// Takes all of a file but its sound; nil where the file is none of the three, or cannot be put
  /// together again from blocks: `defects` says why then.
  ///
  /// - Parameters:
  ///   - size: Bytes of the file.
  ///   - defects: Gets what is wrong with the file.
  ///   - read: Gives so many bytes from an offset on, fewer at the end.
  /// - Throws: What `read` throws.
  package init?<Problem: Error>(
    file size: Int64, defects: inout [ChunkDefect],
    read: (_ offset: Int64, _ count: Int) throws(Problem) -> [UInt8]
  ) throws(Problem) {
    let head = try read(0, 40)
    guard let container = Container.allCases.first(where: { $0.isHead(head) }) else { return nil }
    self.container = container
    blocks = [Array(head.prefix(container.headSize))]
    let first = Int64(container.headSize)
    var walk = ChunkWalk(in: first..<max(first, size), container.layout, isLenient: true)
    var (longData, total): (Int64?, Int64) = (nil, 0)
    var hasSound = false
    while let chunk = try walk.next(read) {
      let name = EightBitText.windows1252(chunk.name)
      let isSound = name == container.sound
      let content = chunk.content
      // Of the first one alone: each look walks to the end of the file, and no file has two.
      if isSound, !hasSound, try chunk.isOpenSound(before: size, container.layout, read) {
        defects.note(name, .inconsistent("it counts no sample, and samples follow"))
        return nil
      }
      hasSound = hasSound || isSound
      if isSound, chunk.announcedSize == UInt32.max, let longData,
        longData <= size - content.lowerBound
      {
        let next = content.lowerBound + longData + container.layout.padding(behind: longData)
        walk = ChunkWalk(in: min(size, next)..<size, container.layout, isLenient: true)
      } else if !chunk.isWhole {
        // Bytes that are no name are no chunk's.
        if chunk.name.allSatisfy({ 0x20...0x7E ~= $0 }) {
          defects.note(name, .short(has: content.count, needs: Int(clamping: chunk.announcedSize)))
        } else {
          defects.note(container.rawValue, .inconsistent("not all of it is chunks"))
        }
        return nil
      }
      var end = isSound ? content.lowerBound : walk.offset
      if isSound, container == .aiff {
        // An offset, and as many bytes before the first sample (AIFF 1.3, "Sound Data Chunk").
        let offset = AtomHead.number(try read(end, 4))
        end = min(content.upperBound, end + 8 + Int64(offset))
      }
      let start = chunk.content.lowerBound - Int64(container.layout.headSize)
      total += end - start
      guard end - start <= Self.longestBlock, total <= ChunkLimits.totalSize else {
        defects.note(name, .tooLong(limit: Self.longestBlock))
        return nil
      }
      let block = try read(start, Int(end - start))
      if name == "ds64", block.count >= 24 {
        longData = Int64(exactly: AtomHead.number(block[16..<24].reversed()))
      }
      blocks.append(block)
    }
    guard walk.offset == size else {
      defects.note(container.rawValue, .inconsistent("not all of it is chunks"))
      return nil
    }
    guard check(&defects) else { return nil }
  }
}
