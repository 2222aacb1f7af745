/// What a format's chapters are bound by: more of them, longer titles or closer starts could be written,
/// and would be read as others.
package struct ChapterBounds: Sendable, Hashable {
  /// Chapters of a file.
  package var count: Int
  /// Bytes of a title in UTF-8; nil: any number.
  package var titleBytes: Int?
  /// Moments a second that starts are rounded to; nil: frames.
  package var rate: Int?
  /// Whether the time before the first chapter is one, without a title.
  package var fillsGap = false

  /// ID3: a table has a byte for the number of its entries, and one of tables as many of these ("ID3v2
  /// Chapter Frame Addendum", 3.2). Times are milliseconds.
  static let id3 = ChapterBounds(count: 255 * 255, rate: 1000)

  /// MP4: as many as are read of a file. A sample of a chapter track has 16 bits for its length (QuickTime
  /// File Format, "Text Sample Data").
  static let mp4 = ChapterBounds(count: 10_000, titleBytes: 65_535, fillsGap: true)

  /// Vorbis comments: `CHAPTER000` to `CHAPTER999`, of milliseconds (Xiph's "Chapter Extension").
  static let vorbisComments = ChapterBounds(count: 1000, rate: 1000)

  /// Cues of WAV and markers of CAF: as many as are read of a file.
  static let cues = ChapterBounds(count: 100_000)

  /// Matroska: as many as are read of a file.
  static let matroska = ChapterBounds(count: 10_000)
}
