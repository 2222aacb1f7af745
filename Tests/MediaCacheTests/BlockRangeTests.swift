import TestSupport
import Testing

@testable import MediaCache

@Suite struct BlockRangeTests {
  @Test("the ranges of a set are those that a look at each block finds, and so is the next block")
  func ranges() {
    var dice = Dice(11)
    for _ in 0..<200 {
      var set = RangeSet<Int>()
      var blocks: Set<Int> = []
      for _ in 0..<dice.number(0..<6) {
        let start = Int(dice.number(0..<300))
        for block in start..<start + Int(dice.number(1..<150)) {
          set.insert(block)
          blocks.insert(block)
        }
      }
      var expected: [Range<Int>] = []
      for block in blocks.sorted() {
        if let last = expected.last, last.upperBound == block {
          expected[expected.count - 1] = last.lowerBound..<block + 1
        } else {
          expected.append(block..<block + 1)
        }
      }
      #expect(Array(set.ranges) == expected)
      let start = Int(dice.number(0..<500))
      for limit in [start + 100, 1 << 40] {
        let first = blocks.filter { (start..<limit).contains($0) }.min() ?? limit
        #expect(set.first(from: start, limit: limit) == first)
        var end = start
        while end < limit, blocks.contains(end) { end += 1 }
        #expect(set.end(from: start, limit: limit) == end)
      }
    }
  }
}
