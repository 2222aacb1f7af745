extension Sequence<String> {
  /// `'a', 'b', 'c'`
  package var quoted: String { map { "'\($0)'" }.joined(separator: ", ") }
}

extension [String] {
  /// `a, b or c`, for the word `or`.
  package func listed(_ word: String) -> String {
    guard let last, count > 1 else { return joined() }
    return dropLast().joined(separator: ", ") + " \(word) \(last)"
  }
}
