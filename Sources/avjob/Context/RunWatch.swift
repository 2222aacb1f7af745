import ArgumentParser
import Diagnosis
import Files
import Glibc
import LiveScreens
import RunPlan
import SystemPackage
import Terminal
import Threads

/// `run --watch`: reads job files again and again, and runs what has changed in rounds, each of which is
/// a run of its own.
struct RunWatch {
  /// The context of one round, which prints nothing yet, and its memory's end.
  let makeContext: () -> CommandContext
  /// Reads the job files.
  let load: (CommandContext) throws -> LoadedJobs
  /// Runs jobs; throws an `ExitCode` where any of them failed.
  let runJobs: (CommandContext, LoadedJobs, Signals) throws -> Void
  /// What is watched, for the first line.
  let subject: String
  let isQuiet: Bool

  /// How long nothing may change before files are read: editors and programs that copy write in several
  /// steps.
  private static let quiet = Duration.milliseconds(300)
  /// The longest wait for that.
  private static let patience = Duration.seconds(2)
  /// The pause before a source that may still be written to is looked at again.
  private static let retry = Duration.milliseconds(500)
  /// The pause before all is looked at though no change was seen: on network file systems changes by
  /// other machines are not reported.
  private static let usualPause = Duration.seconds(10)
  /// How much longer than a look the pause is, at least.
  private static let pauseFactor = 20

  /// Runs until a signal comes. To be called before any other thread is started. Throws the `ExitCode`
  /// of the signal.
  func run() throws {
    FileWriters.begin()
    let signals = Signals.catchAll()
    let wakeUp: WakeUp
    do { wakeUp = try WakeUp() } catch { throw ExitCode.temporary }
    try signals.cancellation.whileNotifying({ wakeUp.signal() }) {
      try run(signals, wakeUp)
    }
  }

  private func run(_ signals: Signals, _ wakeUp: WakeUp) throws {
    let memory = makeContext().memory
    var rounds = WatchRounds { path, folder in
      memory?.loop(thatMade: path, besideJobsIn: folder)
    }
    let watcher = try? FileWatcher()
    var reported = ""
    var watched: ReadFiles?
    while signals.exitStatus == nil {
      let start = ContinuousClock.now
      // What happened before this is read now.
      _ = watcher?.changes()
      let read = ReadFiles()
      let context = makeContext().noting(read)
      let (next, isUnwatched) = look(context, read, watcher, &rounds)
      if watched == nil { greet(isUnwatched: isUnwatched) }
      let isDue = next.map { !$0.jobs.jobs.isEmpty } ?? false
      // A mistake is printed once, and not at each look.
      let messages = text(of: context)
      if !messages.isEmpty, isDue || messages != reported {
        StandardStream.error.write(messages + "\n")
      }
      reported = messages
      // What came before it was watched.
      let hasChanged = read.haveChanged(besides: watched)
      watched = read
      if let next, isDue {
        context.diagnostics.beginPrinting()
        do { try runJobs(context, next.jobs, signals) } catch is ExitCode {
          // Reported; the jobs are run again when they have changed, or after a pause.
          let hindrances = context.hindrances
          if !hindrances.isEmpty { rounds.retry(next.jobs) { hindrances.contains($0 + 1) } }
        }
        // Something may have come meanwhile.
        continue
      }
      context.memory?.close(context.library)
      guard !hasChanged else { continue }
      let took = start.duration(to: .now)
      var pause = max(Self.usualPause, took * Self.pauseFactor)
      if next.map({ $0.waitingCount > 0 }) ?? false { pause = max(Self.retry, took * 2) }
      wait(watcher, wakeUp, atMost: pause, signals)
    }
    if !isQuiet { StandardStream.error.write("stopped watching\n") }
    throw ExitCode(signals.exitStatus ?? 0)
  }

  /// Reads everything once, and watches it from then on.
  ///
  /// - Returns: The round, or nil after a mistake, which was reported; and whether changes are not seen.
  private func look(
    _ context: CommandContext, _ read: ReadFiles, _ watcher: FileWatcher?,
    _ rounds: inout WatchRounds
  ) -> (round: WatchRounds.Round?, isUnwatched: Bool) {
    var round: WatchRounds.Round?
    if let loaded = try? load(context) {
      for job in loaded.jobs {
        for file in job.media.lazy.compactMap(\.location.file) { read.note(file) }
      }
      for file in loaded.missingFiles + loaded.missingMedia { read.note(file.path) }
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      let next = rounds.next(
        loaded, time: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
      context.report(Diagnostics(next.problems))
      round = next
    }
    guard let watcher else { return (round, true) }
    return (round, !watcher.watch(files: read.files, folders: read.folders).isEmpty)
  }

  private func text(of context: CommandContext) -> String {
    let shown = context.diagnostics.all.filter { !isQuiet || $0.severity != .note }
    return shown.isEmpty ? "" : context.render(Diagnostics(shown))
  }

  private func greet(isUnwatched: Bool) {
    guard !isQuiet else { return }
    StandardStream.error.write("watching \(subject); Ctrl-C ends it".printable + "\n")
    guard isUnwatched else { return }
    StandardStream.error.write(
      "note: the system reports no changes of some folders: they are looked at every 10 s\n")
  }

  /// Waits for a change and the end of it, for a signal, or for a time.
  private func wait(
    _ watcher: FileWatcher?, _ wakeUp: WakeUp, atMost pause: Duration, _ signals: Signals
  ) {
    let end = ContinuousClock.now + pause
    while signals.exitStatus == nil, poll(watcher, wakeUp, until: end) {
      guard watcher?.changes().hasAny == true else { continue }
      let patience = ContinuousClock.now + Self.patience
      while signals.exitStatus == nil, ContinuousClock.now < patience,
        poll(watcher, wakeUp, until: min(patience, ContinuousClock.now + Self.quiet))
      {
        _ = watcher?.changes()
      }
      return
    }
  }

  /// Whether a descriptor was readable before `end`.
  private func poll(
    _ watcher: FileWatcher?, _ wakeUp: WakeUp, until end: ContinuousClock.Instant
  ) -> Bool {
    let left = ContinuousClock.now.duration(to: end)
    guard left > .zero else { return false }
    var polled = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
    if let watcher {
      polled.append(pollfd(fd: watcher.descriptor, events: Int16(POLLIN), revents: 0))
    }
    let milliseconds = min(left / .milliseconds(1), 3_600_000).rounded(.up)
    return Glibc.poll(&polled, nfds_t(polled.count), Int32(milliseconds)) > 0
  }
}
