/// Texts in which a sign of a syntax is one `Character` with what stands beside it (UAX #29): code that
/// goes by characters passes over the sign, and every reader of the syntax finds it.
public enum JoinedTexts {
  /// An accent, the joiner, the non-joiner and a variation selector: each joins what stands before it.
  public static let behind = ["\u{301}", "\u{200D}", "\u{200C}", "\u{FE0F}"]
  /// A prepended sign and a prepended letter: each joins what stands behind it.
  public static let before = ["\u{600}", "\u{D4E}"]

  /// `syntax` with each of them at its side, and between two at once.
  public static func around(_ syntax: String) -> [String] {
    behind.map { syntax + $0 } + before.map { $0 + syntax }
      + before.map { $0 + syntax + "\u{301}" }
  }
}
