import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Players around players: a button, an output queue's buffers, effects that are heard.
@Suite(.timeLimit(.minutes(5))) struct ListeningPorting {
  private static let path = FilePath(Fixture.path("voice-8k.wav"))
  private let folder = TestFolder()
  private let library = MediaLibrary()

  /// A part of the voice, in seconds.
  private func segment(from start: Double, for duration: Double) async throws -> Segment {
    let asset = try await library.loadAsset(at: Self.path)
    return Segment(
      .asset(asset), source: TimeRange(start: .seconds(start), duration: .seconds(duration)),
      at: .zero)
  }

  private func item(for duration: Double) async throws -> PlayerItem {
    let segment = try await segment(from: 1, for: duration)
    return try PlayerItem(Composition(tracks: [Track(segments: [segment])]), library: library)
  }

  @Test("one button starts, pauses, goes on at its place, and starts anew at the end")
  func button() async throws {
    let item = try await item(for: 20)
    let player = try Player(item, opening: NullSink.opener())
    let ended = Mutex(0)
    let observation = player.addEventObserver { event in
      if case .itemEnded = event { ended.withLock { $0 += 1 } }
    }
    // if player.isPlaying { player.pause() } else { player.play() }
    func press() { if player.isPlaying { player.pause() } else { player.play() } }
    press()
    try wait(until: "it is heard") { player.currentTime > .zero }
    press()
    #expect(!player.isPlaying)
    let place = player.currentTime
    #expect(place > .zero && place < item.duration)
    #expect(player.currentTime == place)
    for count in 1...2 {
      await player.seek(to: item.duration - .milliseconds(100))
      press()
      await player.finish()
      #expect(player.currentTime == item.duration && !player.isPlaying)
      try wait(until: "its end is reported") { ended.withLock { $0 } == count }
      press()
      try wait(until: "it begins again") { player.isPlaying && player.currentTime < place }
      press()
    }
    _ = observation
  }

  @Test("an item has its duration, channels, rate and location, and bytes in memory are its data")
  func facts() async throws {
    let item = try await PlayerItem(contentsOf: Self.path)
    #expect(item.duration == Time(frames: 242_214, rate: 8000))
    #expect(item.channelLayout == .mono && item.sampleRate == 8000)
    #expect(item.location == .file(Self.path))
    let bytes = try readFile(Self.path.string)
    let data = try await PlayerItem(contentsOf: .data(bytes, name: "voice.wav"))
    #expect((data.location?.source as? MediaData)?.bytes == bytes)
    #expect(data.duration == item.duration)
  }

  /// An AudioQueue's output callback: the program gets the frames that are due.
  private final class Collector: AudioSink {
    let format: SinkFormat
    private let samples: Heard

    final class Heard: Sendable {
      let samples = Mutex<[Float]>([])
    }

    init(_ wanted: SinkRequest, _ samples: Heard) {
      format = SinkFormat(
        sampleRate: wanted.sampleRate, channelCount: wanted.channelCount, encoding: .float32,
        periodFrames: 512, bufferFrames: 4096)
      self.samples = samples
    }

    var delay: Int { 0 }

    func write(_ frames: UnsafeRawPointer, count: Int) -> SinkOutcome {
      let floats = UnsafeBufferPointer(
        start: frames.assumingMemoryBound(to: Float.self), count: count * format.channelCount)
      samples.samples.withLock { $0 += floats }
      return .wrote(count)
    }

    func wait(or descriptor: Int32, milliseconds: Int32) {}
    func drop() {}
    func drain() -> Bool { true }
  }

  @Test("Audio Queue Services: a sink of one's own gets each frame that is played, once")
  func ownSink() async throws {
    let heard = Collector.Heard()
    let player = try await Player(contentsOf: Self.path) { wanted throws(Failure) in
      Collector(wanted, heard)
    }
    player.play()
    await player.finish()
    let decoded = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Self.path.string, "-f", "f32le", "-"
    ).floats
    #expect(heard.samples.withLock { $0 } == decoded)
  }

  /// An AudioQueue's buffers: samples that are computed when they are read.
  private final class Oscillator: MediaSource {
    let name = "oscillator"
    let frames = 4000

    func contentInformation() throws -> MediaContentInformation {
      MediaContentInformation(contentLength: Int64(2 * frames), validator: "1")
    }

    func byte(_ offset: Int) -> UInt8 { UInt8(truncatingIfNeeded: offset &* offset / 7) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let count = max(0, min(buffer.count, 2 * frames - Int(offset)))
      for index in 0..<count { buffer[index] = byte(Int(offset) + index) }
      return count
    }
  }

  @Test("Audio Queue Services: samples of one's own are played as they are computed")
  func ownSamples() async throws {
    let source = Oscillator()
    let asset = try await library.loadAsset(
      at: .source(source), raw: RawSound(.int16, sampleRate: 8000))
    let file = folder.path("heard.raw")
    let player = try Player(
      PlayerItem(Composition(asset), library: library),
      opening: FileSink.opener(FilePath(file), as: .int16, container: .raw))
    player.play()
    await player.finish()
    #expect(try readFile(file) == (0..<2 * source.frames).map(source.byte))
  }

  @Test("AVPlayer: made once, it gets one item after the other")
  func replacesItems() async throws {
    let player = try Player(opening: NullSink.opener())
    var ended: [PlayerItem] = []
    var items: [PlayerItem] = []
    let events = player.events
    for _ in 0..<3 { items.append(try await item(for: 0.1)) }
    // player.replaceCurrentItem(with: AVPlayerItem(url: url)); player.play()
    player.replaceCurrentItem(with: items[0])
    player.play()
    for await event in events {
      guard case .itemEnded(let item) = event else { continue }
      ended.append(item)
      if ended.count == 3 { break }
      player.replaceCurrentItem(with: items[ended.count])
      player.play()
    }
    #expect(ended == items && player.items == [items[2]])
  }

  @Test("AUGraph's equalizer and reverb are heard as they are exported")
  func effects() async throws {
    let impulse = Signal.noise(seed: 3, count: 2000, amplitude: 0.05).flatMap { sample in
      withUnsafeBytes(of: sample) { Array($0) }
    }
    try writeFile(folder.path("room.raw"), impulse)
    let room = try await library.loadAsset(
      at: FilePath(folder.path("room.raw")), raw: RawSound(.float32, sampleRate: 8000))
    var segment = try await segment(from: 1, for: 3)
    segment.effects = [
      .equalizer([Effect.Band(frequency: 1000, gain: 6)]), .reverb(Effect.Reverb(impulse: room)),
    ]
    let composition = Composition(tracks: [Track(segments: [segment])])
    let heard = folder.path("heard.wav")
    let player = try Player(
      PlayerItem(composition, library: library), opening: FileSink.opener(FilePath(heard)))
    player.play()
    await player.finish()
    let written = folder.path("written.wav")
    let export = Export(
      name: "written", composition: composition,
      outputs: [Output(path: FilePath(written), format: .wav(.float32))])
    try await ExportSession(export, library: library).export()
    func samples(_ path: String) throws -> [Float] {
      try Tool.succeed("ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-").floats
    }
    let expected = try samples(written)
    #expect(try samples(heard) == expected && expected.count >= 24_000)
  }

  @Test("System Sound Services: several short sounds at once, each with its completion")
  func systemSounds() async throws {
    // AudioServicesPlaySystemSoundWithCompletion(soundID) { … }
    let completed = Mutex<Set<Int>>([])
    var players: [Player] = []
    var observations: [PlayerObservation] = []
    for index in 0..<3 {
      let player = try Player(await item(for: 0.1), opening: NullSink.opener())
      observations.append(
        player.addEventObserver { event in
          if case .itemEnded = event { completed.withLock { _ = $0.insert(index) } }
        })
      players.append(player)
    }
    for player in players { player.play() }
    for player in players { await player.finish() }
    try wait(until: "all have completed") { completed.withLock { $0 } == [0, 1, 2] }
    for observation in observations { observation.cancel() }
  }
}
