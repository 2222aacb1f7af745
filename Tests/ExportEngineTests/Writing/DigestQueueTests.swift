import LibAV
import Splicing
import TestSupport
import Testing
import Threads

@testable import ExportEngine

/// The digest of a sound beside its encoders.
@Suite("The digest of a sound, on the threads of a crew") struct DigestQueueTests {
  @Test("it is that of all bytes in order, on any number of threads", arguments: [1, 2, 3, 8])
  func digest(cores: Int) throws {
    var dice = Dice(44)
    let bytes = dice.bytes(12_000_007)
    var whole = try MD5()
    bytes.withUnsafeBytes { whole.update($0) }
    let budget = CPUBudget(total: cores)
    let own = budget.tryLease()
    defer { own?.release() }
    let found = try Crew.gather(from: budget, unless: CancellationFlag()) { crew in
      let queue = try DigestQueue(crew)
      var start = 0
      while start < bytes.count {
        let count = min(bytes.count - start, Int.random(in: 0...100_000, using: &dice))
        // More room than bytes, as samples of 24 bits take.
        queue.append(count: count, room: count + 1) { place in
          UnsafeMutableRawBufferPointer(start: place, count: count)
            .copyBytes(from: bytes[start..<start + count])
        }
        start += count
      }
      let digest = queue.finish()
      // Writers end twice.
      #expect(queue.finish() == nil)
      return digest
    }
    let expected = whole.finish()
    #expect(found == expected)
  }

  @Test(
    "samples of each depth are added in turn, the lowest byte first, in as few bytes as hold them")
  func samples() throws {
    var dice = Dice(45)
    for bits in 1...32 {
      for channels in 1...3 {
        let sound = ChunkSound<Int32>(channelCount: channels, capacity: 1000)
        var bytes: [UInt8] = []
        let queue = try DigestQueue(Crew())
        for count in [1000, 1, 0, 333] {
          for index in 0..<count {
            for channel in 0..<channels {
              let sample = Int32(truncatingIfNeeded: dice.next()) >> Int32(32 - bits)
              sound.planes[channel][index] = sample
              bytes += (0..<(bits + 7) / 8).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) }
            }
          }
          queue.append(
            UnsafePointer(sound.planes), count: count, channels: channels, bits: bits)
        }
        var whole = try MD5()
        bytes.withUnsafeBytes { whole.update($0) }
        let expected = whole.finish()
        #expect(queue.finish() == expected, "\(bits) bits, \(channels) channels")
      }
    }
  }

  @Test("one that is given up takes its work back from its crew")
  func withdrawn() throws {
    // Without helpers nobody does the work, whose ticket is the first.
    let crew = Crew()
    do {
      let queue = try DigestQueue(crew)
      for _ in 0..<2 {
        queue.append(count: 1 << 20, room: 1 << 20) {
          $0.initializeMemory(as: UInt8.self, repeating: 1, count: 1 << 20)
        }
      }
      withExtendedLifetime(queue) { #expect(!crew.isDone(0)) }
    }
    #expect(crew.isDone(0))
  }

  @Test("one that is given up leaves its crew without work")
  func abandoned() throws {
    let budget = CPUBudget(total: 2)
    let own = budget.tryLease()
    defer { own?.release() }
    try Crew.gather(from: budget, unless: CancellationFlag()) { crew in
      let queue = try DigestQueue(crew)
      for _ in 0..<5 {
        queue.append(count: 1 << 20, room: 1 << 20) {
          $0.initializeMemory(as: UInt8.self, repeating: 1, count: 1 << 20)
        }
      }
    }
    let idle = budget.tryLease()
    defer { idle?.release() }
    #expect(idle != nil)
  }
}
