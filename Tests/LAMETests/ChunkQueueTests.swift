import Glibc
import MPEGAudio
import TestSupport
import Testing
import Threads

@testable import LAME

@Suite("ChunkQueue")
struct ChunkQueueTests {
  @Test("a helper whose core somebody waits for leaves its chunk, half-way, to whoever comes next")
  func puttingBack() throws {
    let setup = try EncoderSetup(.standard, sampleRate: 44100, channelCount: 1)
    let queue = ChunkQueue(setup, budget: nil, cancellation: CancellationFlag())
    let noise = Signal.noise(seed: 1, count: 100 * 1152)
    let chunks = [0, 100].map { firstFrame in
      let sound = ChunkSound(channelCount: 1, capacity: noise.count)
      _ = withPlanes([noise]) { sound.append($0, from: 0, count: noise.count) }
      return Chunk(firstFrame: firstFrame, soundStart: firstFrame, sound: sound)
    }
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
    #expect(try claimed.lane?.frames == serial([noise], setup))
    #expect(queue.claim() === chunks[1])
  }

  @Test("who waits for a chunk that is put back wakes up, and may encode it")
  func wakingUp() throws {
    let setup = try EncoderSetup(.standard, sampleRate: 44100, channelCount: 1)
    let queue = ChunkQueue(setup, budget: nil, cancellation: CancellationFlag())
    let chunk = Chunk(
      firstFrame: 0, soundStart: 0, sound: ChunkSound(channelCount: 1, capacity: 1152))
    queue.add(chunk)
    queue.wait(for: chunk)
    #expect(queue.claim() === chunk)
    while !queue.advance(chunk) {}
    queue.wait(for: chunk)
    #expect(try queue.isEncoded(chunk))
  }
}
