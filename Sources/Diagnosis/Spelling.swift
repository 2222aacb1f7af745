/// Finds what a misspelled word was meant to be.
package enum Spelling {
  /// The word among `candidates` that is nearest to `word`; nil where none is near enough to be
  /// what was meant: a third of the letters may differ, at most three. In a file's name, those of
  /// its extension do not count.
  ///
  /// - Complexity: O(candidates · length²)
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let wanted = normalized(word)
    let stem = wanted.lastIndex(of: ".") ?? wanted.count
    let limit = max(1, min(3, stem / 3))
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let other = normalized(candidate)
      guard abs(other.count - wanted.count) <= limit else { continue }
      let distance = distance(wanted, other)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word
  }

  /// `fadeIn`, `Fade-In` and `fade_in` are one word.
  private static func normalized(_ word: String) -> [Unicode.Scalar] {
    word.prefix(64).lowercased().unicodeScalars.filter { $0 != "_" && $0 != "-" && $0 != " " }
  }

  /// How many insertions, deletions, replacements and swaps of neighbours lead from `a` to `b`
  /// (optimal string alignment).
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var rows = [Array(0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, rows[i - 1][j - 1] + 1)
        }
        row.append(cost)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
