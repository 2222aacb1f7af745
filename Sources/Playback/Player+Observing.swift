import MediaTime

/// Events, and the times that are heard.
extension Player {
  /// The events from now on, until the player is released. A slow reader misses the oldest of more
  /// than a thousand.
  public var events: AsyncStream<PlayerEvent> { engine.observers.events() }

  /// Calls `block` for each event from now on: `events` for programs without a task, and without a
  /// limit.
  ///
  /// - Parameter block: Called on the player's threads, also on several at a time; it must return
  ///   soon. Its captures live until the observation is released.
  /// - Returns: The observation, which lasts as long as this object.
  public func addEventObserver(
    using block: @escaping @Sendable (PlayerEvent) -> Void
  ) -> PlayerObservation {
    engine.observers.add(block)
  }

  /// Calls `block` whenever a multiple of `interval` is heard, and once for each jump: a seek, also in a
  /// pause, and the start of an item or of a loop (`addPeriodicTimeObserver(forInterval:queue:using:)`).
  ///
  /// Unlike AVPlayer's, it is not called when playback pauses and goes on: `values(of:)` has the changes
  /// of `timeControlStatus`.
  ///
  /// The captures of `block` live until the observation is released. A strong reference to the
  /// player keeps the player, its threads and its device: capture it weakly (`[weak player]`).
  ///
  /// - Parameters:
  ///   - interval: More than zero; multiples within 10 ms are reported together.
  ///   - block: Gets the time of the item, on a thread of the player; it must return soon.
  /// - Returns: The observation, which lasts as long as this object.
  public func addPeriodicTimeObserver(
    forInterval interval: Time, using block: @escaping @Sendable (Time) -> Void
  ) -> PlayerObservation {
    engine.timeObservers.add(every: interval, block)
  }

  /// Calls `block` whenever one of `times` of the item is heard, once each time
  /// (`addBoundaryTimeObserver(forTimes:queue:using:)`): not when a jump skips it, and not again when a
  /// pause at that place ends. The item's duration counts as heard at its end.
  ///
  /// Capture the player weakly, as for `addPeriodicTimeObserver`.
  ///
  /// - Parameters:
  ///   - times: Times of the item that is heard, whichever it is.
  ///   - block: Gets the time of `times`, some 10 ms after it is heard, on a thread of the player; it must return soon.
  /// - Returns: The observation, which lasts as long as this object.
  public func addBoundaryTimeObserver(
    forTimes times: [Time], using block: @escaping @Sendable (Time) -> Void
  ) -> PlayerObservation {
    engine.timeObservers.add(at: times, block)
  }
}
