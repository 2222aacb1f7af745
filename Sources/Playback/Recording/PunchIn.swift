import Diagnosis
import MediaTime

/// Begins a recording at the moment at which a time of a player's item is heard.
///
/// Both devices report how many frames lie between the computer and the sound (`snd_pcm_delay`); the
/// frame of the recorder's device that was at the microphone at that moment is the first one of the
/// file. What no device reports remains: the converters' own delay, mostly one or two milliseconds
/// together, and that of radio links, which is much longer. Clocks are compared over a second before
/// the moment, by the median, so that threads that come late now and then change nothing.
///
/// The recorder listens (`RecordingSettings.preRoll`, at least `RecordingSettings.punchInPreRoll`)
/// while the player plays up to the time. Of one thread, which calls `update` some fifty times a
/// second.
package final class PunchIn {
  /// The progress.
  package enum State: Sendable, Hashable {
    /// The time was not heard yet.
    case waiting
    /// The recording has begun.
    case recording
  }

  private let player: Player
  private let recorder: Recorder
  /// The time of the item.
  private let time: Time
  private let clock: @Sendable () -> Int64
  private var state = State.waiting
  private var last = Time.invalid
  /// The moments at which the player's time, and the device's, would be 0, in nanoseconds of
  /// `clock`, by the last looks.
  private var playerOrigin = ClockOrigin()
  private var deviceOrigin = ClockOrigin()

  /// How long after the time the decision is made, so that looks on both sides are compared.
  private static let delay = Time(value: 60, timescale: 1000)
  /// How long after the time the looks may be too few, with a short count-in.
  private static let patience = Time(value: 1, timescale: 1)

  /// A punch-in at a time of the player's item.
  ///
  /// - Parameters:
  ///   - recorder: A recorder that listens, and was not started.
  ///   - player: A player that plays, or will, from before the time.
  ///   - time: A time of the player's item, before its end.
  package convenience init(of recorder: Recorder, to player: Player, at time: Time) {
    self.init(of: recorder, to: player, at: time, clock: bootNanoseconds)
  }

  init(
    of recorder: Recorder, to player: Player, at time: Time, clock: @escaping @Sendable () -> Int64
  ) {
    (self.recorder, self.player, self.time, self.clock) = (recorder, player, time, clock)
  }

  /// Looks at both clocks, and begins the recording once the time was heard.
  ///
  /// - Returns: Whether it has begun.
  /// - Throws: As `Recorder.record(atTime:)`; `tryAgain` if the player has passed the time so that
  ///   its moment is not known.
  package func update() throws(Failure) -> State {
    guard state == .waiting else { return state }
    let now = clock()
    let heard = player.currentTime
    // A player that stands still, before its start or for want of sound, has no clock.
    let isMoving = last.isNumeric && heard > last
    last = heard
    if isMoving {
      playerOrigin.note(now - heard.frames(atRate: 1_000_000_000))
    } else {
      guard player.isAtEnd, heard >= time else { return state }
    }
    if let rate = recorder.sourceFormat?.sampleRate, let place = recorder.place {
      let passed = Time(frames: place.frame, rate: rate).frames(atRate: 1_000_000_000)
      deviceOrigin.note(place.nanoseconds - passed)
    }
    guard !isMoving || heard >= time + Self.delay else { return state }
    guard let player = playerOrigin.median, let device = deviceOrigin.median else {
      // The sound is still held.
      if isMoving, heard < time + Self.patience { return state }
      throw Failure(
        .tryAgain, "the devices do not run in time; record again, with a longer count-in")
    }
    let moment = player + time.frames(atRate: 1_000_000_000) - device
    try recorder.record(atTime: Time(value: max(0, moment), timescale: 1_000_000_000))
    state = .recording
    return state
  }
}

/// The moment at which a clock would show 0, by the last looks at it, in nanoseconds.
struct ClockOrigin {
  private var looks: [Int64] = []
  /// A look that differs from those before: one of a thread that came late, or, if the next look
  /// agrees, the first one after a jump or a stall.
  private var doubtful: Int64?

  /// Looks that are compared: those of a second.
  private static let most = 50
  /// Fewer looks have no median.
  private static let least = 5
  /// Looks that differ by more do not belong together.
  private static let tolerance: Int64 = 10_000_000

  mutating func note(_ origin: Int64) {
    if let median = looks.isEmpty ? nil : middle, abs(origin - median) > Self.tolerance {
      guard let other = doubtful, abs(origin - other) <= Self.tolerance else {
        doubtful = origin
        return
      }
      looks = [other]
    }
    doubtful = nil
    if looks.count == Self.most { looks.removeFirst() }
    looks.append(origin)
  }

  /// Nil after too few looks.
  var median: Int64? { looks.count < Self.least ? nil : middle }

  private var middle: Int64 { looks.sorted()[looks.count / 2] }
}

extension RecordingSettings {
  /// The pre-roll that a punch-in needs, to find its first frame.
  package static let punchInPreRoll = Time(value: 2, timescale: 1)
}
