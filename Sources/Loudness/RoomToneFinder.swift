import Glibc
internal import MediaComposition
import MediaTime

/// Finds the first and the last step of a sound that is louder than a level which is known only when
/// all of it was heard.
///
/// Kept are the steps that are louder than all before them, and those that are louder than all after
/// them: by tenths of a decibel, so that there are some hundred at most. O(1) a step, amortized.
struct RoomToneFinder: Sendable {
  private struct Step: Sendable {
    var index: Int
    /// Tenths of a decibel.
    var level: Int
  }

  private var rises: [Step] = []
  private var falls: [Step] = []
  private var count = 0

  private static let leastPower = pow(10, RoomTone.leastLevel / 10)
  /// Tenths of dB: all that is louder counts alike.
  private static let highestLevel = 1000

  /// Adds the mean square of the next step.
  mutating func add(power: Double) {
    defer { count += 1 }
    guard power > Self.leastPower else { return }
    let level = Int(min(Double(Self.highestLevel), (100 * log10(power)).rounded()))
    let step = Step(index: count, level: level)
    if level > rises.last?.level ?? Int.min { rises.append(step) }
    while let last = falls.last, last.level <= level { falls.removeLast() }
    falls.append(step)
  }

  /// The room tone of the sound that was added.
  ///
  /// - Parameters:
  ///   - noiseFloor: dB; nil for −∞.
  ///   - frames: The sound's length.
  ///   - sampleRate: Frames a second.
  /// - Returns: nil where nothing is louder than the room.
  func roomTone(noiseFloor: Double?, frames: Int64, sampleRate: Int) -> RoomTone? {
    let level = max(RoomTone.leastLevel, (noiseFloor ?? -.infinity) + RoomTone.distance)
    let tenths = Int(min(Double(Self.highestLevel), (level * 10).rounded()))
    guard let first = rises.first(where: { $0.level > tenths }),
      let last = falls.last(where: { $0.level > tenths })
    else { return nil }
    func time(_ step: Int) -> Time {
      Time(value: Int64(step), timescale: Int32(ChunkMeter.stepsPerSecond))
    }
    let length = Time(frames: frames, rate: sampleRate)
    return RoomTone(head: time(first.index), tail: max(.zero, length - time(last.index + 1)))
  }
}
