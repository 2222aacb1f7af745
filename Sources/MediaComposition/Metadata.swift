import MediaTime
import SystemPackage

/// Tags in the order in which they were given; keys are FFmpeg's generic names
/// (`title`, `artist`, `album`, `album_artist`, `track`, `date`, `genre`, `comment` …).
public struct Metadata: Sendable, Hashable {
  public struct Item: Sendable, Hashable {
    public var key: String
    public var value: String
    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  public private(set) var items: [Item] = []
  /// A JPEG or PNG file to embed as front cover.
  public var cover: FilePath?

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
  public var title: String
  public var url: String?
  public var image: FilePath?
  public var origin: Origin

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
