/// The content of a chunk `LIST`: a name, and chunks within.
struct ChunkList {
  private(set) var bytes: [UInt8]
  private let layout: ChunkWalk.Layout

  init(_ name: String, isBigEndian: Bool) {
    bytes = Array(name.utf8)
    layout = isBigEndian ? .aiff : .riff
  }

  /// Adds a chunk with its padding; one that is too long for its size is left out.
  mutating func append(_ name: String, _ content: [UInt8]) {
    bytes += layout.chunk(name, content) ?? []
  }

  /// The chunks of a list's content, whose first four bytes are its name. Writers that leave out the
  /// padding behind an odd one are understood. O(n)
  static func entries(
    of list: [UInt8], isBigEndian: Bool, _ defects: inout [ChunkDefect]
  ) -> [(name: String, content: ArraySlice<UInt8>)] {
    var found: [(String, ArraySlice<UInt8>)] = []
    let name = EightBitText.windows1252(list.prefix(4))
    var walk = ChunkWalk(
      in: min(4, Int64(list.count))..<Int64(list.count), isBigEndian ? .aiff : .riff,
      limit: 3 * ChunkLimits.entries, isLenient: true)
    while let chunk = walk.next({ Array(list[Int($0)...].prefix($1)) }) {
      if !chunk.isWhole {
        defects.note(
          name, .short(has: chunk.content.count, needs: Int(clamping: chunk.announcedSize)))
      }
      if !chunk.isPadded { defects.note(name, .unpadded) }
      found.append(
        (
          EightBitText.windows1252(chunk.name),
          list[Int(chunk.content.lowerBound)..<Int(chunk.content.upperBound)]
        ))
    }
    return found
  }
}
