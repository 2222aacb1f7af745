import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// Records a device to a file (`AVAudioRecorder`).
///
/// The file is at its path from the start, in place of an older one from the first sound on, and can
/// be played after any crash: at most the last tenth of a second is missing, some more of MP3, and up to
/// half a second of M4A, Opus and Ogg. Silence replaces lost sound, so that the sound after it keeps its
/// time.
///
/// `state` is what it does, and `events` reports what it has done. A session pauses and continues it
/// (`AudioSession.attach(_:)`).
///
/// A recorder records once. Safe from any thread. It has three threads: one reads the device in
/// time, one encodes and writes, and one flushes to the disk now and then; a fourth plays to a
/// monitor. They end with the recording, or when the recorder is released, which finishes the file.
/// The release waits for the disk, and two seconds at most for a device that does not answer; on one of
/// these threads, inside an observer, it waits for none.
public final class Recorder: Sendable {
  /// The path of the file (`AVAudioRecorder.url`).
  package let path: FilePath
  /// The requested settings (`AVAudioRecorder.settings`). The path and the device decide what is nil
  /// in them.
  public let settings: RecordingSettings
  /// What lets the sound be heard while it is recorded; nil: nothing.
  public let monitor: RecordingMonitor?
  private let work: RecorderWork
  /// The thread that writes, and the others.
  private let threads = Monitor<(writing: Thread?, others: [Thread])>((nil, []))
  /// How long a release waits for the threads of the devices: one whose server hangs blocks
  /// alsa-lib.
  private static let patience = Duration.seconds(2)

  /// A recorder; it opens nothing yet.
  ///
  /// - Parameters:
  ///   - path: The path of the file: `.wav`, `.flac`, `.mp3`, `.m4a`, `.opus` or `.ogg`, unless the
  ///     settings name a format.
  ///   - settings: The settings.
  ///   - monitor: Lets the sound be heard; nil: nothing does. Of this recorder alone.
  ///   - opener: Opens the device, at the start of the recording or in `prepareToRecord`.
  /// - Throws: `mendJob` for another format, and for a length that is not above 0; `tryAgain` if
  ///   the process gets no descriptor.
  package convenience init(
    to path: FilePath, settings: RecordingSettings = RecordingSettings(),
    monitor: RecordingMonitor? = nil, opening opener: @escaping SourceOpener
  ) throws(Failure) {
    try self.init(
      to: path, settings: settings, clock: bootNanoseconds, monitor: monitor, opening: opener)
  }

  init(
    to path: FilePath, settings: RecordingSettings, clock: @escaping @Sendable () -> Int64,
    monitor: RecordingMonitor? = nil, flusher: DiskFlusher = DiskFlusher(),
    opening opener: @escaping SourceOpener
  ) throws(Failure) {
    guard let kind = settings.format?.kind ?? Output.Kind(extension: path.extension ?? "") else {
      throw Failure(
        .mendJob,
        "its name has no format's extension; end it in .wav, .flac, .mp3, .m4a, .opus or .ogg",
        path: path)
    }
    try requireGrowing(kind, at: path)
    try settings.requireSense()
    self.path = path
    self.settings = settings
    self.monitor = monitor
    let request = SourceRequest(
      sampleRate: settings.sampleRate ?? 48_000, channelCount: settings.channelCount ?? 2,
      encodings: SampleEncoding.order(for: settings.fileSamples),
      periodMilliseconds: monitor == nil ? 20 : 5)
    let reader: DeviceReader
    do {
      reader = try DeviceReader(request, clock: clock, opener)
    } catch {
      throw Failure(.tryAgain, "recording cannot start: \(error)")
    }
    work = RecorderWork(
      path: path, settings: settings, kind: kind, shared: Monitor(RecorderState()),
      observers: Observers(), gate: TaskGate(), reader: reader, flusher: flusher)
  }

  var shared: Monitor<RecorderState> { work.shared }
  var observers: Observers<RecorderEvent> { work.observers }
  var reader: DeviceReader { work.reader }

  deinit {
    stop()
    reader.end()
    monitor?.end(reader)
    joinThreads()
  }

  // MARK: Control

