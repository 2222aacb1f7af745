import JobModel

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
    // Most texts are told by their bytes to have none of them.
    let isPlain = text.utf8.withBytes { bytes in
      bytes.allSatisfy {
        $0 < 0x80 && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "!")
      }
    }
    let needsMask =
      !isPlain
      && text.unicodeScalars.contains { scalar in Self.fixed.contains { $0.plain == scalar } }
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
  /// there is none: only keys that begin with a letter or a digit can be told from YAML's own
  /// characters.
  ///
  /// - Complexity: O(length of the text · length of the longest key)
  mutating func separate(_ keys: Set<String>) -> Bool {
    let before = letters.count
    var scalars = Array(text.unicodeScalars)
    let longest = keys.map(\.unicodeScalars.count).max() ?? 0
    for index in scalars.indices
    where Self.mayBeginKey(scalars[index])
      && (index == 0 || Self.mayPrecedeKey(scalars[index - 1]))
      && Self.isKey(scalars[index...].prefix(longest + 1), among: keys)
    {
      guard letters.count < Self.capacity,
        let mask = Unicode.Scalar(Self.reserved.lowerBound + UInt32(letters.count))
      else { break }
      letters.append(scalars[index])
      scalars[index] = mask
    }
    guard letters.count > before else { return false }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    text = String(view)
    return true
  }

  /// Whether one of `keys` and then the end of a key stand at the start of `rest`.
  private static func isKey(_ rest: ArraySlice<Unicode.Scalar>, among keys: Set<String>) -> Bool {
    var key = String.UnicodeScalarView()
    for scalar in rest {
      if scalar == "\n" || scalar == "\r" { break }
      if " \t:,}'\"".unicodeScalars.contains(scalar), keys.contains(String(key)) { return true }
      key.append(scalar)
    }
    return keys.contains(String(key))
  }

  private static func mayBeginKey(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCIIDigit || scalar.properties.isAlphabetic
  }

  private static func mayPrecedeKey(_ scalar: Unicode.Scalar) -> Bool {
    " \t\n\r{[,'\"?-:]}".unicodeScalars.contains(scalar)
  }
}
