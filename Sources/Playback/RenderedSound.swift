import Diagnosis
import ExportEngine
import ExportGraph
import Loudness
import MediaComposition

/// An item's sound at a device's rate, as it is rendered and measured: once, also if the place goes
/// back a little. Belongs to the rendering thread.
final class RenderedSound: Sound {
  private(set) var source: MonitoredSource
  let channelCount: Int
  /// The meters of what was read since they were taken, and of what was read last.
  private var newMeters: MeterFrame?
  private var lastMeters = MeterFrame(end: 0)
  private var rendered: RenderedBlocks
  private let item: PlayerItem
  private let slotFrames: Int
  /// What makes the sound the export's again after a jump; nil while it is that, and just after a
  /// jump.
  private var chase: ExactChase?
  /// The source that has arrived at its place, or is soon there.
  private var exact: MonitoredSource?
  /// Whether the chase of this place has failed, as the rendering will.
  private var hasChaseFailed = false
  /// Frames that were rendered since the last jump.
  private var framesSinceJump: Int64 = 0
  private var loudness: LoudnessMeter?
  private var lastReading = LoudnessReading()

  /// The sound of an item's source.
  init(_ source: MonitoredSource, of item: PlayerItem) {
    (self.source, self.item) = (source, item)
    let format = source.live.format
    channelCount = format.channelLayout.count
    slotFrames = SlotRing.slotFrames(atRate: format.sampleRate)
    rendered = RenderedBlocks(
      channelCount: channelCount, capacity: slotFrames, keeping: format.sampleRate)
    measureAnew()
  }

  deinit { chase?.cancel() }

  /// The frame that the next read begins with.
  var position: Int64 { rendered.place ?? source.live.position }

  /// Whether what is rendered from now on is measured.
  var isMetered: Bool {
    get { source.isMetered }
    set {
      guard newValue != isMetered else { return }
      source.isMetered = newValue
      rendered.removePast()
    }
  }

  /// Frames that are rendered ahead of the position.
  var framesAhead: Int64 { rendered.framesAhead }

  /// Goes to a frame; sound that is there is not rendered again.
  ///
  /// - Parameters:
  ///   - frame: The frame; others than the item's are clamped.
  ///   - isExact: As of `LiveSource.seek`.
  func seek(to frame: Int64, exactly isExact: Bool) {
    // What was read and not played is read again.
    newMeters = nil
    if source.live.isExact || !isExact, rendered.seek(to: frame) { return }
    rendered.removeAll()
    jump(to: frame, exactly: isExact)
  }

  private func jump(to frame: Int64, exactly isExact: Bool) {
    (framesSinceJump, exact, hasChaseFailed) = (0, nil, false)
    measureAnew()
    source.live.seek(to: frame, exactly: isExact)
    // One that has not come so far yet is on its way to there.
    if source.live.isExact || chase.map({ $0.isOver || $0.progress.frame > frame }) == true {
      endChase()
    }
  }

  /// Forgets what was rendered; the position stays.
  func forget() {
    let place = position
    rendered.removeAll()
    endChase()
    jump(to: place, exactly: false)
  }

