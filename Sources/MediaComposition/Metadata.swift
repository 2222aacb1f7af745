/// Tags in the order in which they were given; keys are FFmpeg's generic names
/// (`title`, `artist`, `album`, `album_artist`, `track`, `date`, `genre`, `comment` …).
public struct Metadata: Sendable, Hashable, Codable {
  /// One tag.
  public struct Item: Sendable, Hashable, Codable {
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

  /// The most tags of a file that are read or written: more cost time that grows with their square,
  /// here and in libavformat.
  package static let mostItems = 1000

  /// The tags, no key twice.
  public private(set) var items: [Item] = []
  /// The front cover.
  public var cover: Artwork? { didSet { if cover != nil { removesCover = false } } }
  /// Whether these tags, put over others, take their cover away.
  public var removesCover = false

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

  /// These tags, with `overrides` put over them. An empty text takes a tag away.
  public func overridden(by overrides: Metadata) -> Metadata {
    var merged = self
    for item in overrides.items { merged[item.key] = item.value.isEmpty ? nil : item.value }
    merged.cover = overrides.removesCover ? nil : overrides.cover ?? cover
    return merged
  }

  /// What makes these tags of `others` when put over them.
  public func overrides(of others: Metadata) -> Metadata {
    var overrides = self
    for item in others.items where self[item.key] == nil { overrides[item.key] = "" }
    overrides.removesCover = cover == nil && others.cover != nil
    return overrides
  }
}
