import Diagnosis
import ExportGraph
import Glibc
import MediaComposition
import MediaTime
import Playback
import Terminal
import Threads

/// A recording with or without a terminal: keys, signals, the line, messages, the result.
package final class RecordSession: LiveSession {
  private let recorder: Recorder
  private let device: String
  let console: Console
  /// The result of the attempt to begin.
  private let inbox: Inbox<Result<Void, Failure>>
  private var hasBegun = false
  private var isPaused = false
  /// Whether a key is awaited that starts the recording: it has a pre-roll, and no level that
  /// starts it.
  private var isListening: Bool {
    didSet { unheardBefore = recorder.monitor?.lostFrames ?? 0 }
  }
  /// Frames that the monitor had lost before the recording began.
  private var unheardBefore: Int64 = 0
  private var isStopping = false
  /// Whether the terminal was closed.
  private var isHungUp = false
  private var reportedLosses = 0
  private var isGoneReported = false
  /// The last printed reason for having no device.
  private var reportedReason: String?
  /// The last printed reason why something is not heard, by its name.
  private var reportedUnheard: [String: String] = [:]
  /// Whether the wait for the first sound was printed, and its end was not.
  private var isWaitReported = false
  private var drawing = Drawing()
  /// The mix that a take is recorded to; nil: none.
  private let mix: RecordedMix?
  /// Why the take cannot be recorded to it.
  private var mixFailure: Failure?

  /// Between two drawings of the line, or, before the place of a take, two looks at the clocks.
  var drawingPause: Int32 { mix != nil && isListening ? 20 : 100 }
  /// How long Ctrl-Z waits for the pause: a disk that takes nothing must not delay the shell.
  private static let pausing = Duration.milliseconds(500)
  /// How long the end of Ctrl-Z waits for the device, which may be disconnected.
  private static let resuming = Duration.milliseconds(300)

  /// - Parameters:
  ///   - recorder: A recorder that has not begun.
  ///   - device: Its name.
  ///   - mix: What it is recorded to; nil: nothing.
  ///   - signals: Of `Console.catchSignals`, since before the recorder was made.
  /// - Throws: If the process has no descriptor left.
  package init(
    _ recorder: Recorder, device: String, to mix: RecordedMix? = nil, signals: SignalQueue
  ) throws(Failure) {
    self.recorder = recorder
    self.device = device
    self.mix = mix
    isListening = recorder.settings.listens
    console = Console(signals, drawingOn: .error)
    do {
      inbox = try Inbox()
    } catch {
      throw Failure(.tryAgain, "recording cannot start: \(error)")
    }
  }

  /// Records until the end, and prints the result.
  ///
  /// - Returns: The recording.
  /// - Throws: The failure of the recording, after the files were printed.
  @discardableResult
  package func run() throws(Failure) -> Recording {
    recorder.isMeteringEnabled = StandardStream.error.terminal != nil
    begin()
    console.enter()
    defer { console.end() }
    try runLoop()
    // It has begun, even if it is over before that was noted.
    while !hasBegun {
      inbox.wait(milliseconds: drawingPause)
      try noteBeginning()
    }
    erase()
    console.leave()
    mix?.player.pause()
    let recording = recorder.waitUntilFinished()
    reportChanges()
    report(recording)
    if case .failed(let failure) = recording.end { throw failure }
    if let mixFailure { throw mixFailure }
    return recording
  }

  var messageDescriptor: Int32 { inbox.descriptor }
  var isOver: Bool { recorder.isFinished }

  func update() throws(Failure) {
    try noteBeginning()
    if hasBegun {
      reportChanges()
      followMix()
    }
    draw()
  }

  // MARK: The beginning

  /// Opens the device and the file on a thread: either may take long, and keys and signals are
  /// handled meanwhile.
  private func begin() {
    let (recorder, inbox, isListening) = (recorder, inbox, isListening)
    do {
      _ = try Thread.spawn(name: "record-open") {
        inbox.put(
          Result { () throws(Failure) in
            if isListening { try recorder.prepareToRecord() } else { try recorder.record() }
          })
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
      // Stopped before the device was opened: no failure.
      guard isStopping, recorder.isFinished, recorder.waitUntilFinished().end == .stopped else {
        throw error
      }
    }
    hasBegun = true
    guard recorder.sourceFormat != nil else { return }
    if let mix {
      say(
        "recording a take from '\(device)': \(sound), to '\(mix.name)' at "
          + "\(mix.time.readableText), which is heard from \(mix.start.readableText) on")
      mix.begin()
      return
    }
    if isListening {
      let before = recorder.settings.preRoll?.clockText(decimals: 1) ?? ""
      say("listening to '\(device)': \(sound); space records from \(before) before, q stops")
      return
    }
    let keys = hasKeys ? "; space pauses, m marks, q stops" : ""
    isWaitReported = recorder.settings.startLevel != nil
    let waiting = isWaitReported ? ", from the first sound over \(startLevel) dB on" : ""
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
      + ", as \(format.name)" + (recorder.isDithered ? ", dithered" : "")
  }

  // MARK: Keys and signals

  func press(_ key: Key) {
    switch key {
    case .character(" "), .character("p"):
      if mix != nil {
        // The end of a take; before its place, nothing.
        if !isListening { stop() }
      } else if isListening {
        startByKey()
      } else {
        setPaused(!isPaused)
      }
    case .character("m"): if !isListening { recorder.addMarker() }
    case .character("q"): stop()
    default: break
    }
  }

  /// Begins the take once its place is heard.
  private func followMix() {
    guard let mix, isListening, !isStopping else { return }
    do throws(Failure) {
      if try mix.hasReachedPlace(of: recorder) { isListening = false }
    } catch {
      mixFailure = error
      stop()
    }
  }

  private func startByKey() {
    guard hasBegun, !isStopping else { return }
    isListening = false
    try? recorder.record()
  }

  private func setPaused(_ isPaused: Bool) {
    guard hasBegun, !isStopping, !isListening else { return }
    self.isPaused = isPaused
    if isPaused { recorder.pause() } else { try? recorder.record() }
  }

  private func stop() {
    isStopping = true
    recorder.stop()
  }

  func end(by signal: Int32) {
    switch signal {
    case SIGHUP where !isHungUp:
      // A terminal that is closed sends one beside the signal that stops.
      isHungUp = true
      stop()
    case _ where isStopping:
      // The second one: the disk may never answer. What was settled is in the file.
      erase()
      console.leave()
      _exit(ChildProcess.exitStatus(ofSignal: signal))
    default: stop()
    }
  }

  func redrawBelow() { drawing.abandon() }

  /// The pause is no loss.
  func suspend() -> (() -> Void)? {
    // A take that pauses loses its place in the mix. It ends, and is not stopped: the job file gets
    // it after the session.
    if mix != nil {
      stop()
      return nil
    }
    let wasPaused = isPaused
    setPaused(true)
    wait(upTo: Self.pausing) { !self.recorder.isRecording }
    draw()
    return {
      guard !wasPaused else { return }
      // Sound from before the stop arrives only now: it belongs to the pause.
      let before = self.recorder.deviceCurrentTime
      self.wait(upTo: Self.resuming) { self.recorder.deviceCurrentTime != before }
      self.setPaused(false)
    }
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
    if isListening { return mix == nil ? .listening : .countIn }
    return recorder.isWaitingForSound ? .waiting : .recording
  }

  private func draw() {
    // The terminal may belong to another program, or be stopped (Ctrl-S).
    guard console.isTaken, StandardStream.error.hasRoom,
      let terminal = StandardStream.error.terminal
    else { return }
    let channels = recorder.sourceFormat?.channelCount ?? 0
    let line = RecordLine(
      state: state,
      time: isListening ? mix?.player.currentTime ?? .zero : recorder.currentTime,
      levels: (0..<channels).map {
        LevelReading(
          peakPower: recorder.peakPower(forChannel: $0),
          averagePower: recorder.averagePower(forChannel: $0))
      },
      lossCount: recorder.losses.count, markerCount: recorder.markers.count,
      monitoring: recorder.monitor.map { $0.latency.map { .heard(after: $0) } ?? .gone },
      timeLeft: recorder.timeLeftOnDisk, isTake: mix != nil, hasKeys: hasKeys)
    // The last column stays empty, as in `TerminalLines`.
    let text = line.text(width: terminal.columns - 1, in: terminal.characters)
    StandardStream.error.write(drawing.draw([text], at: .now, on: terminal))
  }

  private func erase() {
    StandardStream.error.write(drawing.erase(on: StandardStream.error.terminal))
  }

  private func say(_ text: String) {
    erase()
    StandardStream.error.write(text.printable + "\n")
  }

  private func reportChanges() {
    let losses = recorder.losses
    for loss in losses.dropFirst(reportedLosses) { say("warning: \(Self.words(loss, recorder))") }
    reportedLosses = losses.count
    if isWaitReported, recorder.isRecording || recorder.currentTime > .zero {
      isWaitReported = false
      say("recording since the first sound")
    }
    reportUnheard()
    let isGone = recorder.isWaitingForDevice && !recorder.isFinished
    if isGone, !isGoneReported {
      say(
        "warning: the device has disconnected; the recording continues when it is connected again")
    }
    isGoneReported = isGone
    let reason = isGone ? recorder.deviceFailure?.message : nil
    if let reason, reason != reportedReason {
      say("warning: the device cannot be opened again: \(reason)")
    }
    reportedReason = reason ?? (isGone ? reportedReason : nil)
  }

  /// Reports why the recording, or the mix, is not heard, once for each reason.
  private func reportUnheard() {
    for (name, failure) in [
      ("the recording", recorder.monitor?.failure),
      ("the mix", isListening ? nil : mix?.deviceFailure),
    ] {
      guard let reason = failure?.message, reason != reportedUnheard[name] else { continue }
      reportedUnheard[name] = reason
      say("warning: \(name) is not heard: \(reason)")
    }
  }

  private static func words(_ loss: RecordingLoss, _ recorder: Recorder) -> String {
    let rate = recorder.sourceFormat?.sampleRate ?? 48_000
    let length = Time(frames: loss.frameCount, rate: rate).clockText(decimals: 3)
    return "\(loss.cause.name) at \(loss.time.clockText(decimals: 3)): \(length) lost "
      + "(\(loss.frameCount) samples), and silence in its place"
  }

  // MARK: The end

  private func report(_ recording: Recording) {
    // A recording that did not begin leaves no file.
    for file in recording.files where recording.frameCount > 0 {
      let time = Time(frames: file.frameCount, rate: recording.sampleRate)
      var line =
        "\(file.path.string)  \(time.clockText(decimals: 3)) (\(file.frameCount) samples), "
        + Figures.size(bytes: file.size)
      if !file.isComplete { line += ", not finished: later sound is lost" }
      StandardStream.output.write(line.printable + "\n")
      if file.clippedSamples > 0 {
        StandardStream.error.write(
          "warning: \(file.path.string.printable): \(file.clippedSamples) samples are over full "
            + "scale\n")
      }
    }
    if let monitor = recorder.monitor,
      let text = recording.unheardText(monitor.lostFrames - unheardBefore)
    {
      say(text)
    }
    for file in recording.labelFiles {
      StandardStream.output.write("\(file.string)  labels for Audacity".printable + "\n")
    }
    if let failure = recording.labelFailure {
      say("warning: markers were not all written: \(failure)")
    }
    if !recording.markers.isEmpty {
      let places = recording.markers.map { "\($0.name) at \($0.time.clockText(decimals: 3))" }
      say(places.joined(separator: ", "))
    }
    if recording.end == .silence, let silence = recorder.settings.silence {
      say("stopped after silence of \(silence.duration.clockText(decimals: 1))")
    }
    if recording.losses.count > 1 {
      say(
        "\(recording.losses.count) losses; the first at "
          + "\(recording.losses[0].time.clockText(decimals: 3))")
    }
  }
}
