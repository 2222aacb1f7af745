import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Channels")
struct ChannelTests {
  let stage = Stage()
  private let left = Signal.noise(seed: 1, count: 5000)
  private let right = Signal.noise(seed: 2, count: 5000)

  @Test("one channel is picked of a file, and of a group")
  func picked() throws {
    let asset = try stage.sound([left, right], rate: 8000)
    var alone = clip(asset)
    alone.channels = .channel(1)
    #expect(try stage.render(composition(alone), layout: .stereo) == [right, right])
    #expect(try stage.render(composition(alone), layout: .mono) == [right])
    var grouped = group(composition(clip(asset)))
    grouped.channels = .channel(0)
    #expect(try stage.render(composition(grouped)) == [left, left])
  }

  @Test("as mono, a file and a group are the mean of their sides")
  func mono() throws {
    let asset = try stage.sound([left, right], rate: 8000)
    let mean = zip(left, right).map { 0.5 * $0 + 0.5 * $1 }
    var alone = clip(asset)
    alone.channels = .layout(.mono)
    #expect(try stage.render(composition(alone), layout: .stereo) == [mean, mean])
    var grouped = group(composition(clip(asset)))
    grouped.channels = .layout(.mono)
    #expect(try stage.render(composition(grouped)) == [mean, mean])
  }

  @Test("channels weigh by their azimuth at the height of the ears, and as fronts elsewhere")
  func loudnessPositions() {
    func weights(_ channels: [ChannelLayout.Channel]) -> [Double] {
      ChannelLayout(channels).loudnessPositions.map(\.weight)
    }
    // Wides stand at 60°, sides at 90°, and backs beside them at 135° (BS.1770-4, annex 3, table 4).
    let sides: [ChannelLayout.Channel] = [
      .wideLeft, .wideRight, .sideLeft, .sideRight, .surroundDirectLeft, .surroundDirectRight,
    ]
    for side in sides { #expect(weights([side]) == [1.41], "\(side)") }
    let fronts: [ChannelLayout.Channel] = [
      .frontLeft, .frontCenter, .frontLeftOfCenter, .backCenter, .topCenter, .topFrontLeft,
      .topBackRight, .topSideLeft, .topSideRight, .bottomFrontLeft, .bottomFrontCenter, .unplaced,
    ]
    for front in fronts { #expect(weights([front]) == [1], "\(front)") }
    #expect(weights([.lowFrequency, .lowFrequency2]) == [0, 0])
    #expect(weights([.backLeft, .backRight]) == [1.41, 1.41])
    #expect(weights([.backLeft, .backRight, .sideLeft, .sideRight]) == [1, 1, 1.41, 1.41])
  }

  @Test("a pan in a mono mix is left out with a warning")
  func pannedInMono() throws {
    let asset = try stage.sound([left, right], rate: 8000)
    var panned = clip(asset)
    panned.mix.pan = PanEnvelope(.left)
    for (layout, messages) in [
      (ChannelLayout.mono, ["the mix is mono, where 'pan' changes nothing: left out"]),
      (.stereo, []),
    ] {
      let export = Export(
        name: "pan", composition: composition(panned), channelLayout: layout,
        outputs: [Output(path: "pan.wav", format: .wav(.int16))])
      let session = ExportSession(export, library: stage.library)
      #expect(session.review().unmetWishes.map(\.message) == messages)
    }
  }

  @Test("a channel of 5.1 is picked by its number, in FFmpeg's order")
  func surround() throws {
    let channels = (0..<6).map { Signal.noise(seed: UInt64($0) * 9999, count: 3000) }
    let asset = try stage.sound(channels, rate: 48_000)
    for index in channels.indices {
      var alone = clip(asset)
      alone.channels = .channel(index)
      #expect(try stage.render(composition(alone), layout: .mono) == [channels[index]])
    }
  }

  @Test("a channel that is picked goes through resampling and reversal as any sound")
  func pickedAndChanged() throws {
    let asset = try stage.sound([left, right], rate: 8000)
    let mono = try stage.sound([right], rate: 8000, name: "mono.wav")
    var both = clip(asset)
    both.channels = .channel(1)
    both.isReversed = true
    var alone = clip(mono)
    alone.isReversed = true
    #expect(
      try stage.render(composition(both), rate: 11_025, layout: .stereo)
        == stage.render(composition(alone), rate: 11_025, layout: .stereo))
  }
}
