import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Threads

/// Writes the frames of the reading thread: selects, meters and writes them.
///
/// Belongs to the writing thread, which may wait for the disk: the ring holds some seconds.
/// Flushes, which take longer, have another thread.
final class TakeWriter {
  private let state: Monitor<RecorderState>
  private let observers: Observers<RecorderEvent>
  private let reader: DeviceReader
  private let format: SourceFormat
  private let ring: CaptureRing
  private let files: TakeFiles
  private var gate: TakeGate
  private var levels: LevelWindow
  private var lead: LeadBuffer
  private let block: AudioBuffer

  /// Frames of the source that were handled.
  private var position: Int64 = 0
  private var isRecording = false
  /// Whether it was begun, and whether that was reported: before the first sound it is not.
  private var hasBegun = false
  private var isBeginningReported = false
  /// Whether an interruption has paused it, and nothing else since.
  private var isInterrupted = false
  /// The progress that was reported last, in frames, and the device.
  private var reportedFrames: Int64 = 0
  private var reportedDevice = (isLost: false, failure: Failure?.none)
  /// Whether the pre-roll is held: until the recording begins.
  private var isListening: Bool
  /// The frame of the last start, or of the last end of a pause.
  private var begun: Int64 = 0
  private var end: Recording.End? {
    didSet { state.withLock { $0.isOver = end != nil } }
  }
  /// Frames that were settled, and frames that are on the disk.
  private var settled: Int64 = 0
  private var synced: Int64 = 0
  private var lastSynced = ContinuousClock.now

  /// The time between two flushes: a machine without power loses no more.
  private static let syncing = Duration.seconds(1)

  init(
    _ state: Monitor<RecorderState>, _ observers: Observers<RecorderEvent>,
    _ reader: DeviceReader, _ format: SourceFormat, _ ring: CaptureRing, _ files: TakeFiles,
    _ settings: RecordingSettings
  ) {
    (self.state, self.observers) = (state, observers)
    self.reader = reader
    self.format = format
    self.ring = ring
    self.files = files
    let gate = TakeGate(settings, sampleRate: format.sampleRate)
    self.gate = gate
    isListening = settings.listens
    levels = LevelWindow(channelCount: format.channelCount, sampleRate: format.sampleRate)
    lead = LeadBuffer(channelCount: format.channelCount, capacity: gate.leadFrames)
    block = AudioBuffer(channelCount: format.channelCount, capacity: ring.slotFrames)
  }

  /// Runs until the recording ends.
  ///
  /// - Returns: The recording.
  func run() -> Recording {
    do throws(Failure) {
      while end == nil {
        // At most a second at a time, also from a device without a clock.
        let next = position + Int64(format.sampleRate)
        while end == nil, position < next, let slot = ring.slots.first {
          try take(slot)
          ring.slots.removeFirst()
          try settle(after: Int64(format.sampleRate / 10))
        }
        if end == nil { try passDropped() }
        if end == nil { try obeyOrders() }
        if end == nil { try passWithoutDevice() }
        try keep()
        publish()
        reportProgress()
        if end == nil, ring.slots.first == nil { reader.workArrived.wait(milliseconds: 200) }
      }
      try files.finish()
      try files.waitForDisk()
    } catch {
      end = .failed(error)
      // Finishes a file that has not failed itself.
      try? files.finish()
      try? files.waitForDisk()
    }
    var recording = files.recording
    recording.end = end ?? .stopped
    return recording
  }

  // MARK: Sound

  private func take(_ slot: CaptureRing.Slot) throws(Failure) {
    if slot.index > position {
      try obeyOrders()
      // A recording that continues begins with the next sound: an overrun during the pause is no
      // loss.
      if position == begun, slot.cause == .overrun { position = slot.index }
      try lose(slot.index - position, slot.cause ?? .overrun)
    }
    SampleReader.convert(slot, to: block)
    if state.withLock({ $0.isMetering }) { levels.add(block) }
    // Frames that an order has filled by the clock are not recorded a second time.
    let start = slot.index
    try advance(to: slot.index + Int64(slot.frameCount)) { range throws(Failure) in
      try self.pass(Int(range.lowerBound - start)..<Int(range.upperBound - start))
    }
  }

  /// Handles frames of the source, in stretches between orders.
  private func advance(
    to target: Int64, _ body: (Range<Int64>) throws(Failure) -> Void
  ) throws(Failure) {
    while end == nil, position < target {
      try obeyOrders()
      guard end == nil else { return }
      let next = state.withLock { $0.orders.first?.index } ?? target
      let stop = max(position + 1, min(target, next))
      if isRecording || isListening { try body(position..<stop) }
      position = stop
    }
  }

  private func pass(_ range: Range<Int>) throws(Failure) {
    guard isRecording else { return lead.append(block, range) }
    for step in gate.pass(block, range, held: lead.count) {
      switch step {
      case .hold(let range): lead.append(block, range)
      case .release(let count):
        reportBeginning()
        try lead.drain(count) { (block, start, count) throws(Failure) in
          try files.write(block, from: start, count: count)
        }
      case .record(let range):
        try files.write(block, from: range.lowerBound, count: range.count)
      case .end(let end): self.end = end
      }
    }
  }

  /// Writes silence for lost sound, so that the sound after it keeps its time.
  private func lose(_ count: Int64, _ cause: RecordingLoss.Cause) throws(Failure) {
    try advance(to: position + count) { (range) throws(Failure) in
      guard isRecording else { return lead.removeAll() }
      let (count, isEnd) = gate.passSilence(Int64(range.count))
      if gate.isWaiting { lead.removeAll() }
      if count > 0 {
        let loss = RecordingLoss(cause: cause, time: time, frameCount: count)
        try files.writeSilence(loss)
        report(.lost(loss))
      }
      if isEnd { end = .duration }
    }
  }

