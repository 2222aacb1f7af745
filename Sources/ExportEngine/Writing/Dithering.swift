import MediaComposition

/// Which frames of an output are dithered: all or none, or those that are not copied.
struct Dithering {
  /// For the frames that were asked for last.
  private(set) var quantizer: Quantizer
  /// Whether the frames that were asked for last are copied.
  private(set) var isCopied = false
  private let isDithered: Bool
  /// The output's parts that are still to come, of which copied ones are not dithered.
  private var parts: ArraySlice<CopiedPart>

  init(_ recipe: LibAVRecipe) {
    isDithered = recipe.isDithered
    quantizer = Quantizer(isDithered: isDithered)
    parts = (recipe.copied ?? [])[...]
  }

  /// Goes to a frame of the output, which is not before the last one; gives for how many frames from
  /// there on the quantizer holds.
  mutating func begin(at frame: Int64) -> Int {
    while let part = parts.first, part.frames.upperBound <= frame { parts = parts.dropFirst() }
    guard let part = parts.first else { return .max }
    isCopied = part.source != nil
    quantizer = Quantizer(isDithered: isDithered && !isCopied)
    return Int(part.frames.upperBound - frame)
  }
}
