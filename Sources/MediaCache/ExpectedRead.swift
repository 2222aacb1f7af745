/// Bytes that will be read in order, where nobody reads on behind them.
package struct ExpectedRead: Sendable, Hashable {
  /// Which ones, about: bytes need not be as many in each second.
  package var range: Range<Int64>
  /// Whether they are as many in each second, so that all of them can be fetched at once.
  package var isExact: Bool

  /// Bytes that will be read.
  package init(range: Range<Int64>, isExact: Bool) {
    (self.range, self.isExact) = (range, isExact)
  }
}

extension CachedReader {
  /// Says what will be read of the medium, by whatever reader, as long as this one lives. More than
  /// 1,000 parts are fetched as they are read.
  package func expect(_ reads: [ExpectedRead]) {
    medium.state.withLock { $0.expected[ObjectIdentifier(self)] = Array(reads.prefix(1000)) }
  }
}

extension CachedMedium {
  /// What will be read from `offset` on: what is expected to begin nearest to it, if that is near.
  ///
  /// - Complexity: O(parts)
  func expectedRead(from offset: Int64) -> ExpectedRead? {
    func distance(_ read: ExpectedRead) -> Int64 { abs(read.range.lowerBound - offset) }
    let nearest = state.withLock { state in
      state.expected.values.joined().min { distance($0) < distance($1) }
    }
    guard var nearest else { return nil }
    // From a header on it is not far to a beginning that is meant.
    let isKnown = nearest.isExact || offset == 0
    guard distance(nearest) <= (isKnown ? 256 << 10 : max(size / 16, 1 << 20)) else { return nil }
    nearest.range = offset..<offset + Int64(nearest.range.count)
    return nearest
  }
}
