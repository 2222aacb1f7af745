import Synchronization

/// A command that other programs may give (`MPRemoteCommand`). It can be used if it is enabled and
/// has a target.
///
/// Safe from any thread.
public final class RemoteCommand<Event: Sendable>: Sendable {
  /// Performs the command.
  public typealias Handler = @Sendable (Event) -> RemoteCommandHandlerStatus

  /// A target, to be removed.
  public struct Target: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct State {
    var isEnabled = true
    var targets: [(target: Target, handler: Handler)] = []
    var next = 0

    var isSupported: Bool { isEnabled && !targets.isEmpty }
  }

  let core: NowPlayingCore
  private let state = Mutex(State())

  init(_ core: NowPlayingCore) { self.core = core }

  /// Whether the command can be used, if there is a target; true by default (`isEnabled`).
  public var isEnabled: Bool {
    get { state.withLock { $0.isEnabled } }
    set { change { $0.isEnabled = newValue } }
  }

  /// Adds a target (`addTarget(handler:)`).
  ///
  /// - Parameter handler: Called on the session's thread, one command at a time. The caller of the
  ///   command waits for its status, so it should return soon. Its captures live until the target is
  ///   removed.
  /// - Returns: The target, which stays until it is removed.
  @discardableResult
  public func addTarget(handler: @escaping Handler) -> Target {
    change { state in
      let target = Target(number: state.next)
      state.next += 1
      state.targets.append((target, handler))
      return target
    }
  }

  /// Removes a target (`removeTarget(_:)`). A call that has begun goes on. O(targets).
  public func removeTarget(_ target: Target) {
    change { $0.targets.removeAll { $0.target == target } }
  }

  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    let (result, isSeen) = state.withLock { state in
      let before = state.isSupported
      return (body(&state), state.isSupported != before)
    }
    if isSeen { core.commandsHaveChanged() }
    return result
  }

  /// Whether it can be used.
  var isSupported: Bool { state.withLock { $0.isSupported } }

  /// Calls all targets, in order.
  ///
  /// - Returns: The first status that is no success; nil if the command cannot be used.
  func perform(_ event: Event) -> RemoteCommandHandlerStatus? {
    let handlers = state.withLock { $0.isSupported ? $0.targets.map(\.handler) : [] }
    guard !handlers.isEmpty else { return nil }
    return handlers.map { $0(event) }.first { $0 != .success } ?? .success
  }
}

extension RemoteCommand where Event == ChangePlaybackRateCommandEvent {
  /// The rates that others may ask for, as a range that holds 1
  /// (`MPChangePlaybackRateCommand.supportedPlaybackRates`, which is a list). Others are limited to
  /// it.
  public var supportedPlaybackRates: ClosedRange<Double> {
    get { core.read { $0.supportedRates } }
    set {
      let isSensible = newValue.lowerBound > 0 && newValue.contains(1)
      core.update { $0.supportedRates = isSensible ? newValue : 1...1 }
    }
  }
}

extension RemoteCommand where Event == ChangeRepeatModeCommandEvent {
  /// What is repeated now (`MPChangeRepeatModeCommand.currentRepeatType`).
  public var currentRepeatType: RepeatType {
    get { core.read { $0.repeatType } }
    set { core.update { $0.repeatType = newValue } }
  }
}

extension RemoteCommand where Event == ChangeShuffleModeCommandEvent {
  /// What is shuffled now (`MPChangeShuffleModeCommand.currentShuffleType`).
  public var currentShuffleType: ShuffleType {
    get { core.read { $0.shuffleType } }
    set { core.update { $0.shuffleType = newValue } }
  }
}

extension RemoteCommand where Event == ChangeVolumeCommandEvent {
  /// The volume now, a factor: 1 is the sound as it is. One that is no number is 1, and one below 0
  /// is 0.
  package var currentVolume: Double {
    get { core.read { $0.volume } }
    set { core.update { $0.volume = newValue.isFinite ? max(0, newValue) : 1 } }
  }
}
