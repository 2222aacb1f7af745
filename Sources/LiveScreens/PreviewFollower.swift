import Diagnosis
import ExportEngine
import Files
import Glibc
import MediaComposition
import Playback
import Reports
import Synchronization
import SystemPackage
import Threads

/// Makes the items of a preview on a thread of its own: first all entries after the first one, then
/// other versions of the entries whose job files, tables or media have changed.
///
/// Safe from any thread.
package final class PreviewFollower: Sendable {
  private let first: PreviewReading
  private let readAgain: @Sendable () -> PreviewReading
  /// Where the last entry ends.
  private let end: PreviewTime?
  private let items: PreviewItems
  /// Whether changed files are read without being asked.
  package let follows: Bool
  private let report: @Sendable (PreviewMessage) -> Void
  private let wakeUp: WakeUp
  /// Items whose media have changed.
  private let lost = Mutex<[PlayerItem]>([])

  /// How long nothing may change before files are read: editors write in several steps.
  private static let quiet = Duration.milliseconds(30)
  /// How long nothing may change while a file is open for writing.
  private static let quietWriting = Duration.milliseconds(300)
  /// The longest wait for files that are written to without end.
  private static let patience = Duration.seconds(2)
  /// How many rounds in a row changes may end before anything is made. Files that change again and
  /// again must not keep all others from being heard.
  private static let mostEndings = 3

  /// A follower of what `first` has read. `readAgain` reads it once more, and prints nothing.
  ///
  /// - Throws: The error of eventfd(2).
  package init(
    _ first: PreviewReading, readingAgain readAgain: @escaping @Sendable () -> PreviewReading,
    endingAt end: PreviewTime?, items: PreviewItems, follows: Bool,
    reporting report: @escaping @Sendable (PreviewMessage) -> Void
  ) throws(ChildProcess.SystemError) {
    (self.first, self.readAgain, self.end, self.items) = (first, readAgain, end, items)
    (self.follows, self.report) = (follows, report)
    wakeUp = try WakeUp()
  }

  /// Begins, on a thread that lives as long as the process, or as `player`.
  package func start(_ player: QueuePlayer) {
    items.willLoad()
    let work: @Sendable () -> Void = { [weak player] in self.run { player } }
    if (try? Thread.spawn(name: "preview-items", work)) == nil {
      // Without a thread to spare, before anything else is done.
      items.load(endingAt: end, into: player, unless: { false }, PreviewMeasuring(), report)
    }
  }

  /// Asks for another version of an item whose medium has changed.
  package func renew(_ item: PlayerItem) {
    lost.withLock { $0.append(item) }
    wakeUp.signal()
  }

  // MARK: The thread

  /// What the thread keeps between two versions.
  private struct Progress {
    let watch: ChangeWatch?
    /// What the last version was read from; with mistakes, and the versions before it.
    var watched: ReadFiles
    /// Reasons for not watching a folder that were reported.
    var unwatched: Set<Errno> = []
    var warnings: Set<String> = []
    var hasMistakes = false
    /// Rounds in a row of reading and loading that were ended by changes before an entry was made.
    var endings = 0
    /// Whether this round may be ended by a change before an entry is made.
    var mayEnd: Bool { endings < PreviewFollower.mostEndings }
  }

  private func run(_ player: () -> QueuePlayer?) {
    var progress = Progress(watch: follows ? makeWatch() : nil, watched: first.read)
    watch(first.read, &progress)
    progress.warnings = Set(first.diagnostics.all.map { first.text(of: $0) })
    var isDue = follows && first.read.haveChanged()
    while true {
      if !isDue {
        guard load(player, &progress) else { return }
        wait(progress.watch)
      }
      settle(progress.watch)
      let lost = self.lost.withLock { lost in
        defer { lost = [] }
        return lost
      }
      if follows {
        isDue = reload(&progress)
        if isDue { progress.endings += 1 }
      } else {
        // A medium that is being rewritten may be empty yet.
        let watch = (try? FileWatcher()).map(ChangeWatch.init)
        watch?.watcher.watch(files: first.read.files)
        settle(watch)
        for item in lost { remake(item) }
      }
    }
  }

  private func makeWatch() -> ChangeWatch? {
    do throws(Errno) {
      return ChangeWatch(try FileWatcher())
    } catch {
      report(
        .warned(
          Warning(
            "changes of files are not followed: \(error); close other programs that watch files, or "
              + "raise fs.inotify.max_user_instances")))
      return nil
    }
  }

  private func watch(_ read: ReadFiles, _ progress: inout Progress) {
    progress.watched = read
    guard let watcher = progress.watch?.watcher else { return }
    for unwatched in watcher.watch(files: read.files, folders: read.folders)
    where progress.unwatched.insert(unwatched.error).inserted {
      report(
        .warned(
          Warning(
            "changes of files in '\(unwatched.folder)' are not followed: \(unwatched.error); "
              + Self.remedy(for: unwatched.error))))
    }
  }

  private static func remedy(for error: Errno) -> String {
    switch error {
    case .noSpace: "raise fs.inotify.max_user_watches"
    case .tooManyOpenFiles: "raise the limit of open files (ulimit -n)"
    case .tooManyOpenFilesInSystem: "raise fs.file-max"
    case .permissionDenied: "let the user read the folder"
    default: "start the preview again to hear them"
    }
  }

  /// Makes what is not made yet, until something changes.
  ///
  /// - Returns: Whether there is still a player, which is not kept.
  private func load(_ player: () -> QueuePlayer?, _ progress: inout Progress) -> Bool {
    guard let player = player() else { return false }
    let (watch, mayEnd) = (progress.watch, progress.mayEnd)
    // Asked before each entry, also before the first one.
    var (asked, isEnded) = (0, false)
    let isInterrupted = {
      guard asked > 1 || mayEnd else { return false }
      isEnded = isEnded || watch?.hasSettled() == true || !self.lost.withLock(\.isEmpty)
      return isEnded
    }
    let isOver = {
      asked += 1
      return isInterrupted()
    }
    items.load(
      endingAt: end, into: player, unless: isOver, measuring(unless: isInterrupted), report)
    progress.endings = asked == 1 && isEnded ? progress.endings + 1 : 0
    return true
  }

  /// Measuring that ends when something changes.
  private func measuring(unless isInterrupted: @escaping () -> Bool) -> PreviewMeasuring {
    let cancellation = CancellationFlag()
    return PreviewMeasuring(cancellation) { _, _ in
      if isInterrupted() { cancellation.cancel() }
    }
  }

  /// Waits for a change, or for a lost item.
  private func wait(_ watch: ChangeWatch?) {
    while lost.withLock(\.isEmpty), watch?.look() != true {
      var polled = [wakeUp.descriptor, watch?.watcher.descriptor ?? -1].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      poll(&polled, nfds_t(polled.count), -1)
      wakeUp.clear()
    }
  }

  /// Waits until nobody writes.
  private func settle(_ watch: ChangeWatch?) {
    guard let watch else { return }
    let limit = ContinuousClock.now + Self.patience
    while ContinuousClock.now < limit {
      watch.clear()
      let pause = watch.isUnderWay ? Self.quietWriting : Self.quiet
      let end = min(limit, .now + pause)
      while !watch.look() {
        let rest = Int32((end - .now) / .milliseconds(1))
        guard rest > 0 else { return }
        var polled = pollfd(fd: watch.watcher.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, rest)
      }
    }
    watch.clear()
  }

  // MARK: Versions

  /// Reads everything again, and reports what has changed, or what is wrong.
  ///
  /// - Returns: Whether it was ended, since something has changed meanwhile.
  private func reload(_ progress: inout Progress) -> Bool {
    items.library.forgetChangedFiles()
    let next = readAgain()
    let read = next.read
    if next.entries == nil { read.formUnion(progress.watched) }
    let before = progress.watched
    watch(read, &progress)
    let (watch, mayEnd) = (progress.watch, progress.mayEnd)
    let isInterrupted = { mayEnd && watch?.hasSettled() == true }
    // What is watched only from now on may have changed since it was read.
    if read.haveChanged(besides: before) {
      if mayEnd { return true }
      watch?.note()
    }
    // Before anything is measured, which may take long.
    report(next, [], &progress)
    if let entries = next.entries {
      do {
        let (change, failures) = try items.change(
          to: entries, endingAt: end, measuring(unless: isInterrupted))
        if !failures.isEmpty {
          report(next, failures.map { Diagnostic($0.0, at: $0.1.origin) }, &progress)
        }
        report(.changed(change))
        items.awaitCommit()
      } catch {
        return true
      }
    }
    next.diagnostics.beginPrinting()
    return false
  }

  /// Reports what is wrong, and warnings that are new.
  private func report(
    _ next: PreviewReading, _ problems: [Diagnostic], _ progress: inout Progress
  ) {
    let all = next.diagnostics.all + problems
    let errors = Diagnostics(all.filter { $0.severity == .error })
    let others = all.filter { $0.severity != .error }
    let texts = others.map { next.text(of: $0) }
    for text in texts where !progress.warnings.contains(text) { report(.noted(text)) }
    progress.warnings = Set(texts)
    guard !errors.isEmpty || progress.hasMistakes else { return }
    progress.hasMistakes = !errors.isEmpty
    report(.mistaken(errors.isEmpty ? nil : next.mistakes(errors)))
  }

  /// Makes an item of what is there now in place of one whose medium has changed.
  private func remake(_ item: PlayerItem) {
    items.library.forgetChangedFiles()
    let next = readAgain()
    do throws(Failure) {
      guard let entries = next.entries,
        let change = try items.renewal(of: item, among: entries, endingAt: end)
      else { return report(.notRenewed(item, nil)) }
      report(.changed(change))
      items.awaitCommit()
      next.diagnostics.beginPrinting()
    } catch {
      report(.notRenewed(item, error))
    }
  }
}

