import Diagnosis
import MediaTime

/// Places of the current item.
extension Player {
  /// Goes to a time of the current item, at once (`AVPlayer.seek(to:)`). Times outside the item,
  /// also infinite ones, are its start or its end. `.invalid` and `.indefinite` are ignored, where
  /// AVPlayer raises an exception.
  ///
  /// The frames from there on are those of a rendering from the start, except after effects with
  /// unbounded memory (a speed with the pitch kept, a filter), which are rendered from 300 ms
  /// before, or from 1.2 s for the level of a speed. There the exact sound is rendered beside what
  /// is heard, which goes over to it when that has arrived; `approximation` is its progress.
  public func seek(to time: Time) { go(to: time, exactly: false) }

  /// Goes to a time of the current item, within tolerances
  /// (`AVPlayer.seek(to:toleranceBefore:toleranceAfter:)`).
  ///
  /// Every time is found to the frame. If both tolerances are zero, the samples are those of a
  /// rendering from the start in any case; effects with unbounded memory are rendered from their
  /// start then, which may take long.
  public func seek(to time: Time, toleranceBefore before: Time, toleranceAfter after: Time) {
    go(to: time, exactly: before <= .zero && after <= .zero)
  }

  /// Goes to a time of the current item, and waits until the player is there
  /// (`AVPlayer.seek(to:)` of a task): the next sound is that of the time.
  ///
  /// - Returns: Whether the player is there. False if another jump has come meanwhile, the item
  ///   cannot be opened there, there is no item, the time is none, or the task is cancelled, which is
  ///   answered at once; the player goes there all the same then.
  @discardableResult
  public func seek(to time: Time) async -> Bool {
    await seek { go(to: time, exactly: false, $0) }
  }

  /// Goes to a time of the current item, within tolerances, and waits until the player is there
  /// (`AVPlayer.seek(to:toleranceBefore:toleranceAfter:)` of a task).
  ///
  /// - Returns: As `seek(to:)`.
  @discardableResult
  public func seek(
    to time: Time, toleranceBefore before: Time, toleranceAfter after: Time
  ) async -> Bool {
    await seek { go(to: time, exactly: before <= .zero && after <= .zero, $0) }
  }

  /// Goes to a time of the current item, and calls a block when the player is there
  /// (`AVPlayer.seek(to:completionHandler:)`).
  ///
  /// - Parameters:
  ///   - time: As for `seek(to:)`.
  ///   - completionHandler: Called once, on a thread of the player, with what the `seek(to:)` of a task
  ///     returns; it must return soon.
  public func seek(to time: Time, completionHandler: @escaping @Sendable (Bool) -> Void) {
    go(to: time, exactly: false, completionHandler)
  }

  private func seek(_ begin: (@escaping @Sendable (Bool) -> Void) -> Void) async -> Bool {
    let arrival = Delivery<Bool>()
    begin { arrival.deliver(.success($0)) }
    return (try? await arrival.value()) ?? false
  }

  private func go(
    to time: Time, exactly isExact: Bool, _ completion: (@Sendable (Bool) -> Void)? = nil
  ) {
    engine.update { state in
      guard time.isNumeric || time.isInfinite, let item = state.current else {
        if let completion { state.waiters.answer { completion(false) } }
        return
      }
      let time = max(.zero, min(time, item.duration))
      let place = PlayerState.Jump(item: item, time: time, isExact: isExact)
      state.jump = place
      state.rest = place
      state.waiters.seek = completion
    }
  }
}
