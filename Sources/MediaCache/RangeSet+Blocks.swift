/// Sets of blocks, as sparse as the file: a server may claim any length.
extension RangeSet<Int> {
  /// Adds a block.
  mutating func insert(_ block: Int) { insert(contentsOf: block..<block + 1) }

  /// The end of the blocks that are there without a gap from `start` on, `limit` at most. O(log n)
  func end(from start: Int, limit: Int) -> Int {
    guard let range = range(endingBehind: start), range.contains(start) else { return start }
    return Swift.max(start, Swift.min(range.upperBound, limit))
  }

  /// The first block from `start` on that is there; `limit` where none is. O(log n)
  func first(from start: Int, limit: Int) -> Int {
    let range = range(endingBehind: start)
    return Swift.min(range.map { Swift.max(start, $0.lowerBound) } ?? limit, limit)
  }

  private func range(endingBehind block: Int) -> Range<Int>? {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound > block { high = middle } else { low = middle + 1 }
    }
    return low < ranges.count ? ranges[low] : nil
  }
}
