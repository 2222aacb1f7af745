import MPEGAudio
import MediaComposition
import MediaTime
import Testing

@testable import ExportGraph

@Suite("How much work an export is thought to be")
struct WorkEstimateTests {
  private func asset(_ codec: String = "pcm_s16le", seconds: Int64 = 600) -> Asset {
    Asset(
      location: .file("a"), streamIndex: 0, container: "wav", codec: codec, sampleRate: 44_100,
      channelLayout: .stereo, frameCount: 44_100 * seconds,
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }

  private func work(
    _ asset: Asset, _ format: Output.Format = .wav(.int16), effects: [Effect] = [],
    speed: Int32 = 1, part: TimeRange? = nil
  ) throws -> Duration {
    let source = TimeRange(start: .zero, duration: asset.duration)
    let target = TimeRange(
      start: .zero, duration: Time(frames: asset.frameCount, rate: asset.sampleRate * Int(speed)))
    let segment = Segment(
      .asset(asset), TimeMapping(source: source, target: target), effects: effects)
    let export = Export(
      name: "x", composition: Composition(tracks: [Track(segments: [segment])]), timeRange: part,
      outputs: [Output(path: "x", format: format)])
    return try Graph(compiling: export).estimatedWork
  }

  @Test("Twice the sound is twice the work, except for the cost of each file")
  func length() throws {
    let (one, two) = (try work(asset()), try work(asset(seconds: 1200)))
    #expect(two > one && two <= one * 2 && two > one * 3 / 2)
  }

  @Test("LAME, stretching and denoising are more work than copying")
  func kinds() throws {
    let plain = try work(asset())
    #expect(try work(asset(), .mp3(.standard)) > plain * 5)
    #expect(try work(asset("aac")) > plain)
    #expect(try work(asset(), effects: [.denoise(reduction: 12)]) > plain * 3 / 2)
    #expect(try work(asset(), speed: 2) > plain * 3 / 2)
    #expect(
      try work(asset(), .mp3(MP3Settings(.cbr(bitRate: 128_000), quality: 0)))
        > work(asset(), .mp3(MP3Settings(.cbr(bitRate: 128_000), quality: 7))))
  }

  @Test("Packets are copied in little time, and samples encoded as ever")
  func copies() throws {
    func copied(_ codec: String, _ container: String, _ kind: Output.Kind) throws -> Duration {
      var asset = asset(codec)
      asset.container = container
      asset.bitDepth = codec == "mp3" ? nil : 16
      if codec == "mp3" { asset.encoderDelay = 1105 }
      var output = Output(path: "x", request: .copied(kind))
      output.copying = Output.Copying()
      let segment = Segment(
        .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero)
      let export = Export(
        name: "x", composition: Composition(tracks: [Track(segments: [segment])]),
        outputs: [output])
      return try Graph(compiling: export).estimatedWork
    }
    #expect(
      try copied("flac", "flac", .flac) == work(asset("flac"), .flac(bitDepth: 16)))
    #expect(try copied("mp3", "mp3", .mp3) * 20 < work(asset("mp3"), .mp3(.standard)))
  }

  @Test("A part's work follows its length, but unbounded memory is rendered from its start")
  func parts() throws {
    let minute = TimeRange(
      start: Time(value: 540, timescale: 1), duration: Time(value: 60, timescale: 1))
    #expect(try work(asset(), part: minute) * 8 < work(asset()))
    let effects = [Effect.denoise(reduction: 12)]
    #expect(try work(asset(), effects: effects, part: minute) * 2 > work(asset(), effects: effects))
  }

  @Test("The longest timeline has an estimate, too")
  func longest() throws {
    var long = asset(seconds: 36_000_000)
    long.sampleRate = 44_100
    #expect(try work(long, .mp3(.standard)) > .seconds(100_000))
  }
}
