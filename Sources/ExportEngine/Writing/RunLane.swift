import Diagnosis
import LibAV
import Splicing

/// The sound of a run of packets, as far as it has come and is still needed.
struct RunSound {
  /// Frames of the output that the run may need.
  private let range: Range<Int64>
  private let gain: Float
  /// A plane for each channel, from `first` on.
  private var planes: [[Float]]
  private var first: Int64

  /// Nothing of the frames `range` of the output yet. All samples will be multiplied with `gain`.
  init(_ range: Range<Int64>, channelCount: Int, gain: Float) {
    (self.range, self.gain, first) = (range, gain, range.lowerBound)
    planes = Array(repeating: [], count: channelCount)
  }

  /// Behind the last frame that is there.
  var end: Int64 { first + Int64(planes.first?.count ?? 0) }

  /// Takes those frames of a block that it needs.
  mutating func add(_ block: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: Range<Int64>) {
    let wanted = frames.clamped(to: max(range.lowerBound, end)..<max(range.upperBound, end))
    guard !wanted.isEmpty else { return }
    let start = Int(wanted.lowerBound - frames.lowerBound)
    for channel in planes.indices {
      let new = UnsafeBufferPointer(start: block[channel] + start, count: wanted.count)
      planes[channel].append(contentsOf: new)
      guard gain != 1 else { continue }
      for place in planes[channel].indices.suffix(new.count) { planes[channel][place] *= gain }
    }
  }

  /// Frees what lies before a frame.
  mutating func forget(before frame: Int64) {
    let count = Int(min(frame, end) - first)
    // Moving the rest costs its length.
    guard count > 1 << 16 else { return }
    for channel in planes.indices { planes[channel].removeFirst(count) }
    first += Int64(count)
  }

  /// Copies the frames from `start` on; those before and behind the sound are silent.
  func copy(from start: Int64, count: Int, into block: AudioBuffer) {
    block.frameCount = count
    for channel in planes.indices {
      let plane = block.samples(channel)
      for index in 0..<count {
        let place = Int(start - first) + index
        plane[index] = planes[channel].indices.contains(place) ? planes[channel][place] : 0
      }
    }
  }
}

/// One encoder of a run, and the packets that it has made.
final class RunLane {
  /// A frame of sound under whose window the decoder's has another shape than the encoder's.
  struct Change {
    /// Its first sample, as a frame of the output.
    var start: Int64
    /// The decoder's.
    var shape: UInt32
    /// Whether it lies under the first half of a window.
    var isFirstHalf: Bool
  }

  /// FFmpeg's encoder has Kaiser-Bessel derived windows for long blocks between long ones, and sine for
  /// short ones (`psy_lame_window`).
  private static let encoderShape: UInt32 = 1
  private static let frameLength = 1024

  private let encoder: LibAVPart<Float>
  private let changes: [Change]
  private let shapes: AACWindowShapes?
  private let block: AudioBuffer
  /// The frame of the output that is encoded next.
  private var position: Int64
  /// In order of time, without those that were taken.
  private(set) var packets: [Splicing.Placed<Packet>] = []

  /// An encoder whose first packet begins at `frame` of the output. Changes lie at multiples of 1024 from
  /// there.
  init(
    _ recipe: LibAVRecipe, at frame: Int64, continuing: Bool, _ changes: [Change],
    _ shapes: AACWindowShapes?
  ) throws {
    let own = try recipe.openEncoder(continuing: continuing)
    let start = frame + Int64(own.delay)
    encoder = LibAVPart(own, at: start, isFLAC: false)
    (self.changes, self.shapes, position) = (changes, shapes, start)
    block = AudioBuffer(channelCount: recipe.channelCount, capacity: Self.frameLength)
  }

  /// Goes on to a frame of the output, by whole blocks.
  func encode(to end: Int64, from sound: inout RunSound) throws {
    while position + Int64(Self.frameLength) <= end {
      sound.copy(from: position, count: Self.frameLength, into: block)
      if let shapes {
        for change in changes where change.start == position {
          for channel in 0..<block.channelCount {
            shapes.adapt(
              block.samples(channel), from: Self.encoderShape, to: change.shape,
              isFirstHalf: change.isFirstHalf)
          }
        }
      }
      try encoder.encode(block.planes, from: 0, count: Self.frameLength, into: &packets)
      position += Int64(Self.frameLength)
    }
  }

  /// Gives the packets that begin in a range, and drops them and those before it.
  func take(_ range: Range<Int64>) -> [Splicing.Placed<Packet>] {
    let end = packets.firstIndex { $0.frames.lowerBound >= range.upperBound } ?? packets.count
    let taken = packets[..<end].filter { $0.frames.lowerBound >= range.lowerBound }
    packets.removeFirst(end)
    return taken
  }
}
