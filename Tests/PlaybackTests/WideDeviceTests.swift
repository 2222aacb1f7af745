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
