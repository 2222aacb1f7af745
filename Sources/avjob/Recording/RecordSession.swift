import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import Playback
import Terminal
import Threads

/// One recording at a terminal, or without one: keys, signals, the line that moves, messages, the
/// result.
final class RecordSession {
  private let recorder: Recorder
  private let device: String
  private let console: Console
  /// What came of the attempt to begin.
  private let inbox: Inbox<Result<Void, Failure>>
  private var hasBegun = false
  private var isPaused = false
  private var isStopping = false
  /// Whether the terminal was closed.
  private var isHungUp = false
  private var toldLosses = 0
  private var isToldGone = false
  /// Why it does not come back, as it was said last.
  private var toldReason: String?
  /// Whether it was said that a sound is waited for, and not yet that there is one.
  private var isToldWaiting = false
  private var drawing = Drawing()

  /// Between two drawings of the line.
  private static let tick: Int32 = 100
  /// How long Ctrl-Z waits for the pause: a disk that takes nothing keeps nobody from the shell.
  private static let pausing = Duration.milliseconds(500)
  /// How long a recording that goes on waits for the device, which may be gone.
  private static let resuming = Duration.milliseconds(300)

  /// - Parameters:
  ///   - recorder: Which has not begun.
  ///   - device: Its name.
  ///   - signals: Of `Console.catchSignals`, since before the recorder was made.
  /// - Throws: Where the process has no descriptor left.
  init(
    _ recorder: Recorder, device: String, signals: SignalQueue
  ) throws(Failure) {
    self.recorder = recorder
    self.device = device
    console = Console(signals, drawingOn: .error)
    do {
      inbox = try Inbox()
    } catch {
      throw Failure(.tryAgain, "recording cannot start: \(error)")
    }
  }

  /// Records until the end; then says what there is.
  ///
  /// - Throws: Why it failed, after saying what is kept all the same.
  func run() throws(Failure) {
    recorder.isMeteringEnabled = StandardStream.error.terminal != nil
    begin()
    console.enter()
    defer { console.end() }
    while !recorder.isFinished {
      console.wait(or: inbox.descriptor, milliseconds: Self.tick)
      if console.returns() { drawing.abandon() }
      while let signal = console.nextSignal() { handle(signal) }
      for key in console.keys() { obey(key) }
      try noteBeginning()
      if hasBegun { tellNews() }
      draw()
    }
    // It has begun, though it may be over before that was heard of.
    while !hasBegun {
      inbox.wait(milliseconds: Self.tick)
      try noteBeginning()
    }
    erase()
    console.leave()
    let recording = recorder.waitUntilFinished()
    tellNews()
    tell(recording)
    if case .failed(let failure) = recording.end { throw failure }
  }

  // MARK: The beginning

  /// Opens the device and the file, on a thread: either may take its time, and keys and signals are
  /// heard meanwhile.
  private func begin() {
    let (recorder, inbox) = (recorder, inbox)
    do {
      _ = try Thread.spawn(name: "record-open") {
        inbox.put(Result { () throws(Failure) in try recorder.record() })
      }
    } catch {
      inbox.put(.failure(Failure(.tryAgain, "recording cannot start: \(error)")))
    }
  }

  private func noteBeginning() throws(Failure) {
    guard let result = inbox.takeAll().first else { return }
    do throws(Failure) {
      try result.get()
    } catch {
      // Stopped before the device was asked for: nothing is wrong.
      guard isStopping, recorder.isFinished, recorder.waitUntilFinished().end == .stopped else {
        throw error
      }
    }
    hasBegun = true
    guard recorder.sourceFormat != nil else { return }
    let keys = hasKeys ? "; space pauses, q stops" : ""
    isToldWaiting = recorder.settings.startLevel != nil
    let waiting = isToldWaiting ? ", when there is a sound over \(startLevel) dB" : ""
    say("recording from '\(device)'\(waiting): \(sound)\(keys)")
  }

  private var hasKeys: Bool { console.isTaken && console.hasKeyboard }

  /// In decibels of full scale.
  private var startLevel: String {
    Figures.decibels(20 * log10(Double(recorder.settings.startLevel ?? 1)))
  }

  private var sound: String {
    guard let source = recorder.sourceFormat, let format = recorder.format else { return "" }
    return AudioFormat.text(sampleRate: source.sampleRate, channelCount: source.channelCount)
      + ", as \(format.name)"
  }

  // MARK: Keys and signals

  private func obey(_ key: Key) {
    switch key {
    case .character(" "), .character("p"): setPaused(!isPaused)
    case .character("q"): stop()
    default: break
    }
  }

  private func setPaused(_ isPaused: Bool) {
    guard hasBegun, !isStopping else { return }
    self.isPaused = isPaused
    if isPaused { recorder.pause() } else { try? recorder.record() }
  }

  private func stop() {
    isStopping = true
    recorder.stop()
  }

