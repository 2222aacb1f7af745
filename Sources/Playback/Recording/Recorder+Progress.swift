import Diagnosis
import MediaComposition
import MediaTime

// MARK: Progress

extension Recorder {
  /// What it does now.
  public var state: State { shared.withLock { $0.state } }

  /// Whether sound is recorded now (`AVAudioRecorder.isRecording`), or its time is kept while the device
  /// is gone; false before the first sound.
  public var isRecording: Bool { state == .recording || state == .waitingForDevice }

  /// Whether an interruption would pause it.
  var isActive: Bool { isRecording || isWaitingForSound }

  /// Whether the recorder waits for the first sound.
  public var isWaitingForSound: Bool { state == .waitingForSound }

  /// Whether the recorder listens, and holds the pre-roll until `record`.
  public var isListening: Bool { state == .prepared && settings.listens }

  /// Whether the device is gone, also during a pause.
  public var isWaitingForDevice: Bool { shared.withLock { $0.isWaitingForDevice } }

  /// Whether the recording has ended.
  public var isFinished: Bool { shared.withLock { $0.phase == .finished } }

  /// The reason why a device cannot be opened again: another program uses it, another device has
  /// its place …; nil if the device is there, and before the first attempt.
  public var deviceFailure: Failure? { shared.withLock { $0.deviceFailure } }

  /// The length of the recording so far (`AVAudioRecorder.currentTime`).
  public var currentTime: Time { shared.withLock { $0.recording?.duration ?? .zero } }

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
  public var losses: [RecordingLoss] { shared.withLock { $0.recording?.losses ?? [] } }

  /// The markers so far.
  public var markers: [RecordingMarker] { shared.withLock { $0.recording?.markers ?? [] } }

  /// How long the disk has room for more at the present rate; nil in the first second.
  package var timeLeftOnDisk: Time? { shared.withLock { $0.timeLeft } }

  /// The format of the device (`AVAudioRecorder.format`); nil before it was opened.
  package var sourceFormat: SourceFormat? { shared.withLock { $0.format } }

  /// Whether the device's samples are wider than the file's, and dithered; false before the device
  /// was opened.
  public var isDithered: Bool { shared.withLock { $0.isDithered } }

  /// The format of the file; nil before the device was opened.
  package var format: Output.Format? { shared.withLock { $0.output } }

  // MARK: Observing

  /// The events from now on, until the recording has ended or the recorder is released. A reader that is
  /// slow gets the last progress alone, and misses the oldest of more than a thousand others.
  public var events: AsyncStream<RecorderEvent> {
    let queue = RecorderEventQueue()
    let observation = observers.add({ queue.put($0) }, atEnd: { queue.close() })
    return AsyncStream {
      // The observation lasts as long as this stream.
      defer { withExtendedLifetime(observation) {} }
      return await queue.next()
    } onCancel: {
      queue.cancel()
    }
  }

  /// Calls `block` for each event from now on: `events` for programs without a task.
  ///
  /// - Parameter block: Called on the recorder's thread, which writes; it must return soon.
  /// - Returns: The observation, which lasts as long as this object.
  public func addEventObserver(
    using block: @escaping @Sendable (RecorderEvent) -> Void
  ) -> PlayerObservation {
    observers.add(block)
  }

  // MARK: Meters

  /// Whether levels are measured (`AVAudioRecorder.isMeteringEnabled`).
  public var isMeteringEnabled: Bool {
    get { shared.withLock { $0.isMetering } }
    set { shared.withLock { $0.isMetering = newValue } }
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
    shared.withLock { state in
      guard state.isMetering, state.levels.indices.contains(channel) else { return LevelReading() }
      return state.levels[channel]
    }
  }
}
