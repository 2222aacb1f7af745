import Diagnosis
import ExportEngine
import LiveScreens
import MediaComposition
import Playback
import MediaTime
import SystemPackage
import Synchronization
import Threads

/// The entries of a preview and what was made of them: the first at once, the others while it plays,
/// so that a long list is heard as soon as a short one.
///
/// Safe from any thread.
final class PreviewItems: PreviewEntries {
  let entries: [PreviewEntry]
  private let library: MediaLibrary
  private let state = Mutex(State())

  private struct State {
    var indices: [ObjectIdentifier: Int] = [:]
    /// In the order of the entries; nil for what cannot be played, or is not made yet.
    var items: [PlayerItem?]
    var isLoading = false
    /// Of which it was said what is odd about them.
    var oddFiles: Set<FilePath> = []

    init() { items = [] }
  }

  init(_ entries: [PreviewEntry], library: MediaLibrary) {
    self.entries = entries
    self.library = library
    state.withLock { $0.items = Array(repeating: nil, count: entries.count) }
  }

  /// How many there are.
  var count: Int { entries.count }

  /// Where the job of an item is written.
  func origin(of item: PlayerItem) -> Origin {
    index(of: item).map { entries[$0].origin } ?? .unknown
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

  /// An entry as it is to be played.
  struct Made {
    /// What was made of it, and is kept.
    let item: PlayerItem
    /// Where it begins.
    let start: Time
    /// What is odd about its file, unless that was said.
    let warnings: [Warning]
  }

  /// Makes an entry's item, cut off at `to`, and begun at `from`: both are times of the whole entry.
  ///
  /// - Throws: What is wrong with its files or with these times.
  func make(
    _ index: Int, from: PreviewTime? = nil, to: PreviewTime? = nil
  ) throws(Failure) -> Made {
    let entry = entries[index]
    let whole = try entry.item(library: library)
    let end = try to.map { time throws(Failure) in try place(time, "--to", in: whole) }
    let start = try from.map { time throws(Failure) in try place(time, "--from", in: whole) }
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
        try entry.item(library: library, endingAt: end)
      } ?? whole
    state.withLock { state in
      state.items[index] = item
      state.indices[ObjectIdentifier(item)] = index
    }
    return Made(item: item, start: start ?? .zero, warnings: warnings(of: entry))
  }

  private func place(
    _ time: PreviewTime, _ option: String, in item: PlayerItem
  ) throws(Failure) -> Time {
    guard let place = time.time(in: item.duration, rate: item.sampleRate) else {
      throw Failure(
        .mendJob, "\(option): " + time.refusal(in: item.name, lasting: item.duration))
    }
    return place
  }

  /// Of jobs it was said when their files were looked at.
  private func warnings(of entry: PreviewEntry) -> [Warning] {
    guard case .media(let path) = entry.content,
      state.withLock({ $0.oddFiles.insert(path).inserted })
    else { return [] }
    return library.warnings(for: path)
  }

  /// Makes what comes behind entry number `first`, and puts it into the queue of `player`, on a thread
  /// of its own; the last ends at `end`. `tell` gets what there is to say, and `loaded` behind the last,
  /// on that thread.
  func load(
    behind first: Int, endingAt end: PreviewTime?, into player: QueuePlayer,
    _ tell: @escaping @Sendable (PreviewSession.Message) -> Void
  ) {
    let rest = (first + 1)..<entries.count
    guard !rest.isEmpty else { return tell(.loaded) }
    state.withLock { $0.isLoading = true }
    let work: @Sendable () -> Void = { [weak player] in
      for index in rest {
        do throws(Failure) {
          let made = try self.make(index, to: index == rest.last ? end : nil)
          guard let player else { return }
          player.insert(made.item, after: nil)
          for warning in made.warnings { tell(.warned(warning)) }
        } catch {
          tell(.refused(error.placed(at: self.entries[index].origin)))
        }
      }
      self.state.withLock { $0.isLoading = false }
      tell(.loaded)
    }
    // Without a thread to spare, before anything else is done.
    if (try? Thread.spawn(name: "preview-items", work)) == nil { work() }
  }
}
