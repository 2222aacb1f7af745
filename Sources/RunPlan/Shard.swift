import WorkerPool

/// One of several machines among which a run is dealt out.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  package var number: Int
  package var count: Int

  /// As it is written: `2/4`.
  package var description: String { "\(number)/\(count)" }

  /// The share of one of `count` machines, from 1.
  package init(number: Int, count: Int) { (self.number, self.count) = (number, count) }

  /// More would only wait for one another's disks.
  package static let largestCount = 10_000

  /// Why a text is no shard, with what to write.
  package struct ParsingError: Error, CustomStringConvertible {
    package let description: String
  }

  /// `2/4`
  package init(_ text: String) throws(ParsingError) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2, words.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }),
      let number = Int(words[0]), let count = Int(words[1])
    else { throw ParsingError(description: "write the shard and how many there are, as 1/4") }
    guard 1...Self.largestCount ~= count else {
      throw ParsingError(description: "there are 1 to \(Self.largestCount) shards, as 1/4")
    }
    guard 1...count ~= number else {
      throw ParsingError(description: "shards count from 1/\(count) to \(count)/\(count)")
    }
    (self.number, self.count) = (number, count)
  }

  /// What a shard has so far: of work that is nothing, each gets as many pieces.
  private struct Load: Comparable {
    let shard: Int
    var work = Duration.zero
    var pieces = 0

    static func < (a: Load, b: Load) -> Bool {
      (a.work, a.pieces, a.shard) < (b.work, b.pieces, b.shard)
    }
  }

  /// Deals out work among `count` shards: the longest first, each to the shard that has least so
  /// far. It depends on the estimates and the order alone, so every machine deals alike.
  ///
  /// - Returns: The shard of each, from 1.
  /// - Complexity: O(n · log n + count)
  package static func deal(_ estimates: [Duration], among count: Int) -> [Int] {
    var shards = [Int](repeating: 1, count: estimates.count)
    var loads = Heap<Load>()
    // More shards than pieces of work leave the last ones without any.
    for shard in 1...max(1, min(count, estimates.count)) { loads.insert(Load(shard: shard)) }
    let order = estimates.indices.sorted { a, b in
      estimates[a] == estimates[b] ? a < b : estimates[a] > estimates[b]
    }
    for index in order {
      guard var least = loads.takeLeast() else { break }
      least.work += estimates[index]
      least.pieces += 1
      shards[index] = least.shard
      loads.insert(least)
    }
    return shards
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
