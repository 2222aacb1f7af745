import MediaTime
import SystemPackage

/// Tags in the order in which they were given; keys are FFmpeg's generic names
/// (`title`, `artist`, `album`, `album_artist`, `track`, `date`, `genre`, `comment` …).
public struct Metadata: Sendable, Hashable {
  /// One tag.
  public struct Item: Sendable, Hashable {
    /// FFmpeg's generic name of it.
    public var key: String
    /// Its text.
    public var value: String
    /// A tag.
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// The tags, no key twice.
  public private(set) var items: [Item] = []
  /// A JPEG or PNG file to embed as front cover.
  public var cover: FilePath?

  /// No tags.
  public init() {}

  /// The value of `key`, ignoring case; setting nil removes it.
  public subscript(key: String) -> String? {
    get { items.first { $0.key.lowercased() == key.lowercased() }?.value }
    set {
      let index = items.firstIndex { $0.key.lowercased() == key.lowercased() }
      switch (index, newValue) {
      case (let index?, let value?): items[index].value = value
      case (let index?, nil): items.remove(at: index)
      case (nil, let value?): items.append(Item(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool { items.isEmpty && cover == nil }

  /// These tags, with `overrides` put over them.
  public func overridden(by overrides: Metadata) -> Metadata {
    var merged = self
    for item in overrides.items { merged[item.key] = item.value }
    merged.cover = overrides.cover ?? cover
    return merged
  }
}

/// A named moment; it lasts until the next one.
public struct Chapter: Sendable, Hashable {
  /// In the time of what the chapter is attached to.
  public var start: Time
  /// What players show.
  public var title: String
  /// A page about the chapter.
  public var url: String?
  /// A JPEG or PNG file to show meanwhile.
  public var image: FilePath?
  /// Where it was written.
  public var origin: Origin

  /// A chapter that starts at `start`.
  public init(
    start: Time, title: String, url: String? = nil, image: FilePath? = nil,
    origin: Origin = .unknown
  ) {
    self.start = start
    self.title = title
    self.url = url
    self.image = image
    self.origin = origin
  }
}
