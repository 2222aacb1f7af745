internal import Threads

/// Handles with their connections, kept by origin, and the queues of requests for them. Safe from
/// any thread.
///
/// A handle stays with its origin, so that the check of an address when its connection was opened
/// holds for all requests on it.
final class OriginPool: Sendable {
  private let greatestActive: Int
  private let greatestIdle: Int
  private let state = Monitor(State())

  private struct State {
    /// The count of running requests, by origin; no count is 0.
    var active: [Origin: Int] = [:]
    /// The tickets of waiting requests, the oldest first.
    var queue: [Origin: [UInt64]] = [:]
    var nextTicket: UInt64 = 0
    /// The handles without a request; the one that has been idle for longest is first.
    var idle: [(origin: Origin, handle: CurlHandle)] = []

    mutating func leave(_ origin: Origin, _ ticket: UInt64) {
      queue[origin]?.removeAll { $0 == ticket }
      if queue[origin]?.isEmpty == true { queue[origin] = nil }
    }

    mutating func takeHandle(of origin: Origin) -> CurlHandle? {
      idle.lastIndex { $0.origin == origin }.map { idle.remove(at: $0).handle }
    }
  }

  /// A pool with limits for the running requests of an origin and for idle handles.
  init(requestsPerOrigin: Int, idle: Int) {
    (greatestActive, greatestIdle) = (max(1, requestsPerOrigin), max(0, idle))
  }

  /// Runs `body` with a handle that no other thread uses, when earlier requests have had their
  /// turns.
  ///
  /// - Parameters:
  ///   - origin: The origin of the request.
  ///   - isCancelled: Asked ten times a second while the request waits, not under a lock.
  ///   - body: The request.
  /// - Returns: The result of `body`.
  /// - Throws: `HTTPError.cancelled`, and the errors of `body`.
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
    // Closed outside of the lock: closing a TLS connection sends close_notify.
    let dropped = state.withLock { state -> CurlHandle? in
      let active = state.active[origin, default: 0] - 1
      state.active[origin] = active > 0 ? active : nil
      if let handle { state.idle.append((origin, handle)) }
      return state.idle.count > greatestIdle ? state.idle.removeFirst().handle : nil
    }
    withExtendedLifetime(dropped) {}
  }
}
