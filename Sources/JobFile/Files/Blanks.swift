import Diagnosis

extension StringProtocol {
  /// Help with a blank that looks like a space, or like nothing, and is none to YAML and in a name;
  /// nil without one.
  var blankHelp: String? {
    guard let scalar = unicodeScalars.first(where: { blankNames[$0.value] != nil }),
      let name = blankNames[scalar.value]
    else { return nil }
    return
      "there is \(name) (U+\(scalar.value.digits(4, radix: 16))) in it, as word processors and web pages have: "
      + "write a plain space, or nothing"
  }
}

/// Unicode's names (UnicodeData, general categories Zs and Cf).
private let blankNames: [UInt32: String] = [
  0x00A0: "a no-break space", 0x2007: "a figure space", 0x2009: "a thin space",
  0x200B: "a zero-width space", 0x202F: "a narrow no-break space",
  0x2060: "a word joiner", 0x3000: "an ideographic space", 0xFEFF: "a byte-order mark",
]

extension Diagnostics {
  /// These, where each error at such a blank has help with it.
  ///
  /// - Parameters:
  ///   - map: Has the lines.
  ///   - isSyntax: Whether they are errors of YAML's, which may be reported anywhere on the line.
  /// - Returns: The same diagnostics, in their order.
  func helpingWithBlanks(by map: SourceMap, isSyntax: Bool = false) -> Diagnostics {
    guard !errors.isEmpty else { return self }
    return Diagnostics(
      all.map { diagnostic in
        guard diagnostic.severity == .error, diagnostic.help?.contains("(U+") != true,
          let place = map.place(of: diagnostic.origin)
        else { return diagnostic }
        let line = map.line(at: place)
        // With the characters on both sides: a blank separates.
        let near = line.unicodeScalars.dropFirst(max(0, place.column - 2)).prefix(place.length + 2)
        guard let help = (isSyntax ? line : Substring(near)).blankHelp else { return diagnostic }
        var mended = diagnostic
        mended.help = help
        return mended
      })
  }
}
