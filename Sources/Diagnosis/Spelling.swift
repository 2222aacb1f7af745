/// Finds what a misspelled word was meant to be.
package enum Spelling {
  /// The number of candidates that are compared: more than a hand-written file has.
  private static let candidateLimit = 10_000
  /// How many letters of a word count.
  private static let lengthLimit = 64

  /// The word among the first ten thousand `candidates` that is nearest to `word`; nil where none is
  /// near enough to be what was meant: a third of the letters may differ, at most three. In a file's
  /// name, those of its extension do not count.
  ///
  /// - Complexity: O(candidates · length)
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let wanted = normalized(word)
    let stem = wanted.lastIndex(of: UInt32(UInt8(ascii: "."))) ?? wanted.count
    let limit = max(1, min(3, stem / 3))
    var best: (word: String, distance: Int)?
    for candidate in candidates.prefix(candidateLimit) {
      // A letter has four bytes at most.
      guard candidate.utf8.count + limit >= wanted.count else { continue }
      let other = normalized(candidate)
      guard abs(other.count - wanted.count) <= limit else { continue }
      let distance = distance(wanted, other, limit: min(limit, (best?.distance ?? .max) - 1))
      if let distance { best = (candidate, distance) }
      if best?.distance == 0 { break }
    }
    return best?.word
  }

  /// `fadeIn`, `Fade-In` and `fade_in` are one word.
  private static func normalized(_ word: String) -> [UInt32] {
    let start = word.unicodeScalars.prefix(lengthLimit)
    return String(start).lowercased().unicodeScalars.compactMap {
      "_- ".unicodeScalars.contains($0) ? nil : $0.value
    }
  }

  /// How many insertions, deletions, replacements and swaps of neighbours lead from `a` to `b`
  /// (optimal string alignment); nil where they are more than `limit`.
  ///
  /// - Complexity: O(length · limit)
  private static func distance(_ a: [UInt32], _ b: [UInt32], limit: Int) -> Int? {
    let most = limit + 1
    // Of each row only what is no farther than `limit` from the diagonal can matter.
    var (before, last) = ([Int](repeating: most, count: b.count + 1), Array(0...b.count))
    for i in a.indices {
      var row = [Int](repeating: most, count: b.count + 1)
      if i < limit { row[0] = i + 1 }
      let first = max(0, i - limit)
      for j in first..<max(first, min(b.count, i + limit + 1)) {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row[j + 1] = min(cost, most)
      }
      guard row.contains(where: { $0 <= limit }) else { return nil }
      (before, last) = (last, row)
    }
    return last[b.count] <= limit ? last[b.count] : nil
  }
}
