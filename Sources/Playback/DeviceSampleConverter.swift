import ExportEngine
import Glibc

/// Converts planar float sound to a device's samples, and applies volume and pan.
///
/// At volume 1 in the middle, samples are those of an export in the same encoding, dither
/// included. A change is a ramp of 10 ms, without a click, in blocks of any length. Allocates
/// nothing after `init`. One thread at a time.
final class DeviceSampleConverter {
  private let format: SinkFormat
  private let dithering = Quantizer(isDithered: true)
  private let rounding = Quantizer(isDithered: false)
  private var gains: [Gain]
  /// One channel's samples with their gain.
  private let scratch: UnsafeMutablePointer<Float>
  /// 32-bit samples on the way to narrower ones.
  private let wide: UnsafeMutablePointer<Int32>
  private let capacity: Int

  /// A converter for blocks of up to `capacity` frames.
  init(_ format: SinkFormat, capacity: Int) {
    self.format = format
    self.capacity = capacity
    gains = Array(repeating: Gain(), count: format.channelCount)
    scratch = .allocate(capacity: capacity)
    scratch.initialize(repeating: 0, count: capacity)
    wide = .allocate(capacity: capacity)
    wide.initialize(repeating: 0, count: capacity)
  }

  deinit {
    scratch.deallocate()
    wide.deallocate()
  }

  /// Writes frames `offset ..< offset + count` of a slot in the device's encoding.
  ///
  /// `planeCapacity` frames lie between the starts of two channels; `levels` are reached within
  /// 10 ms.
  func convert(
    _ slot: SlotRing.Slot, planeCapacity: Int, from offset: Int, count: Int, levels: Levels,
    to bytes: UnsafeMutableRawPointer
  ) {
    if slot.channelCount < format.channelCount {
      memset(bytes, 0, count * format.frameSize)
    }
    for channel in 0..<slot.channelCount {
      let plane = slot.samples + channel * planeCapacity + offset
      let target = levels.gain(ofChannel: channel, of: slot.channelCount)
      gains[channel].turn(to: target, within: max(1, format.sampleRate / 100))
      let isUntouched = gains[channel].isUnity
      if !isUntouched { apply(to: plane, channel, count) }
      write(
        isUntouched ? plane : scratch, channel, count,
        frame: slot.firstFrame + Int64(offset), isDithered: slot.isDithered || !isUntouched,
        to: bytes)
    }
  }

  /// The listener's volume and pan.
  struct Levels {
    var volume: Float = 1
    /// From −1, left, to 1, right.
    var pan: Float = 0

    /// Of two channels the far one is attenuated in proportion; other layouts have no pan.
    func gain(ofChannel channel: Int, of channelCount: Int) -> Float {
      guard channelCount == 2 else { return volume }
      return volume * (channel == 0 ? min(1, 1 - pan) : min(1, 1 + pan))
    }
  }

  /// A factor on its way to another.
  private struct Gain {
    private var value: Float = 1
    private var target: Float = 1
    private var step: Float = 0
    private var left = 0

    var isUnity: Bool { left == 0 && target == 1 }

    /// Begins a ramp to a factor, in equal steps, unless that is the target already.
    mutating func turn(to factor: Float, within frames: Int) {
      guard factor != target else { return }
      target = factor
      left = frames
      step = (factor - value) / Float(frames)
    }

    mutating func next() -> Float {
      guard left > 0 else { return target }
      left -= 1
      // Counted from the end: a sum of steps would not arrive exactly.
      value = target - step * Float(left)
      return value
    }
  }

  private func apply(to plane: UnsafePointer<Float>, _ channel: Int, _ count: Int) {
    var gain = gains[channel]
    for index in 0..<count { scratch[index] = plane[index] * gain.next() }
    gains[channel] = gain
  }

  private func write(
    _ source: UnsafePointer<Float>, _ channel: Int, _ count: Int, frame: Int64, isDithered: Bool,
    to bytes: UnsafeMutableRawPointer
  ) {
    let stride = format.channelCount
    switch format.encoding {
    case .float32:
      let samples = bytes.assumingMemoryBound(to: Float.self) + channel
      for index in 0..<count { samples[index * stride] = source[index] }
    case .int16:
      let samples = bytes.assumingMemoryBound(to: Int16.self) + channel
      (isDithered ? dithering : rounding).convert(
        source, count: count, frame: frame, channel: channel, to: samples, stride: stride)
    case .int32:
      let samples = bytes.assumingMemoryBound(to: Int32.self) + channel
      rounding.convert(source, count: count, to: samples, stride: stride)
    case .int24:
      let samples = bytes.assumingMemoryBound(to: Int32.self) + channel
      rounding.convert(source, count: count, to: wide, stride: 1)
      for index in 0..<count { samples[index * stride] = wide[index] >> 8 }
    case .packedInt24:
      let samples = bytes.assumingMemoryBound(to: UInt8.self) + channel * 3
      rounding.convert(source, count: count, to: wide, stride: 1)
      for index in 0..<count {
        let sample = UInt32(bitPattern: wide[index])
        let place = samples + index * stride * 3
        place[0] = UInt8(truncatingIfNeeded: sample >> 8)
        place[1] = UInt8(truncatingIfNeeded: sample >> 16)
        place[2] = UInt8(truncatingIfNeeded: sample >> 24)
      }
    }
  }
}
