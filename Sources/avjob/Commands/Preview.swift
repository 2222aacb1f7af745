import ArgumentParser
import Diagnosis
import ExportEngine
import Glibc
import JobFile
import JobModel
import LiveScreens
import MediaComposition
import MediaTime
import Playback
import RunExecution
import Terminal
import Threads

/// `avjob preview`
struct Preview: MediaCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play jobs or media files through a sound device.",
    discussion: """
      Plays what 'avjob run' writes, before it is encoded. Jobs, parts of split jobs and media \
      files follow one another without a gap. Writes nothing.

      On a terminal, keys control it: space pauses, the arrows go 5 seconds back and forward, \
      '?' shows all others, 'q' quits.

      Exit status: 0 the end, or 'q'; 1 something cannot be played; 2 a job file or the arguments \
      are wrong; 75 the device is in use, or a server does not answer; 129, 130 and 143 after \
      SIGHUP, SIGINT and SIGTERM.
      """)

  @Argument(help: "Play these job files, folders of them, or media files.", completion: .file())
  var files: [String] = []

  @Option(
    help: .value("name", "Play only jobs of this name or group."), completion: .jobNames)
  var job: [String] = []

  @Option(help: .value("number", "Play with rate and channels of this output, from 1."))
  var output: Int?

  @Option(help: .value("time", "Start the first one here: 83s, 1:23, end-10s."))
  var from: String?

  @Option(help: .value("time", "End the last one here."))
  var to: String?

  @Flag(help: "Start again at the end.")
  var loop = false

  @Option(help: .value("factor", "Play this fast, 0.5 to 2, at the same pitch."))
  var rate = 1.0

  @Option(help: .value("name", "Play through this sound device of ALSA."))
  var device = "default"

  @Flag(help: "List the sound devices.")
  var listDevices = false

  @OptionGroup var variables: VariableOptions

  var network: NetworkOptions { variables.network }
  var isConfined: Bool { variables.confinement.root != nil }

  func validate() throws {
    guard !files.isEmpty || listDevices else {
      throw ValidationError("name a job file or a media file to play")
    }
    guard PlaybackSpeed(rate) != nil else { throw ValidationError("--rate is 0.5 to 2") }
    guard output ?? 1 >= 1 else { throw ValidationError("--output counts from 1") }
    for (option, text) in [("--from", from), ("--to", to)] {
      guard let text else { continue }
      do throws(QuantityError) {
        _ = try PreviewTime(text)
      } catch {
        throw ValidationError("\(option): \(error.message)" + (error.help.map { "; \($0)" } ?? ""))
      }
    }
  }

  func run() throws {
    guard !listDevices else { return try DeviceList.print(.playback) }
    let isConfined = variables.confinement.root != nil
    let context = isConfined ? CommandContext(probingIn: .confined) : CommandContext(RunMemory())
    var queue = PreviewQueue(
      context: context, variables: variables, names: job, output: output.map { $0 - 1 })
    let entries = try queue.entries(of: files)
    var failures = queue.refusedJobs
    let items = PreviewItems(entries, library: context.library)
    // Before any thread is started that lives on.
    let signals = try Console.catchSignals()
    StandardStream.stopWaiting()
    let status = try play(items, context, signals, &failures)
    if status != 0 { throw ExitCode(status) }
  }

  /// Makes the player, sees to it that something is heard, and only then to what is seen.
  private func play(
    _ items: PreviewItems, _ context: CommandContext, _ signals: SignalQueue, _ failures: inout Int
  ) throws -> Int32 {
    let measuring = MeasuringLine(signals)
    defer { measuring.erase() }
    guard let (first, made) = try firstItem(of: items, measuring, context, &failures) else {
      return measuring.signal.map { 128 + $0 } ?? ExitCode.jobFailed.rawValue
    }
    measuring.erase()
    let player = try QueuePlayer(items: [made.item], opening: SoundDevice.opener(device))
    let inbox = try Inbox<PreviewMessage>()
    // No task: Swift's pool of threads waits for ever where the system has none to spare.
    let observation = player.addEventObserver { inbox.put(.player($0)) }
    defer { observation.cancel() }
    try start(player, made, isAlone: items.entries.count == 1)
    items.load(behind: first, endingAt: try to.map { try PreviewTime($0) }, into: player) {
      inbox.put($0)
    }
    let view = PreviewView(device: device)
    // Who sees no meters need not wait for them to be read.
    player.isMeteringEnabled = view.isScreen
    let controls = PreviewControls(player, items, isLooping: loop)
    let session = PreviewSession(
      signals: signals, inbox: inbox, controls: controls, view: view,
      deviceHelp: DeviceList.help(for: "preview"), report: { context.report(Diagnostics($0)) })
    switch session.run() {
    case .heard: return failures + session.failures > 0 ? ExitCode.jobFailed.rawValue : 0
    case .failed(let failure):
      return (failure.remedy == .tryAgain ? ExitCode.temporary : ExitCode.jobFailed).rawValue
    case .signal(let signal): return 128 + signal
    }
  }

  /// The first entry that can be played, and what was made of it; nil: none can, which was reported.
  ///
  /// - Throws: An `ExitCode` where the job must be mended, or all that failed may pass.
  private func firstItem(
    of items: PreviewItems, _ measuring: MeasuringLine, _ context: CommandContext,
    _ failures: inout Int
  ) throws -> (index: Int, made: PreviewItems.Made)? {
    let (start, end) = (try from.map { try PreviewTime($0) }, try to.map { try PreviewTime($0) })
    var mayPass = failures == 0
    for index in items.entries.indices {
      do throws(Failure) {
        let isLast = index == items.entries.count - 1
        let made = try items.make(
          index, from: start, to: isLast ? end : nil,
          PreviewMeasuring(measuring.cancellation, progress: measuring.show))
        context.report(Diagnostics(made.warnings.map { Diagnostic($0) }))
        return (index, made)
      } catch {
        guard measuring.signal == nil else { return nil }
        context.report(Diagnostics(Diagnostic(error, at: items.entries[index].origin)))
        guard error.remedy != .mendJob else { throw ExitCode.wrongJob }
        mayPass = mayPass && error.remedy == .tryAgain
        failures += 1
      }
    }
    if mayPass, !items.entries.isEmpty { throw ExitCode.temporary }
    return nil
  }

  private func start(_ player: QueuePlayer, _ made: PreviewItems.Made, isAlone: Bool) throws {
    player.speed = PlaybackSpeed(rate) ?? .normal
    if made.start > .zero { player.seek(to: made.start) }
    if loop, isAlone {
      player.loopRange = TimeRange(start: made.start, end: made.item.duration)
      guard player.loopRange != nil else {
        throw ValidationError(
          "--loop: what is to be heard of '\(made.item.name)' lasts less than 10 ms, which is no loop"
        )
      }
    }
    player.play()
  }
}
