import MediaTime

/// Pictures that do not move, and what is drawn over them.
extension VideoSettings {
  /// A still picture that is shown from a moment on, until the next one.
  public struct Slide: Sendable, Hashable, Codable {
    /// In the time of the timeline.
    public var start: Time
    /// What is shown.
    public var picture: Artwork

    /// `picture` from `start` on.
    public init(_ picture: Artwork, from start: Time) {
      (self.start, self.picture) = (start, picture)
    }
  }

  /// The output's sound, drawn over stills: bars of its highest samples in the two seconds before and
  /// behind the moment.
  public struct Waveform: Sendable, Hashable, Codable {
    /// Of its bars.
    public var colour: Colour

    /// Bars of a colour.
    public init(_ colour: Colour = .white) { self.colour = colour }

    /// Pictures a second where the settings have no rate.
    public static let usualRate = FrameRate(15)
    /// Pictures a second, at most: more of them make a larger file, and no smoother bars.
    public static let highestRate: Int32 = 30
  }

  /// A colour, as sRGB has it.
  public struct Colour: Sendable, Hashable, Codable {
    /// From 0 to 255.
    public var red: UInt8
    /// From 0 to 255.
    public var green: UInt8
    /// From 0 to 255.
    public var blue: UInt8

    /// A colour of three parts.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// All parts are 255.
    public static let white = Colour(red: 255, green: 255, blue: 255)
  }

  /// Whether what is shown are stills, and not pictures of sources.
  public var isStill: Bool { image != nil || showsChapterImages || !slides.isEmpty }
}
