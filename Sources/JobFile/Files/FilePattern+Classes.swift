extension FilePattern {
  /// The characters between the brackets of a class, as `[a-z]` or `[!a]`, and whether it stands for
  /// all others; nil where the bracket at `open` begins none, and stands for itself.
  ///
  /// - Complexity: O(length of the class)
  static func characterClass(
    in scalars: [Unicode.Scalar], at open: Int
  ) -> (contents: Range<Int>, isNegated: Bool)? {
    let next = open + 1
    let isNegated = next < scalars.count && (scalars[next] == "!" || scalars[next] == "^")
    let first = isNegated ? next + 1 : next
    // A `]` in the first place is one of the characters.
    guard first < scalars.count,
      let end = scalars[(first + 1)...].firstIndex(of: "]"), !scalars[first..<end].contains("/")
    else { return nil }
    return (first..<end, isNegated)
  }

  /// The wildcards of a pattern that are classes, as far as a message needs them.
  struct Classes {
    /// What the first class means; nil without one.
    private(set) var meaning: String?
    /// Whether one has a range, or stands for other characters than its own: nobody writes these for a
    /// name with brackets.
    private(set) var isEvident = false
    /// Whether the pattern has wildcards of other kinds.
    private(set) var hasOthers = false
    /// The same pattern with brackets that stand for themselves: `Take [[]12].wav`. In each of YAML's
    /// quotes that is one text, and `\[` is not.
    private(set) var literal = ""

    /// Those of `pattern`. O(length)
    init(of pattern: String) {
      let scalars = Array(pattern.unicodeScalars)
      var view = String.UnicodeScalarView()
      var index = 0
      while index < scalars.count {
        let scalar = scalars[index]
        switch scalar {
        case "\\" where index + 1 < scalars.count:
          view.append(contentsOf: scalars[index...index + 1])
          index += 2
          continue
        case "[":
          guard let (contents, isNegated) = characterClass(in: scalars, at: index) else { break }
          let written = scalars[index...contents.upperBound]
          index = contents.upperBound + 1
          guard isNegated || contents.count > 1 || !special.contains(scalars[contents.lowerBound])
          else {
            // `[[]` and `[*]` stand for themselves.
            view.append(contentsOf: written)
            continue
          }
          add(written, isNegated: isNegated, &view)
          continue
        case "*", "?", "{": hasOthers = true
        default: break
        }
        view.append(scalar)
        index += 1
      }
      literal = String(view)
    }

    private mutating func add(
      _ written: ArraySlice<Unicode.Scalar>, isNegated: Bool, _ view: inout String.UnicodeScalarView
    ) {
      let text = String(String.UnicodeScalarView(written))
      meaning =
        meaning
        ?? "'\(text)' stands for one \(isNegated ? "other character" : "of these characters")"
      let hasRange = written.dropFirst(2).dropLast(2).contains("-")
      isEvident = isEvident || isNegated || hasRange
      for scalar in written {
        let isWildcard = "[*?".unicodeScalars.contains(scalar)
        view.append(contentsOf: isWildcard ? ["[", scalar, "]"] : [scalar])
      }
    }
  }
}
