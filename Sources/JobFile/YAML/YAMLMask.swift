/// A text whose anchors, aliases and tags YAML cannot see.
///
/// An anchor starts with `&`, an alias with `*`, a tag with `!`. The job language has none of them,
/// and a file of a kilobyte that aliases aliases unfolds to more nodes than any memory holds. So
/// each of these characters goes to the parser as a private character of plane 16 that stands for
/// it, and comes back afterwards: a scalar that then begins with one would have been an anchor, an
/// alias or a tag, and is refused at its place. Scalars keep their columns. The line ends that
/// editors do not count (NEL, LS, PS) travel in the same way.
///
/// A repeated key ends Yams' reading. The first letter of every place where that key may stand is
/// then replaced by a character of its own and the text is read again, so that our reading can
/// name both places and go on.
struct YAMLMask {
  /// U+100000 and above are reserved: a job file that holds one is refused before.
  static let reserved: ClosedRange<UInt32> = 0x10_0000...0x10_FFFF
  private static let fixed: [(plain: Unicode.Scalar, mask: Unicode.Scalar)] = [
    ("&", "\u{10FF00}"), ("*", "\u{10FF01}"), ("!", "\u{10FF02}"), ("\u{85}", "\u{10FF03}"),
    ("\u{2028}", "\u{10FF04}"), ("\u{2029}", "\u{10FF05}"),
  ]
  private static let capacity = 0xFF00

  /// What the parser reads.
  private(set) var text: String
  /// The letters behind U+100000 and the characters after it.
  private var letters: [Unicode.Scalar] = []
  private let isNeeded: Bool

  /// - Complexity: O(length of `text`)
  init(_ text: String) {
    let needsMask = text.unicodeScalars.contains { scalar in
      Self.fixed.contains { $0.plain == scalar }
    }
    isNeeded = needsMask
    guard needsMask else {
      self.text = text
      return
    }
    var masked = String.UnicodeScalarView()
    masked.append(
      contentsOf: text.unicodeScalars.lazy.map { scalar in
        Self.fixed.first { $0.plain == scalar }?.mask ?? scalar
      })
    self.text = String(masked)
  }

  /// `text` as the file has it.
  func unmasked(_ text: String) -> String {
    guard isNeeded || !letters.isEmpty,
      text.unicodeScalars.contains(where: { Self.reserved.contains($0.value) })
    else { return text }
    var plain = String.UnicodeScalarView()
    plain.append(contentsOf: text.unicodeScalars.lazy.map(unmasked))
    return String(plain)
  }

  private func unmasked(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard Self.reserved.contains(scalar.value) else { return scalar }
    let index = Int(scalar.value - Self.reserved.lowerBound)
    if letters.indices.contains(index) { return letters[index] }
    return Self.fixed.first { $0.mask == scalar }?.plain ?? scalar
  }

  /// What the indicator at the start of `text` would have made it.
  static func indicator(_ text: String) -> Indicator? {
    guard let first = text.unicodeScalars.first else { return nil }
    switch fixed.first(where: { $0.mask == first })?.plain {
    case "&": return .anchor
    case "*": return .alias
    case "!": return .tag
    default: return nil
    }
  }

  /// A feature of YAML that the job language does without.
  enum Indicator: String {
    case anchor = "anchors"
    case alias = "aliases"
    case tag = "tags"
  }

  /// Makes each place where one of `keys` may stand as a key different from the others. False where
  /// that is not possible.
  ///
  /// - Complexity: O(length of the text · count of `keys`)
  mutating func separate(_ keys: [String]) -> Bool {
    let before = letters.count
    var scalars = Array(text.unicodeScalars)
    for key in keys {
      let pattern = Array(key.unicodeScalars)
      guard let first = pattern.first, first.properties.isAlphabetic || first.isASCIIDigit else {
        continue
      }
      var index = 0
      while index + pattern.count < scalars.count {
        defer { index += 1 }
        guard scalars[index] == first,
          scalars[index..<(index + pattern.count)].elementsEqual(pattern),
          index == 0 || Self.mayPrecedeKey(scalars[index - 1]),
          Self.mayFollowKey(scalars[(index + pattern.count)...]), letters.count < Self.capacity,
          let mask = Unicode.Scalar(Self.reserved.lowerBound + UInt32(letters.count))
        else { continue }
        letters.append(first)
        scalars[index] = mask
      }
    }
    guard letters.count > before else { return false }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    text = String(view)
    return true
  }

  private static func mayPrecedeKey(_ scalar: Unicode.Scalar) -> Bool {
    " \t\n\r{[,'\"?-:]}".unicodeScalars.contains(scalar)
  }

  private static func mayFollowKey(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
    let next = rest.first { $0 != "'" && $0 != "\"" && $0 != " " && $0 != "\t" }
    return next.map { ":,}\n\r".unicodeScalars.contains($0) } ?? false
  }
}

extension Unicode.Scalar {
  var isASCIIDigit: Bool { (0x30...0x39).contains(value) }
}
