import ArgumentParser
import Diagnosis
import ExportEngine
import JobFile
import JobModel
import LiveScreens
import MediaComposition
import MediaTime
import Playback
import Reports
import RunExecution
import RunPlan
import SystemPackage
import Terminal
import Threads

/// Takes: `record --into`.
extension Record {
  /// Refuses options that a take does not have.
  func validateTake() throws {
    guard take.into != nil else { return }
    for (name, isGiven) in [
      ("--split", split != nil), ("--from-sound", fromSound != nil), ("--force", force),
    ] where isGiven {
      throw ValidationError("\(name) is not for a take; leave it out")
    }
    if take.until != nil, duration != nil {
      throw ValidationError("--until and --duration exclude each other")
    }
    try PreviewTime.check(take.at, of: "--at")
    try PreviewTime.check(take.until, of: "--until")
    _ = try settings(for: FilePath(file ?? "take.wav"))
  }

  /// Plays the mix, records the take, and puts it into the job file.
  func recordTake(into jobFile: String) throws {
    let signals = try Console.catchSignals()
    StandardStream.stopWaiting()
    let line = OpeningLine()
    let context = CommandContext(beside: line, isConfined: isConfined)
    let beginning = TakeBeginning(
      context: context, options: take, variables: variables, jobFile: jobFile,
      file: file.map { FilePath($0) }, countIn: try countIn, duration: try takeDuration, line: line)
    guard let opened = try OpeningSession.run(signals, line, beginning.open).get() else { return }
    do {
      try recordTake(opened, context, signals)
    } catch let error as Failure {
      ReportedDiagnostics.refuse(
        error.description,
        help: error.location == nil && error.remedy != .mendJob
          ? DeviceList.help(for: "record") : nil)
      throw ExitCode(error.remedy)
    }
  }

  /// How long the mix is heard before the take; three seconds unless given.
  private var countIn: Time {
    get throws { try pre.map { try Time(parsing: $0) } ?? Time(value: 3, timescale: 1) }
  }

  private var takeDuration: Time? {
    get throws { try duration.map { try Time(parsing: $0) } }
  }

  private func recordTake(
    _ opened: TakeBeginning.Opened, _ context: CommandContext, _ signals: SignalQueue
  ) throws {
    let path = opened.placement.take
    var settings = try settings(for: path)
    settings.preRoll = RecordingSettings.punchInPreRoll
    settings.duration = opened.duration
    let recorder = try Recorder(to: path, settings: settings, device: device, monitor: try heard)
    let player = try Player(opened.item, opening: SoundDevice.opener(playback ?? "default"))
    player.isMeteringEnabled = false
    player.automaticallyWaitsToMinimizeStalling = false
    let mix = RecordedMix(
      player, name: opened.item.name, from: opened.start, at: opened.placement.time)
    let recording: Recording
    do throws(Failure) {
      recording = try Self.record(recorder) { () throws(Failure) in
        try RecordSession(recorder, device: device, to: mix, signals: signals).run()
      }
    } catch {
      if recorder.waitUntilFinished().frameCount > 0 { noteKept(opened.placement) }
      throw error
    }
    guard recording.frameCount > 0 else {
      ReportedDiagnostics.refuse("no take was recorded", help: "it begins at \(take.at ?? "")")
      throw ExitCode.jobFailed
    }
    do throws(Diagnostics) {
      let hasChanged = try opened.placement.write(planned: opened.planned)
      if hasChanged { context.note("the job file had changed meanwhile, and has the take as well") }
      context.note(
        "the take is in '\(opened.placement.path)', on the track '\(opened.placement.track)' at "
          + opened.placement.time.readableText)
    } catch {
      context.report(error)
      noteKept(opened.placement)
      throw ExitCode.wrongJob
    }
  }

  private func noteKept(_ placement: TakePlacement) {
    guard placement.take.exists else { return }
    StandardStream.error.write(
      "the take is kept in '\(placement.take.string.printable)'; the job file is as it was\n"
        + "  help: write the take on the track '\(placement.track.printable)' yourself: "
        + placement.line.printable + "\n")
  }
}

/// What a take begins with.
private struct TakeBeginning: Sendable {
  let context: CommandContext
  let options: TakeOptions
  let variables: VariableOptions
  let jobFile: String
  /// Where the take is to go; nil: beside the job file.
  let file: FilePath?
  let countIn: Time
  let duration: Time?
  let line: OpeningLine

  struct Opened: Sendable {
    let item: PlayerItem
    let placement: TakePlacement
    let start: Time
    let duration: Time?
    /// The job file as it was checked.
    let planned: [UInt8]
  }

