import Threads

internal import CPulse

/// A connection to a sound server: PulseAudio, or PipeWire by its `pipewire-pulse`.
///
/// Safe from any thread, except inside the blocks that it is given: these run on its loop's thread,
/// and may neither block nor call it. The release disconnects, and waits for that thread.
//
// `@unchecked Sendable`: the pointers do not change, and everything behind them is used with the
// loop's lock.
package final class PulseConnection: @unchecked Sendable {
  let library: PulseLibrary
  let context: OpaquePointer
  private let loop: OpaquePointer
  /// What threads wait for: answers, and the connection's state.
  let answers: Monitor<Answers>
  /// Lives as long as the loop's thread, which calls it.
  private let callbacks: Callbacks
  /// What else the loop's thread calls, until it has ended. Used with the lock.
  var kept: [AnyObject] = []

  /// The state of a connection, in which the answers to requests arrive.
  struct Answers {
    var isReady = false
    /// The error that has ended the connection.
    var failure: PulseError?
  }

  /// What the loop's thread calls.
  final class Callbacks: Sendable {
    let answers: Monitor<Answers>
    let library: PulseLibrary
    let devicesChanged: @Sendable () -> Void
    let failed: @Sendable () -> Void

    init(
      _ answers: Monitor<Answers>, _ library: PulseLibrary,
      devicesChanged: @escaping @Sendable () -> Void, failed: @escaping @Sendable () -> Void
    ) {
      (self.answers, self.library) = (answers, library)
      (self.devicesChanged, self.failed) = (devicesChanged, failed)
    }

    func takeState(of context: OpaquePointer) {
      let state = library.functions.context_get_state(context)
      switch state.rawValue {
      case PA_CONTEXT_READY.rawValue: answers.withLock { $0.isReady = true }
      case PA_CONTEXT_FAILED.rawValue, PA_CONTEXT_TERMINATED.rawValue:
        let code = library.functions.context_errno(context)
        let error = library.error(code, "pa_context_connect")
        let wasReady = answers.withLock { answers in
          answers.failure = answers.failure ?? error
          return answers.isReady
        }
        if wasReady { failed() }
      default: break
      }
    }
  }

  /// How long a server may take for an answer: it shares the machine, and needs no network.
  package static let patience = Duration.seconds(5)

  /// Connects to a server that runs; none is started.
  ///
  /// - Parameters:
  ///   - server: Its address, such as `unix:/run/user/1000/pulse/native`; nil: libpulse's default
  ///     (PULSE_SERVER, client.conf, the user's socket).
  ///   - properties: Of this program: `application.name` …
  ///   - patience: How long it may take.
  ///   - devicesChanged: Called for each change of a device or of the default device; nil: none are
  ///     asked for.
  ///   - failed: Called when the server has ended the connection.
  /// - Throws: `PulseError`.
  package init(
    server: String? = nil, properties: [String: String] = [:], patience: Duration = patience,
    devicesChanged: (@Sendable () -> Void)? = nil, failed: @escaping @Sendable () -> Void = {}
  ) throws(PulseError) {
    let library = try PulseLibrary.loaded()
    let pulse = library.functions
    guard let loop = pulse.threaded_mainloop_new() else {
      throw PulseError(.other, "pa_threaded_mainloop_new", "out of memory")
    }
    let name = properties["application.name"]
    let context = library.withProperties(properties) {
      pulse.context_new_with_proplist(pulse.threaded_mainloop_get_api(loop), name, $0)
    }
    guard let context else {
      pulse.threaded_mainloop_free(loop)
      throw PulseError(.other, "pa_context_new_with_proplist", "out of memory")
    }
    answers = Monitor(Answers())
    callbacks = Callbacks(
      answers, library, devicesChanged: devicesChanged ?? {}, failed: failed)
    (self.library, self.loop, self.context) = (library, loop, context)
    // `deinit` runs after a failure from here on.
    pulse.context_set_state_callback(
      context, contextChanged, Unmanaged.passUnretained(callbacks).toOpaque())
    guard pulse.context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else {
      throw library.error(pulse.context_errno(context), "pa_context_connect")
    }
    guard pulse.threaded_mainloop_start(loop) >= 0 else {
      throw PulseError(.other, "pa_threaded_mainloop_start", "no thread could be started")
    }
    try wait(for: "pa_context_connect", patience) { $0.isReady ? .some(()) : nil }
    if devicesChanged != nil { subscribe() }
  }

  deinit {
    let pulse = library.functions
    locked {
      pulse.context_set_state_callback(context, nil, nil)
      pulse.context_set_subscribe_callback(context, nil, nil)
      pulse.context_disconnect(context)
    }
    pulse.threaded_mainloop_stop(loop)
    pulse.context_unref(context)
    pulse.threaded_mainloop_free(loop)
  }

  /// Whether the connection is there still.
  package var isAlive: Bool { answers.withLock { $0.failure == nil } }

  private func subscribe() {
    let pulse = library.functions
    locked {
      pulse.context_set_subscribe_callback(
        context, { _, _, _, data in receiver(data)?.devicesChanged() },
        Unmanaged.passUnretained(callbacks).toOpaque())
      forget(pulse.context_subscribe(context, avjob_pulse_devices_mask(), nil, nil))
    }
  }

  /// Runs `body` with the loop's lock, without which libpulse may not be called.
  func locked<Result>(_ body: () -> Result) -> Result {
    library.functions.threaded_mainloop_lock(loop)
    defer { library.functions.threaded_mainloop_unlock(loop) }
    return body()
  }

  /// Releases a request, whose answer still comes.
  func forget(_ operation: OpaquePointer?) {
    if let operation { library.functions.operation_unref(operation) }
  }

  /// The error of the last call; with the lock.
  func lastError(_ call: String) -> PulseError {
    library.error(library.functions.context_errno(context), call)
  }

  /// Waits, without the lock, until `body` returns a value.
  ///
  /// - Throws: The failure of the connection; `.timeout` if it takes longer than `patience`.
  func wait<Result>(
    for call: String, _ patience: Duration = patience, _ body: (Answers) -> Result?
  ) throws(PulseError) -> Result {
    let deadline = ContinuousClock.now + patience
    let found: Swift.Result<Result, PulseError> = answers.wait { answers in
      if let failure = answers.failure { return .now(.failure(failure)) }
      if let result = body(answers) { return .now(.success(result)) }
      guard ContinuousClock.now < deadline else {
        return .now(.failure(PulseError(.timeout, call, "no answer")))
      }
      return .later(by: deadline)
    }
    return try found.get()
  }

  /// Makes a request, and waits for its answer.
  ///
  /// - Parameters:
  ///   - call: Its name.
  ///   - reply: Where the request's callback puts the answer.
  ///   - start: Makes the request with the lock; `reply` is to be its user data.
  /// - Returns: The parts of the answer.
  /// - Throws: As `wait`; the server's refusal.
  func ask<Value>(
    _ call: String, _ reply: Reply<Value>,
    _ start: (UnsafeMutableRawPointer) -> OpaquePointer?
  ) throws(PulseError) -> [Value] {
    let data = Unmanaged.passUnretained(reply).toOpaque()
    let operation = locked { start(data) }
    guard let operation else { throw locked { lastError(call) } }
    defer {
      locked {
        // An answer after this would find no reply.
        library.functions.operation_cancel(operation)
        library.functions.operation_unref(operation)
      }
    }
    let values = try wait(for: call) { _ in reply.isDone ? .some(reply.answer) : nil }
    guard let values else { throw locked { lastError(call) } }
    return values
  }
}

