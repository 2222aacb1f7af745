/// Opened sounds that nothing reads for now, each kept for a reader of the same sound that begins where it
/// stands or behind that. One thread at a time.
struct IdleSources<Sound: Equatable, Opened> {
  private struct Entry {
    let sound: Sound
    let opened: Opened
    let position: Int64
  }

  /// How many are kept.
  let limit: Int
  /// Least recently used first.
  private var entries: [Entry] = []

  init(limit: Int) { self.limit = limit }

  /// Takes the one with the cheapest way to a frame; nil if there is none.
  mutating func take(_ sound: Sound, near frame: Int64) -> Opened? {
    let candidates = entries.indices.filter { entries[$0].sound == sound }
    let behind = candidates.filter { entries[$0].position <= frame }
    let nearest = behind.max { entries[$0].position < entries[$1].position }
    return (nearest ?? candidates.last).map { entries.remove(at: $0).opened }
  }

  /// Drops those of a sound that nobody reads any more.
  mutating func remove(_ sound: Sound) { entries.removeAll { $0.sound == sound } }

  /// Keeps one that stands at a frame, and drops the one that was not used for the longest time if there
  /// are too many.
  mutating func put(_ opened: Opened, of sound: Sound, at frame: Int64) {
    entries.append(Entry(sound: sound, opened: opened, position: frame))
    if entries.count > limit { entries.removeFirst() }
  }
}
