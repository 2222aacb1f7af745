import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

/// Sound that takes longer to render than to hear.
@Suite struct HeavinessTests {
  /// What this thread has used.
  private static func processorNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// A second of sound that takes longer than that to render, on any machine.
  private static let heavyItem = Result {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let range = TimeRange(start: .zero, duration: Time(value: 1, timescale: 1))
    var segment = Segment(.asset(asset), source: range, at: .zero)
    // It does not lag.
    segment.effects = Array(
      repeating: .filter(try FilterDescription(parsing: "apulsator")), count: 50)
    while true {
      let item = try PlayerItem(
        Composition(tracks: [Track(segments: [segment])]), library: library)
      // Other tests may need the processors meanwhile.
      let start = Self.processorNanoseconds()
      _ = try item.exported()
      if Self.processorNanoseconds() - start > 1_400_000_000 { return item }
      segment.effects += segment.effects
    }
  }

  @Test(
    "what takes longer to render than to hear is rendered ahead in pauses, also after a pause",
    arguments: [false, true])
  func rendersAhead(isPaused: Bool) throws {
    let item = try Self.heavyItem.get()
    let device = MemoryDevice(rate: item.sampleRate, pace: Double(item.sampleRate))
    let player = try Player(item, opening: device.opener)
    if isPaused {
      // Playing goes on within a block that was rendered before.
      player.play()
      try device.waitUntilPlayed(3000)
      player.pause()
      try device.waitUntilDropped()
    }
    let waits = try player.toldUntilPaused().compactMap { event in
      if case .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, let reason) = event {
        reason
      } else {
        nil
      }
    }
    #expect(waits.contains(.toRenderAhead))
    // Sound that was rendered ahead counts once.
    #expect(try #require(player.renderingRate) < 1)
  }

  @Test("how fast an item is rendered is known after a quarter of a second; pauses double to 16 s")
  func renderingPace() throws {
    var pace = RenderThread.RenderingPace()
    pace.note(sound: 0.2, took: 1)
    #expect(pace.rate == nil)
    pace.note(sound: 0.2, took: 1)
    #expect(try #require(pace.rate) == 0.2)
    // What was long ago counts less.
    for _ in 0..<40 { pace.note(sound: 1, took: 0.5) }
    #expect(try #require(pace.rate) > 1.9)
    let goals = (0..<5).map { _ in
      defer { pace.pause() }
      return pace.goal
    }
    #expect(goals == [2, 4, 8, 16, 16])
  }
}
