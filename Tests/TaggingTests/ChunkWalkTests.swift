import Tagging
import Testing

/// What a file has of its chunks, whatever their sizes say.
@Suite("Chunks") struct ChunkWalkTests {
  private typealias Chunk = (name: String, announced: Int64, content: Range<Int64>)

  private func chunks(_ bytes: [UInt8], _ layout: ChunkWalk.Layout) -> [Chunk] {
    var walk = ChunkWalk(in: 0..<Int64(bytes.count), layout)
    var found: [Chunk] = []
    while let chunk = walk.next({ Array(bytes.dropFirst(Int($0)).prefix($1)) }) {
      found.append(
        (String(decoding: chunk.name, as: UTF8.self), chunk.announcedSize, chunk.content))
    }
    return found
  }

  @Test("chunks follow one another with padding, in each byte order")
  func layouts() {
    let little = Array("abcd".utf8) + [3, 0, 0, 0, 1, 2, 3, 0] + Array("efgh".utf8) + [0, 0, 0, 0]
    #expect(chunks(little, .riff).map(\.name) == ["abcd", "efgh"])
    #expect(chunks(little, .riff).map(\.content) == [8..<11, 20..<20])
    let big = Array("abcd".utf8) + [0, 0, 0, 2, 1, 2] + Array("efgh".utf8) + [0, 0, 0, 0]
    #expect(chunks(big, .aiff).map(\.content) == [8..<10, 18..<18])
    let long = Array("abcd".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 9] + Array("efgh".utf8)
    #expect(
      chunks(long + [UInt8](repeating: 0, count: 8), .caf).map(\.content) == [12..<13, 25..<25])
    let name = Array("abcdefghijklmnop".utf8)
    let guid = name + [25, 0, 0, 0, 0, 0, 0, 0, 7] + [UInt8](repeating: 0, count: 7)
    #expect(chunks(guid + guid, .wave64).map(\.content) == [24..<25, 56..<57])
  }

  @Test("the sound of an AIFF without a size goes to the end, if no chunks lie there")
  func openSound() throws {
    let chunk = Array("NAME".utf8) + [0, 0, 0, 2, 0x41, 0x42]
    let sound = (0..<20).map { UInt8($0) }
    for (announced, rest, isOpen) in [
      (8, sound, true), (0, sound, true), (8, chunk, false), (8, chunk + chunk, false),
      (8, chunk + sound, true), (8, [], false), (8, [1, 2, 3], false), (0, chunk, false),
    ] as [(UInt8, [UInt8], Bool)] {
      // Of a size of 0 some writers have no offset and size of blocks.
      let places = [UInt8](repeating: 0, count: 8)
      for fields in announced == 0 && rest == chunk ? [places, []] : [places] {
        let bytes = Array("SSND".utf8) + [0, 0, 0, announced] + fields + rest
        func read(_ offset: Int64, _ count: Int) -> [UInt8] {
          Array(bytes.dropFirst(Int(offset)).prefix(count))
        }
        var walk = ChunkWalk(in: 0..<Int64(bytes.count), .aiff)
        let first = walk.next(read)
        let head = try #require(first)
        #expect(head.isOpenSound(before: Int64(bytes.count), read) == isOpen, "\(rest)")
      }
    }
  }

  @Test("a size beyond the end, or below the head's, makes a chunk the last one")
  func broken() {
    let tooLong = Array("abcd".utf8) + [9, 0, 0, 0, 1, 2]
    #expect(chunks(tooLong, .riff).map(\.announced) == [9])
    #expect(chunks(tooLong, .riff).map(\.content) == [8..<10])
    let open = Array("data".utf8) + [UInt8](repeating: 0xFF, count: 8) + [1, 2]
    #expect(chunks(open, .caf).map(\.announced) == [.max])
    #expect(chunks(open, .caf).map(\.content) == [12..<14])
    let small = Array("abcdefghijklmnop".utf8) + [23, 0, 0, 0, 0, 0, 0, 0, 1]
    #expect(chunks(small, .asf).map(\.announced) == [-1])
    #expect(chunks(small, .asf).map(\.content) == [24..<25])
    #expect(chunks(Array(small.dropLast(2)), .asf).isEmpty)
  }

  @Test("no more than twenty thousand chunks are looked at")
  func limit() {
    let empty = Array("abcd".utf8) + [0, 0, 0, 0]
    #expect(chunks((0..<20_001).flatMap { _ in empty }, .riff).count == 20_000)
  }

  @Test("a chunk behind an odd one without its padding is found, if asked for")
  func missingPadding() {
    func names(_ bytes: [UInt8]) -> [String] {
      var walk = ChunkWalk(in: 0..<Int64(bytes.count), .riff, isLenient: true)
      var found: [String] = []
      while let chunk = walk.next({ Array(bytes.dropFirst(Int($0)).prefix($1)) }) {
        found.append(String(decoding: chunk.name, as: UTF8.self) + (chunk.isPadded ? "" : "!"))
      }
      return found
    }
    let odd = Array("abcd".utf8) + [3, 0, 0, 0, 1, 2, 3]
    let next = Array("efgh".utf8) + [1, 0, 0, 0, 9]
    #expect(names(odd + next) == ["abcd!", "efgh"])
    #expect(names(odd + [0] + next + [0]) == ["abcd", "efgh"])
    // A byte of padding that is not zero.
    #expect(names(odd + [0x78] + next) == ["abcd", "efgh"])
    #expect(chunks(odd + next, .riff).map(\.name) == ["abcd", "fgh\u{1}"])
    #expect(names(odd) == ["abcd"])
  }

  @Test("a chunk is written with its head and padding in each layout")
  func written() {
    let content: [UInt8] = [1, 2, 3]
    #expect(
      ChunkWalk.Layout.riff.chunk("abcd", content)
        == Array("abcd".utf8) + [3, 0, 0, 0, 1, 2, 3, 0])
    #expect(
      ChunkWalk.Layout.caf.chunk("abcd", content)
        == Array("abcd".utf8) + [0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3])
    for layout in [ChunkWalk.Layout.riff, .aiff, .caf, .wave64] {
      let bytes = layout.chunk("abcd", content) ?? []
      #expect(chunks(bytes + bytes, layout).map(\.name) == ["abcd", "abcd"])
      #expect(
        chunks(bytes, layout).first.map { Array(bytes[Int($0.content.lowerBound)...].prefix(3)) }
          == content)
    }
  }
}
