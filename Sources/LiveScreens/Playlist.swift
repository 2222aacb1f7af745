import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import SystemPackage

/// What a preview plays, in order: one version of its entries, each with an identity that it keeps in
/// later versions, and with an item once that is made. A value: `PreviewItems` has the version that is
/// played.
///
/// ```
///  files ── PreviewQueue ──► [NextEntry]             once more after each change
///                                │  PreviewItems.change
///  Playlist that is played ──────┴──► next Playlist
///            └─── difference(from:) ───────┘
///                        │  PreviewControls.take
///   stays: keeps its item        changed: Player.replace, at the place that PlaceMap gives
///   comes: PreviewItems.load     moved, gone: Player.arrange
/// ```
package struct Playlist: Sendable {
  /// In the order of the job files and arguments.
  private(set) var entries: [PlaylistEntry]
  /// The identity of the next new entry.
  let nextID: Int
  /// The places in `entries` by identities, and by items.
  private let places: [Int: Int]
  private var placesOfItems: [ObjectIdentifier: Int] = [:]

  /// The first version, of which no item is made.
  init(_ entries: [PreviewEntry]) {
    self.init(
      entries.enumerated().map { PlaylistEntry(id: $0, entry: $1) }, nextID: entries.count)
  }

  /// A version of entries with identities below `nextID`.
  init(_ entries: [PlaylistEntry], nextID: Int) {
    (self.entries, self.nextID) = (entries, nextID)
    places = Dictionary(uniqueKeysWithValues: zip(entries.map(\.id), entries.indices))
    for index in entries.indices { notePlace(of: index) }
  }

  private mutating func notePlace(of index: Int) {
    for item in entries[index].sounds { placesOfItems[ObjectIdentifier(item)] = index }
  }

  /// An entry by its place, which has the same identity after a change.
  subscript(index: Int) -> PlaylistEntry {
    get { entries[index] }
    set {
      entries[index] = newValue
      notePlace(of: index)
    }
  }

  /// The place of an entry by its identity; nil: it is gone.
  func index(ofEntry id: Int) -> Int? { places[id] }

  /// An entry by its identity; nil: it is gone.
  func entry(_ id: Int) -> PlaylistEntry? { places[id].map { entries[$0] } }

  /// The place of the entry of an item; nil: it is of none.
  func index(of item: PlayerItem?) -> Int? { item.flatMap { placesOfItems[ObjectIdentifier($0)] } }

  /// The entry of an item; nil: it is of none.
  func entry(of item: PlayerItem?) -> PlaylistEntry? { index(of: item).map { entries[$0] } }

  /// The items that can be played, in order.
  var items: [PlayerItem] { entries.compactMap(\.item) }

  /// The same version, with the sounds of entries that stay as `present` has them: a listener may go
  /// over to an encoded output while a version is made.
  func hearing(as present: Playlist) -> Playlist {
    var result = self
    for (index, entry) in entries.enumerated() {
      guard let other = present.entry(entry.id), other.made === entry.made else { continue }
      result[index].encoded = other.encoded
      result[index].isEncodedHeard = other.isEncodedHeard
    }
    return result
  }
}

/// An entry of a playlist, and its item if that is made.
struct PlaylistEntry: Sendable {
  /// That of one entry alone, in all versions of the playlist.
  let id: Int
  /// The entry as the job files have it now.
  var entry: PreviewEntry
  var made: MadeItem?
  /// The encoded output of the item, if there is one, and its file.
  var encoded: (item: PlayerItem, file: FilePath)?
  /// Whether that is heard in place of the item.
  var isEncodedHeard = false
  /// Why the item was not made.
  var failure: Failure?
  /// The failure of the version before, which was reported.
  var reported: Failure?

  /// What is played; nil before it is made.
  var item: PlayerItem? { isEncodedHeard ? encoded?.item : made?.item }

  /// All items of the entry.
  fileprivate var sounds: [PlayerItem] { [made?.item, encoded?.item].compactMap { $0 } }
}

/// An item, and what it was made of. Another object is another item.
package final class MadeItem: Sendable {
  /// The item.
  package let item: PlayerItem
  /// The entry as it was then: places in the item are of its texts.
  let entry: PreviewEntry
  let export: Export
  /// By which it is known to be the same; nil: it never is.
  let digest: String?
  /// Where it is begun, by `--from`.
  package let start: Time
  /// Whether it is cut off by `--to`.
  let isCut: Bool
  /// Its files stay open as long as it is in the queue.
  private let media: HeldMedia
  /// The groups that its loudness belongs to.
  let groups: [String: LoudnessGroup]

  /// What was made of an entry with its session; `media` are those of its export.
  init(
    _ item: PlayerItem, of entry: PreviewEntry, _ session: ExportSession, from start: Time,
    isCut: Bool, holding media: HeldMedia
  ) {
    (self.item, self.entry, export) = (item, entry, session.export)
    (digest, groups) = (session.heardDigest, session.groups)
    (self.start, self.isCut, self.media) = (start, isCut, media)
  }

  /// The output that it sounds like; nil: it is a medium.
  var output: Output? { entry.output(of: export) }
}

