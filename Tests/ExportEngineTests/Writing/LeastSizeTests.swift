import ExportGraph
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("The fewest bytes of an output")
struct LeastSizeTests {
  @Test(
    "no file is smaller, not even of silence",
    arguments: [
      .wav(.int16), .wav(.float32), .aiff(.int24), .caf(.int16), .flac(bitDepth: 16),
      .alac(bitDepth: 16), .m4a(bitRate: 64_000), .vorbis(.quality(-1)), .opus(bitRate: 24_000),
    ] as [Output.Format], [8_000, 48_000])
  func silence(format: Output.Format, rate: Int) throws {
    try requireLarger(format, rate)
  }

  @Test(
    "no MP3 is smaller", arguments: ["V9", "V9.999", "abr 32k", "cbr 32k"],
    [8_000, 22_050, 44_100])
  func silentMP3(settings: String, rate: Int) throws {
    try requireLarger(.mp3(MP3Settings(parsing: settings)), rate)
  }

  private func requireLarger(_ format: Output.Format, _ rate: Int) throws {
    let folder = TestFolder()
    var track = Track()
    try track.insertEmptyTimeRange(
      TimeRange(start: .zero, duration: Time(value: 30, timescale: 1)))
    var output = Output(path: FilePath(folder.path("out")), format: format)
    output.sampleRate = format.kind == .opus ? 48_000 : rate
    let session = ExportSession(
      Export(name: "silence", composition: Composition(tracks: [track]), outputs: [output]),
      library: MediaLibrary())
    _ = try session.run()
    let graph = try session.graph()
    let sound = graph.nodes[graph.sinks[0].node].format
    let least = format.leastByteCount(
      frames: Int64(graph.sinks[0].frames.count), sampleRate: sound.sampleRate,
      channelCount: sound.channelLayout.count)
    let size = try SourceFile.size(of: .file(output.path))
    #expect(least > 0 && least <= size)
    if format.kind == .wav { #expect(size - least < 200) }
  }

  @Test("what cannot be counted is as much as can be")
  func large() {
    let hours = 10_000 * Int64(3600)
    let wav = Output.Format.wav(.float32)
    #expect(
      wav.leastByteCount(frames: hours * 192_000, sampleRate: 192_000, channelCount: 8)
        == 221_184_000_000_000)
    #expect(wav.leastByteCount(frames: .max, sampleRate: 1, channelCount: 8) == .max)
    #expect(wav.leastByteCount(frames: -1, sampleRate: 1, channelCount: 8) == 0)
  }
}
