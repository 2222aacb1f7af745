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

  /// Adds integer samples of all channels in turn, each of as few whole bytes as its bits need, the lowest
  /// first, as a FLAC has them in its digest (RFC 9639, 8.2).
  ///
  /// - Parameters:
  ///   - planes: One for each channel, from its first sample on.
  ///   - count: Samples of each channel, at most 4096 of 64 channels.
  ///   - channels: How many planes there are.
  ///   - bits: Of a sample, from 1 to 32.
  /// - Complexity: O(samples)
  func append(
    _ planes: UnsafePointer<UnsafeMutablePointer<Int32>>, count: Int, channels: Int, bits: Int
  ) {
    let (samples, width) = (count * channels, (bits + 7) / 8)
    append(count: width * samples, room: (width == 3 ? 4 : width) * samples) { start in
      switch width {
      case 1:
        interleave(planes, 0, count, channels, to: start) { Int8(truncatingIfNeeded: $0) }
      case 2:
        interleave(planes, 0, count, channels, to: start) { Int16(truncatingIfNeeded: $0) }
      case 3:
        // Three of the four bytes of each sample, the next one's over the fourth.
        for index in 0..<count {
          for channel in 0..<channels {
            (start + 3 * (index * channels + channel))
              .storeBytes(of: planes[channel][index], as: Int32.self)
          }
        }
      default:
        interleave(planes, 0, count, channels, to: start) { $0 }
      }
    }
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
