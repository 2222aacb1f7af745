import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Resampling")
struct ResamplingTests {
  @Test(
    "stretches of any ratio are what soxr makes of the whole",
    arguments: [
      (8000, 48_001), (8000, 192_000), (8000, 44_100), (11_025, 96_000), (44_100, 44_101),
      (44_100, 48_000), (48_000, 44_100), (48_000, 11_025), (192_000, 48_000), (192_000, 8000),
    ])
  func equalsTheWhole(source: Int, target: Int) throws {
    let folder = TestFolder()
    let path = folder.path("noise.wav")
    // Noise that ends abruptly after an odd number of frames, over several stretches.
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
      "anoisesrc=r=\(source):d=7:a=0.3:seed=7", "-af", "atrim=end_sample=\(source * 6 + 17)",
      "-c:a", "pcm_s16le", path)
    let oracle = try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", path, "-af",
      "aformat=sample_fmts=fltp,aresample=\(target):resampler=soxr:precision=28", "-f", "f32le",
      "-"
    ).floats

    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(path))
    let resampled = ResampledSource(
      try library.open(asset, noting: Damage()), FrameRatio(from: source, to: target),
      sampleRate: source, frameCount: asset.frameCount,
      targetCount: FrameRatio(from: source, to: target).target(ofSource: asset.frameCount))
    let buffer = AudioBuffer(channelCount: 1, capacity: oracle.count + 100)
    let count = try resampled.read(0..<Int64(buffer.capacity), into: buffer, at: 0)
    buffer.frameCount = count

    #expect(Int64(count) == asset.duration.frames(atRate: target))
    #expect(abs(count - oracle.count) <= 1)
    // −100 dB: soxr interpolates its filter where a ratio has thousands of phases.
    #expect(buffer.samples(0).largestDifference(from: oracle) < 1e-5)
  }
}
