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
    _ state: Monitor<RecorderState>, _ reader: DeviceReader, _ format: SourceFormat,
    _ ring: CaptureRing, _ files: TakeFiles, _ settings: RecordingSettings
  ) {
    self.state = state
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
        try files.writeSilence(
          RecordingLoss(
            cause: cause, time: Time(frames: files.recording.frameCount, rate: format.sampleRate),
            frameCount: count))
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
      switch order.action {
      case .record(let duration, let first):
        if let duration { gate.limit(to: duration.frames(atRate: format.sampleRate)) }
        if !isRecording { begun = position }
        isRecording = true
        try releaseLead(from: first)
      case .mark(let name): if isRecording, !gate.isWaiting { files.mark(name) }
      case .pause:
        isRecording = false
        lead.removeAll()
      case .stop: end = .stopped
      }
      if gate.left == 0, isRecording { end = .duration }
    }
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

  private func publish() {
    let (recording, isWaiting) = (files.recording, gate.isWaiting)
    let (isRecording, isListening, readings) = (isRecording, isListening, levels.readings)
    var (isLost, failure) = (false, Failure?.none)
    if case .lost(let reason) = reader.device { (isLost, failure) = (true, reason) }
    state.withLock { state in
      state.recording = recording
      (state.isRecording, state.isWaiting) = (isRecording, isRecording && isWaiting)
      state.isListening = isListening
      state.levels = readings
      (state.isWaitingForDevice, state.deviceFailure) = (isLost, failure)
    }
  }
}
