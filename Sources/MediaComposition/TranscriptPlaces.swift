import Transcripts

/// Where the words of an output are written.
package struct TranscriptPlaces: Sendable, Hashable, Codable {
  /// The files beside it, no format twice.
  package var sidecars: [TranscriptFormat]
  /// Whether they go into the file itself, as a track of captions.
  package var inFile: Bool
  /// Whether they go into the tag of an MP3, as lyrics with and without times.
  package var lyrics: Bool
  /// How lines of captions are broken anew; nil: they stay as they are.
  package var lines: LineLayout?
  /// Whether the JSON of Podcasting 2.0 has a segment for each word with times; else for each cue.
  package var wordSegments: Bool

  /// Words in these places.
  package init(
    sidecars: [TranscriptFormat] = [], inFile: Bool = false, lyrics: Bool = false,
    lines: LineLayout? = nil, wordSegments: Bool = false
  ) {
    self.sidecars = sidecars
    self.inFile = inFile
    self.lyrics = lyrics
    self.lines = lines
    self.wordSegments = wordSegments
  }

  /// Nowhere.
  package static let none = TranscriptPlaces()

  /// Whether no words are written.
  package var isEmpty: Bool { sidecars.isEmpty && !inFile && !lyrics }
}
