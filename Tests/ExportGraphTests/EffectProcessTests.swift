import MediaComposition
import MediaTime
import Testing

@testable import ExportGraph

@Suite("The processes of effects") struct EffectProcessTests {
  @Test("effects of libavfilter in a row are one process, and each of ours is its own")
  func runs() throws {
    var filtered = Segment(
      .asset(
        Asset(
          location: .file("a"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
          sampleRate: 44_100,
          channelLayout: .stereo, frameCount: 441_000,
          identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))),
      source: TimeRange(start: .zero, duration: Time(value: 10, timescale: 1)), at: .zero)
    filtered.effects = [
      .denoise(reduction: 0), .highpass(frequency: 80), .leveler(Effect.Leveler()),
      .limiter(Effect.Limiter()), .denoise(reduction: 3), .equalizer([]), .lowpass(frequency: 9000),
    ]
    let graph = try Graph(
      compiling: Export(
        name: "x", composition: Composition(tracks: [Track(segments: [filtered])]),
        outputs: [Output(path: "x.wav", format: .wav(.int16))]))
    let processes = graph.nodes.compactMap { node -> String? in
      guard case .process(let process, _) = node.kind else { return nil }
      return "\(process): \(node.memory)"
    }
    #expect(
      processes == [
        "highpass 80 Hz: unbounded", "leveler (target -23 LUFS, range 12 dB): frames(370440)",
        "limiter (ceiling -1 dBTP, release 100 ms): frames(74452)",
        "denoise 3 dB, lowpass 9000 Hz: unbounded",
      ])
  }
}