// MARK: - Versions

/// An entry of another version of the job files.
package enum NextEntry: Sendable {
  case entry(PreviewEntry)
  /// The job of this name cannot be played as it is now; its entries stay as they were.
  case refused(job: String)
}

extension Playlist {
  /// What is to be done to play another version instead of one.
  package struct Difference: Sendable {
    /// The other version. Its entries stay, come and move as it has them.
    let playlist: Playlist
    /// Where the places of items are in those that replace them, by the identities of entries.
    let changed: [Int: PlaceMap]
    /// The entry behind each one that is gone and had an item: the next one that stays, if one does.
    let successors: [Int: Int]

    /// An item, and what takes its place.
    struct Replacement {
      let id: Int
      let old, new: PlayerItem
      let places: PlaceMap
    }

    /// The items that are replaced, in order, where `present` is played.
    func replacements(of present: Playlist) -> [Replacement] {
      playlist.entries.compactMap { entry in
        guard let places = changed[entry.id], let old = present.entry(entry.id)?.item,
          let new = entry.item
        else { return nil }
        return Replacement(id: entry.id, old: old, new: new, places: places)
      }
    }
  }

  /// How this version differs from the one before it.
  ///
  /// - Complexity: O(entries), and that of a `PlaceMap` for each one with another item
  func difference(from before: Playlist) -> Difference {
    var changed: [Int: PlaceMap] = [:]
    var successors: [Int: Int] = [:]
    var next: Int?
    for old in before.entries.reversed() {
      guard let made = old.made else { continue }
      guard let new = entry(old.id)?.made else {
        successors[old.id] = next
        continue
      }
      next = old.id
      if new !== made { changed[old.id] = PlaceMap(from: made.export, to: new.export) }
    }
    return Difference(playlist: self, changed: changed, successors: successors)
  }

  /// The entries that each entry of another version has now, one at most, and all of a job that is
  /// refused. A job that is not found is the one at its own place, if that is nothing else: it was
  /// renamed.
  func matches(of next: [NextEntry]) -> [[PlaylistEntry]] {
    var rest = UnmatchedEntries(entries)
    var matches = next.map { next -> [PlaylistEntry] in
      if case .entry(let entry) = next { rest.take(entry).map { [$0] } ?? [] } else { [] }
    }
    for (index, next) in next.enumerated() {
      if case .refused(let job) = next { matches[index] = rest.take(job: job) }
    }
    for (index, next) in next.enumerated() {
      if case .entry(let entry) = next, entry.job != nil, matches[index].isEmpty {
        matches[index] = rest.takeJob(at: index).map { [$0] } ?? []
      }
    }
    return matches
  }
}

/// The entries of a version, each of which is one entry of the next version at most.
struct UnmatchedEntries {
  private let entries: [PlaylistEntry]
  private var isTaken: [Bool]
  /// The places of entries, the last first.
  private var places: [PreviewEntry.Key: [Int]] = [:]

  init(_ entries: [PlaylistEntry]) {
    self.entries = entries
    isTaken = Array(repeating: false, count: entries.count)
    for index in entries.indices.reversed() {
      let entry = entries[index].entry
      for key in entry.keys + (entry.job.map { [.job($0)] } ?? []) {
        places[key, default: []].append(index)
      }
    }
  }

  private mutating func take(_ index: Int) -> PlaylistEntry? {
    guard entries.indices.contains(index), !isTaken[index] else { return nil }
    isTaken[index] = true
    return entries[index]
  }

  /// The same entry.
  mutating func take(_ entry: PreviewEntry) -> PlaylistEntry? {
    for key in entry.keys {
      while let index = places[key]?.popLast() {
        if let entry = take(index) { return entry }
      }
    }
    return nil
  }

  /// The entry at a place, if it is a job's.
  mutating func takeJob(at index: Int) -> PlaylistEntry? {
    guard entries.indices.contains(index), entries[index].entry.job != nil else { return nil }
    return take(index)
  }

  /// All parts of a job.
  mutating func take(job: String) -> [PlaylistEntry] {
    (places[.job(job)] ?? []).reversed().compactMap { take($0) }
  }
}
