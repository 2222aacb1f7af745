/// Bytes that a reader will read in order, after which it will read no further.
package struct PlannedRead: Sendable, Hashable {
  /// Which bytes; an estimate where the medium does not have equally many bytes in each second.
  package var range: Range<Int64>
  /// Whether the medium has equally many bytes in each second, so that the range is exact and can
  /// be fetched at once.
  package var isExact: Bool

  /// A read of these bytes.
  package init(range: Range<Int64>, isExact: Bool) {
    (self.range, self.isExact) = (range, isExact)
  }
}

extension CachedReader {
  /// Has bytes fetched, once their reading begins, as far as they will be read, by whatever reader:
  /// for as long as this reader lives. What follows the first 1,000 parts is fetched as it is read.
  package func prefetch(whileReading reads: [PlannedRead]) {
    medium.state.withLock { $0.planned[ObjectIdentifier(self)] = Array(reads.prefix(1000)) }
  }
}

extension CachedMedium {
  /// What will be read from `offset` on: what is planned to begin nearest to it, if that is near.
  ///
  /// - Complexity: O(parts)
  func plannedRead(from offset: Int64) -> PlannedRead? {
    func distance(_ read: PlannedRead) -> Int64 { abs(read.range.lowerBound - offset) }
    let nearest = state.withLock { state in
      state.planned.values.joined().min { distance($0) < distance($1) }
    }
    guard var nearest else { return nil }
    // From a header on it is not far to a beginning that is meant.
    let isKnown = nearest.isExact || offset == 0
    guard distance(nearest) <= (isKnown ? 256 << 10 : max(size / 16, 1 << 20)) else { return nil }
    nearest.range = offset..<offset + Int64(nearest.range.count)
    return nearest
  }
}
