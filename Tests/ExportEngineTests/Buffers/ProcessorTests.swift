import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Processors of a program's own")
struct ProcessorTests {
  let stage: Stage
  private let asset: Asset
  private static let rate = 8000
  private static let sound = Signal.glide(sampleRate: rate, count: 30_011)

  init() throws {
    stage = Stage()
    asset = try stage.sound([Self.sound], rate: Self.rate)
  }

  private func effected(_ effects: [Effect]) throws -> Composition {
    var segment = clip(asset)
    segment.effects = effects
    return composition(segment)
  }

  private func ms(_ count: Int64) -> Time { Time(value: count, timescale: 1000) }

  @Test(
    "one that passes the sound on changes no bit, however late it is",
    arguments: [0, 1, 1000, 4096, 9001], [ProcessorMemory.none, .unbounded])
  func passes(latency: Int, memory: ProcessorMemory) throws {
    // What is held is memory.
    let time = Time(frames: Int64(latency), rate: Self.rate)
    let declared = memory == .unbounded ? memory : .time(time)
    let effect = Effect.processor(TestProcessor.pass(latency: latency, memory: declared))
    #expect(try stage.render(effected([effect])) == [Self.sound])
    let start = Time(value: 2, timescale: 1)
    #expect(try stage.render(effected([effect]), from: start) == [Array(Self.sound[16_000...])])
  }

  @Test("a processor of a gain is the gain")
  func gain() throws {
    var plain = clip(asset)
    plain.mix.gain = Gain(factor: 0.37)
    let own = try effected([.processor(TestProcessor.gain(Float(0.37)))])
    #expect(try stage.render(own) == stage.render(composition(plain)))
  }

  @Test("processors and filters follow one another in their order")
  func order() throws {
    let pass = Effect.processor(TestProcessor.pass(latency: 77))
    let high = Effect.highpass(frequency: 200)
    let filtered = try stage.render(effected([high]))
    #expect(try stage.render(effected([pass, high])) == filtered)
    #expect(try stage.render(effected([high, pass])) == filtered)
    let parts = try stage.render(
      effected([.processor(TestProcessor.gain(0.5)), high, .processor(TestProcessor.gain(2))]))
    #expect(parts == filtered)
  }

