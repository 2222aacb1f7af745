import Diagnosis
import ExportEngine
import ExportGraph
import MediaComposition
import MediaTime
import Threads

/// Renders an item for a device, at the listener's speed. Belongs to the rendering thread.
final class ItemRenderer {
  let item: PlayerItem
  /// The frames that were read last, in the item's own channels.
  let block: AudioBuffer
  /// The same frames in the device's channels, if these differ.
  private var mapped: (matrix: ChannelMatrix, block: AudioBuffer)?
  /// The same frames in the channels that the listener assigns, if that was done.
  private var routed: AudioBuffer?
  let sound: RenderedSound
  /// The sound at another speed than 1.
  private var stretched: PlaybackStretch?
  private(set) var speed = PlaybackSpeed.normal
  /// The changes of the item's tracks that are in the sound.
  private(set) var trackRevision: Int

  /// Opens an item at its start, at a device's rate, or else at its own.
  init(
    _ item: PlayerItem, for device: SinkFormat?, _ cancellation: CancellationFlag
  ) throws(Failure) {
    self.item = item
    trackRevision = item.trackChanges.count
    sound = RenderedSound(
      try MonitoredSource(item, atRate: device?.sampleRate, cancellation), of: item)
    block = AudioBuffer(
      channelCount: sound.channelCount,
      capacity: SlotRing.slotFrames(atRate: sound.source.live.format.sampleRate))
  }

  /// Frames a second that it renders.
  var sampleRate: Int { sound.source.live.format.sampleRate }

  /// Frames of the item, at that rate and at speed 1.
  var frameCount: Int64 { sound.source.live.frameCount }

  /// Whether it renders at a device's rate.
  func isFor(_ device: SinkFormat?) -> Bool {
    device.map { $0.sampleRate == sampleRate } ?? true
  }

  /// The last block in a device's channels; valid until the next read. `assignments` has the device's
  /// channel for each channel of the item; nil: as usual.
  func block(for device: SinkFormat, _ assignments: [Int]?) -> AudioBuffer {
    if let assignments { return block(for: device, routedBy: assignments) }
    let layout = device.layout(of: item.channelLayout)
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

  private func block(for device: SinkFormat, routedBy assignments: [Int]) -> AudioBuffer {
    let known = routed.flatMap { $0.channelCount == device.channelCount ? $0 : nil }
    let target = known ?? AudioBuffer(channelCount: device.channelCount, capacity: block.capacity)
    routed = target
    target.frameCount = block.frameCount
    for channel in 0..<target.channelCount { target.samples(channel).update(repeating: 0) }
    for (channel, place) in zip(0..<block.channelCount, assignments)
    where (0..<target.channelCount).contains(place) {
      let (source, sum) = (block.samples(channel), target.samples(place))
      for frame in 0..<block.frameCount { sum[frame] += source[frame] }
    }
    return target
  }

  /// The frame at speed 1 that the next read begins with.
  var position: Int64 { stretched?.position ?? sound.position }

  /// Goes to a frame of speed 1.
  ///
  /// - Parameters:
  ///   - frame: The frame; others than the item's are clamped.
  ///   - isExact: As of `LiveSource.seek`.
  /// - Throws: As reading on the way.
  func seek(to frame: Int64, exactly isExact: Bool = false) throws(Failure) {
    let revision = item.trackChanges.count
    if revision != trackRevision {
      trackRevision = revision
      sound.forget()
    }
    sound.seek(to: frame, exactly: isExact)
    stretched =
      speed == .normal
      ? nil
      : try PlaybackStretch(
        sound, from: sound.position, frameCount: frameCount, sampleRate: sampleRate, at: speed.ratio
      )
  }

  /// Goes to a frame of speed 1, and on at a speed.
  func go(to frame: Int64, at speed: PlaybackSpeed) throws(Failure) {
    self.speed = speed
    try seek(to: frame)
  }

  /// Whether no whole block is rendered ahead: readings need not end where a block does.
  var isReadOut: Bool { sound.framesAhead < Int64(block.capacity) }

  /// Fills `block` with up to `count` frames that lie before `end`.
  func read(_ count: Int, before end: Int64) throws(Failure) {
    let left = end - position
    let most = speed == .normal ? left : speed.ratio.target(ofSource: left)
    let count = Int(max(1, min(Int64(min(count, block.capacity)), most)))
    if let stretched {
      try stretched.read(into: block, count: count)
    } else {
      block.frameCount = try sound.read(into: block, at: 0, count: count)
    }
  }

  /// The meters of `block`: of all that was read of the sound for it.
  func meters(endingAt end: Int64) -> MeterFrame {
    guard sound.isMetered else { return MeterFrame(end: end) }
    var meters = sound.takeMeters()
    meters.end = end
    return meters
  }

  /// Whether 16 bits need dither: not if samples are a source's own, at its rate and speed.
  func isDithered(on device: SinkFormat, _ assignments: [Int]?) -> Bool {
    item.isDithered || speed != .normal || sampleRate != item.sampleRate
      || assignments == nil && device.layout(of: item.channelLayout) != item.channelLayout
  }

  /// The frame of the export's dither for the item's frame `frame`.
  func ditherFrame(of frame: Int64) -> Int64 { item.sink.frames.lowerBound + frame }
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
