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
import Reports
import RunExecution
import SystemPackage
import Terminal
import Threads

/// `avjob preview`
struct Preview: MediaCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Play jobs or media files through a sound device.",
    discussion: """
      Plays what 'avjob run' writes, before it is encoded. Jobs, parts of split jobs and media \
      files follow one another without a gap. Writes nothing but the marks of --marks.

      On a terminal, keys control it: space pauses, the arrows go 5 seconds back and forward, \
      'j' and 'r' play the joins, 'm' sets a mark, '?' shows all others, 'q' quits.

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

  @Flag(
    inversion: .prefixedNo,
    help: "Play what changed files say now, at the same place; the default on a terminal.")
  var follow: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: "Stay open at the end, paused; the default on a terminal.")
  var keepOpen: Bool?

  @Option(help: .value("factor", "Play this fast, 0.25 to 4, at the same pitch."))
  var rate = 1.0

  @Option(
    help: .value("file", "Write marks of the key 'm' here: .txt as labels, .yaml for a job."),
    completion: .file())
  var marks: String?

  @Flag(help: "Replace files of marks that exist.")
  var force = false

  @Option(
    help: .value("name", "Play through this device of ALSA, or pulse:NAME."),
    completion: .devices(.playback))
  var device = "default"

  @Flag(help: "Ignore media keys and commands of other programs (MPRIS).")
  var noRemote = false

  @Flag(help: "List the sound devices.")
  var listDevices = false

  @OptionGroup var variables: VariableOptions

  var network: NetworkOptions { variables.network }
  var isConfined: Bool { variables.confinement.root != nil }

  func validate() throws {
    guard !files.isEmpty || listDevices else {
      throw ValidationError("name a job file or a media file to play")
    }
    guard PlaybackSpeed(rate) != nil else { throw ValidationError("--rate is 0.25 to 4") }
    if let marks, !PreviewMarkFiles.namesFormat(FilePath(marks)) {
      throw ValidationError(
        "--marks '\(marks)' ends neither in .txt, for labels, nor in .yaml, for a job file")
    }
    guard marks != nil || !force else {
      throw ValidationError("--force is for --marks FILE; leave it out, or name that file")
    }
    guard output ?? 1 >= 1 else { throw ValidationError("--output counts from 1") }
    try PreviewTime.check(from, of: "--from")
    try PreviewTime.check(to, of: "--to")
  }

  func run() throws {
    guard !listDevices else { return try DeviceList.print(.playback) }
    // Before any thread is started that lives on.
    let signals = try Console.catchSignals()
    StandardStream.stopWaiting()
    let line = OpeningLine()
    let queue = PreviewQueue(
      context: CommandContext(beside: line, isConfined: isConfined), variables: variables,
      paths: files, names: job, output: output.map { $0 - 1 })
    let (start, end) = (try from.map { try PreviewTime($0) }, try to.map { try PreviewTime($0) })
    let opening = try OpeningSession.run(signals, line) {
      try queue.opened(from: start, to: end, showing: line)
    }
    guard let opened = try opening.get() else { return }
    let status = try play(opened, to: end, signals)
    if status != 0 { throw ExitCode(status) }
  }

  /// Makes the player, sees to it that something is heard, and only then to what is seen.
  private func play(
    _ opened: PreviewQueue.Opened, to end: PreviewTime?, _ signals: SignalQueue
  ) throws -> Int32 {
    let (items, made, context) = (opened.items, opened.made, opened.queue.context)
    let markFiles = try markFiles(of: items, context)
    let sound = AudioSession.sharedInstance()
    let player = try QueuePlayer(items: [made.item], opening: sound.opener(device: device))
    sound.attach(player)
    // What is waited for is on the screen, and a listener hears the first sound soon.
    player.automaticallyWaitsToMinimizeStalling = false
    let inbox = try Inbox<PreviewMessage>()
    // No task: Swift's pool of threads waits for ever where the system has none to spare.
    let observation = player.addEventObserver { inbox.put(.player($0)) }
    let soundObservation = sound.addEventObserver { inbox.put(.session($0)) }
    defer {
      observation.cancel()
      soundObservation.cancel()
    }
    try start(player, made, isAlone: items.entries.count == 1)
    let view = PreviewView { items.place(of: $1, in: $0) }
    let follower = try PreviewFollower(
      opened.queue.reading(nil), readingAgain: opened.queue.readAgain,
      endingAt: end, items: items, follows: follow ?? view.isScreen
    ) { inbox.put($0) }
    follower.start(player)
    // Without a screen the meters are not read.
    player.isMeteringEnabled = view.isScreen
    // Keys are to be heard soon, and there are none without a screen.
    if view.isScreen { player.preferredIOBufferDuration = Player.responsiveIOBufferDuration }
    let controls = PreviewControls(
      player, items, isLooping: loop, device: device, opener: { sound.opener(device: $0) },
      outputs: EncodedOutputs(library: context.library) { inbox.put($0) },
      markFiles: markFiles)
    let session = PreviewSession(
      signals: signals, inbox: inbox, controls: controls, view: view,
      remote: noRemote ? nil : PreviewRemote(inbox), failures: opened.queue.failures,
      deviceHelp: DeviceList.help(for: "preview"),
      keepsOpen: keepOpen ?? (view.isScreen && isatty(STDIN_FILENO) == 1),
      following: (follower.follows, { follower.renew($0) }),
      report: { context.report(Diagnostics($0)) })
    let ending = session.run()
    // Otherwise the end of the process would wait for bytes on their way.
    MediaNetwork.cancel()
    switch ending {
    case .heard: return session.failures.status
    case .failed(let failure):
      return ExitStatus.failed(1, mayPass: failure.remedy == .tryAgain)
    case .signal(let signal): return ChildProcess.exitStatus(ofSignal: signal)
    }
  }

  /// The files of `--marks`.
  ///
  /// - Throws: An `ExitCode` where one exists; the reason was reported.
  private func markFiles(
    of items: PreviewItems, _ context: CommandContext
  ) throws -> PreviewMarkFiles? {
    guard let marks else { return nil }
    do throws(Failure) {
      return try PreviewMarkFiles(
        at: FilePath(marks), entries: items.entries.map(\.name), replacing: force)
    } catch {
      context.report(Diagnostics(Diagnostic(error)))
      throw ExitCode.wrongJob
    }
  }

  private func start(_ player: QueuePlayer, _ made: MadeItem, isAlone: Bool) throws {
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

extension PreviewTime {
  /// Refuses an option whose value is no time.
  static func check(_ text: String?, of option: String) throws {
    guard let text else { return }
    do throws(QuantityError) {
      _ = try PreviewTime(text)
    } catch {
      throw ValidationError("\(option): \(error.message)" + (error.help.map { "; \($0)" } ?? ""))
    }
  }
}

extension PreviewFailures {
  /// The status of a preview that was heard to its end.
  var status: Int32 { ExitStatus.failed(count, mayPass: mayPass) }
}
