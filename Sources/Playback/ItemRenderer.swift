import Diagnosis
import ExportEngine
import ExportGraph
import Loudness
import MediaComposition
import MediaTime
import Threads

/// Renders an item for a device. Belongs to the rendering thread.
final class ItemRenderer {
  let item: PlayerItem
  let source: LiveSource
  /// The block that was read last, in the item's own channels.
  let block: AudioBuffer
  /// The same block in the device's channels, if these differ.
  private var mapped: (matrix: ChannelMatrix, block: AudioBuffer)?
  private(set) var speed = PlaybackSpeed.normal
  var isMetered = true {
    didSet {
      for monitor in monitors { monitor.isMetered = isMetered }
      for monitor in reductionMonitors { monitor.isMetered = isMetered }
    }
  }
  private let monitors: [TrackMonitor]
  private let reductionMonitors: [ReductionMonitor]
  /// The frames of the source in `block`.
  private var heard: Range<Int64> = 0..<0
  /// The last levels of the tracks: tracks are measured in longer blocks than are read.
  private var trackLevels: [LevelSum?]
  private let loudness: LoudnessMeter?
  private var lastReading = LoudnessReading()
  private var unread = 0

  /// Opens an item at its start, at a device's rate, or else at its own.
  ///
  /// An item is rendered in its own channels on any device, so that its meters are the export's.
  init(
    _ item: PlayerItem, for device: SinkFormat?, _ cancellation: CancellationFlag
  ) throws(Failure) {
    self.item = item
    monitors = item.tracks.indices.map { TrackMonitor(item, track: $0) }
    trackLevels = Array(repeating: nil, count: item.tracks.count)
    var watchers: [Node.ID: any NodeWatcher] = [:]
    for (track, nodes) in zip(item.trackIndices, item.graph.tracks) {
      for node in nodes { watchers[node] = monitors[track].watcher() }
    }
    reductionMonitors = item.reductionMonitors(&watchers)
    source = try LiveSource(
      item.graph, sink: item.sink,
      as: device.map {
        AudioFormat(sampleRate: $0.sampleRate, channelLayout: item.channelLayout)
      },
      library: item.library, watchers: watchers, cancellation: cancellation)
    block = AudioBuffer(
      channelCount: source.format.channelLayout.count,
      capacity: SlotRing.slotFrames(atRate: source.format.sampleRate))
    // A format without a loudness meter is played without one.
    loudness = try? LoudnessMeter(
      sampleRate: source.format.sampleRate,
      positions: source.format.channelLayout.loudnessPositions)
  }

  /// Whether it renders at a device's rate.
  func isFor(_ device: SinkFormat?) -> Bool {
    device.map { $0.sampleRate == source.format.sampleRate } ?? true
  }

  /// The item's own channels where a device has as many, or more than any layout: there a single
  /// channel would play on the left.
  private func layout(on device: SinkFormat) -> ChannelLayout {
    let own = item.channelLayout
    return switch device.channelCount {
    case own.count: own
    case ...8: .usual(ofCount: device.channelCount)
    default: own.count == 1 ? .stereo : own
    }
  }

  /// The last block in a device's channels; valid until the next read.
  func block(for device: SinkFormat) -> AudioBuffer {
    let layout = layout(on: device)
    guard layout != item.channelLayout else { return block }
    let matrix = ChannelMatrix(from: item.channelLayout, to: layout)
    if mapped?.matrix != matrix {
      mapped = (matrix, AudioBuffer(channelCount: layout.count, capacity: block.capacity))
    }
    guard let target = mapped?.block else { return block }
    matrix.weigh(block, into: target, at: 0, count: block.frameCount)
    target.frameCount = block.frameCount
    return target
  }

  func setSpeed(_ speed: PlaybackSpeed) throws(Failure) {
    try source.setSpeed(speed.ratio)
    self.speed = speed
  }

  /// Fills `block` with up to `count` frames that lie before `end`.
  func read(_ count: Int, before end: Int64) throws(Failure) {
    let left = end - source.position
    let most = speed == .normal ? left : speed.ratio.target(ofSource: left)
    let first = source.position
    try source.read(into: block, count: Int(max(1, min(Int64(count), most))))
    heard = first..<max(first, source.position)
  }

  /// Whether 16 bits need dither: not if samples are a source's own, at its rate and speed.
  func isDithered(on device: SinkFormat) -> Bool {
    item.isDithered || speed != .normal || source.format.sampleRate != item.sampleRate
      || layout(on: device) != item.channelLayout
  }

  /// The frame of the export's dither for the item's frame `frame`.
  func ditherFrame(of frame: Int64) -> Int64 { item.sink.frames.lowerBound + frame }

  func meters(endingAt end: Int64) -> MeterFrame {
    guard isMetered else { return MeterFrame(end: end) }
    for (track, monitor) in monitors.enumerated() {
      if let level = monitor.take() { trackLevels[track] = level }
    }
    let levels = (0..<block.channelCount).map { channel in
      var level = LevelSum()
      level.add(block.samples(channel))
      return level
    }
    let reading = readLoudness()
    let own = FrameRatio(from: source.format.sampleRate, to: item.sampleRate)
    let frames = heard.mapped(own.target(ofSource:))
    return MeterFrame(
      end: end, channels: levels,
      truePeaks: loudness?.takeTruePeaks() ?? levels.map { Double($0.peak) }, tracks: trackLevels,
      reductions: reductionMonitors.map { $0.reduction(in: frames) }, loudness: reading)
  }

  /// Reads ten times a second, the least by EBU Tech 3341.
  private func readLoudness() -> LoudnessReading {
    guard let loudness else { return lastReading }
    loudness.add(block.planes, count: block.frameCount)
    unread += block.frameCount
    guard unread >= source.format.sampleRate / 10 else { return lastReading }
    unread = 0
    lastReading = LoudnessReading(
      momentary: loudness.momentary, shortTerm: loudness.shortTerm,
      integrated: loudness.integrated, truePeak: loudness.truePeak)
    return lastReading
  }
}

extension ChannelLayout {
  /// The usual layout of a device with 1 to 8 channels.
  static func usual(ofCount count: Int) -> ChannelLayout {
    switch count {
    case 1: .mono
    case 2: .stereo
    case 4: .quad
    case 5: .surround50
    case 6: .surround51
    case 8: .surround71
    default: ChannelLayout(mask: count == 3 ? 0x7 : 0x70F)
    }
  }
}
