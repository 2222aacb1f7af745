import ExportEngine
import MediaComposition
import Playback
import Synchronization
import Threads

/// The entries of a preview and what was made of them: the first at once, the others while it plays,
/// so that a long list is heard as soon as a short one.
///
/// Safe from any thread.
final class PreviewRoster: Sendable {
  let entries: [PreviewEntry]
  private let library: MediaLibrary
  private let state = Mutex(State())

  private struct State {
    var indices: [ObjectIdentifier: Int] = [:]
    /// In the order of the entries; nil for what cannot be played, or is not made yet.
    var items: [PlayerItem?]
    var isLoading = false

    init() { items = [] }
  }

  init(_ entries: [PreviewEntry], library: MediaLibrary) {
    self.entries = entries
    self.library = library
    state.withLock { $0.items = Array(repeating: nil, count: entries.count) }
  }

  /// Which entry an item is of.
  func index(of item: PlayerItem?) -> Int? {
    guard let item else { return nil }
    return state.withLock { $0.indices[ObjectIdentifier(item)] }
  }

  /// The items that can be played, in order.
  var items: [PlayerItem] { state.withLock { $0.items.compactMap { $0 } } }

  /// Whether more may come.
  var isLoading: Bool { state.withLock { $0.isLoading } }

  /// Makes an item, and keeps it.
  func make(_ index: Int, endingAt end: PreviewTime? = nil) throws(Failure) -> PlayerItem {
    let entry = entries[index]
    var item = try entry.item(library: library)
    if let end {
      guard let time = end.time(in: item.duration, rate: item.sampleRate), time > .zero else {
        throw Failure(.mendJob, "--to: " + end.refusal(in: item.name, lasting: item.duration))
      }
      item = try entry.item(library: library, endingAt: time)
    }
    let made = item
    state.withLock { state in
      state.items[index] = made
      state.indices[ObjectIdentifier(made)] = index
    }
    return made
  }

  /// Makes what comes behind entry number `first`, and puts it into the queue of `player`, on a thread
  /// of its own; the last ends at `end`. `tell` gets what cannot be played, and nil behind the last, on
  /// that thread.
  func load(
    behind first: Int, endingAt end: PreviewTime?, into player: QueuePlayer,
    _ tell: @escaping @Sendable (Failure?) -> Void
  ) {
    let rest = (first + 1)..<entries.count
    guard !rest.isEmpty else { return tell(nil) }
    state.withLock { $0.isLoading = true }
    let work: @Sendable () -> Void = { [weak player] in
      for index in rest {
        do throws(Failure) {
          let item = try self.make(index, endingAt: index == rest.last ? end : nil)
          guard let player else { return }
          player.insert(item, after: nil)
        } catch {
          tell(error.placed(at: self.entries[index].origin))
        }
      }
      self.state.withLock { $0.isLoading = false }
      tell(nil)
    }
    // Without a thread to spare, before anything else is done.
    if (try? Thread.spawn(name: "preview-items", work)) == nil { work() }
  }
}
