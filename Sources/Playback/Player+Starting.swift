import Diagnosis
import MediaTime

/// The start of playback: soon, on time, or after a preparation.
extension Player {
  /// The time of the devices' clock, for `play(atTime:)` (`AVAudioPlayer.deviceCurrentTime`): that of
  /// the machine's monotonic clock, in nanoseconds, which all players share.
  public var deviceCurrentTime: Time { Time(value: engine.clock(), timescale: 1_000_000_000) }

  /// Plays from the current place at a time of the devices' clock (`AVAudioPlayer.play(atTime:)`): the
  /// first frame is heard then, to the frame if the device's delay is exact. Several players start
  /// together by one time.
  ///
  /// The device is opened at once, and plays silence for some tenths of a second before. A time that is
  /// too soon for that, or over, is as soon as possible: half a second ahead is enough for most
  /// devices, and after `prepareToPlay` for all. Until then `timeControlStatus` is
  /// `waitingToPlayAtSpecifiedRate`. A file of `FileSink` begins then, without silence.
  ///
  /// - Parameter time: A time on the scale of `deviceCurrentTime`.
  /// - Returns: False if the player plays already, or the time is no number.
  @discardableResult
  public func play(atTime time: Time) -> Bool {
    guard time.isNumeric else { return false }
    let start = max(1, time.frames(atRate: 1_000_000_000))
    return engine.update { state in
      guard !state.isPlaying else { return false }
      engine.writer.setStart(start)
      // Silence first: what an earlier play has left in the device is no lead-in.
      (state.isPlaying, state.startTime, state.isRestarted) = (true, start, true)
      state.returnFromEnd()
      return true
    }
  }

  /// Opens the current item at its place, and the device, so that `play` is heard at once
  /// (`AVAudioPlayer.prepareToPlay()`), and waits for both.
  ///
  /// If the task is cancelled, the wait ends at once, and the preparation goes on.
  ///
  /// - Throws: The failure of an item that cannot be played, or where there is no device; the code
  ///   `cancelled`.
  public func prepareToPlay() async throws(Failure) {
    let readiness = Delivery<Void>()
    prepare { failure in
      readiness.deliver(failure.map { .failure($0) } ?? .success(()))
    }
    try await readiness.value()
  }

  /// Begins to open the current item at its place, and the device, and returns at once
  /// (`AVAudioPlayer.prepareToPlay()`). What fails is reported as an event.
  public func prepareToPlay() { prepare { _ in } }

  private func prepare(_ completion: @escaping @Sendable (Failure?) -> Void) {
    engine.update { state in
      guard state.current ?? state.queue.first != nil else {
        state.waiters.answer {
          completion(Failure(.mendJob, "there is nothing to prepare; give the player an item"))
        }
        return
      }
      state.waiters.preparations.append(completion)
    }
  }

  /// Whether a start waits until playback is likely to keep up, with media of servers
  /// (`AVPlayer.automaticallyWaitsToMinimizeStalling`); true by default. Otherwise it begins with the
  /// first sound.
  ///
  /// After a stall the player waits in any case, and goes on by itself; with false, AVPlayer stays
  /// paused then. A change acts at the next start or jump.
  public var automaticallyWaitsToMinimizeStalling: Bool {
    get { engine.state.withLock { $0.waitsToMinimizeStalling } }
    set { engine.update { $0.waitsToMinimizeStalling = newValue } }
  }

  /// The device's channel for each channel of the item, from 0 (`AVAudioPlayer.channelAssignments`):
  /// element n for channel n. Nil, the default: the item's layout is brought to the device's.
  ///
  /// The device is opened with as many channels as that needs. Samples are not changed; two channels
  /// on one of the device's are added. Channels without an element, and those of a number below 0, or
  /// that the device does not have, are silent; numbers above 63 are none. A change is heard at once,
  /// after a moment of silence.
  public var channelAssignments: [Int]? {
    get { engine.state.withLock { $0.channelAssignments } }
    set {
      let assignments = newValue.map { $0.map { (0..<64).contains($0) ? $0 : -1 } }
      engine.update { state in
        guard assignments != state.channelAssignments else { return }
        (state.channelAssignments, state.isRestarted) = (assignments, true)
      }
    }
  }
}
