import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite struct TrackMonitorTests {
  private func item() throws -> PlayerItem {
    try PlayerItem(contentsOf: FilePath(Fixture.path("feelings.ogg")), library: MediaLibrary())
  }

  /// Two channels of one value.
  private func block(_ value: Float, _ count: Int) -> AudioBuffer {
    let block = AudioBuffer(channelCount: 2, capacity: count)
    block.frameCount = count
    for channel in 0..<2 { block.planes[channel].update(repeating: value, count: count) }
    return block
  }

  @Test("the meter shows the sum of simultaneous sound, and counts its frames once")
  func sum() throws {
    let monitor = TrackMonitor(try item(), track: 0)
    let (first, second) = (monitor.watcher(), monitor.watcher())
    #expect(monitor.take() == nil)
    // The second begins inside of the first block, and the first ends inside of the second one.
    first.pass(block(0.5, 100), from: 0, at: 0..<100)
    second.pass(block(-0.5, 60), from: 0, at: 40..<100)
    first.pass(block(0.5, 30), from: 0, at: 100..<130)
    second.pass(block(0.25, 100), from: 0, at: 100..<200)
    second.pass(block(0.125, 10), from: 0, at: 200..<210)
    let level = try #require(monitor.take())
    #expect(level.peak == 0.75)
    #expect(level.count == 210 * 2)
    let parts: [Double] = [40 * 0.25, 30 * 0.5625, 70 * 0.0625, 10 * 0.015625]
    #expect(level.squares == parts.reduce(0, +) * 2)
    #expect(monitor.take() == nil)
    // Back to where it was.
    second.pass(block(1, 10), from: 0, at: 205..<215)
    second.pass(block(1, 10), from: 0, at: 205..<215)
    #expect(monitor.take()?.count == 40)
  }

  @Test("muted in a cross-fade, both fall silent in the same ramp; later items are silent")
  func mute() throws {
    let item = try item()
    let monitor = TrackMonitor(item, track: 0)
    let (first, second, third) = (monitor.watcher(), monitor.watcher(), monitor.watcher())
    first.pass(block(1, 100), from: 0, at: 0..<100)
    second.pass(block(1, 100), from: 0, at: 0..<100)
    item.tracks[0].isEnabled = false
    let ramp = (0..<100).map { 1 - Float($0) * 0.01 }
    for watcher in [first, second] {
      let block = block(1, 100)
      watcher.pass(block, from: 0, at: 100..<200)
      #expect(zip(block.samples(1), ramp).allSatisfy { abs($0 - $1) < 1e-5 })
    }
    for watcher in [first, second, third] {
      let block = block(1, 100)
      watcher.pass(block, from: 0, at: 200..<300)
      #expect(block.samples(0).allSatisfy { $0 == 0 })
    }
  }
}
