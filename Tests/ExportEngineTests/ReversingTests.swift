import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Reversing")
struct ReversingTests {
  let stage = Stage()

  @Test(
    "a reversed clip is the reversed slice of the whole, whatever the container",
    arguments: [
      "voice-8k.wav", "feelings.ogg", "librivox-sonnet.mp3", "camera.ogv", "a.m4a", "a.flac",
    ])
  func reversedSlice(name: String) throws {
    let asset: Asset
    if name.hasPrefix("a.") {
      let path = stage.folder.path(name)
      try Tool.succeed("ffmpeg", "-v", "error", "-i", Fixture.path("feelings.ogg"), path)
      asset = try stage.library.asset(at: FilePath(path))
    } else {
      asset = try stage.fixture(name)
    }
    let frames = asset.frameCount / 7..<asset.frameCount - 4321
    var reversed = clip(asset, frames)
    reversed.isReversed = true
    let plain = try stage.render(composition(clip(asset, frames)))
    #expect(try stage.render(composition(reversed)) == plain.map { $0.reversed() })
  }

  @Test("a clip reversed twice is the file, bit for bit, and is not dithered")
  func twice() throws {
    let asset = try stage.fixture("feelings.ogg")
    var inner = clip(asset)
    inner.isReversed = true
    var outer = group(composition(inner))
    outer.isReversed = true
    let whole = try stage.render(composition(clip(asset)))
    #expect(try stage.render(composition(outer)) == whole)

    let plain = try stage.fixture("voice-8k.wav")
    var backwards = clip(plain)
    backwards.isReversed = true
    let graph = try Graph(
      compiling: Export(
        name: "copied", composition: composition(backwards),
        outputs: [Output(path: "a.wav", format: .wav(.int16))]))
    #expect(!graph.sinks[0].isDithered)
  }

  @Test("a reversed group is the same from any start, and for any size of blocks")
  func anywhere() throws {
    let asset = try stage.fixture("voice-8k.wav")
    var inner = composition(
      clip(asset, 1000..<90_000, at: Time(value: 1, timescale: 3)),
      clip(asset, 500..<700, at: Time(value: 12, timescale: 1)))
    inner.tracks.append(
      Track(segments: [clip(asset, 0..<30_000, at: Time(value: 5, timescale: 7))]))
    var reversed = group(inner, at: Time(value: 1, timescale: 7))
    reversed.isReversed = true
    reversed.source.start = Time(value: 1, timescale: 11)
    reversed.source.duration = Time(value: 11, timescale: 1)
    reversed.target.duration = reversed.source.duration
    let whole = try stage.render(composition(reversed), rate: 48_000)
    #expect(try stage.render(composition(reversed), rate: 48_000, block: 77) == whole)
    var dice = Dice(13)
    for _ in 0..<5 {
      let start = Time(value: dice.number(0..<11_000), timescale: 1000)
      let part = try stage.render(composition(reversed), rate: 48_000, from: start)
      #expect(part[0].elementsEqual(whole[0].dropFirst(Int(start.frames(atRate: 48_000)))))
    }
  }

  @Test("silence that rounding leaves at the end of a clip is at its start when it is reversed")
  func shortAsset() throws {
    let asset = try stage.sound([[0.5, 0.25, 0.125]], rate: 8000)
    var reversed = clip(asset)
    reversed.source.duration = Time(frames: 4, rate: 8000)
    reversed.target.duration = reversed.source.duration
    reversed.isReversed = true
    #expect(try stage.render(composition(reversed)) == [[0, 0.125, 0.25, 0.5]])
  }
}
