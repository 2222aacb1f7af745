import LibAV
import Threads

/// The digest of a sound (MD5), which is one chain: no two threads can share it. It is made a block at a
/// time on any thread of a crew, so that the job's own one has time for what it alone can do.
///
/// One thread at a time, the job's own.
final class DigestQueue {
  private let crew: Crew
  private let task: DigestTask
  /// Of the blocks that the task has, until it is done with them.
  private var ticket: Crew.Ticket?
  /// The block that is being filled.
  private var open = DigestBlock()
  /// Filled ones that the task does not have yet.
  private var waiting: [DigestBlock] = []
  private var isFinished = false

  /// Blocks that may wait before the owner works on them itself: none where no other thread does.
  private var most: Int { crew.mostThreads > 1 ? 8 : 0 }

  init(_ crew: Crew) throws(LibAVError) {
    self.crew = crew
    task = DigestTask(try MD5())
  }

  deinit { crew.withdraw(ticket.map { [$0] } ?? []) }

  /// Adds `count` bytes, which `fill` puts at the start of so much `room`, at most
  /// `DigestBlock.capacity`.
  func append(count: Int, room: Int, _ fill: (UnsafeMutableRawPointer) -> Void) {
    if open.count + room > DigestBlock.capacity { close() }
    fill(open.bytes + open.count)
    open.count += count
  }

  /// The digest of all bytes: 16 of them; nil where it was given out before. Nothing may be added after it.
  func finish() -> [UInt8]? {
    guard !isFinished else { return nil }
    isFinished = true
    close()
    while !waiting.isEmpty || !isIdle {
      complete()
      hand()
    }
    return task.digest.take()?.finish()
  }

  private var isIdle: Bool { ticket.map(crew.isDone) ?? true }

  private func close() {
    waiting.append(open)
    if !isIdle, waiting.count >= most { complete() }
    hand()
    open = DigestBlock()
  }

  /// Works until the task has done all that it has.
  private func complete() {
    while let ticket, !crew.isDone(ticket) { crew.work(for: ticket) }
  }

  /// Gives the task what waits, if it has nothing to do.
  private func hand() {
    guard isIdle, !waiting.isEmpty else { return }
    task.blocks = waiting
    waiting = []
    ticket = crew.add(task, priority: .ahead, keeping: 1)
  }
}

/// Bytes of a sound, in order.
private final class DigestBlock {
  static let capacity = 1 << 20

  let bytes = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
  var count = 0

  deinit { bytes.deallocate() }
}

/// Digests blocks.
//
// `@unchecked Sendable`: it goes from its owner to the threads that advance it, one at a time, and back,
// by way of a `Crew`, whose lock orders all of these threads.
private final class DigestTask: CrewTask, @unchecked Sendable {
  var digest: MD5?
  var blocks: [DigestBlock] = []

  init(_ digest: consuming MD5) { self.digest = consume digest }

  func advance() -> Bool {
    guard !blocks.isEmpty else { return true }
    let block = blocks.removeFirst()
    digest?.update(UnsafeRawBufferPointer(start: block.bytes, count: block.count))
    return blocks.isEmpty
  }
}
