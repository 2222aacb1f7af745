import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import Synchronization
import SystemPackage
import Threads

/// An entry of a preview: a job, a part of one, or a media file.
package struct PreviewEntry: Sendable {
  /// What is played.
  package enum Content: Sendable {
    case job(ExportSession)
    case media(MediaLocation)
  }

  private let content: Content
  /// Which of a job's outputs it sounds like, from 0.
  private let output: Int

  /// An entry that sounds like output number `output` of its job, from 0.
  package init(_ content: Content, output: Int = 0) {
    (self.content, self.output) = (content, output)
  }

  /// For messages.
  package var name: String {
    switch content {
    case .job(let session): session.export.name
    case .media(let location): location.lastName ?? "\(location)"
    }
  }

  /// The place of its job.
  package var origin: Origin {
    switch content {
    case .job(let session): session.export.origin
    case .media: .unknown
    }
  }

  /// The medium; nil: a job.
  package var medium: MediaLocation? {
    if case .media(let location) = content { location } else { nil }
  }

  /// The item of its sound, cut off at `end`. A job that is played to its end is not compiled again.
  ///
  /// Sounds that are brought to a level are measured, which may take some time for each minute.
  ///
  /// - Parameters:
  ///   - library: Opens the files.
  ///   - end: Where it is cut off; nil: nowhere.
  ///   - measuring: How that is seen and ended.
  /// - Returns: The item.
  /// - Throws: What is wrong with its files, or with the job now that they are looked at.
  package func item(
    library: MediaLibrary, endingAt end: Time? = nil, _ measuring: PreviewMeasuring
  ) throws(Failure) -> PlayerItem {
    let session =
      switch content {
      case .job(let session): session
      case .media(let location):
        ExportSession(
          try PlayerItem.export(ofMediaAt: location, library: library), library: library)
      }
    let export = session.export
    guard let end, end < export.duration else {
      return try PlayerItem(try measuring.measured(session), output: output)
    }
    let range = TimeRange(start: export.timeRange?.start ?? .zero, duration: end)
    return try PlayerItem(try measuring.measured(session.covering(range)), output: output)
  }
}

/// How the measuring of entries is seen and ended, which comes before they are heard.
package struct PreviewMeasuring {
  /// Set to end it.
  package let cancellation: CancellationFlag
  /// Gets the entry's name, and the share that is done, on the thread that measures.
  package let progress: (String, Double) -> Void

  /// Measuring whose progress is seen by `progress`.
  package init(
    _ cancellation: CancellationFlag = CancellationFlag(),
    progress: @escaping (String, Double) -> Void = { _, _ in }
  ) {
    (self.cancellation, self.progress) = (cancellation, progress)
  }

  fileprivate func measured(_ session: ExportSession) throws(Failure) -> ExportSession {
    do {
      return try session.measured(cancellation: cancellation) {
        progress(session.export.name, $0)
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.tryAgain, "was cancelled")
    }
  }
}

/// A message of another thread to the loop of a preview.
package enum PreviewMessage: Sendable {
  case player(PlayerEvent)
  /// Of the session at the sound server.
  case session(AudioSession.Event)
  /// An entry cannot be played.
  case refused(Failure)
  /// A warning about an entry's file.
  case warned(Warning)
  /// All entries that can be played are in the queue.
  case loaded
}

/// The entries of a preview and their items: the first is made at once, the others while it plays, so
/// that a long list is heard as soon as a short one.
///
/// Safe from any thread.
package final class PreviewItems: Sendable {
  package let entries: [PreviewEntry]
  private let library: MediaLibrary
  private let state: Mutex<State>

  private struct State {
    var indices: [ObjectIdentifier: Int] = [:]
    /// In the order of the entries; nil for what cannot be played, or is not made yet.
    var items: [PlayerItem?]
    var isLoading = false
    /// Files whose warnings were reported.
    var warnedMedia: Set<MediaLocation> = []
  }

  /// The items of `entries`, none of which is made yet.
  package init(_ entries: [PreviewEntry], library: MediaLibrary) {
    self.entries = entries
    self.library = library
    state = Mutex(State(items: Array(repeating: nil, count: entries.count)))
  }

  /// The place of an item's job in its file.
  func origin(of item: PlayerItem) -> Origin {
    index(of: item).map { entries[$0].origin } ?? .unknown
  }

  /// The index of an item's entry.
  func index(of item: PlayerItem?) -> Int? {
    guard let item else { return nil }
    return state.withLock { $0.indices[ObjectIdentifier(item)] }
  }

  /// The items that can be played, in order.
  var items: [PlayerItem] { state.withLock { $0.items.compactMap { $0 } } }

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
    let entry = entries[index]
    let whole = try entry.item(library: library, measuring)
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
        try entry.item(library: library, endingAt: end, measuring)
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

  /// Those of jobs were reported when their files were probed.
  private func warnings(of entry: PreviewEntry) -> [Warning] {
    guard let medium = entry.medium,
      state.withLock({ $0.warnedMedia.insert(medium).inserted })
    else {
      return []
    }
    return library.warnings(for: medium)
  }

  /// Makes the entries after number `first`, and puts them into the queue of `player`, on a thread of
  /// its own; the last ends at `end`. `report` gets refusals and warnings, and `loaded` after the last
  /// entry, on that thread.
  package func load(
    behind first: Int, endingAt end: PreviewTime?, into player: QueuePlayer,
    _ report: @escaping @Sendable (PreviewMessage) -> Void
  ) {
    let rest = (first + 1)..<entries.count
    guard !rest.isEmpty else { return report(.loaded) }
    state.withLock { $0.isLoading = true }
    let work: @Sendable () -> Void = { [weak player] in
      for index in rest {
        do throws(Failure) {
          let made = try self.make(index, to: index == rest.last ? end : nil)
          guard let player else { return }
          player.insert(made.item, after: nil)
          for warning in made.warnings { report(.warned(warning)) }
        } catch {
          report(.refused(error.placed(at: self.entries[index].origin)))
        }
      }
      self.state.withLock { $0.isLoading = false }
      report(.loaded)
    }
    // Without a thread to spare, before anything else is done.
    if (try? Thread.spawn(name: "preview-items", work)) == nil { work() }
  }
}
