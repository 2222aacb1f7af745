import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// Moments of an item with names, from a CUE sheet, a label file, a text or a map: the starts of
/// parts, chapters or cuts.
package struct TimeList: Sendable, Hashable {
  /// One moment, or one range.
  package struct Entry: Sendable, Hashable {
    /// Its start, in the time of the list's item.
    package var start: Located<Moment>
    /// Its end; nil: the next one's start, or the item's end.
    package var end: ItemRange.End?
    /// Its name.
    package var title: String?
    /// Its number in the list, as a CUE sheet's `TRACK`.
    package var number: Int?
    /// Tags of this entry alone.
    package var tags: Metadata

    /// An entry that begins at `start`.
    package init(
      _ title: String? = nil, from start: Located<Moment>, to end: ItemRange.End? = nil,
      number: Int? = nil, tags: Metadata = Metadata()
    ) {
      self.title = title
      self.start = start
      self.end = end
      self.number = number
      self.tags = tags
    }

    /// Its range; nil for a moment without an end of its own.
    package var range: ItemRange? { end.map { ItemRange(from: start, end: $0) } }
  }

  /// In order of time.
  package var entries: [Entry]
  /// Tags of all entries, as a CUE sheet's album.
  package var tags: Metadata
  /// The file of the list; nil for one in the job itself.
  package var path: FilePath?

  /// A list of `entries`.
  package init(_ entries: [Entry] = [], tags: Metadata = Metadata(), path: FilePath? = nil) {
    self.entries = entries
    self.tags = tags
    self.path = path
  }

  /// The most bytes of a file.
  package static let sizeLimit = 8 << 20
  /// The most entries of a list.
  package static let countLimit = 100_000
}