  /// Reads the job file, makes its mix, and checks that a take can be put there.
  ///
  /// - Throws: An `ExitCode`; the reason was reported.
  func open() throws -> Opened {
    line.read(jobFile)
    if LocalFileSystem().kind(of: FilePath(jobFile)) == .folder {
      try context.refuse([
        Diagnostic("'\(jobFile)' is a folder", at: .unknown, help: "name a job file in it")
      ])
    }
    let loaded = try context.load([jobFile], options: variables)
    let job = try chosenJob(of: loaded)
    let preparation = try context.prepare(loaded, .init(.preview, only: [Located(job.name)]))
    guard preparation.work.count == 1, let work = preparation.work.first else {
      try context.refuse([
        Diagnostic(
          "the job '\(job.name)' is split into parts", at: job.origin,
          help: "record into a job without 'split'")
      ])
      throw ExitCode.wrongJob
    }
    let entry = PreviewEntry(.job(work.session))
    let item: PlayerItem
    do throws(Failure) {
      line.open(entry)
      item = try entry.item(
        library: context.library,
        line.measuring)
    } catch {
      context.report(Diagnostics(Diagnostic(error, at: entry.origin)))
      throw ExitCode(error.remedy)
    }
    let place = try self.place(in: item)
    do throws(Failure) {
      return try opened(item, place, job, loaded)
    } catch {
      context.report(Diagnostics(Diagnostic(error, at: entry.origin)))
      throw ExitCode(error.remedy)
    }
  }

  private func opened(
    _ item: PlayerItem, _ place: (time: Time, length: Time?), _ job: Job, _ loaded: LoadedJobs
  ) throws(Failure) -> Opened {
    let (time, length) = place
    let path = loaded.files.first ?? FilePath(jobFile)
    let placement = TakePlacement(
      of: file, in: path, variables.read(into: context.map), job: job.name,
      track: options.track ?? "", at: time, library: context.library, files: .networked,
      map: context.map)
    guard !placement.take.exists else {
      throw Failure(
        .mendJob, "exists already, and a take replaces no file; name another file",
        path: placement.take)
    }
    let planned = try placement.contents()
    do throws(Diagnostics) {
      _ = try placement.edited(planned, with: .planned(length))
    } catch {
      context.report(Diagnostics(Array(error.all.dropLast(error.errors.isEmpty ? 0 : 1))))
      let last = error.errors.last
      throw Failure(
        .mendJob, (last?.message ?? "the take has no place") + (last?.help.map { "; \($0)" } ?? ""))
    }
    return Opened(
      item: item, placement: placement, start: max(.zero, time - countIn), duration: length,
      planned: planned)
  }

  private func chosenJob(of loaded: LoadedJobs) throws -> Job {
    let jobs = options.job.map { name in loaded.jobs.filter { $0.isCalled(name) } } ?? loaded.jobs
    if jobs.count == 1 { return jobs[0] }
    let names = loaded.jobs.prefix(5).map(\.name).joined(separator: ", ")
    try context.refuse([
      Diagnostic(
        options.job.map { jobs.isEmpty ? "there is no job '\($0)'" : "'\($0)' are several jobs" }
          ?? "'\(jobFile)' has several jobs",
        at: .unknown, help: "choose one with --job: \(names)")
    ])
    throw ExitCode.wrongJob
  }

  /// Where the take begins in the mix, and how long it lasts; nil: until somebody ends it.
  private func place(in item: PlayerItem) throws -> (time: Time, length: Time?) {
    let time = try self.time(options.at, "--at", in: item) ?? .zero
    guard let end = try self.time(options.until, "--until", in: item) else {
      return (time, duration)
    }
    if end <= time {
      try context.refuse([
        Diagnostic(
          "--until: '\(options.until ?? "")' is not behind --at '\(options.at ?? "")'",
          at: .unknown, help: "give --until a later time, or leave it out")
      ])
    }
    return (time, end - time)
  }

  private func time(_ text: String?, _ option: String, in item: PlayerItem) throws -> Time? {
    guard let text, let wanted = try? PreviewTime(text) else { return nil }
    if let time = wanted.time(in: item.duration, rate: item.sampleRate) { return time }
    try context.refuse([
      Diagnostic(
        "\(option): " + wanted.refusal(in: item.name, lasting: item.duration), at: .unknown,
        help: "give \(option) a time from 0s to \(item.duration.readableText)")
    ])
    return nil
  }
}
