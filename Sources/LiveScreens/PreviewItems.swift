import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import Synchronization
import Threads

/// The entries of a preview and their items: the first is made at once, the others while it plays, so
/// that a long list is heard as soon as a short one. Entries are replaced when job files change.
///
/// Safe from any thread; one thread at a time makes items.
package final class PreviewItems: Sendable {
  let library: MediaLibrary
  let state: Mutex<State>
  /// Whether a change is not taken over yet.
  let isChanging = Monitor(false)

  struct State {
    /// In the order of the job files.
    var slots: [Slot]
    /// The places in `slots` of items.
    var indices: [ObjectIdentifier: Int] = [:]
    var isLoading = false
    /// Files whose warnings were reported.
    var warnedMedia: Set<MediaLocation> = []
  }

  /// An entry, and its item if it is made.
  struct Slot: Sendable {
    var entry: PreviewEntry
    var made: MadeItem?
    /// Why it was not made.
    var failure: Failure?
    /// The failure of the version before, which was reported.
    var reported: Failure?
  }

  /// An item, and what it was made of.
  struct MadeItem: Sendable {
    var item: PlayerItem
    /// The entry as it was then: places in the item are of its texts.
    let entry: PreviewEntry
    let export: Export
    /// By which it is known to be the same; nil: it never is.
    let digest: String?
    /// Whether it is cut off by `--to`.
    let isCut: Bool
    /// Its files stay open as long as it is in the queue.
    let media: HeldMedia
    /// The groups that its loudness belongs to.
    let groups: [String: LoudnessGroup]

    /// The output that it sounds like; nil: it is a medium.
    var output: Output? { entry.output(of: export) }
  }

  /// The items of `entries`, none of which is made yet.
  package init(_ entries: [PreviewEntry], library: MediaLibrary) {
    self.library = library
    state = Mutex(State(slots: entries.map { Slot(entry: $0) }))
  }

  /// In the order of the job files and arguments.
  package var entries: [PreviewEntry] { state.withLock { $0.slots.map(\.entry) } }

  /// The number of entries.
  package var count: Int { state.withLock { $0.slots.count } }

  /// What an item was made of.
  func madeItem(of item: PlayerItem?) -> MadeItem? {
    guard let item else { return nil }
    return state.withLock { state in
      state.indices[ObjectIdentifier(item)].flatMap { state.slots[$0].made }
    }
  }

  /// The place of an item's job in its file.
  func origin(of item: PlayerItem) -> Origin { madeItem(of: item)?.entry.origin ?? .unknown }

  /// The file and the line of a place in an item's job.
  package func place(of origin: Origin, in item: PlayerItem) -> String? {
    madeItem(of: item)?.entry.place(origin)
  }

  /// The index of an item's entry.
  func index(of item: PlayerItem?) -> Int? {
    guard let item else { return nil }
    return state.withLock { $0.indices[ObjectIdentifier(item)] }
  }

  /// The name of an entry; nil: there is no such entry.
  func name(ofEntry index: Int) -> String? {
    state.withLock { $0.slots.indices.contains(index) ? $0.slots[index].entry.name : nil }
  }

  /// The item of an entry, if it is made.
  func item(ofEntry index: Int) -> PlayerItem? {
    state.withLock { $0.slots.indices.contains(index) ? $0.slots[index].made?.item : nil }
  }

  /// The tags of an entry that was made. Touches no file.
  func metadata(ofEntry index: Int) -> Metadata {
    let entry = entries[index]
    let asset = entry.medium.flatMap { library.probedAsset(at: $0)?.found.asset }
    return entry.jobMetadata ?? asset?.metadata ?? Metadata()
  }

  /// Puts another item of the same entry in the place of one.
  func exchange(_ item: PlayerItem, for other: PlayerItem) {
    state.withLock { state in
      guard let index = state.indices[ObjectIdentifier(item)] else { return }
      state.slots[index].made?.item = other
      state.indices[ObjectIdentifier(other)] = index
    }
  }

  /// The indices of entries that cannot be played.
  var refusedEntries: Set<Int> {
    state.withLock { state in Set(state.slots.indices.filter { state.slots[$0].failure != nil }) }
  }

  /// The items that can be played, in order.
  var items: [PlayerItem] { state.withLock { $0.slots.compactMap(\.made?.item) } }

  /// Whether more items may follow.
  var isLoading: Bool { state.withLock { $0.isLoading } }

  /// An entry as it is to be played.
  package struct Made {
    /// The item, which is kept.
    package let item: PlayerItem
    /// Where it begins.
    package let start: Time
    /// Warnings about its file that were not reported before.
    package let warnings: [Warning]
  }

  /// Makes an entry's item, cut off at `to`, and begun at `from`: both are times of the whole entry.
  ///
  /// - Throws: What is wrong with its files or with these times.
  package func make(
    _ index: Int, from: PreviewTime? = nil, to: PreviewTime? = nil,
    _ measuring: PreviewMeasuring = PreviewMeasuring()
  ) throws(Failure) -> Made {
    let entry = state.withLock { $0.slots[index].entry }
    let made: MadeItem
    do throws(Failure) {
      made = try build(entry, to: to, from: from, measuring)
    } catch {
      state.withLock { $0.slots[index].failure = error }
      throw error
    }
    let start = try from.map { time throws(Failure) in
      try place(time, "--from", entry.name, made.export.duration, made.item.sampleRate)
    }
    state.withLock { state in
      (state.slots[index].made, state.slots[index].failure) = (made, nil)
      state.indices[ObjectIdentifier(made.item)] = index
    }
    return Made(item: made.item, start: start ?? .zero, warnings: warnings(of: entry))
  }

  /// Makes an item of an entry.
  func build(
    _ entry: PreviewEntry, to: PreviewTime?, from: PreviewTime? = nil, _ measuring: PreviewMeasuring
  ) throws(Failure) -> MadeItem {
    let session = try entry.session(library)
    let export = session.export
    // Held first: what is measured is what is heard.
    let media = library.hold(export)
    let whole = try entry.item(of: session, measuring)
    func moment(_ time: PreviewTime, _ option: String) throws(Failure) -> Time {
      try place(time, option, entry.name, whole.duration, whole.sampleRate)
    }
    let end = try to.map { time throws(Failure) in try moment(time, "--to") }
    let start = try from.map { time throws(Failure) in try moment(time, "--from") }
    if let end, end <= start ?? .zero {
      let first = start.map { PreviewLayout.clock($0) } ?? "its start"
      throw Failure(
        .mendJob,
        "--to: '\(PreviewLayout.clock(end))' of '\(entry.name)' is not behind \(first), where it begins"
      )
    }
    if let start, start == whole.duration, let from {
      throw Failure(.mendJob, "--from: " + from.refusal(in: whole.name, lasting: whole.duration))
    }
    let item =
      try end.map { end throws(Failure) in
        try entry.item(of: session, endingAt: end, measuring)
      } ?? whole
    return MadeItem(
      item: item, entry: entry, export: export, digest: session.heardDigest, isCut: to != nil,
      media: media, groups: session.groups)
  }

  private func place(
    _ time: PreviewTime, _ option: String, _ name: String, _ duration: Time, _ rate: Int
  ) throws(Failure) -> Time {
    guard let place = time.time(in: duration, rate: rate) else {
      throw Failure(.mendJob, "\(option): " + time.refusal(in: name, lasting: duration))
    }
    return place
  }

  /// Those of jobs were reported when their files were probed.
  func warnings(of entry: PreviewEntry) -> [Warning] {
    guard let medium = entry.medium,
      state.withLock({ $0.warnedMedia.insert(medium).inserted })
    else {
      return []
    }
    return library.warnings(for: medium)
  }

  /// Announces that `load` follows on another thread.
  func willLoad() { state.withLock { $0.isLoading = true } }

  /// Makes the entries that are not made yet, but for those that could not be, and puts them into the
  /// queue of `player`; the last ends at `end`.
  ///
  /// - Parameters:
  ///   - end: Where the last entry ends.
  ///   - player: Gets the items in the order of the entries.
  ///   - isOver: Whether to stop before the next entry.
  ///   - measuring: How measuring is ended.
  ///   - report: Gets refusals and warnings, and `loaded` after the last entry.
  func load(
    endingAt end: PreviewTime?, into player: QueuePlayer, unless isOver: () -> Bool,
    _ measuring: PreviewMeasuring, _ report: (PreviewMessage) -> Void
  ) {
    var index = 0
    while let (next, isLast) = nextToMake(from: index), !isOver() {
      index = next + 1
      do throws(Failure) {
        let made = try make(next, to: isLast ? end : nil, measuring)
        let before = state.withLock { $0.slots[..<next].lazy.compactMap(\.made?.item).last }
        if let before {
          player.insert(made.item, after: before)
        } else {
          player.arrange(items, orElse: nil)
        }
        for warning in made.warnings { report(.warned(warning)) }
      } catch {
        // It is made when it is asked for again.
        if measuring.cancellation.isCancelled {
          state.withLock { $0.slots[next].failure = nil }
          return
        }
        let slot = state.withLock { $0.slots[next] }
        if let reported = slot.reported, reported.isLike(error) { continue }
        report(.refused(error.placed(at: slot.entry.origin), slot.entry))
      }
    }
    guard nextToMake(from: 0) == nil else { return }
    state.withLock { $0.isLoading = false }
    report(.loaded)
  }

  private func nextToMake(from index: Int) -> (index: Int, isLast: Bool)? {
    state.withLock { state in
      guard index < state.slots.count else { return nil }
      let next = state.slots[index...].firstIndex { $0.made == nil && $0.failure == nil }
      return next.map { ($0, $0 == state.slots.count - 1) }
    }
  }
}

extension Failure {
  /// Whether it says the same, wherever the job stands now.
  fileprivate func isLike(_ other: Failure) -> Bool {
    (message, location) == (other.message, other.location)
  }
}