  @Test(
    "any frame has the same bits, wherever rendering begins and whatever its blocks are",
    arguments: [ProcessorMemory.time(Time(value: 101, timescale: 8000)), .unbounded])
  func anywhere(memory: ProcessorMemory) throws {
    let composition = try effected([.processor(TestProcessor.mean(101, memory: memory))])
    let whole = try stage.render(composition)
    #expect(whole == [TestProcessor.means(Self.sound, 101)])
    var dice = Dice(8)
    for _ in 0..<30 {
      let frame = dice.number(0..<30_011)
      let part = try stage.render(
        composition, from: Time(frames: frame, rate: Self.rate),
        block: Int(dice.number(1..<4096)))
      #expect(part == [Array(whole[0][Int(frame)...])])
    }
    // One renderer, from place to place.
    let export = Export(
      name: "jumps", composition: composition,
      outputs: [Output(path: "mix.wav", format: .wav(.float32))])
    let graph = try Graph(compiling: export)
    let sound = try #require(
      try Renderer(graph, library: stage.library).sound(of: graph.sinks[0].node))
    for _ in 0..<60 {
      let first = dice.number(0..<30_000)
      let range = first..<min(30_011, first + dice.number(1..<6000))
      #expect(
        try sound.samples(range, inBlocksOf: 1000)
          == [Array(whole[0][Int(range.lowerBound)..<Int(range.upperBound)])])
    }
  }

  /// Half a minute through effects, exported on some cores.
  private func exported(_ effects: [Effect], cores: Int) throws -> [UInt8] {
    var segment = clip(try stage.fixture("voice-8k.wav"))
    segment.effects = effects
    let path = stage.folder.path("cores.wav")
    let export = Export(
      name: "cores", composition: composition(segment),
      outputs: [Output(path: FilePath(path), format: .wav(.int16))])
    let budget = CPUBudget(total: cores)
    let own = try #require(budget.tryLease())
    defer { own.release() }
    _ = try ExportSession(export, library: stage.library).run(budget: budget)
    return try readFile(path)
  }

  @Test("on one core and on two, the same bytes are written")
  func cores() throws {
    let instances = Atomic<Int>(0)
    var mean = TestProcessor.mean(33, memory: .time(ms(10)))
    let make = mean.make
    mean.make = { rate, channels in
      instances.add(1, ordering: .relaxed)
      return try make(rate, channels)
    }
    let one = try exported([.processor(mean)], cores: 1)
    #expect(instances.load(ordering: .relaxed) == 1)
    #expect(try exported([.processor(mean)], cores: 2) == one)
    mean.memory = .unbounded
    instances.store(0, ordering: .relaxed)
    #expect(try exported([.processor(mean)], cores: 2) == one)
    // Nobody can begin in the middle.
    #expect(instances.load(ordering: .relaxed) == 1)
  }

  @Test("a measurement hears it")
  func measured() throws {
    func loudness(_ effects: [Effect]) throws -> Double? {
      var segment = clip(try stage.fixture("voice-8k.wav"))
      segment.effects = effects
      var export = Export(
        name: "loud", composition: composition(segment),
        outputs: [
          Output(path: FilePath(stage.folder.path("loud.wav")), format: .wav(.float32))
        ])
      export.loudness = LoudnessTarget(.integrated(-30))
      let report = try ExportSession(export, library: stage.library).run()
      return report.outputs[0].correction?.before.integrated
    }
    let plain = try #require(try loudness([]))
    let quiet = try #require(try loudness([.processor(TestProcessor.gain(0.5))]))
    #expect(abs(plain - quiet - 6.0206) < 0.001)
  }

  @Test("a track and a whole composition have effects, in which tails ring out")
  func applied() throws {
    // An echo of half the level after a second.
    let echo = TestProcessor(
      identity: "echo", tail: Time(value: 1, timescale: 1),
      memory: .time(Time(value: 1, timescale: 1))
    ) { rate, channels in
      let pass = try TestProcessor.pass(latency: rate).make(rate, channels)
      return { buffer in
        let dry = (0..<channels).map { Array(buffer[$0]) }
        try pass(buffer)
        for channel in 0..<channels {
          for index in buffer[channel].indices {
            buffer[channel][index] = dry[channel][index] + 0.5 * buffer[channel][index]
          }
        }
      }
    }
    let plain = try effected([])
    let padded = Self.sound + Array(repeating: 0, count: 8000)
    let expected = padded.indices.map { padded[$0] + ($0 < 8000 ? 0 : 0.5 * padded[$0 - 8000]) }
    let master = plain.applying([.processor(echo)])
    #expect(master.duration == plain.duration + Time(value: 1, timescale: 1))
    #expect(try stage.render(master) == [expected])
    let track = plain.tracks[0].applying([.processor(echo)])
    #expect(try stage.render(Composition(tracks: [track])) == [expected])
    // In a segment, which keeps its length, it is cut.
    #expect(try stage.render(effected([.processor(echo)])) == [Array(expected[..<30_011])])
    #expect(plain.applying([]) == plain)
  }

  struct Broken: Error {}

  /// How a processor fails.
  enum Fault: CaseIterable {
    case making, processing, number
  }

  @Test("one that fails is named, at its place", arguments: Fault.allCases)
  func failing(fault: Fault) throws {
    let processor = TestProcessor(name: "bad") { _, _ in
      if fault == .making { throw Broken() }
      return { buffer in
        if fault == .processing { throw Broken() }
        if buffer.frames.contains(5000) { buffer[0][904] = .infinity }
      }
    }
    var segment = clip(asset)
    segment.effects = [.processor(processor)]
    segment.origin = Origin(rawValue: 5)
    let failure = #expect(throws: Failure.self) { try stage.render(composition(segment)) }
    #expect(failure?.origin == Origin(rawValue: 5) && failure?.remedy == .mendJob)
    let words =
      fault == .number
      ? "the processor 'bad' gives samples that are no numbers (NaN or infinity) after"
      : "the processor 'bad' failed: Broken(); mend it, or leave it out"
    #expect(failure?.message.hasPrefix(words) == true)
  }

  @Test("what no renderer can do is refused when the export is compiled")
  func refused() throws {
    func message(_ change: (inout TestProcessor) -> Void) throws -> String? {
      var processor = TestProcessor.pass()
      change(&processor)
      let export = Export(
        name: "refused", composition: try effected([.processor(processor)]),
        outputs: [Output(path: "mix.wav", format: .wav(.float32))])
      return #expect(throws: Failure.self) { try Graph(compiling: export) }?.message
    }
    #expect(
      try message { $0.latency = -1 }
        == "processor \"pass\": declares a latency of -1 frames at 8000 Hz; 0 to 480000 are possible"
    )
    #expect(
      try message { $0.tail = Time(value: 61, timescale: 1) }
        == "processor \"pass\": declares a tail of 61.0 s; 0 to 60 s are possible")
    #expect(
      try message { $0.memory = .time(.indefinite) }?
        .hasPrefix("processor \"pass\": declares a memory of ") == true)
  }

  @Test("its identity stands for it in fingerprints; without one there is none")
  func identity() throws {
    func fingerprint(_ effect: Effect) throws -> Fingerprint {
      let export = Export(
        name: "print", composition: try effected([effect]),
        outputs: [Output(path: "mix.wav", format: .wav(.float32))])
      return try ExportSession(export, library: stage.library).fingerprint { _ in [] }
    }
    let half = try fingerprint(.processor(TestProcessor.gain(0.5)))
    #expect(try fingerprint(.processor(TestProcessor.gain(0.5))).digests == half.digests)
    #expect(try fingerprint(.processor(TestProcessor.gain(0.6))).digests != half.digests)
    let failure = #expect(throws: Failure.self) {
      try fingerprint(.processor(TestProcessor.pass()))
    }
    #expect(failure?.message.hasPrefix("the processor 'pass' has no identity") == true)
    // A tap is no part of the sound.
    #expect(try fingerprint(.tap { _ in }).digests == fingerprint(.tap("other") { _ in }).digests)
    #expect(Effect.processor(TestProcessor.gain(0.5)) == .processor(TestProcessor.gain(0.5)))
    #expect(Effect.processor(TestProcessor.pass()) != .processor(TestProcessor.pass()))
  }

  @Test("a tap sees all of the sound in order, and changes none of it", arguments: [1, 2])
  func tap(cores: Int) throws {
    let seen = Mutex<[PCMBuffer]>([])
    // Encoded as well: an untouched WAV keeps its source's layout.
    let plain = try exported([.processor(TestProcessor.pass())], cores: cores)
    let tapped = try exported(
      [.tap { buffer in seen.withLock { $0.append(buffer) } }], cores: cores)
    #expect(tapped == plain)
    let buffers = seen.withLock { $0 }
    var position = Time.zero
    for buffer in buffers {
      #expect(buffer.presentationTime == position)
      position = position + buffer.duration
    }
    let sound = try stage.render(composition(clip(try stage.fixture("voice-8k.wav"))))
    #expect(buffers.flatMap { $0.channel(0) } == sound[0])
  }
}

