/// What LAME is asked for, by LAME's names.
public struct MP3Settings: Sendable, Hashable {
  /// How bits are spent.
  public enum RateControl: Sendable, Hashable {
    /// `-V`: 0 (best) to 9, fractions allowed (`lame_set_VBR_quality`).
    case vbr(quality: Double)
    /// `--abr`: mean bits a second (`lame_set_VBR_mean_bitrate_kbps`).
    case abr(bitRate: Int)
    /// `--cbr`: bits a second (`lame_set_brate`).
    case cbr(bitRate: Int)
  }

  public var rateControl: RateControl
  /// LAME's `-q`: 0 (slowest) to 9; nil is LAME's own choice.
  public var quality: Int?

  public init(_ rateControl: RateControl, quality: Int? = nil) {
    self.rateControl = rateControl
    self.quality = quality
  }

  /// `-V2`, once `--preset standard`.
  public static let standard = MP3Settings(.vbr(quality: 2))
}
