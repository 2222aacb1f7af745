import ExportEngine
import ExportGraph
import MediaComposition
import TestSupport
import Testing

@testable import Playback

@Suite struct RingLengthTests {
  static let rates = [
    4000, 8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000,
    352_800, 384_000,
  ]

  @Test("a ring holds 213 ms at the usual rate, and about as much at any other")
  func length() {
    #expect(SlotRing.slotFrames(atRate: 48_000) == 1024)
    for rate in Self.rates {
      let ring = SlotRing(channelCount: 2, sampleRate: rate, slotCount: DeviceWriter.slotCount)
      let length = Double(ring.slotFrames * DeviceWriter.slotCount) / Double(rate)
      #expect(length >= 0.213 && length <= 0.241, "\(rate): \(length)")
    }
    // What no device has, and a sink may say.
    for rate in [1, 999, 1_000_000, Int.max] {
      #expect(1...(1 << 14) ~= SlotRing.slotFrames(atRate: rate))
    }
  }

  @Test("as much is rendered ahead at any rate, and played bit for bit", arguments: rates)
  func held(rate: Int) throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(rate: rate, buffer: rate / 5, holdingAt: rate / 2)
    let player = try Player(item, opening: device.opener)
    player.play()
    try device.waitUntilPlayed(rate / 2)
    // Of the first slot of the ring, the device may hold some.
    try wait(until: "ring and device are full") { player.device.bufferedSeconds > 0.38 }
    #expect(player.device.bufferedSeconds < 0.45)
    device.goOn()
    try player.waitUntilPaused()
    let source = try LiveSource(
      item.graph, sink: item.sink,
      as: AudioFormat(sampleRate: rate, channelLayout: item.channelLayout), library: item.library)
    let isHeard = try device.floats == whole(source)
    #expect(isHeard)
  }

  private func whole(_ source: LiveSource) throws -> [Float] {
    let buffer = AudioBuffer(channelCount: 2, capacity: 4096)
    var floats: [Float] = []
    repeat {
      buffer.frameCount = try source.read(into: buffer, at: 0, count: 4096)
      for index in 0..<buffer.frameCount {
        for channel in 0..<2 { floats.append(buffer.samples(channel)[index]) }
      }
    } while buffer.frameCount > 0
    return floats
  }
}
