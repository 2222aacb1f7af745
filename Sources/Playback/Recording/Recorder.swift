import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import Threads

/// Records a device to a file (`AVAudioRecorder`).
///
/// The file is at its path from the start, in place of an older one from the first sound on, and can
/// be played after any crash: at most the last tenth of a second is missing, some more of MP3. Silence
/// replaces lost sound, so that the sound after it keeps its time.
///
/// A recorder records once. Safe from any thread. It has three threads: one reads the device in
/// time, one encodes and writes, and one flushes to the disk now and then; a fourth plays to a
/// monitor. They end with the recording, or when the recorder is released, which finishes the file.
/// The release waits for the disk, and two seconds at most for a device that does not answer.
public final class Recorder: Sendable {
  /// The path of the file (`AVAudioRecorder.url`).
  public let path: FilePath
  /// The requested settings (`AVAudioRecorder.settings`); `format` and `sourceFormat` are the
  /// actual ones.
  public let settings: RecordingSettings
  /// What lets the sound be heard while it is recorded; nil: nothing.
  public let monitor: RecordingMonitor?
  private let state = Monitor(RecorderState())
  private let reader: DeviceReader
  private let kind: Output.Kind
  private let flusher: DiskFlusher
  /// The thread that writes, and the others.
  private let threads = Monitor<(writing: Thread?, others: [Thread])>((nil, []))
  /// How long a release waits for the threads of the devices: one whose server hangs blocks
  /// alsa-lib.
  private static let patience = Duration.seconds(2)

