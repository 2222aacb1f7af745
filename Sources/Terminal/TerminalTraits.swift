/// What a terminal can show.
package struct TerminalTraits: Equatable {
  package var columns: Int
  package var rows: Int
  package var isColored: Bool
  /// Whether it wraps lines again when it becomes narrower.
  package var rewraps: Bool
  /// Whether it shows UTF-8; otherwise only ASCII is drawn on it.
  package var isUnicode: Bool
  /// How it shows pictures; nil: not at all.
  package var pictures: PictureProtocol?

  package init(
    columns: Int, rows: Int, isColored: Bool, rewraps: Bool = true, isUnicode: Bool = true,
    pictures: PictureProtocol? = nil
  ) {
    self.columns = columns
    self.rows = rows
    self.isColored = isColored
    self.rewraps = rewraps
    self.isUnicode = isUnicode
    self.pictures = pictures
  }
}
