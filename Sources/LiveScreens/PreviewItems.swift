import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import Synchronization
import Threads

/// The playlist of a preview that is played: the first item is made at once, the others while it plays,
/// so that a long list is heard as soon as a short one. Other versions replace it when job files change.
///
/// Safe from any thread; one thread at a time makes items.
package final class PreviewItems: Sendable {
  let library: MediaLibrary
  let state: Mutex<State>
  /// Whether a change is not taken over yet.
  private let isChanging = Monitor(false)

  struct State {
    var playlist: Playlist
    var isLoading = false
    /// Files whose warnings were reported.
    var warnedMedia: Set<MediaLocation> = []
  }

  /// The items of `entries`, none of which is made yet.
  package init(_ entries: [PreviewEntry], library: MediaLibrary) {
    self.library = library
    state = Mutex(State(playlist: Playlist(entries)))
  }

  /// The present version.
  var playlist: Playlist { state.withLock { $0.playlist } }

  /// In the order of the job files and arguments.
  package var entries: [PreviewEntry] { playlist.entries.map(\.entry) }

  /// The number of entries.
  var count: Int { state.withLock { $0.playlist.entries.count } }

  /// The items that can be played, in order.
  var items: [PlayerItem] { playlist.items }

  /// Whether more items may follow.
  var isLoading: Bool { state.withLock { $0.isLoading } }

  /// The place of the entry of an item; nil: it is of none.
  func index(of item: PlayerItem?) -> Int? { state.withLock { $0.playlist.index(of: item) } }

  /// The entry of an item; nil: it is of none.
  func entry(of item: PlayerItem?) -> PlaylistEntry? {
    state.withLock { $0.playlist.entry(of: item) }
  }

  /// The file and the line of a place in an item's job.
  package func place(of origin: Origin, in item: PlayerItem) -> String? {
    entry(of: item)?.made?.entry.place(origin)
  }

  /// The tags of an entry that was made. Touches no file.
  func metadata(of entry: PreviewEntry) -> Metadata {
    let asset = entry.medium.flatMap { library.probedAsset(at: $0)?.found.asset }
    return entry.jobMetadata ?? asset?.metadata ?? Metadata()
  }

  /// Changes the entry of an item.
  ///
  /// - Returns: Whether there is one.
  @discardableResult
  func update(entryOf item: PlayerItem, _ body: (inout PlaylistEntry) -> Void) -> Bool {
    state.withLock { state in
      guard let index = state.playlist.index(of: item) else { return false }
      body(&state.playlist[index])
      return true
    }
  }

  /// Makes an entry's item, cut off at `to`, and begun at `from`: both are times of the whole entry.
  ///
  /// - Throws: What is wrong with its files or with these times.
  package func make(
    _ index: Int, from: PreviewTime? = nil, to: PreviewTime? = nil,
    _ measuring: PreviewMeasuring = PreviewMeasuring()
  ) throws(Failure) -> MadeItem {
    let entry = state.withLock { $0.playlist[index].entry }
    let made: MadeItem
    do throws(Failure) {
      made = try build(entry, to: to, from: from, measuring)
    } catch {
      state.withLock { $0.playlist[index].failure = error }
      throw error
    }
    state.withLock { state in
      (state.playlist[index].made, state.playlist[index].failure) = (made, nil)
    }
    return made
  }

  /// Makes an item of an entry.
  func build(
    _ entry: PreviewEntry, to: PreviewTime?, from: PreviewTime? = nil, _ measuring: PreviewMeasuring
  ) throws(Failure) -> MadeItem {
    let session = try entry.session(library)
    // Held first: what is measured is what is heard.
    let media = library.hold(session.export)
    let whole = try entry.item(of: session, measuring)
    func moment(_ time: PreviewTime, _ option: String) throws(Failure) -> Time {
      guard let place = time.time(in: whole.duration, rate: whole.sampleRate) else {
        throw Failure(
          .mendJob, "\(option): " + time.refusal(in: entry.name, lasting: whole.duration))
      }
      return place
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
      item, of: entry, session, from: start ?? .zero, isCut: to != nil, holding: media)
  }

  /// The warnings about the file of an entry that were not reported before; those of jobs were reported
  /// when their files were probed.
  package func warnings(of entry: PreviewEntry) -> [Warning] {
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
        let before = playlist.entries[..<next].lazy.compactMap(\.item).last
        if let before {
          player.insert(made.item, after: before)
        } else {
          player.arrange(items, orElse: nil)
        }
        for warning in warnings(of: made.entry) { report(.warned(warning)) }
      } catch {
        // It is made when it is asked for again.
        if measuring.cancellation.isCancelled {
          state.withLock { $0.playlist[next].failure = nil }
          return
        }
        let failed = playlist[next]
        if let reported = failed.reported, reported.isLike(error) { continue }
        report(.refused(error.placed(at: failed.entry.origin), failed.entry))
      }
    }
    guard nextToMake(from: 0) == nil else { return }
    state.withLock { $0.isLoading = false }
    report(.loaded)
  }

  private func nextToMake(from index: Int) -> (index: Int, isLast: Bool)? {
    let entries = playlist.entries
    let next = entries.indices.dropFirst(index).first { entries[$0].isToBeMade }
    return next.map { ($0, $0 == entries.count - 1) }
  }
}