  /// Advances to an order from the time of a full ring or a lost device: its frame is in no slot.
  private func passDropped() throws(Failure) {
    // Read before the ring: if the device is back, its first slot has the loss.
    let isGone = reader.isGone
    guard let index = state.withLock({ $0.orders.first?.index }), index > position,
      ring.slots.first == nil, index <= reader.now(atRate: format.sampleRate)
    else { return }
    try lose(index - position, isGone ? .unplugged : .slowDisk)
  }

  /// Ends a recording of a given length in time, also without a device.
  private func passWithoutDevice() throws(Failure) {
    guard reader.isGone, ring.slots.first == nil, isRecording, let left = gate.left,
      !gate.isWaiting,
      reader.now(atRate: format.sampleRate) - position >= left
    else { return }
    try lose(left, .unplugged)
  }

  // MARK: Orders

  /// Does the orders for the frames up to here.
  private func obeyOrders() throws(Failure) {
    while end == nil {
      let order = state.withLock { state -> RecorderState.Order? in
        guard let first = state.orders.first, first.index <= position else { return nil }
        return state.orders.removeFirst()
      }
      guard let order else { return }
      try obey(order.action)
      if gate.left == 0, isRecording { end = .duration }
    }
  }

  private func obey(_ action: RecorderState.Action) throws(Failure) {
    switch action {
    case .record(let duration, let first):
      if let duration { gate.limit(to: duration.frames(atRate: format.sampleRate)) }
      try start(from: first)
    case .mark(let name):
      guard isRecording, !gate.isWaiting else { return }
      files.mark(name)
      if let marker = files.recording.markers.last { report(.marked(marker)) }
    case .pause: pause(.paused(at: time))
    case .interrupt(let reason):
      guard isRecording else { return }
      pause(.interrupted(reason, at: time))
      isInterrupted = true
    case .endInterruption: if isInterrupted { try start(from: nil) }
    case .stop: end = .stopped
    }
  }

  /// Begins or continues.
  private func start(from first: Int64?) throws(Failure) {
    isInterrupted = false
    guard !isRecording else { return try releaseLead(from: first) }
    begun = position
    let isPaused = hasBegun
    (isRecording, hasBegun) = (true, true)
    if isPaused { report(.resumed(at: time)) }
    if !gate.isWaiting { reportBeginning() }
    try releaseLead(from: first)
  }

  private func pause(_ event: RecorderEvent) {
    isInterrupted = false
    lead.removeAll()
    guard isRecording else { return }
    isRecording = false
    report(event)
  }

  /// Records the sound that was held before the start, from a frame of the source on if that is
  /// given.
  private func releaseLead(from first: Int64?) throws(Failure) {
    guard isListening else { return }
    isListening = false
    if let first { lead.removeFirst(Int(max(0, first - (position - Int64(lead.count))))) }
    let count = gate.taken(of: lead.count)
    try lead.drain(count) { (block, start, count) throws(Failure) in
      try files.write(block, from: start, count: count)
    }
  }

  // MARK: Disk and progress

  /// Settles after `count` more frames, also while the ring is filled, so that a full disk costs
  /// little.
  private func settle(after count: Int64) throws(Failure) {
    guard files.recording.frameCount >= settled + count else { return }
    settled = files.recording.frameCount
    try files.settle()
  }

  private func keep() throws(Failure) {
    try settle(after: 1)
    guard settled > synced, lastSynced.duration(to: .now) >= Self.syncing, !files.isSyncing
    else { return }
    try files.sync()
    synced = settled
    let timeLeft = files.timeLeft
    state.withLock { $0.timeLeft = timeLeft }
    // Counted from the end of the call: a slow disk must not be flushed all the time.
    lastSynced = ContinuousClock.now
  }

  // MARK: Reports

  /// The length of the recording so far.
  private var time: Time { Time(frames: files.recording.frameCount, rate: format.sampleRate) }

  private func publish() {
    let (recording, isWaiting) = (files.recording, gate.isWaiting)
    let (isRecording, hasBegun, readings) = (isRecording, hasBegun, levels.readings)
    let (isLost, failure) = reader.loss
    state.withLock { state in
      state.recording = recording
      (state.hasBegun, state.isPaused) = (hasBegun, hasBegun && !isRecording)
      state.isWaiting = isRecording && isWaiting
      state.levels = readings
      (state.isWaitingForDevice, state.deviceFailure) = (isLost, failure)
    }
  }

  /// Reports an event, of which the recorder's state tells by then.
  private func report(_ event: RecorderEvent) {
    publish()
    observers.yield(event)
  }

  private func reportBeginning() {
    guard !isBeginningReported else { return }
    isBeginningReported = true
    report(.began)
  }

  /// Reports more sound, and another state of the device.
  private func reportProgress() {
    let device = reader.loss
    let wasLost = reportedDevice.isLost
    if device.isLost != wasLost || device.failure != reportedDevice.failure {
      reportedDevice = device
      if device.isLost {
        report(.deviceLost(device.failure))
      } else if wasLost {
        report(.deviceFound)
      }
    }
    let frames = files.recording.frameCount
    guard frames - reportedFrames >= Int64(format.sampleRate / 10) else { return }
    reportedFrames = frames
    report(.progress(time))
  }
}