  /// A recorder; it opens nothing yet.
  ///
  /// - Parameters:
  ///   - path: The path of the file: `.wav`, `.flac` or `.mp3`, unless the settings name a format.
  ///   - settings: The settings.
  ///   - monitor: Lets the sound be heard; nil: nothing does. Of this recorder alone.
  ///   - opener: Opens the device, at the start of the recording or in `prepareToRecord`.
  /// - Throws: `mendJob` for another format, and for a length that is not above 0; `tryAgain` if
  ///   the process gets no descriptor.
  public convenience init(
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
        .mendJob, "its name has no format's extension; end it in .wav, .flac or .mp3", path: path)
    }
    try requireGrowing(kind, at: path)
    try settings.requireSense()
    self.path = path
    self.settings = settings
    self.monitor = monitor
    self.kind = kind
    self.flusher = flusher
    let request = SourceRequest(
      sampleRate: settings.sampleRate ?? 48_000, channelCount: settings.channelCount ?? 2,
      encodings: SampleEncoding.order(for: settings.fileSamples),
      periodMilliseconds: monitor == nil ? 20 : 5)
    do {
      reader = try DeviceReader(request, clock: clock, opener)
    } catch {
      throw Failure(.tryAgain, "recording cannot start: \(error)")
    }
  }

  deinit {
    stop()
    reader.end()
    monitor?.end(reader)
    joinThreads()
  }

  // MARK: Control

  /// Opens the device and the file (`AVAudioRecorder.prepareToRecord`), so that `record` begins at
  /// once; meters move from here on. Blocks until then. A second call does nothing.
  ///
  /// - Throws: The failure of the device or the disk; `mendJob` if the device does not have the
  ///   rate or the channels of the settings, if the format does not hold them, if the file exists,
  ///   and if the recording has ended; `tryAgain` if the process gets no thread.
  public func prepareToRecord() throws(Failure) {
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    try prepare()
  }

  private func prepare() throws(Failure) {
    let isFirst = state.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .preparing
      return true
    }
    if isFirst { try start() }
    let failure = state.wait { state -> Failure?? in
      guard state.phase == .ready || state.phase == .finished else { return nil }
      if state.format == nil, case .failed(let failure)? = state.recording?.end {
        return .some(failure)
      }
      return .some(nil)
    }
    if let failure { throw failure }
  }

  /// Begins, or continues after a pause (`AVAudioRecorder.record()`): with the device's first frame
  /// if this call opens it, or else with the next one.
  ///
  /// - Throws: As `prepareToRecord`, before the first sound and after the end.
  public func record() throws(Failure) {
    try begin(.record(for: nil, from: nil))
  }

  /// Begins at a time of the device, as in `deviceCurrentTime` (`AVAudioRecorder.record(atTime:)`),
  /// to the frame: later, or earlier if `RecordingSettings.preRoll` still holds that time; the
  /// first sound that is held is the earliest.
  ///
  /// - Throws: As `record()`; `mendJob` for a time that is no number, without an effect.
  public func record(atTime time: Time) throws(Failure) {
    guard time.isNumeric else {
      throw Failure(.mendJob, "cannot record at a time that is no number; name a time")
    }
    try prepareToRecord()
    guard let format = sourceFormat else { return }
    try begin(.record(for: nil, from: time.frames(atRate: format.sampleRate)))
  }

  /// Begins, or continues, and ends after `duration`, to the frame
  /// (`AVAudioRecorder.record(forDuration:)`).
  ///
  /// - Throws: As `prepareToRecord`, before the first sound and after the end; `mendJob` for a
  ///   length that is not above 0, without an effect.
  public func record(forDuration duration: Time) throws(Failure) {
    try RecordingSettings.requireLength(duration, "record for")
    try begin(.record(for: duration, from: nil))
  }

  /// Pauses (`AVAudioRecorder.pause()`): the sound from here on is not recorded.
  public func pause() { order(.pause) }

  /// Marks the sound of this moment: in a WAV by a cue with a label, beside a FLAC or an MP3 by a
  /// line of Audacity's labels. Without an effect while nothing is recorded: before the start, in a
  /// pause, and after the end. AVAudioRecorder has no markers.
  ///
  /// - Parameter name: The label; nil: `marker 1`, `marker 2` and so on.
  public func addMarker(_ name: String? = nil) { order(.mark(name)) }

  /// Ends the recording (`AVAudioRecorder.stop()`): all sound up to here is written, and the file
  /// is finished soon after; `waitUntilFinished` waits for that.
  public func stop() {
    order(.stop)
    state.withLock { state in
      guard state.phase == .idle else { return }
      state.phase = .finished
      state.recording = Recording(sampleRate: 0, channelCount: 0)
    }
  }

  /// Waits for the end of the recording, by `stop` or by itself.
  ///
  /// - Returns: The recording, also after a failure.
  public func waitUntilFinished() -> Recording {
    state.wait { state in
      guard state.phase == .finished else { return nil }
      return state.recording ?? Recording(sampleRate: 0, channelCount: 0)
    }
  }

  // MARK: Progress

  /// Whether sound is recorded now (`AVAudioRecorder.isRecording`); false before the first sound.
  public var isRecording: Bool {
    state.withLock { $0.phase == .ready && $0.isRecording && !$0.isWaiting }
  }

  /// Whether the recorder waits for the first sound.
  public var isWaitingForSound: Bool { state.withLock { $0.isWaiting } }

  /// Whether the recorder listens, and holds the pre-roll until `record`.
  public var isListening: Bool { state.withLock { $0.phase == .ready && $0.isListening } }

  /// Whether the device is gone; the recording continues when it is opened again.
  public var isWaitingForDevice: Bool { state.withLock { $0.isWaitingForDevice } }

  /// The reason why a device cannot be opened again: another program uses it, another device has
  /// its place …; nil if the device is there, and before the first attempt.
  public var deviceFailure: Failure? { state.withLock { $0.deviceFailure } }

  /// Whether the recording has ended.
  public var isFinished: Bool { state.withLock { $0.phase == .finished } }

  /// The length of the recording so far (`AVAudioRecorder.currentTime`).
  public var currentTime: Time { state.withLock { $0.recording?.duration ?? .zero } }

  /// The time of the device, with pauses and losses (`AVAudioRecorder.deviceCurrentTime`), in steps
  /// of its periods. 0 before the device was opened.
  public var deviceCurrentTime: Time {
    guard let format = sourceFormat else { return .zero }
    return Time(frames: reader.index, rate: format.sampleRate)
  }

  /// A frame of the device and the time at which it was at the microphone, in nanoseconds of
  /// `bootNanoseconds`; nil while there is none.
  var place: (frame: Int64, nanoseconds: Int64)? { reader.place }

  /// The losses so far.
  public var losses: [RecordingLoss] { state.withLock { $0.recording?.losses ?? [] } }

  /// The markers so far.
  public var markers: [RecordingMarker] { state.withLock { $0.recording?.markers ?? [] } }

  /// How long the disk has room for more at the present rate; nil in the first second.
  public var timeLeftOnDisk: Time? { state.withLock { $0.timeLeft } }

  /// The format of the device (`AVAudioRecorder.format`); nil before it was opened.
  public var sourceFormat: SourceFormat? { state.withLock { $0.format } }

  /// Whether the device's samples are wider than the file's, and dithered; false before the device
  /// was opened.
  public var isDithered: Bool { state.withLock { $0.isDithered } }

  /// The format of the file; nil before the device was opened.
  public var format: Output.Format? { state.withLock { $0.output } }

  // MARK: Meters

  /// Whether levels are measured (`AVAudioRecorder.isMeteringEnabled`).
  public var isMeteringEnabled: Bool {
    get { state.withLock { $0.isMetering } }
    set { state.withLock { $0.isMetering = newValue } }
  }

  /// The root of the mean square of a channel's last 0.3 s, in decibels of full scale
  /// (`AVAudioRecorder.averagePower(forChannel:)`, without `updateMeters`); -160 for silence, and
  /// without metering.
  public func averagePower(forChannel channel: Int) -> Double {
    reading(channel).averagePower
  }

  /// The largest sample of a channel's last 0.3 s, in decibels of full scale
  /// (`AVAudioRecorder.peakPower(forChannel:)`).
  public func peakPower(forChannel channel: Int) -> Double { reading(channel).peakPower }

  private func reading(_ channel: Int) -> LevelReading {
    state.withLock { state in
      guard state.isMetering, state.levels.indices.contains(channel) else { return LevelReading() }
      return state.levels[channel]
    }
  }

  // MARK: Threads

  /// Begins to record, unless the recording has ended.
  private func begin(_ action: RecorderState.Action) throws(Failure) {
    if let refusal = order(action) { throw refusal }
    try prepare()
  }

  /// Adds an order for the next frame, by the clock if the device is gone.
  ///
  /// - Returns: Why nothing can be recorded any more; nil if it can.
  @discardableResult
  private func order(_ action: RecorderState.Action) -> Failure? {
    // Read behind the lock: orders are in the order of their frames.
    let refusal = state.withLock { state -> Failure? in
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

  private func start() throws(Failure) {
    do {
      let reader = reader
      let reading = try Thread.spawn(name: "record-read", urgency: .live) { reader.run() }
      threads.withLock { $0.others.append(reading) }
      let (path, settings, kind, state, flusher) = (path, settings, kind, state, flusher)
      let monitor = monitor
      if let monitor {
        let playing = try Thread.spawn(name: "record-monitor", urgency: .live) {
          monitor.run(reader)
        }
        threads.withLock { $0.others.append(playing) }
      }
      let writing = try Thread.spawn(name: "record-write") {
        defer { monitor?.end(reader) }
        Self.write(path, settings, kind, state, reader, flusher)
      }
      threads.withLock { $0.writing = writing }
    } catch {
      reader.end()
      monitor?.end(reader)
      let failure = Failure(.tryAgain, "recording cannot start: \(error)")
      Self.end(.failed(failure), state)
      throw failure
    }
  }

  private func joinThreads() {
    let running = threads.withLock { threads in
      defer { threads = (nil, []) }
      return threads
    }
    running.writing?.join()
    let deadline = ContinuousClock.now + Self.patience
    for thread in running.others { thread.join(until: deadline) }
  }

  private static func write(
    _ path: FilePath, _ settings: RecordingSettings, _ kind: Output.Kind,
    _ state: Monitor<RecorderState>, _ reader: DeviceReader, _ flusher: DiskFlusher
  ) {
    defer { reader.end() }
    do throws(Failure) {
      guard let opened = try opened(reader, state) else { return end(.stopped, state) }
      let (format, ring) = (opened.format, opened.ring)
      try settings.requireAsked(of: format)
      let output = try settings.output(as: kind, from: format)
      let files = try TakeFiles(path, settings, as: output, from: format, flusher)
      state.withLock { state in
        (state.phase, state.format, state.output) = (.ready, format, output)
        state.isDithered = files.isDithered
        state.isListening = settings.listens
        state.recording = files.recording
      }
      let recording = TakeWriter(state, reader, format, ring, files, settings).run()
      state.withLock { state in
        state.recording = recording
        state.isRecording = false
        state.phase = .finished
      }
    } catch {
      end(.failed(error), state)
    }
  }

  private static func end(_ end: Recording.End, _ state: Monitor<RecorderState>) {
    state.withLock { state in
      var recording = Recording(sampleRate: 0, channelCount: 0)
      recording.end = end
      state.recording = recording
      (state.isOver, state.phase) = (true, .finished)
    }
  }

  /// Waits until the device is open; a failure at the start is final.
  ///
  /// - Returns: Nil if the recording was stopped before: opening a device may never end.
  private static func opened(
    _ reader: DeviceReader, _ state: Monitor<RecorderState>
  ) throws(Failure) -> DeviceReader.Opened? {
    while true {
      if let opened = reader.opened { return opened }
      if state.withLock({ $0.isOver }) { return nil }
      if case .lost(let failure) = reader.device {
        throw failure ?? Failure(.tryAgain, "the device has disconnected; connect it again")
      }
      reader.workArrived.wait(milliseconds: -1)
    }
  }
}
