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

  /// The help for a misspelled word: `did you mean 'WORD'?`; nil without a near one.
  ///
  /// - Complexity: As `nearest`.
  package static func help(for word: String, among candidates: some Sequence<String>) -> String? {
    nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
  }

  /// The help for a word of three letters or more that is a part of one of `candidates`, as `noise` is
  /// of `denoise`, or has one as a part: `did you mean 'WORD'?`; nil where none or several are.
  ///
  /// - Complexity: O(candidates · length)
  package static func help(forPart word: String, among candidates: some Sequence<String>) -> String?
  {
    let word = word.lowercased()
    guard word.utf8.count >= 3 else { return nil }
    let found = candidates.prefix(candidateLimit).filter {
      $0.contains(word) || $0.utf8.count >= 4 && word.contains($0)
    }
    return found.count == 1 ? found.first.map { "did you mean '\($0)'?" } : nil
  }

  /// How many letters differ between two texts, of which the first 64 letters count; nil where they are
  /// more than `limit`.
  ///
  /// - Complexity: O(length · limit)
  package static func distance(from a: String, to b: String, limit: Int) -> Int? {
    distance(normalized(a), normalized(b), limit: limit)
  }

  /// `fadeIn`, `Fade-In` and `fade_in` are one word.
  private static func normalized(_ word: String) -> [UInt32] {
    var letters: [UInt32] = []
    for scalar in word.unicodeScalars.prefix(lengthLimit)
    where !"_- ".unicodeScalars.contains(scalar) {
      if scalar.isASCII {
        letters.append(UInt32(UInt8(ascii: scalar).lowercased))
      } else {
        letters += scalar.properties.lowercaseMapping.unicodeScalars.map(\.value)
      }
    }
    return letters
  }

  /// How many insertions, deletions, replacements and swaps of neighbours lead from `a` to `b`
  /// (optimal string alignment); nil where they are more than `limit`.
  ///
  /// - Complexity: O(length · limit)
  private static func distance(_ a: [UInt32], _ b: [UInt32], limit: Int) -> Int? {
    let most = limit + 1
    guard most > 0 else { return nil }
    // What both begin with and end in costs nothing, and names of a list have much of it.
    let head = zip(a, b).prefix { $0 == $1 }.count
    let tail = zip(a.dropFirst(head).reversed(), b.dropFirst(head).reversed()).prefix { $0 == $1 }
      .count
    let (a, b) = (Array(a[head..<a.count - tail]), Array(b[head..<b.count - tail]))
    // Of each row only what is no farther than `limit` from the diagonal can matter.
    var before = [Int](repeating: most, count: b.count + 1)
    var last = (0...b.count).map { min($0, most) }
    var row = before
    for i in a.indices {
      let band = max(0, i - limit)..<max(0, i - limit, min(b.count, i + limit + 1))
      row[band.lowerBound] = i < limit ? i + 1 : most
      var least = row[band.lowerBound]
      for j in band {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row[j + 1] = min(cost, most)
        least = min(least, cost)
      }
      guard least <= limit else { return nil }
      if band.upperBound < b.count { row[band.upperBound + 1] = most }
      (before, last, row) = (last, row, before)
    }
    return last[b.count] <= limit ? last[b.count] : nil
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
