import MediaTime

/// Pictures that do not move, and what is drawn over them.
extension VideoSettings {
  /// A still picture that is shown from a moment on, until the next one.
  package struct Slide: Sendable, Hashable, Codable {
    /// In the time of the timeline.
    package var start: Time
    /// What is shown.
    package var picture: Artwork

    /// `picture` from `start` on.
    package init(_ picture: Artwork, from start: Time) {
      (self.start, self.picture) = (start, picture)
    }
  }

  /// The output's sound, drawn over stills: bars of its highest samples in the two seconds before and
  /// behind the moment.
  package struct Waveform: Sendable, Hashable, Codable {
    /// Of its bars.
    package var colour: Colour

    /// Bars of a colour.
    package init(_ colour: Colour = .white) { self.colour = colour }

    /// Pictures a second where the settings have no rate.
    package static let usualRate = FrameRate(15)
    /// Pictures a second, at most: more of them make a larger file, and no smoother bars.
    package static let highestRate: Int32 = 30
  }

  /// A colour, as sRGB has it.
  package struct Colour: Sendable, Hashable, Codable {
    /// From 0 to 255.
    package var red: UInt8
    /// From 0 to 255.
    package var green: UInt8
    /// From 0 to 255.
    package var blue: UInt8

    /// A colour of three parts.
    package init(red: UInt8, green: UInt8, blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// All parts are 255.
    package static let white = Colour(red: 255, green: 255, blue: 255)
  }

  /// Whether what is shown are stills, and not pictures of sources.
  package var isStill: Bool { image != nil || showsChapterImages || !slides.isEmpty }
}