  /// Opens the device and the file (`AVAudioRecorder.prepareToRecord`), so that `record` begins at
  /// once; meters move from here on. A second call does nothing.
  ///
  /// - Throws: The failure of the device or the disk; `mendJob` if the device does not have the
  ///   rate or the channels of the settings, if the format does not hold them, if the file exists,
  ///   and if the recording has ended; `tryAgain` if the process gets no thread; `cancelled` as soon as
  ///   the task is cancelled: the recording has ended then.
  public func prepareToRecord() async throws(Failure) {
    if let refusal = shared.withLock({ $0.refusal }) { throw refusal }
    try await prepare()
  }

  /// `prepareToRecord`, blocking until the device and the file are open.
  ///
  /// - Throws: `Failure`, as of `prepareToRecord`.
  @available(*, noasync, message: "it blocks; await prepareToRecord()")
  public func prepareToRecord() throws(Failure) {
    if let refusal = shared.withLock({ $0.refusal }) { throw refusal }
    try prepareBlocking()
  }

  /// Begins, or continues after a pause (`AVAudioRecorder.record()`): with the device's first frame
  /// if this call opens it, or else with the next one.
  ///
  /// - Throws: As `prepareToRecord`, before the first sound and after the end.
  public func record() async throws(Failure) { try await begin(.record(for: nil, from: nil)) }

  /// `record`, blocking until the device and the file are open.
  ///
  /// - Throws: `Failure`, as of `record`.
  @available(*, noasync, message: "it blocks; await record()")
  public func record() throws(Failure) { try beginBlocking(.record(for: nil, from: nil)) }

  /// Begins at a time of the device, as in `deviceCurrentTime` (`AVAudioRecorder.record(atTime:)`),
  /// to the frame: later, or earlier if `RecordingSettings.preRoll` still holds that time; the
  /// first sound that is held is the earliest.
  ///
  /// - Throws: As `record()`; `mendJob` for a time that is no number, without an effect.
  public func record(atTime time: Time) async throws(Failure) {
    try Self.requireNumber(time)
    try await prepareToRecord()
    guard let format = sourceFormat else { return }
    try await begin(.record(for: nil, from: time.frames(atRate: format.sampleRate)))
  }

  /// `record(atTime:)`, blocking until the device and the file are open.
  ///
  /// - Throws: `Failure`, as of `record(atTime:)`.
  @available(*, noasync, message: "it blocks; await record(atTime:)")
  public func record(atTime time: Time) throws(Failure) {
    try Self.requireNumber(time)
    try prepareToRecord()
    guard let format = sourceFormat else { return }
    try beginBlocking(.record(for: nil, from: time.frames(atRate: format.sampleRate)))
  }

  /// Begins, or continues, and ends after `duration`, to the frame
  /// (`AVAudioRecorder.record(forDuration:)`).
  ///
  /// - Throws: As `prepareToRecord`, before the first sound and after the end; `mendJob` for a
  ///   length that is not above 0, without an effect.
  public func record(forDuration duration: Time) async throws(Failure) {
    try RecordingSettings.requireLength(duration, "record for")
    try await begin(.record(for: duration, from: nil))
  }

  /// `record(forDuration:)`, blocking until the device and the file are open.
  ///
  /// - Throws: `Failure`, as of `record(forDuration:)`.
  @available(*, noasync, message: "it blocks; await record(forDuration:)")
  public func record(forDuration duration: Time) throws(Failure) {
    try RecordingSettings.requireLength(duration, "record for")
    try beginBlocking(.record(for: duration, from: nil))
  }

  /// Pauses (`AVAudioRecorder.pause()`): the sound from here on is not recorded.
  public func pause() { order(.pause) }

  /// Pauses for an interruption of the session, until `endInterruption`.
  func interrupt(_ reason: AudioSession.InterruptionReason) { order(.interrupt(reason)) }

  /// Continues, unless something else has paused or continued it since the interruption.
  func endInterruption() { order(.endInterruption) }

  /// Marks the sound of this moment: in a WAV by a cue with a label, beside other files by a line of
  /// Audacity's labels. Without an effect while nothing is recorded: before the start, in a pause, and
  /// after the end. AVAudioRecorder has no markers.
  ///
  /// - Parameter name: The label; nil: `marker 1`, `marker 2` and so on.
  public func addMarker(_ name: String? = nil) { order(.mark(name)) }

