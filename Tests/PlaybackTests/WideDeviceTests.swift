import ExportEngine
import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import Playback

/// Devices with more channels than any layout has, as interfaces of studios are.
@Suite struct WideDeviceTests {
  private func heard(_ item: PlayerItem, on device: MemoryDevice) throws {
    let player = try Player(item, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    #expect(player.failure == nil)
  }

  @Test(
    "sound is in the first channels, as on a device of its own, and the others are silent",
    arguments: [9, 10, 32], SampleEncoding.allCases)
  func firstChannels(count: Int, encoding: SampleEncoding) throws {
    let item = try QueuePlayerTests.items()[1]
    let (stereo, wide) = (
      MemoryDevice(rate: item.sampleRate, encoding),
      MemoryDevice(rate: item.sampleRate, channels: count, encoding)
    )
    try heard(item, on: stereo)
    try heard(item, on: wide)
    let size = encoding.byteCount
    let frames = wide.bytes.count / (count * size)
    var expected: [UInt8] = []
    expected.reserveCapacity(wide.bytes.count)
    let narrow = stereo.bytes
    for frame in 0..<frames {
      expected += narrow[(frame * 2 * size)..<((frame + 1) * 2 * size)]
      expected += repeatElement(0, count: (count - 2) * size)
    }
    let isEqual = wide.bytes == expected && frames == narrow.count / (2 * size)
    #expect(isEqual)
  }

  @Test("one channel plays on both sides, and can be panned")
  func mono() throws {
    let folder = TestFolder()
    try Tool.succeed(
      "sox", "-n", "-r", "48000", "-c", "1", folder.path("a.wav"), "synth", "0.2", "sine", "300")
    let item = try PlayerItem(contentsOf: FilePath(folder.path("a.wav")), library: MediaLibrary())
    let device = MemoryDevice(channels: 10)
    let player = try Player(item, opening: device.opener)
    player.pan = -1
    player.play()
    try player.waitUntilPaused()
    let samples = device.floats
    let left = samples.channel(0, of: 10)
    #expect(left.contains { $0 > 0.5 })
    // The right one has gone by the end of its ramp.
    let right = samples.channel(1, of: 10)
    #expect(right.dropFirst(480).allSatisfy { $0 == 0 })
  }

  @Test("each channel goes to its place on the device, or to where a downmix has it")
  func places() {
    let heights = ChannelLayout(mask: 0x503F)
    let side = ChannelLayout(mask: 0x60F)
    let wide = ChannelLayout(mask: 0x2D63F)
    func layout(
      of own: ChannelLayout, on count: Int, _ places: ChannelLayout? = nil
    ) -> ChannelLayout {
      var format = SinkFormat(
        sampleRate: 48_000, channelCount: count, encoding: .int16, periodFrames: 480,
        bufferFrames: 960)
      format.channelLayout = places
      return format.layout(of: own)
    }
    // The device has no heights, or has them.
    #expect(layout(of: heights, on: 8) == .surround71)
    #expect(layout(of: heights, on: 8, heights) == heights)
    #expect(layout(of: .surround71, on: 8, heights) == heights)
    #expect(layout(of: heights, on: 12, wide) == wide)
    #expect(layout(of: .mono, on: 12, wide) == wide)
    // A surround at the side is one at the back, and two channels are left and right.
    #expect(layout(of: side, on: 6) == side)
    #expect(layout(of: .surround51, on: 6, side) == .surround51)
    #expect(layout(of: ChannelLayout(mask: 0x30), on: 2) == ChannelLayout(mask: 0x30))
    // Without positions channels have numbers alone.
    #expect(layout(of: .unplaced(8), on: 8) == .unplaced(8))
    #expect(layout(of: .unplaced(8), on: 8, heights) == .unplaced(8))
    #expect(layout(of: heights, on: 8, .unplaced(8)) == heights)
    #expect(layout(of: .stereo, on: 6, .unplaced(6)) == .surround51)
    #expect(layout(of: .surround51, on: 10) == .surround51)
    #expect(layout(of: .mono, on: 10) == .stereo)
  }

  @Test("a sink without channels or a rate is no device", arguments: [(0, 48_000), (2, 0)])
  func nothing(channels: Int, rate: Int) throws {
    let device = MemoryDevice(rate: rate, channels: channels)
    let player = try Player(try QueuePlayerTests.items()[1], opening: device.opener)
    player.play()
    try wait(until: "it fails") { player.failure != nil }
    #expect(
      player.failure?.message
        == "it takes \(channels) channels at \(rate) Hz, which is no sound; choose another device")
  }
}
