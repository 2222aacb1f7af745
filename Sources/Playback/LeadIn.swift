/// The silence before a first frame that is to be heard at a time of the devices' clock.
///
/// A device is started with silence, since only then its delay says when the next frame is heard; so
/// much more silence follows that the sound is on time, to the frame if the delay is exact. Allocates
/// nothing.
struct LeadIn {
  /// What is to be done next.
  enum Step: Hashable {
    /// Nothing, for so many milliseconds.
    case hold(milliseconds: Int32)
    /// Write so many frames of silence.
    case silence(frames: Int)
    /// Write the sound.
    case begin
  }

  /// In nanoseconds of the clock.
  let start: Int64
  /// Frames of silence that were given out, to start the device.
  private var silentFrames = 0
  /// Frames of silence that are left; nil: the device does not play yet.
  private var rest: Int?

  /// The device is started so long before the sound, in nanoseconds: more than most devices hold.
  private static let advance: Int64 = 400_000_000
  /// A device that does not play after so many milliseconds of silence starts with the sound.
  private static let mostSilence = 150
  /// So much of the silence, in milliseconds, is measured once.
  private static let measured = 60
  /// A piece of silence, in milliseconds.
  private static let piece = 10

  /// A lead-in that ends at a time of the clock, in nanoseconds.
  init(to start: Int64) { self.start = start }

  /// What is to be done at a time of the clock.
  ///
  /// - Parameters:
  ///   - now: The time at which `delay` was true.
  ///   - delay: Frames until the next frame is heard; nil: the device does not play yet.
  ///   - sampleRate: Frames a second.
  ///   - takesAll: Whether the sink is a file, which has no clock and gets no silence.
  /// - Returns: The step.
  mutating func step(
    at now: Int64, delay: Int?, sampleRate: Int, takesAll: Bool
  ) -> Step {
    if let rest {
      guard rest > 0 else { return .begin }
      let count = min(rest, Self.frames(Self.piece, sampleRate))
      self.rest = rest - count
      return .silence(frames: count)
    }
    let left = start - now
    guard left > 0 else { return .begin }
    guard !takesAll else { return .hold(milliseconds: Self.milliseconds(left)) }
    guard left <= Self.advance else {
      return .hold(milliseconds: Self.milliseconds(left - Self.advance))
    }
    let frames = Int((left * Int64(sampleRate) + 500_000_000) / 1_000_000_000)
    if let delay {
      // Just after its start, a device's delay is not right.
      guard frames - delay <= Self.frames(Self.measured, sampleRate) else {
        return .silence(frames: Self.frames(Self.piece, sampleRate))
      }
      rest = max(0, frames - delay)
      return step(at: now, delay: delay, sampleRate: sampleRate, takesAll: takesAll)
    }
    let most = min(Self.frames(Self.mostSilence, sampleRate), frames)
    guard silentFrames < most else { return .hold(milliseconds: 1) }
    let count = min(most - silentFrames, Self.frames(Self.piece, sampleRate))
    silentFrames += count
    return .silence(frames: count)
  }

  private static func frames(_ milliseconds: Int, _ sampleRate: Int) -> Int {
    max(1, milliseconds * sampleRate / 1000)
  }

  private static func milliseconds(_ nanoseconds: Int64) -> Int32 {
    Int32(clamping: nanoseconds / 1_000_000 + 1)
  }
}
