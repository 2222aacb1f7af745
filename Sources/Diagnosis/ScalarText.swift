// Texts taken apart by Unicode scalars, as every reader of a syntax takes them.
//
// A `Character` is a grapheme cluster (UAX #29): a quote and the accent, the joiner or the variation
// selector behind it are one, and so are a prepended letter (U+0600, U+0D4E) and the quote behind it.
// The library's `replacing`, `split`, `contains`, `hasPrefix` and `firstIndex(of:)` on a text compare
// such clusters and pass over the quote, which a shell, a parser or the kernel still reads. Line feeds,
// tabs and other controls join nothing, apart from CR LF.

extension StringProtocol {
  /// This text with `replacement` in place of each `pattern`, found from the start on and by scalars.
  ///
  /// - Parameters:
  ///   - pattern: What is replaced; an empty one stands nowhere.
  ///   - replacement: What stands there instead.
  /// - Returns: The new text.
  /// - Complexity: O(n · m), m being the pattern's length
  package func replacingScalars(_ pattern: String, with replacement: String) -> String {
    // A scalar's UTF-8 begins within no other one's.
    let (bytes, wanted) = (Array(utf8), Array(pattern.utf8))
    guard let first = wanted.first, bytes.contains(first) else { return String(self) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == first, bytes[index...].starts(with: wanted) {
        result += replacement.utf8
        index += wanted.count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Splits as `split(separator:maxSplits:omittingEmptySubsequences:)` does, by scalars.
  ///
  /// - Parameters:
  ///   - separator: A scalar, whatever joins it.
  ///   - maxSplits: The most separators that separate.
  ///   - omittingEmptySubsequences: Whether empty stretches are left out.
  /// - Returns: The stretches between separators, in their order.
  /// - Complexity: O(n)
  package func splitScalars(
    at separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] {
    unicodeScalars.split(
      separator: separator, maxSplits: maxSplits,
      omittingEmptySubsequences: omittingEmptySubsequences
    ).map { self[$0.startIndex..<$0.endIndex] }
  }

  /// Whether the scalars of `text` stand in this one, in their order; an empty text does.
  ///
  /// - Complexity: O(n · m), m being the length of `text`
  package func containsScalars(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard let first = wanted.first else { return true }
    var rest = Array(utf8)[...]
    while let index = rest.firstIndex(of: first) {
      rest = rest[index...]
      if rest.starts(with: wanted) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  /// Whether the scalars of `text` begin this one. O(length of `text`)
  package func startsWithScalars(_ text: String) -> Bool { utf8.starts(with: text.utf8) }

  /// Whether the scalars of `text` end this one. O(n)
  package func endsWithScalars(_ text: String) -> Bool {
    utf8.suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
