import Glibc
import TestSupport
import Testing
import Threads

@testable import Splicing

@Suite("ChunkQueue")
struct ChunkQueueTests {
  private func chunk(_ number: Int, _ samples: [Float]) -> Chunk<ToyCodec> {
    let sound = ChunkSound(channelCount: 1, capacity: max(1, samples.count))
    _ = withPlane(samples) { sound.append($0, from: 0, count: samples.count) }
    let start = Int64(number * samples.count)
    return Chunk(number, start: start, soundStart: start, sound: sound)
  }

  @Test("a helper whose core somebody waits for leaves its chunk, half-way, to whoever comes next")
  func puttingBack() throws {
    let queue = ChunkQueue(ToyCodec(), budget: nil, cancellation: CancellationFlag())
    let samples = [Float](repeating: 1, count: 1000)
    let chunks = (0..<2).map { chunk($0, samples) }
    chunks[0].isLast = true
    for chunk in chunks { queue.add(chunk) }

    let budget = CPUBudget(total: 1)
    let lease = try #require(budget.tryLease())
    let job = try Thread.spawn(name: "job") { budget.lease()?.release() }
    while !lease.isWanted { usleep(1000) }
    queue.help(on: lease)
    lease.release()
    job.join()

    #expect(try !queue.isEncoded(chunks[0]))
    let claimed = try #require(queue.claim())
    #expect(claimed === chunks[0] && claimed.lane != nil)
    while !queue.advance(claimed) {}
    #expect(try queue.isEncoded(claimed))
    #expect(claimed.lane?.packets.count == 100)
    #expect(queue.claim() === chunks[1])
  }

  @Test("who waits for a chunk that is put back wakes up, and may encode it")
  func wakingUp() throws {
    let queue = ChunkQueue(ToyCodec(), budget: nil, cancellation: CancellationFlag())
    let chunk = chunk(0, [])
    queue.add(chunk)
    queue.wait(for: chunk)
    #expect(queue.claim() === chunk)
    while !queue.advance(chunk) {}
    queue.wait(for: chunk)
    #expect(try queue.isEncoded(chunk))
  }
}
