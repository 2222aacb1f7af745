import Diagnosis
import ExportEngine
import ExportGraph
import Loudness
import MediaComposition

/// An item's sound at a device's rate, as it is rendered and measured: once, also if the place goes
/// back a little. Belongs to the rendering thread.
final class RenderedSound: FrameSource {
  private(set) var source: MonitoredSource
  let channelCount: Int
  /// The meters of the frames that were read last.
  private(set) var meters = MeterFrame(end: 0)
  private var rendered: RenderedBlocks
  private let slotFrames: Int
  private let loudness: LoudnessMeter?
  private var lastReading = LoudnessReading()
  private var unread = 0

  /// The sound of a source.
  init(_ source: MonitoredSource) {
    self.source = source
    let format = source.live.format
    channelCount = format.channelLayout.count
    slotFrames = SlotRing.slotFrames(atRate: format.sampleRate)
    rendered = RenderedBlocks(
      channelCount: channelCount, capacity: slotFrames, keeping: format.sampleRate)
    // A format without a loudness meter is played without one.
    loudness = try? LoudnessMeter(
      sampleRate: format.sampleRate, positions: format.channelLayout.loudnessPositions)
  }

  /// The frame that the next read begins with.
  var position: Int64 { rendered.place ?? source.live.position }

  /// Frames that are rendered ahead of the position.
  var framesAhead: Int64 { rendered.framesAhead }

  /// Goes to a frame; sound that is there is not rendered again.
  func seek(to frame: Int64) throws(Failure) { try seek(to: frame, exactly: false) }

  /// Goes to a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame; others than the item's are clamped.
  ///   - isExact: As of `LiveSource.seek`.
  /// - Throws: As reading on the way.
  func seek(to frame: Int64, exactly isExact: Bool) throws(Failure) {
    if source.live.isExact || !isExact, rendered.seek(to: frame) { return }
    rendered.removeAll()
    try source.live.seek(to: frame, exactly: isExact)
  }

  /// Forgets what was rendered; the position stays.
  func forget() throws(Failure) {
    let place = position
    rendered.removeAll()
    try source.live.seek(to: place)
  }

  func read(into buffer: AudioBuffer, at offset: Int, count: Int) throws(Failure) -> Int {
    var filled = 0
    while filled < count {
      if rendered.place == nil { try renderBlock() }
      guard
        let taken = rendered.take(into: buffer, at: offset + filled, count: count - filled)
      else { return filled }
      filled += taken.count
      meters = taken.meters
    }
    return filled
  }

  /// Renders another block behind the last one; at the item's end nothing.
  func renderBlock() throws(Failure) {
    let live = source.live
    let sound = rendered.buffer()
    let first = live.position
    sound.frameCount = try live.read(into: sound, at: 0, count: slotFrames)
    rendered.append(
      RenderedBlocks.Block(
        firstFrame: first, sound: sound, meters: measure(sound, first..<live.position)))
  }

  private func measure(_ sound: AudioBuffer, _ frames: Range<Int64>) -> MeterFrame {
    guard source.isMetered else { return MeterFrame(end: 0) }
    let monitors = source.readMonitors(over: frames)
    let levels = (0..<sound.channelCount).map { channel in
      var level = LevelSum()
      level.add(sound.samples(channel))
      return level
    }
    let reading = readLoudness(of: sound)
    return MeterFrame(
      end: 0, channels: levels,
      truePeaks: loudness?.takeTruePeaks() ?? levels.map { Double($0.peak) },
      tracks: monitors.tracks, reductions: monitors.reductions, loudness: reading)
  }

  /// Reads ten times a second, the least by EBU Tech 3341.
  private func readLoudness(of sound: AudioBuffer) -> LoudnessReading {
    guard let loudness else { return lastReading }
    loudness.add(sound.planes, count: sound.frameCount)
    unread += sound.frameCount
    guard unread >= source.live.format.sampleRate / 10 else { return lastReading }
    unread = 0
    lastReading = LoudnessReading(
      momentary: loudness.momentary, shortTerm: loudness.shortTerm,
      integrated: loudness.integrated, truePeak: loudness.truePeak)
    return lastReading
  }
}
