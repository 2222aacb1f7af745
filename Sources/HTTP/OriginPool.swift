internal import Threads

/// Handles with their connections, kept by origin, and the turns of those who wait for one. Safe
/// from any thread.
///
/// A handle stays with its origin, so that what was checked when its connection was opened holds
/// for all requests on it.
final class OriginPool: Sendable {
  private let greatestActive: Int
  private let greatestIdle: Int
  private let state = Monitor(State())

  private struct State {
    /// Requests that run, by origin; none is 0.
    var active: [Origin: Int] = [:]
    /// Tickets of requests that wait, the oldest first.
    var queue: [Origin: [UInt64]] = [:]
    var nextTicket: UInt64 = 0
    /// The longest idle first.
    var idle: [(origin: Origin, handle: CurlHandle)] = []

    mutating func leave(_ origin: Origin, _ ticket: UInt64) {
      queue[origin]?.removeAll { $0 == ticket }
      if queue[origin]?.isEmpty == true { queue[origin] = nil }
    }

    mutating func takeHandle(of origin: Origin) -> CurlHandle? {
      idle.lastIndex { $0.origin == origin }.map { idle.remove(at: $0).handle }
    }
  }

  /// A pool that lets so many requests run at once for an origin, and keeps so many idle handles.
  init(requestsPerOrigin: Int, idle: Int) {
    (greatestActive, greatestIdle) = (max(1, requestsPerOrigin), max(0, idle))
  }

  /// Runs `body` with a handle that no other thread uses, after those that came before.
  ///
  /// - Parameters:
  ///   - origin: Whose turn it is.
  ///   - isCancelled: Asked ten times a second while it is not; not under a lock.
  ///   - body: The request.
  /// - Returns: What `body` returns.
  /// - Throws: `HTTPError.cancelled`, and what `body` throws.
  func withHandle<Result>(
    of origin: Origin, unless isCancelled: () -> Bool,
    _ body: (CurlHandle) throws(HTTPError) -> Result
  ) throws(HTTPError) -> Result {
    let kept = try waitForTurn(origin, unless: isCancelled)
    var used: CurlHandle?
    defer { giveBack(used, to: origin) }
    let handle: CurlHandle
    if let kept { handle = kept } else { handle = try CurlHandle() }
    used = handle
    return try body(handle)
  }

  private func waitForTurn(
    _ origin: Origin, unless isCancelled: () -> Bool
  ) throws(HTTPError) -> CurlHandle? {
    let ticket = state.withLock { state in
      defer { state.nextTicket += 1 }
      state.queue[origin, default: []].append(state.nextTicket)
      return state.nextTicket
    }
    while true {
      if isCancelled() {
        state.withLock { $0.leave(origin, ticket) }
        throw .cancelled
      }
      let deadline = ContinuousClock.now + .milliseconds(100)
      let turn = state.wait { state -> Monitor<State>.Answer<(isMine: Bool, kept: CurlHandle?)> in
        if state.queue[origin]?.first == ticket, state.active[origin, default: 0] < greatestActive {
          state.leave(origin, ticket)
          state.active[origin, default: 0] += 1
          return .now((true, state.takeHandle(of: origin)))
        }
        return ContinuousClock.now < deadline ? .later(by: deadline) : .now((false, nil))
      }
      if turn.isMine { return turn.kept }
    }
  }

  private func giveBack(_ handle: CurlHandle?, to origin: Origin) {
    // Closed outside of the lock: TLS says goodbye.
    let dropped = state.withLock { state -> CurlHandle? in
      let active = state.active[origin, default: 0] - 1
      state.active[origin] = active > 0 ? active : nil
      if let handle { state.idle.append((origin, handle)) }
      return state.idle.count > greatestIdle ? state.idle.removeFirst().handle : nil
    }
    withExtendedLifetime(dropped) {}
  }
}
