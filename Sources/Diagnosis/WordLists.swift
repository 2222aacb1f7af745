extension BinaryInteger {
  /// The digits of a number that is not negative, with zeros in front of fewer than `count`.
  package func digits(_ count: Int, radix: Int = 10, uppercase isUpper: Bool = true) -> String {
    let digits = String(self, radix: radix, uppercase: isUpper)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, in the order of first places. O(n)
  package var unique: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

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

/// `12345` as `12,345`.
package func grouped(_ number: Int) -> String {
  let digits = Array(String(number))
  var text = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return text
}