@Suite("Sound without a header, from the library")
struct RawSourceTests {
  let stage = Stage()

  @Test("is read in one line, behind any number of bytes", arguments: [false, true])
  func header(isBigEndian: Bool) async throws {
    let path = FilePath(stage.folder.path("measured.bin"))
    let steps = (0..<5000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
    // A header of another program's, that begins as a WAV.
    var bytes = Array("RIFF....WAVE".utf8) + Array(repeating: 0x55, count: 4096 - 12)
    for step in steps {
      withUnsafeBytes(of: isBigEndian ? step.bigEndian : step.littleEndian) { bytes += $0 }
    }
    try writeFile(path.string, bytes)
    let asset = try await stage.library.loadAsset(
      at: path,
      raw: RawSound(.int16, sampleRate: 16_000, isBigEndian: isBigEndian, headerSize: 4096))
    #expect(asset.frameCount == 5000 && asset.sampleRate == 16_000)
    let settings = AssetReader.Settings(sampleType: .int16)
    var read: [Int16] = []
    for try await buffer in try AssetReader(asset, settings: settings, library: stage.library) {
      if case .int16(let samples) = buffer.samples { read += samples }
    }
    #expect(read == steps)
  }

  @Test("a header that the file has no room for is refused, and one before G.722")
  func refusals() async throws {
    let path = FilePath(stage.folder.path("short.bin"))
    try writeFile(path.string, Array(repeating: 1, count: 100))
    func message(_ raw: RawSound) async -> String? {
      await #expect(throws: Failure.self) {
        try await MediaLibrary().loadAsset(at: path, raw: raw)
      }?.message
    }
    #expect(
      await message(RawSound(.int16, sampleRate: 8000, headerSize: 4096))
        == "has 100 bytes, and a header of 4096 is said to be before its sound; give the header's bytes"
    )
    #expect(
      await message(RawSound(.int16, sampleRate: 8000, headerSize: -1))?.contains("header of -1")
        == true)
    #expect(
      await message(RawSound(.int16, sampleRate: 8000, headerSize: 13))?
        .hasPrefix("has 87 bytes of sound, which are no whole samples of 16 bit") == true)
  }
}
