/// Filters of libavfilter in a row, of which some get a sound within ±1 alone
/// (`FilterChain.Filter.excess`).
///
/// A row is as a chain of the same filters, but for these: each is a chain of its own, and frames go
/// from one to the next as libavfilter has cut them. One thread at a time.
package final class FilterRow {
  private let chains: [FilterChain]
  private let last: FilterChain

  private init(_ chains: [FilterChain], _ last: FilterChain) {
    (self.chains, self.last) = (chains, last)
  }

  /// Makes a row, as `FilterChain.open` makes a chain.
  ///
  /// - Throws: As that does.
  /// - Complexity: O(filters)
  package static func open(
    _ filters: [FilterChain.Filter], sampleRate: Int, channelCount: Int, start: Int64 = 0
  ) throws(LibAVError) -> FilterRow {
    func chain(_ filters: ArraySlice<FilterChain.Filter>) throws(LibAVError) -> FilterChain {
      try FilterChain.open(
        Array(filters), sampleRate: sampleRate, channelCount: channelCount, start: start,
        excess: filters.first?.excess)
    }
    var rest = filters[...]
    var chains: [FilterChain] = []
    while let first = rest.first {
      let count =
        first.excess != nil ? 1 : rest.firstIndex { $0.excess != nil }.map { $0 - rest.startIndex }
      let own = rest.prefix(count ?? rest.count)
      chains.append(try chain(own))
      rest = rest.dropFirst(own.count)
    }
    // A row of no filters gives what it gets.
    let last = if let last = chains.popLast() { last } else { try chain([]) }
    return FilterRow(chains, last)
  }

  /// Feeds `count` frames of `planes`, as `FilterChain.feed` does.
  package func feed(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int
  ) throws(LibAVError) {
    guard let first = chains.first else { return try last.feed(planes, count: count) }
    try first.feed(planes, count: count)
    for (index, chain) in chains.enumerated() {
      let next = index + 1 < chains.count ? chains[index + 1] : last
      while try chain.pass(to: next) {}
    }
  }

  /// Takes at most `capacity` frames that are ready to `planes` at `start`, and gives their number, as
  /// `FilterChain.take` does.
  package func take(
    into planes: UnsafePointer<UnsafeMutablePointer<Float>>, at start: Int, capacity: Int
  ) throws(LibAVError) -> Int {
    try last.take(into: planes, at: start, capacity: capacity)
  }
}
