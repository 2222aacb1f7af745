import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite struct TrackTests {
  /// Three tracks that sound together: two of them of the same second, one in two segments.
  private static func item() throws -> PlayerItem {
    let library = MediaLibrary()
    func second(_ start: Int64, at place: Int64) throws -> Segment {
      let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
      let source = TimeRange(
        start: Time(value: start, timescale: 1), duration: Time(value: 1, timescale: 1))
      return Segment(.asset(asset), source: source, at: Time(value: place, timescale: 1))
    }
    return try PlayerItem(
      Composition(tracks: [
        Track(name: "music", segments: [try second(3, at: 0), try second(4, at: 1)]),
        Track(segments: [try second(7, at: 0)]),
        Track(name: "off", segments: [try second(9, at: 0)], isEnabled: false),
      ]), library: library)
  }

  @Test("tracks have their names, and segments in order of time")
  func tellsTracks() throws {
    let item = try Self.item()
    #expect(item.tracks.map(\.name) == ["music", "track 2", "off"])
    #expect(item.tracks.map(\.sounds) == [true, true, false])
    #expect(item.segments.map(\.trackIndex) == [0, 1, 0])
    #expect(item.segments.map(\.timeRange.start.seconds) == [0, 0, 1])
  }

  @Test("all together are the export; muted, the others are left; solo, it is alone")
  func mutes() throws {
    let item = try Self.item()
    let all = try item.heard()
    #expect(all == (try item.exported()))
    item.tracks[0].isEnabled = false
    let second = try item.heard()
    item.tracks[0].isEnabled = true
    item.tracks[0].isSolo = true
    let first = try item.heard()
    #expect(zip(first, second).map { $0 + $1 } == all)
    #expect(second.contains { $0 != 0 })
    #expect(second[(item.sampleRate * 2)...].allSatisfy { $0 == 0 })
    item.tracks[0].isEnabled = false
    #expect(try item.heard().allSatisfy { $0 == 0 })
  }

  @Test("meters show the played sound, of the whole and of each track")
  func meters() throws {
    let item = try Self.item()
    let frame = item.sampleRate * 3 / 2
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: frame)
    let player = try Player(item, opening: device.opener)
    #expect(player.meters == PlayerMeters())
    player.play()
    try device.waitUntilPlayed(frame)
    var meters = PlayerMeters()
    try wait(until: "meters show something") {
      meters = player.meters
      return !meters.channels.isEmpty
    }
    // The slot that sounds now; or a later one of those that the device holds, where it was asked some
    // time ago.
    let exported = try item.exported()
    let slotFrames = SlotRing.slotFrames(atRate: item.sampleRate)
    let last = frame + device.format.bufferFrames + slotFrames
    let near = exported[((frame - slotFrames) * 2)..<min(exported.count, last * 2)]
    let peak = try #require(near.map(abs).max())
    #expect(meters.channels.count == 2)
    for channel in meters.channels {
      #expect(channel.peakPower <= LevelReading.decibels(Double(peak)))
      #expect(channel.averagePower < channel.peakPower)
      #expect(channel.averagePower > -60)
    }
    #expect(meters.tracks.count == 3)
    #expect(meters.tracks[2] == nil)
    #expect(try #require(meters.loudness.momentary) > -60)
    #expect(player.averagePower(forChannel: 7) == LevelReading.silence)
    player.pause()
  }

  @Test(
    "after a jump, what remembers without end is nearly what the whole has there; exactly, it is",
    arguments: [Effect.highpass(frequency: 80), .denoise(reduction: 12)])
  func seeksEffects(effect: Effect) throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let range = TimeRange(start: .zero, duration: Time(value: 6, timescale: 1))
    var segment = Segment(.asset(asset), source: range, at: .zero)
    segment.effects = [effect]
    let item = try PlayerItem(Composition(tracks: [Track(segments: [segment])]), library: library)
    let whole = try item.exported()
    let place = Time(value: 4, timescale: 1)
    let rest = Array(whole[(4 * item.sampleRate * 2)...])
    for isExact in [false, true] {
      let device = MemoryDevice(rate: item.sampleRate)
      let player = try Player(item, opening: device.opener)
      if isExact {
        player.seek(to: place, toleranceBefore: .zero, toleranceAfter: .zero)
      } else {
        player.seek(to: place)
      }
      player.play()
      try player.waitUntilPaused()
      let heard = device.floats
      #expect(heard.count == rest.count)
      if isExact { #expect(heard == rest) }
      let error = zip(heard, rest).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
      let power = rest.reduce(0.0) { $0 + Double($1 * $1) }
      // 40 dB below the sound.
      #expect(error < power * 1e-4)
    }
  }

  @Test(
    "after a jump, sound at another speed has the places and the level of the whole; exactly, all")
  func seeksStretched() throws {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    for (source, target) in [(6, 4), (4, 6)] {
      let mapping = TimeMapping(
        source: TimeRange(start: .zero, duration: Time(value: Int64(source), timescale: 1)),
        target: TimeRange(start: .zero, duration: Time(value: Int64(target), timescale: 1)))
      let item = try PlayerItem(
        Composition(tracks: [Track(segments: [Segment(.asset(asset), mapping)])]),
        library: library)
      let whole = try item.exported()
      let place = Time(value: 5, timescale: 2)
      let rest = Array(whole[(5 * item.sampleRate)...])
      for isExact in [false, true] {
        let device = MemoryDevice(rate: item.sampleRate)
        let player = try Player(item, opening: device.opener)
        if isExact {
          player.seek(to: place, toleranceBefore: .zero, toleranceAfter: .zero)
        } else {
          player.seek(to: place)
        }
        player.play()
        try player.waitUntilPaused()
        let heard = device.floats
        #expect(heard.count == rest.count)
        if isExact { #expect(heard == rest) }
        let window = item.sampleRate / 2 * 2
        for start in stride(from: 0, to: rest.count - window, by: window) {
          func level(_ samples: [Float]) -> Double {
            let power = samples[start..<start + window].reduce(0.0) { $0 + Double($1 * $1) }
            return LevelReading.decibels((power / Double(window)).squareRoot())
          }
          #expect(abs(level(heard) - level(rest)) < 0.5)
        }
      }
    }
  }
}
