import TestSupport
import Testing
import Threads

@testable import Splicing

/// The slow twin is one encoder over the whole sound.
@Suite("One stream, many encoders, of any codec")
struct SplicedEncoderTests {
  private let grid = ChunkGrid(length: 20, warmUp: 4, agreement: 2, shortest: 3)

  private func sound(_ count: Int) -> [Float] {
    Signal.noise(seed: 1, count: count).map { ($0 * 1000).rounded() }
  }

  private func spliced(
    _ codec: ToyCodec, _ sound: [Float], _ grid: ChunkGrid, cores: Int, blockLength: Int = 64,
    to stream: ToyStream = ToyStream()
  ) throws -> [[Float]] {
    let budget = CPUBudget(total: cores)
    let own = budget.tryLease()
    defer { own?.release() }
    let encoder = SplicedEncoder(
      codec, to: stream, grid: grid, crew: Crew(budget: budget))
    defer { encoder.cancel() }
    for start in stride(from: 0, to: sound.count, by: blockLength) {
      let block = Array(sound[start..<min(sound.count, start + blockLength)])
      try withPlane(block) { planes throws(ToyProblem) in
        try encoder.encode(planes, count: block.count)
      }
    }
    #expect(encoder.frameCount == sound.count)
    _ = try encoder.finish()
    return encoder.stream.packets.map(\.row)
  }

  private func serial(_ codec: ToyCodec, _ sound: [Float]) throws -> [[Float]] {
    var packets: [Placed<[Float]>] = []
    let encoder = codec.open(at: 0)
    try withPlane(sound) { planes throws(ToyProblem) in
      try encoder.encode(planes, from: 0, count: sound.count, into: &packets)
      try encoder.finish(into: &packets)
    }
    return packets.map(\.row)
  }

  @Test(
    "packets are those of one encoder, on any number of cores, however the sound comes",
    arguments: [0, 1, 2, 3, 5, 15, nil], [0, 7, 35])
  func twin(memory: Int?, delay: Int) throws {
    for count in [0, 1, 9, 10, 199, 200, 201, 229, 230, 1000, 1234] {
      let codec = ToyCodec(memory: memory, delay: delay)
      let sound = sound(count)
      let twin = try serial(codec, sound)
      for (cores, blockLength) in [(1, 64), (2, 1), (3, 1000), (8, 333)] {
        let isSame =
          try spliced(codec, sound, grid, cores: cores, blockLength: blockLength) == twin
        #expect(isSame, "\(count) frames on \(cores) cores")
      }
    }
  }

  @Test("packets that depend on nothing need neither warm-up nor agreement, nor a second encoder")
  func independent() throws {
    let codec = ToyCodec(memory: 0)
    let grid = ChunkGrid(length: 20, warmUp: 0, agreement: 0, shortest: 1)
    let sound = sound(1000)
    let packets = try spliced(codec, sound, grid, cores: 2)
    #expect(codec.opened.value == 5)
    #expect(try packets == serial(codec, sound))
  }

  @Test("an encoder takes over where the stream has room for its packet, and not before")
  func room() throws {
    let sound = sound(600)
    for (place, starts) in [(0, [0, 200, 400]), (270, [0, 270, 400]), (1000, [0])]
      as [(Int64, [Int64])]
    {
      let encoder = SplicedEncoder(
        ToyCodec(), to: ToyStream { $0 >= place }, grid: grid, crew: Crew())
      try withPlane(sound) { planes throws(ToyProblem) in
        try encoder.encode(planes, count: sound.count)
        _ = try encoder.finish()
      }
      #expect(encoder.stream.starts == starts && encoder.seamCount == starts.count - 1)
      #expect(try encoder.stream.packets.map(\.row) == serial(ToyCodec(), sound))
    }
  }

  @Test("encoders that never agree leave the stream to the first, which keeps none of it back")
  func noAgreement() throws {
    let codec = ToyCodec(memory: nil)
    let encoder = SplicedEncoder(
      codec, to: ToyStream(), grid: grid, crew: Crew())
    let sound = sound(1000)
    try withPlane(sound) { planes throws(ToyProblem) in
      try encoder.encode(planes, count: sound.count)
    }
    #expect(encoder.stream.packets.count >= 40)
    _ = try encoder.finish()
    #expect(try encoder.stream.packets.map(\.row) == serial(codec, sound))
  }

  @Test("a short last chunk is encoded by the encoder before it", arguments: [29, 30, 31])
  func shortest(count: Int) throws {
    let codec = ToyCodec()
    _ = try spliced(codec, sound(200 + count), grid, cores: 1)
    #expect(codec.opened.value == (count < 30 ? 1 : 2))
  }

  @Test("an encoder that fails ends the stream with its error, and leaves no thread behind")
  func failure() throws {
    let budget = CPUBudget(total: 3)
    let codec = ToyCodec(failure: 11)
    let sound = sound(2000)
    Crew.gather(from: budget, unless: CancellationFlag()) { crew in
      let encoder = SplicedEncoder(codec, to: ToyStream(), grid: grid, crew: crew)
      #expect(throws: ToyProblem.broken) {
        try withPlane(sound) { planes throws(ToyProblem) in
          try encoder.encode(planes, count: sound.count)
          _ = try encoder.finish()
        }
      }
      encoder.cancel()
    }
    #expect((0..<3).compactMap { _ in budget.tryLease() }.count == 3)
  }

  @Test("a cancelled encoder throws")
  func cancelled() throws {
    let cancellation = CancellationFlag()
    let encoder = SplicedEncoder(
      ToyCodec(), to: ToyStream(), grid: grid, crew: Crew(cancellation: cancellation))
    cancellation.cancel()
    let sound = sound(1000)
    #expect(throws: ToyProblem.cancelled) {
      try withPlane(sound) { planes throws(ToyProblem) in
        try encoder.encode(planes, count: sound.count)
      }
    }
  }

  @Test("an encoder that goes on alone through a chunk is cancelled there")
  func cancelledAlone() throws {
    let flag = CancellationFlag()
    // The second chunk's encoder has made 24 packets; the first one goes on with its 21st.
    let codec = ToyCodec(memory: nil, cancellation: (flag, 30))
    let encoder = SplicedEncoder(
      codec, to: ToyStream(), grid: grid, crew: Crew(cancellation: flag))
    let sound = sound(400)
    #expect(throws: ToyProblem.cancelled) {
      try withPlane(sound) { planes throws(ToyProblem) in
        try encoder.encode(planes, count: sound.count)
        _ = try encoder.finish()
      }
    }
    #expect(encoder.stream.packets.count < 40)
  }
}
