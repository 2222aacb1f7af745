/// How an output's picture is encoded throughout.
public struct VideoSettings: Sendable, Hashable, Codable {
  /// A codec, by the name that job files have for it.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Codec: String, Sendable, Hashable, CaseIterable, Codable {
    /// By libx264 (ITU-T H.264).
    case h264
    /// By libx265 (ITU-T H.265).
    case h265
    /// By libvpx.
    case vp9
    /// By libaom, or another encoder that FFmpeg has.
    case av1

    /// FFmpeg's name of it.
    public var codecName: String { self == .h265 ? "hevc" : rawValue }

    /// The constant rate factors that its encoder takes; 0 is the best.
    public var qualities: ClosedRange<Int> { self == .h264 || self == .h265 ? 0...51 : 0...63 }

    /// That of a picture which few can tell from its source.
    public var usualQuality: Int {
      switch self {
      case .h264: 20
      case .h265: 24
      case .vp9: 31
      case .av1: 30
      }
    }

    /// Whether its encoder has x264's presets, `ultrafast` to `placebo`.
    public var hasPresets: Bool { self == .h264 || self == .h265 }
  }

  /// How a picture of another shape is put into the output's.
  public enum Fit: String, Sendable, Hashable, CaseIterable, Codable {
    /// All of it is seen, between black bars.
    case contain
    /// It fills the output, and what stands over is cut off.
    case cover
  }

  /// Pixels across and down.
  public struct Size: Sendable, Hashable, Codable {
    /// Across.
    public var width: Int
    /// Down.
    public var height: Int

    /// So many pixels.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }

  /// Pictures a second, exactly.
  public struct FrameRate: Sendable, Hashable, Codable {
    /// Pictures in `denominator` seconds.
    public var numerator: Int32
    /// Seconds.
    public var denominator: Int32

    /// `numerator / denominator` pictures a second.
    public init(_ numerator: Int32, _ denominator: Int32 = 1) {
      (self.numerator, self.denominator) = (numerator, denominator)
    }
  }

  /// x264's presets, the fastest first.
  public static let presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
    "placebo",
  ]

  /// What encodes it.
  public var codec = Codec.h264
  /// The constant rate factor; nil: the codec's usual one.
  public var quality: Int?
  /// One of `presets`; nil: `medium`.
  public var preset: String?
  /// nil: that of the first source.
  public var size: Size?
  /// nil: each picture at its time.
  public var frameRate: FrameRate?
  /// Of a source of another shape.
  public var fit = Fit.contain
  /// A still picture that is shown, instead of those of sources; nil: none.
  public var image: Artwork?
  /// Whether the images of chapters are shown from the chapters' starts on, each until the next one.
  public var showsChapterImages = false

  /// Still pictures at their times, which are shown instead of those of sources.
  public var slides: [Slide] = []
  /// What is drawn over stills; nil: nothing.
  public var waveform: Waveform?

  /// H.264 with the usual settings.
  public init() {}
}
