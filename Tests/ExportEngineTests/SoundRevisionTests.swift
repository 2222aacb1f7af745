import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// What avjob makes of a fixed composition, for each revision of its sound.
///
/// Where one of these tests fails, outputs that people have made would come out otherwise now, and
/// receipts do not know. Raise `Engine.soundRevision` and *add* what the new revision makes; what
/// stands here already is never changed.
@Suite("Sound and its revision")
struct SoundRevisionTests {
  private let stage = Stage()

  /// SHA-256 of the mix, as floats, on any machine: nothing in it is computed by FFmpeg or LAME.
  private static let mixes: [Int: String] = [
    11: "3ae5ca5743024d5e2ed337d25a5fee4737dca1963f6ee4fe20f349f4ac03a787",
    12: "3ae5ca5743024d5e2ed337d25a5fee4737dca1963f6ee4fe20f349f4ac03a787",
    13: "3ae5ca5743024d5e2ed337d25a5fee4737dca1963f6ee4fe20f349f4ac03a787",
  ]

  /// SHA-256 of files, on machines of which `Engine.tools` are these, but for avjob.
  private static let files: [Int: [String: String]] = [
    11: [
      "mp3": "787411b26eab2c66f457abc93f81604de78460fa64d3a346a0c3015d565b36b4",
      "m4a": "5a32b736cba4024bced46296671bceb24b250be72a6d1e39f7213b7e67caeaab",
      "flac": "ffa63115f6550230aa6e46bfbadf44aa368582ade6872894db59f4f0526d2440",
      "ogg": "df3b2ece64bbb1eae191402a5978011456268b5fdd10e09235f0d03e9b95daea",
      "opus": "3745f6a1a6477b8fb5ba44edb478d76b3d6d8d75d45de281cfc2db7ce4fa7705",
      "wav": "3432de8cc855b4b0a130816c551635a51a90e6f42c0d56101c1370924b8e563f",
    ],
    12: [
      "mp3": "787411b26eab2c66f457abc93f81604de78460fa64d3a346a0c3015d565b36b4",
      "m4a": "5a32b736cba4024bced46296671bceb24b250be72a6d1e39f7213b7e67caeaab",
      "flac": "ffa63115f6550230aa6e46bfbadf44aa368582ade6872894db59f4f0526d2440",
      "ogg": "df3b2ece64bbb1eae191402a5978011456268b5fdd10e09235f0d03e9b95daea",
      "opus": "3745f6a1a6477b8fb5ba44edb478d76b3d6d8d75d45de281cfc2db7ce4fa7705",
      "wav": "3432de8cc855b4b0a130816c551635a51a90e6f42c0d56101c1370924b8e563f",
    ],
    13: [
      "mp3": "787411b26eab2c66f457abc93f81604de78460fa64d3a346a0c3015d565b36b4",
      "m4a": "5a32b736cba4024bced46296671bceb24b250be72a6d1e39f7213b7e67caeaab",
      "flac": "ffa63115f6550230aa6e46bfbadf44aa368582ade6872894db59f4f0526d2440",
      "ogg": "df3b2ece64bbb1eae191402a5978011456268b5fdd10e09235f0d03e9b95daea",
      "opus": "3745f6a1a6477b8fb5ba44edb478d76b3d6d8d75d45de281cfc2db7ce4fa7705",
      "wav": "3432de8cc855b4b0a130816c551635a51a90e6f42c0d56101c1370924b8e563f",
    ],
  ]
  private static let tools: [String: String] = [
    "ffmpeg": "5.1.9-0+deb12u1, avformat 59.27.100 (20cf7269), avcodec 59.37.100 (1b2f4a83), "
      + "avutil 57.28.100 (848374f2), swresample 4.7.100 (a4700d90)",
    "lame": "3.100 (5608dbb8)",
    "libc": "2.36",
    "opus": "libopus 1.3.1 (0ec5bcf3)",
    "processor": "23fd3db",
    "soxr": "libsoxr-0.1.3 (703b5df5)",
    "speex": "libspeex (8ced7960)",
    "vorbis": "Xiph.Org libVorbis 1.3.7 (ec7eb223) (15116f34)",
  ]

  /// Two sounds that overlap, with levels, a fade and a pan.
  private func composition(rate: Int = 44_100) throws -> Composition {
    let count = 3 * rate
    let noise = try stage.sound(
      [Signal.noise(seed: 1, count: count), Signal.noise(seed: 2, count: count)], rate: rate,
      name: "noise\(rate).wav")
    let hiss = try stage.sound(
      [Signal.noise(seed: 3, count: count, amplitude: 0.9)], rate: rate, name: "hiss\(rate).wav")
    func second(_ tenths: Int64) -> Time { Time(value: tenths, timescale: 10) }
    var mix = AudioMix(gain: Gain(factor: 0.75))
    mix.pan.initial = Pan(position: 0.5)
    try mix.setVolumeRamp(
      fromStartVolume: Gain(factor: 0), toEndVolume: Gain(factor: 1),
      timeRange: TimeRange(start: second(5), end: second(12)))
    var segment = clip(hiss, 4410..<Int64(2 * rate), at: second(3))
    segment.mix = mix
    return Composition(tracks: [Track(segments: [clip(noise)]), Track(segments: [segment])])
  }

  private static let advice: Comment =
    "the sound is another: raise Engine.soundRevision, and add the new digest to its table"

  @Test("a fixed mix has the bytes of this revision")
  func mix() throws {
    let sound = try stage.render(try composition())
    let digest = try Array(sound.joined()).withUnsafeBytes { try SHA256.digest($0) }.hexadecimal
    #expect(Self.mixes[Engine.soundRevision] == digest, Self.advice)
    #expect(Self.mixes.keys.max() == Engine.soundRevision)
  }

  private static var otherTools: [String: String] { Engine.tools.filter { $0.key != "avjob" } }

  @Test(
    "fixed files have the bytes of this revision, on a machine as the one that they were made on",
    .enabled(if: otherTools == tools))
  func files() throws {
    var outputs: [Output] = []
    for format: Output.Format in [
      .mp3(.standard), .m4a(bitRate: 96_000), .flac(bitDepth: 16), .vorbis(.standard),
      .opus(bitRate: 64_000), .wav(.float32),
    ] {
      let facts = format.kind.capabilities
      outputs.append(
        Output(
          path: FilePath(stage.folder.path("a." + facts.extensions[0])), format: format,
          sampleRate: facts.sampleRates.nearest(to: 44_100)))
    }
    let export = Export(
      name: "fixed", composition: try composition(rate: 48_000), outputs: outputs)
    _ = try ExportSession(export, library: stage.library).run()
    for output in outputs {
      let digest = try SHA256.digest(of: FileBytes(output.path))?.hexadecimal
      let name = output.path.extension ?? ""
      #expect(Self.files[Engine.soundRevision]?[name] == digest, "\(name): \(Self.advice)")
    }
  }

  @Test("the makers of an output are listed: avjob's sound, and each library with its build")
  func toolNames() {
    #expect(Engine.tools["avjob"] == "\(Engine.version), sound \(Engine.soundRevision)")
    #expect(
      Engine.tools.keys.sorted()
        == ["avjob", "ffmpeg", "lame", "libc", "opus", "processor", "soxr", "speex", "vorbis"])
  }
}
