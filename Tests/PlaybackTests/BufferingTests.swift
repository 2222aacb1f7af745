import ExportEngine
import MediaComposition
import MediaTime
import TestSupport
import Testing
import Threads

@testable import Playback

/// Fetches and waits of players, as they begin and end.
@Suite struct BufferingTests {
  /// The bytes of a second.
  private static let second = 192_000

  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  /// A rendering thread that does not run, of an engine without threads.
  private func idleThread(playing items: [PlayerItem]) throws -> RenderThread {
    let engine = try PlayerEngine(
      opening: NullSink.opener(),
      starting: { (name, _, _) throws(Thread.SpawnError) in try Thread.spawn(name: name) {} })
    engine.state.withLock { state in
      state.queue = items
      state.marks = [
        PlayerState.Mark(
          index: 0, item: items[0], frame: 0, sampleRate: 8000,
          frameCount: items[0].duration.frames(atRate: 8000), speed: .normal, trackRevision: 0,
          loopsLeft: 0,
          cause: .jump)
      ]
      state.isPlaying = true
      state.isChanged = false
    }
    return RenderThread(engine, cancellation: CancellationFlag())
  }

  private func fixtures() throws -> [PlayerItem] {
    try (0..<3).map { _ in try PlayerItem.ofFixture("voice-8k.wav") }
  }

  @Test("a paused player goes on to fetch what comes next")
  func fetchesPaused() throws {
    let server = try HoldingServer(seconds: 20)
    let item = try server.item("hold=\(4 * Self.second)-\(20 * Self.second)")
    let device = MemoryDevice(holdingAt: 10_000)
    let player = try Player(item, opening: device.opener)
    player.play()
    // Farther than the reader itself reads ahead.
    try wait(until: "the player fetches ahead") {
      item.loadedTimeRanges.first?.end ?? .zero > Time(value: 38, timescale: 10)
    }
    player.pause()
    try device.waitUntilDropped()
    try server.release()
    try wait(until: "all is here") {
      item.loadedTimeRanges == [TimeRange(start: .zero, end: item.duration)]
    }
    #expect(player.timeControlStatus == .paused)
  }

  @Test("the wait for an item that is opened ends when another one follows")
  func opensAnother() throws {
    let items = try fixtures()
    let thread = try idleThread(playing: items)
    thread.opening = (items[1], items[0])
    #expect(thread.keepsWaiting())
    thread.engine.update { $0.queue = [items[0], items[2], items[1]] }
    #expect(!thread.keepsWaiting())
    #expect(thread.takesInterruption())
    thread.opening = (items[2], items[0])
    #expect(thread.keepsWaiting())
  }

  @Test("a read that is given up ends the fetch ahead, and what the stall was to end with")
  func givesUp() throws {
    let server = try HoldingServer(seconds: 4)
    let item = try server.item("plain")
    let thread = try idleThread(playing: [item])
    let reader = try RemoteReader(of: server.url("plain"))
    thread.renderer = try ItemRenderer(item, for: nil, CancellationFlag())
    item.prefetch(from: .zero, lasting: seconds(2))
    #expect(item.prefetched.withLock { !$0.isEmpty })
    thread.engine.state.withLock { $0.beginStall(at: 8000) }
    #expect(thread.engine.state.withLock { $0.stall?.goal != nil })
    thread.isInterrupted = true
    #expect(thread.takesInterruption())
    #expect(item.prefetched.withLock { $0.isEmpty })
    #expect(thread.engine.state.withLock { $0.stall != nil && $0.stall?.goal == nil })
    withExtendedLifetime(reader) {}
  }

  @Test("an item that was removed is no longer counted as stalled")
  func forgetsStalls() throws {
    let items = try fixtures()
    let engine = try idleThread(playing: items).engine
    engine.state.withLock { $0.beginStall(at: 4000) }
    #expect(engine.state.withLock { $0.stalled?.item === items[0] })
    engine.update { $0.queue = Array(items[1...]) }
    #expect(engine.state.withLock { $0.stalled == nil })
  }

  @Test("the place that another reader has read last is not taken for the player's")
  func readsTwice() throws {
    let server = try HoldingServer(seconds: 30)
    let url = try server.url("plain")
    let item = try server.item("plain")
    let readers = try (0..<2).map { _ in try RemoteReader(of: url) }
    let medium = try #require(RemoteMedium(at: url))
    #expect(medium.readOffset == nil)
    try wait(until: "the sound from a place on is here") {
      item.prefetch(from: seconds(20), lasting: seconds(2))
      return item.loadedTimeRanges.contains { $0.start <= seconds(20) && $0.end > seconds(21) }
    }
    withExtendedLifetime(readers) {}
  }
}