/// Another version of the entries.
extension PreviewItems {
  /// Makes the items of entries that have changed. Entries that are the same keep their items; new ones
  /// are left to `load`. An entry whose item cannot be made keeps the one that it has.
  ///
  /// - Parameters:
  ///   - next: The entries of the new version.
  ///   - end: Where the last entry ends.
  ///   - measuring: How measuring is ended.
  /// - Returns: The change, and what is wrong with entries that keep their old items.
  /// - Throws: `CancellationError` if the measuring was ended.
  /// - Complexity: O(entries), and that of compiling, probing and measuring those that have changed
  func change(
    to next: [NextEntry], endingAt end: PreviewTime?, _ measuring: PreviewMeasuring
  ) throws(CancellationError) -> (
    change: Playlist.Difference, problems: [(Failure, PreviewEntry)]
  ) {
    let before = playlist
    var (entries, nextID) = ([PlaylistEntry](), before.nextID)
    var problems: [(Failure, PreviewEntry)] = []
    let lastIndex = next.count - 1
    for (index, (next, old)) in zip(next, before.matches(of: next)).enumerated() {
      guard case .entry(let new) = next else {
        entries += old
        continue
      }
      guard let known = old.first else {
        entries.append(PlaylistEntry(id: nextID, entry: new))
        nextID += 1
        continue
      }
      do throws(Failure) {
        // Only the last one of all is cut off.
        let isLast = index == lastIndex
        entries.append(try version(of: known, as: new, endingAt: isLast ? end : nil, measuring))
      } catch {
        if measuring.cancellation.isCancelled { throw CancellationError() }
        entries.append(known)
        problems.append((error.placed(at: new.origin), new))
      }
    }
    return (begin(Playlist(entries, nextID: nextID).difference(from: before)), problems)
  }

  /// The next version of an entry, with another item if that has changed.
  private func version(
    of known: PlaylistEntry, as new: PreviewEntry, endingAt end: PreviewTime?,
    _ measuring: PreviewMeasuring
  ) throws(Failure) -> PlaylistEntry {
    var next = known
    next.entry = new
    guard let made = known.made else {
      // It is tried again, and the same failure is not reported again.
      (next.failure, next.reported) = (nil, known.failure ?? known.reported)
      return next
    }
    let digest = (try? new.session(library))?.heardDigest
    let isSame = digest != nil && digest == made.digest && new.name == made.entry.name
    guard !isSame || made.isCut != (end != nil) else { return next }
    return PlaylistEntry(id: known.id, entry: new, made: try build(new, to: end, measuring))
  }

  /// Makes an item again whose medium has changed.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - next: The entries as they are now; of these only the item's counts.
  ///   - end: Where the last entry ends.
  /// - Returns: A change of this item; nil if there is no such entry any more.
  /// - Throws: Why the item cannot be made.
  /// - Complexity: O(entries), and that of compiling, probing and measuring the item
  func renewal(
    of item: PlayerItem, among next: [NextEntry], endingAt end: PreviewTime?
  ) throws(Failure) -> Playlist.Difference? {
    let before = playlist
    guard let index = before.index(of: item), let made = before[index].made else { return nil }
    var (entries, rest) = (before.entries, UnmatchedEntries(before.entries))
    for case .entry(let entry) in next where rest.take(entry)?.id == before[index].id {
      do throws(Failure) {
        let new = try build(entry, to: made.isCut ? end : nil, PreviewMeasuring())
        entries[index] = PlaylistEntry(id: before[index].id, entry: entry, made: new)
      } catch {
        throw error.placed(at: entry.origin)
      }
      return begin(Playlist(entries, nextID: before.nextID).difference(from: before))
    }
    return nil
  }

  private func begin(_ change: Playlist.Difference) -> Playlist.Difference {
    isChanging.withLock { $0 = true }
    return change
  }

  /// Waits until the last change is taken over, also by the player.
  func awaitCommit() { isChanging.wait { $0 ? nil : () } }

  /// Takes a change over. Called on the thread that controls the player, after `change` and before the
  /// next one; `endCommit` follows.
  func commit(_ change: Playlist.Difference) {
    state.withLock { state in
      state.playlist = change.playlist.hearing(as: state.playlist)
      state.isLoading = state.playlist.entries.contains(where: \.isToBeMade)
    }
  }

  /// Notes that the player has a change, too: what is made from now on is not of its queue yet.
  func endCommit() { isChanging.withLock { $0 = false } }
}

extension PlaylistEntry {
  /// Whether its item is not made yet, and may be.
  fileprivate var isToBeMade: Bool { made == nil && failure == nil }
}

extension Failure {
  /// Whether it says the same, wherever the job stands now.
  fileprivate func isLike(_ other: Failure) -> Bool {
    (message, location) == (other.message, other.location)
  }
}
