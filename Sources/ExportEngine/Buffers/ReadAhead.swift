import Diagnosis
import MediaComposition
import Threads

/// Buffers that a thread of its own renders, a few ahead of the task that takes them. The thread begins
/// with the first call, and ends with this object.
final class ReadAhead: Sendable {
  private let queue = BufferQueue()
  private let isStarted = Monitor(false)
  private let make: @Sendable (CancellationFlag) -> SoundReading

  /// `make` makes the reading, on its thread.
  init(_ make: @escaping @Sendable (CancellationFlag) -> SoundReading) { self.make = make }

  deinit { queue.cancel() }

  /// The next buffer; nil behind the last.
  ///
  /// - Throws: What the reading throws, and the code `cancelled` at once where the task is cancelled.
  func next() async throws(Failure) -> PCMBuffer? {
    start()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { queue.take($0) }
    } onCancel: {
      queue.cancel()
    }
    return try result.get()
  }

  private func start() {
    let isFirst = isStarted.withLock { isStarted in
      defer { isStarted = true }
      return !isStarted
    }
    guard isFirst else { return }
    // Of this object the thread holds nothing: its release ends the thread.
    let (queue, make) = (queue, make)
    do throws(Thread.SpawnError) {
      _ = try Thread.spawn(name: "avjob reader") {
        let reading = make(queue.cancellation)
        do throws(Failure) {
          // A source that does not answer is left alone when nobody waits any more.
          try queue.cancellation.endingReads { () throws(Failure) in
            while let buffer = try reading.next() {
              guard queue.send(buffer) else { return }
            }
            queue.end(.success(()))
          }
        } catch {
          queue.end(.failure(error))
        }
      }
    } catch {
      queue.end(.failure(.outOfThreads(error)))
    }
  }
}

/// Some buffers between a thread, which waits for room, and a task, which does not block.
private final class BufferQueue: Sendable {
  typealias Receiver = CheckedContinuation<Result<PCMBuffer?, Failure>, Never>

  private struct State {
    var ready: [PCMBuffer] = []
    /// Tasks that wait, the longest first; where there are some, nothing is ready.
    var receivers: [Receiver] = []
    var end: Result<Void, Failure>?
  }

  private let state = Monitor(State())
  /// Ends the thread's work in a file or a decoder.
  let cancellation = CancellationFlag()
  /// Buffers that may be ready: some tenths of a second, whatever the sound.
  private static let capacity = 4

  /// Passes a buffer on, waiting for room; false where nobody takes it any more.
  func send(_ buffer: PCMBuffer) -> Bool {
    let receiver = state.wait { state -> Receiver?? in
      if state.end != nil { return .some(nil) }
      if !state.receivers.isEmpty { return state.receivers.removeFirst() }
      guard state.ready.count < Self.capacity else { return nil }
      state.ready.append(buffer)
      return .some(nil)
    }
    receiver?.resume(returning: .success(buffer))
    return !cancellation.isCancelled
  }

  /// Gives the next buffer to a task as soon as there is one.
  func take(_ receiver: Receiver) {
    let answer = state.withLock { state -> Result<PCMBuffer?, Failure>? in
      if !state.ready.isEmpty { return .success(state.ready.removeFirst()) }
      if let end = state.end { return end.map { nil } }
      state.receivers.append(receiver)
      return nil
    }
    if let answer { receiver.resume(returning: answer) }
  }

  /// Says that nothing more comes. Only the first end counts.
  func end(_ result: Result<Void, Failure>) {
    let receivers = state.withLock { state in
      if state.end == nil { state.end = result }
      defer { state.receivers = [] }
      return state.receivers
    }
    for receiver in receivers { receiver.resume(returning: result.map { nil }) }
  }

  /// Ends the reading; what is ready is not read any more.
  func cancel() {
    cancellation.cancel()
    state.withLock { state in
      state.ready = []
      state.end = .failure(.cancelled)
    }
    end(.failure(.cancelled))
  }
}
