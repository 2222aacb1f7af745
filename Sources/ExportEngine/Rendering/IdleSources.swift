/// Opened sounds that nothing reads for now, each kept for a reader of the same sound that begins where it
/// stands or behind that. One thread at a time.
struct IdleSources<Key: Equatable, Opened> {
  private struct Entry {
    let key: Key
    let opened: Opened
    let position: Int64
  }

  /// How many are kept.
  let limit: Int
  /// Least recently used first.
  private var entries: [Entry] = []

  init(limit: Int) { self.limit = limit }

  /// Takes the one with the cheapest way to a frame; nil if there is none.
  mutating func take(_ key: Key, near frame: Int64) -> Opened? {
    let candidates = entries.indices.filter { entries[$0].key == key }
    let behind = candidates.filter { entries[$0].position <= frame }
    let nearest = behind.max { entries[$0].position < entries[$1].position }
    return (nearest ?? candidates.last).map { entries.remove(at: $0).opened }
  }

  /// Drops those of a sound that nobody reads any more.
  mutating func remove(_ key: Key) { entries.removeAll { $0.key == key } }

  /// Keeps one that stands at a frame, and drops the one that was not used for the longest time if there
  /// are too many.
  mutating func put(_ opened: Opened, of key: Key, at frame: Int64) {
    entries.append(Entry(key: key, opened: opened, position: frame))
    if entries.count > limit { entries.removeFirst() }
  }
}