  /// Ends the recording (`AVAudioRecorder.stop()`): all sound up to here is written, and the file
  /// is finished soon after; `finished` waits for that.
  public func stop() {
    order(.stop)
    let isUnused = shared.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .finished
      return true
    }
    if isUnused { work.end(.stopped) }
  }

  /// Ends the recording, and waits until its files are whole: `stop` and `finished`.
  ///
  /// - Returns: The recording, also after a failure.
  public func finish() async -> Recording {
    stop()
    return await finished()
  }

  /// Waits for the end of the recording, by `stop` or by itself. If the task is cancelled, the recording
  /// is stopped: what was recorded is kept in any case.
  ///
  /// - Returns: The recording, also after a failure.
  public func finished() async -> Recording {
    do throws(Failure) {
      return try await work.gate.wait { self.result }
    } catch {
      stop()
      // The file is finished in any case, so that this task, too, waits for it.
      return await Task.detached { await self.finished() }.value
    }
  }

  /// `finished`, blocking until the end.
  ///
  /// - Returns: The recording, also after a failure.
  @available(*, noasync, message: "it blocks; await finished()")
  public func waitUntilFinished() -> Recording { shared.wait { $0.result } }

  private var result: Recording? { shared.withLock { $0.result } }

  // MARK: Threads

  private static func requireNumber(_ time: Time) throws(Failure) {
    guard time.isNumeric else {
      throw Failure(.mendJob, "cannot record at a time that is no number; name a time")
    }
  }

  /// Begins to record, unless the recording has ended.
  private func beginBlocking(_ action: RecorderState.Action) throws(Failure) {
    if let refusal = order(action) { throw refusal }
    try prepareBlocking()
  }

  private func begin(_ action: RecorderState.Action) async throws(Failure) {
    if let refusal = order(action) { throw refusal }
    try await prepare()
  }

  private func prepareBlocking() throws(Failure) {
    try startThreads()
    try shared.wait { $0.opening }.get()
  }

  private func prepare() async throws(Failure) {
    try startThreads()
    let opening: Result<Void, Failure>
    do throws(Failure) {
      opening = try await work.gate.wait { self.shared.withLock { $0.opening } }
    } catch {
      stop()
      throw error
    }
    try opening.get()
  }

  /// Adds an order for the next frame, by the clock if the device is gone.
  ///
  /// - Returns: Why nothing can be recorded any more; nil if it can.
  @discardableResult
  private func order(_ action: RecorderState.Action) -> Failure? {
    // Read behind the lock: orders are in the order of their frames.
    let refusal = shared.withLock { state -> Failure? in
      if let refusal = state.refusal { return refusal }
      // A stop does not wait for a device: a loss at the end is not filled with silence.
      let isEnd = if case .stop = action { true } else { false }
      let index =
        if !isEnd, let format = state.format {
          reader.now(atRate: format.sampleRate)
        } else {
          reader.index
        }
      state.add(RecorderState.Order(index: index, action: action))
      state.isOver = isEnd
      return nil
    }
    reader.workArrived.signal()
    return refusal
  }

  /// Starts the threads, the first time.
  private func startThreads() throws(Failure) {
    let isFirst = shared.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .preparing
      return true
    }
    guard isFirst else { return }
    do {
      let (work, reader, monitor) = (work, reader, monitor)
      let reading = try Thread.spawn(name: "record-read", urgency: .live) { reader.run() }
      threads.withLock { $0.others.append(reading) }
      if let monitor {
        let playing = try Thread.spawn(name: "record-monitor", urgency: .live) {
          monitor.run(reader)
        }
        threads.withLock { $0.others.append(playing) }
      }
      let writing = try Thread.spawn(name: "record-write") {
        defer { monitor?.end(reader) }
        work.run()
      }
      threads.withLock { $0.writing = writing }
    } catch {
      reader.end()
      monitor?.end(reader)
      let failure = Failure.outOfThreads(error, "recording cannot start")
      work.end(.failed(failure))
      throw failure
    }
  }

  private func joinThreads() {
    let running = threads.withLock { threads in
      defer { threads = (nil, []) }
      return threads
    }
    if running.writing?.isCurrent == true { return }
    running.writing?.join()
    let deadline = ContinuousClock.now + Self.patience
    for thread in running.others { thread.join(until: deadline) }
  }
}
