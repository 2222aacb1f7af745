import Tagging

/// Tags in the order in which they were given; keys are FFmpeg's generic names
/// (`title`, `artist`, `album`, `album_artist`, `track`, `date`, `genre`, `comment` …).
public struct Metadata: Sendable, Hashable, Codable {
  /// One tag.
  public struct Item: Sendable, Hashable, Codable {
    /// FFmpeg's generic name of it.
    public var key: String
    /// Its texts: one as a rule, and several of a tag that a file has several times. Of ID3's lists
    /// of people, `TIPL` and `TMCL`, functions and names take turns.
    public var values: [String]
    /// All of them as one text, separated by semicolons; setting it leaves one.
    package var value: String {
      get { values.joined(separator: "; ") }
      set { values = [newValue] }
    }
    /// A tag with one value.
    package init(key: String, value: String) { self.init(key: key, values: [value]) }
    /// A tag with several values, in order.
    package init(key: String, values: [String]) {
      self.key = key
      self.values = values
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
  package var removesCover = false
  /// The languages of comments and lyrics of ID3; nil: none.
  private var textLanguages: [TextLanguage]?

  /// The language that ID3 has for a text, where its tag's key does not have it: other formats have no
  /// place for it, and know the tag by its plain key alone.
  private struct TextLanguage: Sendable, Hashable, Codable {
    /// In small letters.
    var key: String
    var value: String
    /// Three letters; `XXX` where it is not known (ID3v2.4.0, native frames, 4.10).
    var code: String
  }

  /// No tags.
  public init() {}

  /// The value of `key`, ignoring case; setting nil removes it.
  public subscript(key: String) -> String? {
    get { index(of: key).map { items[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): items[index].value = value
      case (let index?, nil): items.remove(at: index)
      case (nil, let value?): items.append(Item(key: key, value: value))
      case (nil, nil): break
      }
      forgetLanguages(of: key)
    }
  }

  /// The values of `key`, ignoring case; none where it is not there.
  public func values(of key: String) -> [String] {
    index(of: key).map { items[$0].values } ?? []
  }

  /// Sets the values of `key`, ignoring case; without any it is removed.
  public mutating func set(_ values: [String], of key: String) {
    guard !values.isEmpty else {
      self[key] = nil
      return
    }
    if let index = index(of: key) {
      items[index].values = values
    } else {
      items.append(Item(key: key, values: values))
    }
    forgetLanguages(of: key)
  }

  /// Drops the languages of texts that a tag no longer has. O(texts with a language)
  private mutating func forgetLanguages(of key: String) {
    guard textLanguages != nil else { return }
    let (name, values) = (key.lowercased(), values(of: key))
    textLanguages?.removeAll { $0.key == name && !values.contains($0.value) }
    if textLanguages?.isEmpty == true { textLanguages = nil }
  }

  /// Files may have thousands of tags, so few texts are made for it. O(items)
  private func index(of key: String) -> Int? {
    let isASCII = key.utf8.allSatisfy { $0 < 0x80 }
    let lower = key.lowercased()
    return items.firstIndex { item in
      (!isASCII || item.key.utf8.count == key.utf8.count) && item.key.lowercased() == lower
    }
  }

  /// Adds a value to those of `key`, unless it is there or there are too many.
  package mutating func add(_ value: String, to key: String) {
    let values = values(of: key)
    guard !value.isEmpty, values.count < Self.mostItems,
      !values.isEmpty || items.count < Self.mostItems,
      !values.contains(value) || key == "TIPL" || key == "TMCL"
    else { return }
    set(values + [value], of: key)
  }

  /// The languages of a text that a tag has in ID3, by three letters, `XXX` where it is not known: several
  /// where it stands there as often. O(texts with a language)
  package func languages(of value: String, in key: String) -> [String] {
    guard let textLanguages else { return [] }
    let key = key.lowercased()
    return textLanguages.filter { $0.key == key && $0.value == value }.map(\.code)
  }

  /// Says in which language a text is in ID3.
  package mutating func add(language code: String, of value: String, in key: String) {
    add([TextLanguage(key: key.lowercased(), value: value, code: code)])
  }

  private mutating func add(_ languages: [TextLanguage]) {
    var all = textLanguages ?? []
    for language in languages where all.count < Self.mostItems && !all.contains(language) {
      all.append(language)
    }
    if !all.isEmpty { textLanguages = all }
  }

  /// Adds the tags of `others` that are not here, and its cover if there is none.
  package mutating func complete(with others: Metadata) {
    var added: Set<String> = []
    for item in others.items where values(of: item.key).isEmpty && items.count < Self.mostItems {
      set(item.values, of: item.key)
      added.insert(item.key.lowercased())
    }
    add((others.textLanguages ?? []).filter { added.contains($0.key) })
    if let other = others.cover, cover == nil { cover = other }
  }

  /// Whether there is nothing to write.
  package var isEmpty: Bool { items.isEmpty && cover == nil }

  /// These tags, with `overrides` put over them. An empty text takes a tag away. A tag also takes the place
  /// of what Apple calls by another name, and the place of a recording that of all that says it otherwise
  /// or nearer (`RecordingPlace.isTold`).
  package func overridden(by overrides: Metadata) -> Metadata {
    var merged = self
    let items = overrides.items.map { item in
      // A source may have Apple's name as a tag of its own.
      let name = values(of: item.key).isEmpty ? TagNames.key(ofApple: item.key) : nil
      return Item(key: name ?? item.key, values: item.values)
    }
    func identity(_ key: String) -> String { TagNames.key(ofApple: key) ?? key.lowercased() }
    let keys = Dictionary(items.map { (identity($0.key), $0.key.lowercased()) }) { $1 }
    merged.items.removeAll { item in
      keys[identity(item.key)].map { $0 != item.key.lowercased() } ?? false
    }
    if items.contains(where: { $0.key.lowercased() == RecordingPlace.key }) {
      merged.items.removeAll { RecordingPlace.isTold(by: $0.key) }
    }
    let texts = items.map { Item(key: $0.key, values: $0.values.filter { !$0.isEmpty }) }
    // First what goes: what comes may be the same tag under Apple's name.
    for item in texts where item.values.isEmpty { merged[item.key] = nil }
    for item in texts where !item.values.isEmpty { merged.set(item.values, of: item.key) }
    merged.add(overrides.textLanguages ?? [])
    merged.cover = overrides.removesCover ? nil : overrides.cover ?? cover
    return merged
  }

  /// The tag that Apple calls so in QuickTime's metadata, `make` of `com.apple.quicktime.make`, in any case;
  /// nil: it is none of those. O(length)
  package static func key(ofApple name: String) -> String? { TagNames.key(ofApple: name) }

  /// Whether a text is a date that headers of movies hold, in any zone of time (`HeaderDate`). O(length)
  package static func isHeaderDate(_ text: String) -> Bool { HeaderDate(text) != nil }

  /// Whether a text is a number of frames as `bext` holds it for a time reference. O(length)
  package static func isTimeReference(_ text: String) -> Bool {
    BroadcastExtension.timeReference(text) != nil
  }

  /// The keys of tags that these take away from others, in lower case and in order. O(n log n)
  package var removedKeys: [String] {
    items.filter { $0.values.allSatisfy(\.isEmpty) }.map { $0.key.lowercased() }.sorted()
  }

  /// What makes these tags of `others` when put over them.
  package func overrides(of others: Metadata) -> Metadata {
    var overrides = self
    for item in others.items where self[item.key] == nil { overrides[item.key] = "" }
    overrides.removesCover = cover == nil && others.cover != nil
    return overrides
  }
}
