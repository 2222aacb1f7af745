/// How an output's picture is encoded throughout.
package struct VideoSettings: Sendable, Hashable, Codable {
  /// A codec, by the name that job files have for it.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  package enum Codec: String, Sendable, Hashable, CaseIterable, Codable {
    /// By libx264 (ITU-T H.264).
    case h264
    /// By libx265 (ITU-T H.265).
    case h265
    /// By libvpx.
    case vp9
    /// By libaom, or another encoder that FFmpeg has.
    case av1

    /// FFmpeg's name of it.
    package var codecName: String { self == .h265 ? "hevc" : rawValue }

    /// The constant rate factors that its encoder takes; 0 is the best.
    package var qualities: ClosedRange<Int> { self == .h264 || self == .h265 ? 0...51 : 0...63 }

    /// That of a picture which few can tell from its source.
    package var usualQuality: Int {
      switch self {
      case .h264: 20
      case .h265: 24
      case .vp9: 31
      case .av1: 30
      }
    }

    /// Whether its encoder has x264's presets, `ultrafast` to `placebo`.
    package var hasPresets: Bool { self == .h264 || self == .h265 }
  }

  /// How a picture of another shape is put into the output's.
  package enum Fit: String, Sendable, Hashable, CaseIterable, Codable {
    /// All of it is seen, between black bars.
    case contain
    /// It fills the output, and what stands over is cut off.
    case cover
  }

  /// Pixels across and down.
  package struct Size: Sendable, Hashable, Codable {
    /// Across.
    package var width: Int
    /// Down.
    package var height: Int

    /// So many pixels.
    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }

  /// Pictures a second, exactly.
  package struct FrameRate: Sendable, Hashable, Codable {
    /// Pictures in `denominator` seconds.
    package var numerator: Int32
    /// Seconds.
    package var denominator: Int32

    /// `numerator / denominator` pictures a second.
    package init(_ numerator: Int32, _ denominator: Int32 = 1) {
      (self.numerator, self.denominator) = (numerator, denominator)
    }
  }

  /// x264's presets, the fastest first.
  package static let presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
    "placebo",
  ]

  /// What encodes it.
  package var codec = Codec.h264
  /// The constant rate factor; nil: the codec's usual one.
  package var quality: Int?
  /// One of `presets`; nil: `medium`.
  package var preset: String?
  /// nil: that of the first source.
  package var size: Size?
  /// Where `size` is nil, the most that the first source keeps of its size: a larger picture is scaled down
  /// to fit into it, or, if it is higher than wide, into the same box turned. nil: all of it.
  package var mostSize: Size?
  /// nil: each picture at its time.
  package var frameRate: FrameRate?
  /// Of a source of another shape.
  package var fit = Fit.contain
  /// A still picture that is shown, instead of those of sources; nil: none.
  package var image: Artwork?
  /// Whether the images of chapters are shown from the chapters' starts on, each until the next one.
  package var showsChapterImages = false

  /// Still pictures at their times, which are shown instead of those of sources.
  package var slides: [Slide] = []
  /// What is drawn over stills; nil: nothing.
  package var waveform: Waveform?

  /// H.264 with the usual settings.
  package init() {}
}