  /// Fills frames of a buffer with the next ones; fewer than `count` only at the end.
  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    var filled = 0
    while filled < count {
      if rendered.place == nil { try renderBlock() }
      guard
        let taken = rendered.take(into: buffer, at: offset + filled, count: count - filled)
      else { return filled }
      filled += taken.count
      note(taken.meters, isWhole: taken.isStart)
    }
    return filled
  }

  func read(_ frames: Range<Int64>, into buffer: AudioBuffer, at offset: Int) throws(Failure) -> Int
  {
    if frames.lowerBound != position { seek(to: frames.lowerBound, exactly: false) }
    return try read(into: buffer, at: offset, count: frames.count)
  }

  /// Frames that were rendered, up to this one.
  var renderedPosition: Int64 { source.live.position }

  /// The meters of all that was read since the last call; if nothing was, those of before.
  func takeMeters() -> MeterFrame {
    defer { newMeters = nil }
    return newMeters ?? lastMeters
  }

  private func note(_ meters: MeterFrame, isWhole: Bool) {
    lastMeters = meters
    // The rest of a block, whose loudness counted with its beginning, has its level.
    lastMeters.gatedEnergies = []
    let noted = isWhole ? meters : lastMeters
    if newMeters == nil { newMeters = noted } else { newMeters?.append(noted) }
  }

  /// Renders another block behind the last one; at the item's end nothing.
  func renderBlock() throws(Failure) {
    try pursue()
    let live = source.live
    let sound = rendered.buffer()
    let first = live.position
    // Up to where the exact sound begins.
    let left = exact.map { $0.live.position - first } ?? .max
    let count = left > 0 ? Int(min(Int64(slotFrames), left)) : slotFrames
    sound.frameCount = try live.read(into: sound, at: 0, count: count)
    if left == 0, let exact { try goOver(to: exact, in: sound) }
    framesSinceJump += Int64(sound.frameCount)
    rendered.append(
      RenderedBlocks.Block(
        firstFrame: first, sound: sound, meters: measure(sound, first..<live.position)))
  }

  // MARK: Exact sound after a jump

  /// The share of the way that a chase has gone, 0 where there is none; nil where the sound is the
  /// export's.
  var chaseProgress: Double? {
    if source.live.isExact { return nil }
    return exact == nil ? chase?.progress.share ?? 0 : 1
  }

  /// Begins a chase half a second after a jump: a key that is held down jumps many times. Media of
  /// servers are not fetched from their start for it.
  private func pursue() throws(Failure) {
    guard !source.live.isExact, exact == nil, !hasChaseFailed, item.remoteSpans.isEmpty else {
      return
    }
    let rate = source.live.format.sampleRate
    let goal = source.live.position + Int64(rate) / 2
    guard let chase else {
      guard framesSinceJump >= Int64(rate) / 2 else { return }
      chase = try? ExactChase(item, atRate: rate, to: goal)
      return
    }
    chase.run(to: goal)
    guard let arrived = chase.take() else {
      if chase.isOver { (self.chase, hasChaseFailed) = (nil, true) }
      return
    }
    self.chase = nil
    // It comes to where the other one is now.
    let behind = source.live.position - arrived.live.position
    guard behind <= Int64(rate) else {
      self.chase = try? ExactChase(item, atRate: rate, to: goal, with: arrived)
      return
    }
    if behind > 0 { try arrived.live.skip(behind) }
    arrived.isMetered = source.isMetered
    exact = arrived
  }

  private func endChase() {
    chase?.cancel()
    (chase, exact) = (nil, nil)
  }

  /// Goes over to the exact source, which begins with the frames of a block, by a cross-fade.
  private func goOver(to exact: MonitoredSource, in sound: AudioBuffer) throws(Failure) {
    let other = AudioBuffer(channelCount: channelCount, capacity: sound.capacity)
    let count = try exact.live.read(into: other, at: 0, count: sound.frameCount)
    sound.frameCount = count
    for channel in 0..<channelCount {
      let (old, new) = (sound.planes[channel], other.planes[channel])
      for frame in 0..<count {
        old[frame] += (new[frame] - old[frame]) * (Float(frame + 1) / Float(count))
      }
    }
    (source, self.exact) = (exact, nil)
  }

  // MARK: Meters

  private func measure(_ sound: AudioBuffer, _ frames: Range<Int64>) -> MeterFrame {
    guard source.isMetered else { return MeterFrame(end: 0) }
    let monitors = source.readMonitors(over: frames)
    let levels = (0..<sound.channelCount).map { channel in
      var level = LevelSum()
      level.add(sound.samples(channel))
      return level
    }
    loudness?.add(sound.planes, count: sound.frameCount)
    let reading = loudness?.takeReading()
    if let reading {
      lastReading = LoudnessReading(momentary: reading.momentary, shortTerm: reading.shortTerm)
    }
    return MeterFrame(
      end: 0, channels: levels,
      truePeaks: loudness?.takeTruePeaks() ?? levels.map { Double($0.peak) },
      tracks: monitors.tracks, reductions: monitors.reductions, loudness: lastReading,
      item: item.number, gatedEnergies: reading?.blocks ?? [])
  }

  /// Begins with a meter without sound: after a jump it would mix what was before it with the rest.
  private func measureAnew() {
    let format = source.live.format
    // A format without a loudness meter is played without one.
    loudness = try? LoudnessMeter(
      sampleRate: format.sampleRate, positions: format.channelLayout.loudnessPositions)
  }
}
