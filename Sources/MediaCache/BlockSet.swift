/// A set of blocks, as sparse as the file: a server may claim any length.
struct BlockSet: Sendable, Hashable {
  private var words: [Int: UInt64] = [:]

  func contains(_ block: Int) -> Bool {
    words[block >> 6].map { $0 >> UInt64(block & 63) & 1 == 1 } ?? false
  }

  mutating func insert(_ block: Int) {
    words[block >> 6, default: 0] |= 1 << UInt64(block & 63)
  }

  /// The end of the blocks that are there without a gap from `start` on, `limit` at most.
  func end(from start: Int, limit: Int) -> Int {
    var block = start
    while block < limit, contains(block) { block += 1 }
    return block
  }

  /// The first block from `start` on that is there; `limit` where none is.
  func first(from start: Int, limit: Int) -> Int {
    var block = start
    while block < limit, !contains(block) {
      guard words[block >> 6] == nil else {
        block += 1
        continue
      }
      // Without a word there is none of its 64. Of a few words the next is found among all.
      let isFar = (limit - block) >> 6 > words.count
      let next = isFar ? words.keys.lazy.filter { $0 > block >> 6 }.min() : block >> 6 + 1
      block = next.map { $0 << 6 } ?? limit
    }
    return min(block, limit)
  }

  /// All of them as ranges, in order. O(n log n).
  var ranges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    for (word, bits) in words.sorted(by: { $0.key < $1.key }) {
      var block = word << 6
      var rest = bits
      while rest != 0 {
        block += rest.trailingZeroBitCount
        rest >>= UInt64(rest.trailingZeroBitCount)
        let end = block + (~rest).trailingZeroBitCount
        if let last = ranges.last, last.upperBound == block {
          ranges[ranges.count - 1] = last.lowerBound..<end
        } else {
          ranges.append(block..<end)
        }
        // A smart shift: by 64 it leaves 0.
        rest >>= UInt64(end - block)
        block = end
      }
    }
    return ranges
  }
}