/// The answer to a request.
//
// `@unchecked Sendable`: the loop's thread writes it, in callbacks of its request; the thread that
// made the request reads it, and resets it while no request has it. Both hold the lock of `answers`:
// the methods take it, and the properties are for bodies of `PulseConnection.wait`, which has it.
final class Reply<Value>: @unchecked Sendable {
  fileprivate(set) var values: [Value] = []
  fileprivate(set) var isDone = false
  private var hasFailed = false
  private let answers: Monitor<PulseConnection.Answers>

  init(_ connection: PulseConnection) { answers = connection.answers }

  /// All parts; nil if the server has refused the request.
  var answer: [Value]? { hasFailed ? nil : values }

  /// Takes a part of the answer.
  ///
  /// - Parameters:
  ///   - value: The part; nil: none.
  ///   - end: libpulse's `eol`: 0 for a part, more than 0 for the end, less for a refusal.
  func take(_ value: Value?, end: Int32) {
    answers.withLock { _ in
      if let value, end == 0 { values.append(value) }
      if end != 0 { (isDone, hasFailed) = (true, end < 0) }
    }
  }

  /// Takes the answer, unless there is one.
  func finish(with value: Value) {
    answers.withLock { _ in
      if !isDone { values.append(value) }
      isDone = true
    }
  }

  /// Forgets the answer, before another request.
  func reset() { answers.withLock { _ in (values, isDone, hasFailed) = ([], false, false) } }

  /// The reply behind a request's user data.
  static func behind(_ data: UnsafeMutableRawPointer?) -> Reply? {
    data.map { Unmanaged<Reply>.fromOpaque($0).takeUnretainedValue() }
  }
}

private func receiver(_ data: UnsafeMutableRawPointer?) -> PulseConnection.Callbacks? {
  data.map { Unmanaged<PulseConnection.Callbacks>.fromOpaque($0).takeUnretainedValue() }
}

private func contextChanged(_ context: OpaquePointer?, _ data: UnsafeMutableRawPointer?) {
  if let context { receiver(data)?.takeState(of: context) }
}