/// Changes that were seen and not read yet. One thread at a time.
private final class ChangeWatch {
  let watcher: FileWatcher
  /// Since the last `clear`.
  private var (hasAny, isSettled) = (false, false)
  private(set) var isUnderWay = false

  init(_ watcher: FileWatcher) { self.watcher = watcher }

  /// Notes a change that the kernel has not reported.
  func note() { (hasAny, isSettled) = (true, true) }

  /// Takes what was seen for read.
  func clear() { (hasAny, isSettled) = (false, false) }

  /// Whether something has changed that was not read yet. Does not wait.
  func look() -> Bool {
    let changes = watcher.changes()
    hasAny = hasAny || changes.hasAny
    isSettled = isSettled || changes.hasSettled
    isUnderWay = changes.isUnderWay
    return hasAny
  }

  /// Whether something has changed that nobody was writing to then. What is written to without end
  /// would end all work for it.
  func hasSettled() -> Bool { look() && isSettled }
}

/// What is to be played, as the files said it at one time.
package struct PreviewReading: Sendable {
  /// Nil: there are mistakes, which are among the messages.
  fileprivate let entries: [NextEntry]?
  /// What was read.
  fileprivate let read: ReadFiles
  /// The messages.
  fileprivate let diagnostics: ReportedDiagnostics

  /// A reading; without `entries` there are mistakes, which `diagnostics` has.
  package init(
    _ entries: [NextEntry]?, from read: ReadFiles, reporting diagnostics: ReportedDiagnostics
  ) {
    (self.entries, self.read, self.diagnostics) = (entries, read, diagnostics)
  }

  /// A message as standard error shows it.
  fileprivate func text(of diagnostic: Diagnostic) -> String {
    diagnostics.text(of: Diagnostics(diagnostic))
  }

  /// Mistakes for a screen and for standard error.
  fileprivate func mistakes(_ errors: Diagnostics) -> PreviewMistakes {
    let first = errors.all.first ?? Diagnostic("something is wrong", at: .unknown)
    let place = diagnostics.map.place(of: first.origin).map { $0.prefix } ?? ""
    let more = errors.all.count > 1 ? " (and \(errors.all.count - 1) more)" : ""
    return PreviewMistakes(
      summary: place + first.message + more + (first.help.map { "; \($0)" } ?? ""),
      text: diagnostics.text(of: errors))
  }
}