  private func handle(_ signal: Int32) {
    switch signal {
    case SIGWINCH: break
    case SIGTSTP: suspend()
    case SIGCONT:
      // Whoever stopped us may have used the terminal.
      drawing.abandon()
      console.enterAnew()
    case SIGHUP where !isHungUp:
      // A terminal that is closed sends one beside the signal that stops.
      isHungUp = true
      stop()
    case _ where isStopping:
      // The second one: the disk may never answer. What was settled is in the file.
      erase()
      console.leave()
      _exit(128 + signal)
    default: stop()
    }
  }

  /// Ctrl-Z: a pause, for as long as the process is stopped. Nothing is lost by it, as nothing would
  /// be recorded.
  private func suspend() {
    let wasPaused = isPaused
    setPaused(true)
    wait(upTo: Self.pausing) { !recorder.isRecording }
    draw()
    drawing.abandon()
    for signal in console.suspend() { handle(signal) }
    console.enter()
    guard !wasPaused else { return }
    // Some of what was recorded before the stop comes only now: it belongs to the pause.
    let before = recorder.deviceCurrentTime
    wait(upTo: Self.resuming) { recorder.deviceCurrentTime != before }
    setPaused(false)
  }

  private func wait(upTo time: Duration, until isOver: () -> Bool) {
    let deadline = ContinuousClock.now + time
    while !isOver(), ContinuousClock.now < deadline { usleep(5000) }
  }

  // MARK: The line

  private var state: RecordLine.State {
    if isStopping { return .finishing }
    if !hasBegun { return .opening }
    if isPaused { return .paused }
    if recorder.isWaitingForDevice { return .gone }
    return recorder.isWaitingForSound ? .waiting : .recording
  }

  private func draw() {
    // In the background the terminal is another's; one that was stopped (Ctrl-S) keeps nobody waiting.
    guard console.isTaken, StandardStream.error.hasRoom,
      let terminal = StandardStream.error.terminal
    else { return }
    let channels = recorder.sourceFormat?.channelCount ?? 0
    let line = RecordLine(
      state: state, time: recorder.currentTime,
      levels: (0..<channels).map {
        LevelReading(
          peakPower: recorder.peakPower(forChannel: $0),
          averagePower: recorder.averagePower(forChannel: $0))
      },
      lossCount: recorder.losses.count, timeLeft: recorder.timeLeftOnDisk, hasKeys: hasKeys)
    // The last column stays empty, as in `TerminalLines`.
    StandardStream.error.write(
      drawing.draw([line.text(width: terminal.columns - 1)], at: .now, on: terminal))
  }

  private func erase() {
    StandardStream.error.write(drawing.erase(on: StandardStream.error.terminal))
  }

  private func say(_ text: String) {
    erase()
    StandardStream.error.write(text.printable + "\n")
  }

  private func tellNews() {
    let losses = recorder.losses
    for loss in losses.dropFirst(toldLosses) { say("warning: \(Self.words(loss, recorder))") }
    toldLosses = losses.count
    if isToldWaiting, recorder.isRecording || recorder.currentTime > .zero {
      isToldWaiting = false
      say("there is sound: recording")
    }
    let isGone = recorder.isWaitingForDevice && !recorder.isFinished
    if isGone, !isToldGone {
      say("warning: the device is gone; the recording goes on when it is back")
    }
    isToldGone = isGone
    let reason = isGone ? recorder.deviceFailure?.message : nil
    if let reason, reason != toldReason { say("warning: the device does not come back: \(reason)") }
    toldReason = reason ?? (isGone ? toldReason : nil)
  }

  private static func words(_ loss: RecordingLoss, _ recorder: Recorder) -> String {
    let rate = recorder.sourceFormat?.sampleRate ?? 48_000
    let length = Time(frames: loss.frameCount, rate: rate).clockText(decimals: 3)
    return "\(loss.cause.name) at \(loss.time.clockText(decimals: 3)): \(length) lost "
      + "(\(loss.frameCount) samples), and silence in its place"
  }

  // MARK: The end

  private func tell(_ recording: Recording) {
    for file in recording.files {
      let time = Time(frames: file.frameCount, rate: recording.sampleRate)
      var line =
        "\(file.path.string)  \(time.clockText(decimals: 3)) (\(file.frameCount) samples), "
        + Figures.size(bytes: file.size)
      if !file.isComplete { line += ", not finished: what came after is lost" }
      StandardStream.output.write(line.printable + "\n")
      if file.clippedSamples > 0 {
        StandardStream.error.write(
          "warning: \(file.path.string.printable): \(file.clippedSamples) samples are over full "
            + "scale\n")
      }
    }
    if recording.end == .silence, let silence = recorder.settings.silence {
      say("it was silent for \(silence.duration.clockText(decimals: 1)): stopped")
    }
    if recording.losses.count > 1 {
      say(
        "\(recording.losses.count) losses; the first at "
          + "\(recording.losses[0].time.clockText(decimals: 3))")
    }
  }
}
