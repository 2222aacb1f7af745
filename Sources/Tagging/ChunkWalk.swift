/// Walks over chunks of RIFF and the containers like it, one after the other: each has a name, a size
/// and a content.
package struct ChunkWalk: Sendable {
  /// How chunks lie behind one another.
  package struct Layout: Sendable, Hashable {
    /// Bytes of a chunk's name, of which the first four tell it, and of its size.
    fileprivate var nameSize = 4
    fileprivate var sizeSize = 4
    package private(set) var isBigEndian = false
    /// What a chunk's size is a multiple of, with padding.
    fileprivate var alignment: Int64 = 2
    /// Whether a chunk's size counts its head.
    package private(set) var countsHead = false

    package static let riff = Layout()
    /// RIFX as well.
    package static let aiff = Layout(isBigEndian: true)
    /// DSDIFF 1.5, 3.1.
    package static let dsdiff = Layout(sizeSize: 8, isBigEndian: true)
    package static let caf = Layout(sizeSize: 8, isBigEndian: true, alignment: 1)
    /// Objects of ASF, whose names are GUIDs.
    package static let asf = Layout(nameSize: 16, sizeSize: 8, alignment: 1, countsHead: true)
    /// Sony's Wave64, whose names are GUIDs.
    package static let wave64 = Layout(nameSize: 16, sizeSize: 8, alignment: 8, countsHead: true)

    /// Bytes of a chunk's head.
    package var headSize: Int { nameSize + sizeSize }
    var hasLongSizes: Bool { sizeSize == 8 }
    var hasGUIDs: Bool { nameSize == 16 }

    /// Bytes between a content of `count` bytes and the next chunk.
    package func padding(behind count: Int64) -> Int64 {
      (alignment - count % alignment) % alignment
    }
  }

  /// One chunk.
  package struct Chunk: Sendable, Hashable {
    /// The first four bytes.
    package let name: [UInt8]
    /// Bytes of content by the head; negative where it counts less than itself.
    package let announcedSize: Int64
    /// What lies there of it; all that lies there where that is negative.
    package let content: Range<Int64>
    /// Whether the next chunk lies where padding has it; false for writers that left the padding out.
    package var isPadded = true

    /// Whether all of it lies there.
    package var isWhole: Bool { Int64(content.count) == announcedSize }

    /// Whether it is a file's sound that counts no sample and is not empty: what lies behind it up to `end`,
    /// the file's own, is no chunk.
    func isOpenSound<Problem: Error>(
      before end: Int64, _ layout: Layout,
      _ read: (_ offset: Int64, _ count: Int) throws(Problem) -> [UInt8]
    ) throws(Problem) -> Bool {
      if layout == .aiff { return try isOpenSound(before: end, read) }
      guard name.elementsEqual("data".utf8), announcedSize <= 0, content.lowerBound < end
      else { return false }
      // Writers may leave padding out.
      var walk = ChunkWalk(in: content.lowerBound..<end, layout, isLenient: true)
      return try !walk.hasOnlyChunks(read)
    }

    /// Whether it is the sound of an AIFF (AIFF 1.3, "Sound Data Chunk") that ends at `end`, the file's own:
    /// its size counts no sample, as of a writer into a pipe or one that was killed, and what lies
    /// behind it is no chunk.
    package func isOpenSound<Problem: Error>(
      before end: Int64, _ read: (_ offset: Int64, _ count: Int) throws(Problem) -> [UInt8]
    ) throws(Problem) -> Bool {
      // The offset and the size of blocks take 8 bytes, which some do not count.
      let start = content.lowerBound + 8
      guard name.elementsEqual("SSND".utf8), [0, 8].contains(announcedSize), end - start >= 8
      else { return false }
      for start in Set([start, content.upperBound]) {
        var walk = ChunkWalk(in: start..<end, .aiff)
        if try walk.hasOnlyChunks(read) { return false }
      }
      return true
    }
  }

  /// Where the next chunk begins.
  package private(set) var offset: Int64
  /// Where the last one began, or would have.
  package private(set) var start: Int64
  private let end: Int64
  private let layout: Layout
  private var rest: Int
  private let isLenient: Bool

  /// A walk over chunks.
  ///
  /// - Parameters:
  ///   - range: Where they lie; the first at its start.
  ///   - layout: How they lie there.
  ///   - limit: How many chunks are looked at.
  ///   - isLenient: Whether a chunk is found, too, behind an odd one that has no padding byte.
  package init(
    in range: Range<Int64>, _ layout: Layout, limit: Int = ChunkLimits.chunks,
    isLenient: Bool = false
  ) {
    (offset, start, end, self.layout) = (
      range.lowerBound, range.lowerBound, range.upperBound, layout
    )
    (rest, self.isLenient) = (limit, isLenient)
  }

  /// The next chunk; nil at the end. `read` gives so many bytes from an offset on, fewer at the end.
  package mutating func next<Problem: Error>(
    _ read: (_ offset: Int64, _ count: Int) throws(Problem) -> [UInt8]
  ) throws(Problem) -> Chunk? {
    start = offset
    let headSize = layout.headSize
    guard rest > 0, end - offset >= Int64(headSize) else { return nil }
    rest -= 1
    let head = try read(offset, headSize)
    guard head.count == headSize else { return nil }
    let digits = head[layout.nameSize...]
    let size = Int64(
      clamping: AtomHead.number(layout.isBigEndian ? Array(digits) : digits.reversed()))
    let first = offset + Int64(headSize)
    let announced = layout.countsHead ? size - Int64(headSize) : size
    let count = announced < 0 ? end - first : min(announced, end - first)
    var chunk = Chunk(
      name: Array(head[..<4]), announcedSize: announced, content: first..<first + count)
    // What is not whole is the last one.
    offset = chunk.isWhole ? min(end, first + count + layout.padding(behind: count)) : end
    if isLenient, chunk.isWhole, layout.alignment == 2, count % 2 == 1 {
      chunk.isPadded = !isHead(behind: first + count, try read(first + count, headSize + 1))
      if !chunk.isPadded { offset = first + count }
    }
    return chunk
  }

  /// Whether whole chunks with names lie there, and nothing else. O(chunks)
  fileprivate mutating func hasOnlyChunks<Problem: Error>(
    _ read: (_ offset: Int64, _ count: Int) throws(Problem) -> [UInt8]
  ) throws(Problem) -> Bool {
    while offset < end {
      guard let chunk = try next(read), chunk.isWhole,
        chunk.name.allSatisfy({ 0x20...0x7E ~= $0 })
      else { return false }
    }
    return true
  }

  /// Whether a chunk begins at once where a padding byte should be, which is zero, and none behind it.
  private func isHead(behind content: Int64, _ bytes: [UInt8]) -> Bool {
    func isHead(_ bytes: some Collection<UInt8>, at offset: Int64) -> Bool {
      guard bytes.count == layout.headSize else { return false }
      let digits = bytes.suffix(4)
      let size = AtomHead.number(layout.isBigEndian ? Array(digits) : digits.reversed())
      let isName = bytes.prefix(4).allSatisfy { 0x20...0x7E ~= $0 }
      return isName && Int64(clamping: size) <= end - offset - Int64(layout.headSize)
    }
    return isHead(bytes.prefix(layout.headSize), at: content)
      && !isHead(bytes.dropFirst(), at: content + 1)
  }
}
