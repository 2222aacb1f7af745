import Diagnosis
import MediaTime
import Playback

/// The mix of a job, which is heard while a take is recorded to it. Of the session's thread.
package final class RecordedMix {
  /// Plays the job.
  package let player: Player
  /// The job's name.
  let name: String
  /// The time of the job at which it is heard from, and at which the take begins.
  let start: Time
  let time: Time
  private var punch: PunchIn?

  /// The mix of a job.
  ///
  /// - Parameters:
  ///   - player: A player of the job, at rest.
  ///   - name: The job's name.
  ///   - start: The time at which it begins to play.
  ///   - time: The time at which the take begins, not before `start`.
  package init(_ player: Player, name: String, from start: Time, at time: Time) {
    (self.player, self.name, self.start, self.time) = (player, name, start, time)
  }

  /// Why the mix is not heard; nil: it is.
  var deviceFailure: Failure? {
    player.deviceFailure(
      orElse: Failure(.tryAgain, "the device that plays the mix has disconnected"))
  }

  func begin() {
    player.seek(to: start)
    player.play()
  }

  /// Whether the take's place was heard, and the recording has begun.
  ///
  /// - Throws: As `PunchIn.update`, and the failure of the player.
  func hasReachedPlace(of recorder: Recorder) throws(Failure) -> Bool {
    if let failure = deviceFailure ?? player.failure { throw failure }
    let punch = punch ?? PunchIn(of: recorder, to: player, at: time)
    self.punch = punch
    return try punch.update() == .recording
  }
}
