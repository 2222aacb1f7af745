import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage

/// Moments of an item with their names, as a CUE sheet, a file of labels, a text or a map lists
/// them: where its parts, its chapters or what is cut out of it begin.
public struct TimeList: Sendable, Hashable {
  /// One moment, or one range.
  public struct Entry: Sendable, Hashable {
    /// Where it begins, in the time of the item that the list is about.
    public var start: Located<Moment>
    /// Where it ends; nil: where the next one begins, or the item ends.
    public var end: ItemRange.End?
    /// What it is called.
    public var title: String?
    /// The number that the list gives it, as a CUE sheet's `TRACK` does.
    public var number: Int?
    /// Tags of this entry alone.
    public var tags: Metadata

    /// An entry that begins at `start`.
    public init(
      _ title: String? = nil, from start: Located<Moment>, to end: ItemRange.End? = nil,
      number: Int? = nil, tags: Metadata = Metadata()
    ) {
      self.title = title
      self.start = start
      self.end = end
      self.number = number
      self.tags = tags
    }

    /// The range that it names; nil for a moment without an end of its own.
    public var range: ItemRange? { end.map { ItemRange(from: start, end: $0) } }
  }

  /// In order of time.
  public var entries: [Entry]
  /// Tags of all entries, as a CUE sheet's album.
  public var tags: Metadata
  /// Where the list is read from; nil for one that stands in the job itself.
  public var path: FilePath?

  /// A list of `entries`.
  public init(_ entries: [Entry] = [], tags: Metadata = Metadata(), path: FilePath? = nil) {
    self.entries = entries
    self.tags = tags
    self.path = path
  }

  /// Bytes of a file.
  package static let sizeLimit = 8 << 20
  /// Entries of a list.
  package static let countLimit = 100_000
}
