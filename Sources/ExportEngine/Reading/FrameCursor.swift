import Diagnosis
import LibAV
import MediaComposition
import MediaTime

/// Copies decoded frames out as planar float: drops frames before the position, and fills holes
/// with silence. One thread at a time.
final class FrameCursor {
  let frame: Frame
  /// The asset frame that the next read begins with.
  var position: Int64 = 0

  private let location: MediaLocation
  private let sampleRate: Int
  private let channelCount: Int
  private let planes: [Int]?
  private let damage: Damage
  private let converter = FrameConverter()
  /// The asset frame that the decoded frame begins with, and its length; 0 once it is used up.
  private var start: Int64 = 0
  private var count = 0
  /// Whether it is a pause, for which nothing was decoded.
  private var isSilent = false

  /// `planes` are those of the file's channels, where these are not their own numbers.
  init(
    _ location: MediaLocation, sampleRate: Int, channelCount: Int, planes: [Int]? = nil,
    _ damage: Damage
  ) throws(LibAVError) {
    (self.location, self.damage) = (location, damage)
    (self.sampleRate, self.channelCount) = (sampleRate, channelCount)
    self.planes = planes
    frame = try Frame()
  }

  /// Refuses a decoded frame that is not like the others; it would begin at `position`.
  func requireFormat(at position: Int64) throws(LibAVError) {
    guard frame.sampleRate == sampleRate, frame.channelCount == channelCount else {
      throw LibAVError.formatChanged(
        to: frame, at: Time(frames: position, rate: sampleRate).inSeconds)
    }
  }

  func place(at position: Int64) {
    start = position
    count = frame.sampleCount
    isSilent = false
  }

  /// Places `count` silent frames of the stream.
  func placeSilence(at position: Int64, count: Int) {
    start = position
    self.count = count
    isSilent = true
  }

  func clear() { count = 0 }

  /// Fills frames `offset ..< offset + count` of a buffer; fewer only where `next`, which decodes
  /// and places a frame, reaches the end.
  func read(
    into buffer: AudioBuffer, at offset: Int, count wanted: Int, next: () throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var filled = 0
    while filled < wanted {
      if start + Int64(count) <= position || count == 0 {
        count = 0
        // The caller that cancelled throws its own error instead of this one.
        if damage.cancellation.isCancelled {
          throw Failure(.tryAgain, "cancelled", location: location)
        }
        guard try next() else { break }
        continue
      }
      let rest = wanted - filled
      if start > position {
        filled += silence(in: buffer, at: offset + filled, upTo: start, count: rest)
        continue
      }
      let skipped = Int(position - start)
      let taken = min(count - skipped, rest)
      if isSilent {
        clear(buffer, at: offset + filled, count: taken)
      } else {
        try reading(location) { () throws(LibAVError) in
          try copy(skipped..<skipped + taken, to: buffer, at: offset + filled)
        }
      }
      filled += taken
      position += Int64(taken)
      damage.note(read: taken)
    }
    return filled
  }

  /// Copies samples of the decoded frame, each channel to its plane.
  private func copy(
    _ samples: Range<Int>, to buffer: AudioBuffer, at offset: Int
  ) throws(LibAVError) {
    guard let planes else {
      return try converter.convert(
        frame, from: samples.lowerBound, count: samples.count, into: buffer.planes, at: offset)
    }
    let ordered = planes.map { buffer.planes[$0] }
    try ordered.withUnsafeBufferPointer { ordered throws(LibAVError) in
      guard let first = ordered.baseAddress else { return }
      try converter.convert(
        frame, from: samples.lowerBound, count: samples.count, into: first, at: offset)
    }
  }

  /// Fills a hole that ends at `end` with silence; gives the number of frames filled.
  func silence(in buffer: AudioBuffer, at offset: Int, upTo end: Int64, count: Int) -> Int {
    let silent = Int(min(end - position, Int64(count)))
    guard silent > 0 else { return 0 }
    clear(buffer, at: offset, count: silent)
    damage.note(.hole(end: end), silent: silent, at: position)
    damage.note(read: silent)
    position += Int64(silent)
    return silent
  }

  private func clear(_ buffer: AudioBuffer, at offset: Int, count: Int) {
    for channel in 0..<channelCount {
      (buffer.planes[channel] + offset).update(repeating: 0, count: count)
    }
  }
}
