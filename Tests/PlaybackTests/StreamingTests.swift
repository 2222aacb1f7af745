import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import Playback

@Suite struct StreamingTests {
  /// The bytes of a second.
  private static let second = 192_000

  private func seconds(_ count: Int64) -> Time { Time(value: count, timescale: 1) }

  /// A player that has played a medium of 12 s up to second 2, and waits for what follows, up to
  /// second 8.
  private struct Stalled {
    let server: HoldingServer
    let item: PlayerItem
    let device = MemoryDevice()
    let player: Player
    let reader: SequenceReader<PlayerEvent>

    init() throws {
      server = try HoldingServer(seconds: 12)
      let fault = "hold=\(2 * second)-\(8 * second)"
      item = try server.item(fault)
      // What comes before the hold is there first: a busy machine stalls nowhere else.
      let (library, url) = (server.library, MediaLocation.remote(try server.url(fault)))
      let download = library.download(url)
      try wait(until: "all whole blocks before the hold are there") {
        try library.loadedRanges(of: url).first?.upperBound ?? 0 >= 2 * second / 16_384 * 16_384
      }
      withExtendedLifetime(download) {}
      player = try Player(item, opening: device.opener)
      reader = SequenceReader(player.events)
      player.play()
      try waitUntilWaiting()
    }

    func waitUntilWaiting() throws {
      let player = player
      try wait(until: "the player waits for bytes") {
        player.reasonForWaitingToPlay == .toMinimizeStalls && player.isPlaybackBufferEmpty
      }
    }

    /// The changes of the status so far.
    var statuses: [Player.TimeControlStatus] {
      reader.elements.compactMap {
        if case .timeControlStatusChanged(let status, _) = $0 { status } else { nil }
      }
    }
  }

  @Test("without bytes the player waits, and goes on by itself without losing a sample")
  func goesOn() throws {
    let stalled = try Stalled()
    #expect(stalled.player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
    #expect(!stalled.player.isPlaybackLikelyToKeepUp && !stalled.player.isPlaybackBufferFull)
    #expect(stalled.player.currentTime <= seconds(2))
    try stalled.server.release()
    _ = try stalled.reader.elements(until: "the player has paused") { $0.isPause }
    #expect(stalled.device.floats == (try stalled.server.exported()))
    #expect(
      stalled.statuses.suffix(3) == [.waitingToPlayAtSpecifiedRate, .playing, .paused])
    #expect(stalled.player.reasonForWaitingToPlay == nil)
    #expect(stalled.player.device.xruns == 0)
  }

  @Test("after a stall the player goes on when two seconds are ahead, and not before")
  func buffersAgain() throws {
    let stalled = try Stalled()
    let (player, device) = (stalled.player, stalled.device)
    let heard = device.playedFrames
    try stalled.server.release(upTo: 3 * Self.second)
    try wait(until: "a second is ahead") {
      stalled.item.loadedTimeRanges.contains { $0.end > Time(value: 29, timescale: 10) }
    }
    #expect(player.reasonForWaitingToPlay == .toMinimizeStalls && device.playedFrames == heard)
    let progress = try #require(player.bufferingProgress)
    #expect(progress > 0.4 && progress < 0.6)
    try stalled.server.release(upTo: 5 * Self.second)
    try device.waitUntilPlayed(heard + 10_000)
    try stalled.server.release()
    try player.waitUntilPaused()
    #expect(device.floats == (try stalled.server.exported()))
  }

  @Test("a pause during a wait is a pause at once, and nothing is lost or heard twice")
  func pauses() throws {
    let stalled = try Stalled()
    let (player, device) = (stalled.player, stalled.device)
    player.pause()
    #expect(player.timeControlStatus == .paused && player.reasonForWaitingToPlay == nil)
    try device.waitUntilDropped()
    try stalled.server.release()
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats == (try stalled.server.exported()))
  }

  @Test("a seek during a wait goes to what is there at once")
  func seeksAway() throws {
    let stalled = try Stalled()
    let before = stalled.device.floats.count
    stalled.player.seek(to: seconds(10))
    try stalled.player.waitUntilPaused()
    // The wait was given up, and has not failed.
    #expect(stalled.player.failure == nil)
    let whole = try stalled.server.exported()
    #expect(Array(stalled.device.floats[before...]) == Array(whole[(10 * 96_000)...]))
  }

  @Test("a seek into what is not there waits for it")
  func seeksAhead() throws {
    let stalled = try Stalled()
    let (player, before) = (stalled.player, stalled.device.floats.count)
    player.seek(to: seconds(5))
    try wait(until: "the seek is done as far as it can be") {
      player.currentTime == seconds(5) && player.reasonForWaitingToPlay == .toMinimizeStalls
    }
    try stalled.server.release()
    try player.waitUntilPaused()
    let whole = try stalled.server.exported()
    #expect(Array(stalled.device.floats[before...]) == Array(whole[(5 * 96_000)...]))
  }

  @Test("an item whose server fails ends with the failure, after all that came was heard")
  func fails() throws {
    let stalled = try Stalled()
    try stalled.server.breakOff()
    let events = try stalled.reader.elements(until: "the player has paused") { $0.isPause }
    let failures = events.compactMap { event -> Failure? in
      if case .itemFailed(let item, let failure) = event, item === stalled.item {
        failure
      } else {
        nil
      }
    }
    #expect(failures.count == 1 && failures[0].message.contains("404"), "\(failures)")
    #expect(stalled.player.failure == failures.first)
    let heard = stalled.device.floats
    let whole = try stalled.server.exported()
    #expect(heard.count > 96_000 && heard[...] == whole.prefix(heard.count))
  }

  @Test("removing the item that waits ends the wait")
  func removes() throws {
    let stalled = try Stalled()
    let next = try PlayerItem.ofFixture("voice-8k.wav")
    stalled.player.insert(next, after: nil)
    stalled.player.remove(stalled.item)
    _ = try stalled.reader.elements(until: "the next item begins") {
      if case .itemBegan(let item) = $0 { item === next } else { false }
    }
  }

  @Test("the release of a waiting player ends its threads")
  func ends() throws {
    weak var engine: PlayerEngine?
    do {
      let stalled = try Stalled()
      engine = stalled.player.engine
    }
    try wait(until: "nothing holds the engine") { engine == nil }
  }

  @Test("a slow server is heard whole, however often it stalls")
  func hearsSlowServers() throws {
    let server = try HoldingServer(seconds: 4)
    let device = MemoryDevice()
    let player = try Player(try server.item("rate=600000"), opening: device.opener)
    let events = try player.toldUntilPaused()
    #expect(device.floats == (try server.exported()))
    #expect(
      events.contains {
        if case .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, .toMinimizeStalls) = $0 {
          true
        } else {
          false
        }
      })
  }

  @Test("loaded ranges are those of the bytes that are there, and all of a file")
  func loads() throws {
    let stalled = try Stalled()
    let item = stalled.item
    let first = try #require(item.loadedTimeRanges.first)
    #expect(first.start == .zero && first.end > Time(value: 19, timescale: 10))
    #expect(!item.loadedTimeRanges.contains { $0.end > seconds(2) && $0.start < seconds(8) })
    try stalled.server.release()
    try wait(until: "all is there") {
      item.loadedTimeRanges == [TimeRange(start: .zero, end: item.duration)]
    }
    try stalled.player.waitUntilPaused()
    // The renderer has closed the medium; the time line still shows it.
    #expect(item.loadedTimeRanges == [TimeRange(start: .zero, end: item.duration)])
    #expect(stalled.player.isPlaybackBufferFull)
    let file = try PlayerItem.ofFixture("feelings.ogg")
    #expect(file.loadedTimeRanges == [TimeRange(start: .zero, end: file.duration)])
  }

  @Test("media are fetched ahead as far as preferred")
  func fetchesAhead() throws {
    for preferred in [Time.zero, seconds(2)] {
      let server = try HoldingServer(seconds: 20)
      let item = try server.item("plain")
      item.preferredForwardBufferDuration = preferred
      let device = MemoryDevice(holdingAt: 10_000)
      let player = try Player(item, opening: device.opener)
      player.play()
      try device.waitUntilPlayed(10_000)
      try wait(until: "enough is there") { player.isPlaybackBufferFull }
      #expect(player.isPlaybackLikelyToKeepUp)
      let end = try #require(item.loadedTimeRanges.first?.end)
      #expect(preferred == .zero ? end == item.duration : end < seconds(10))
    }
  }

  @Test("a wait for a server is short by preference, and longer after each stall")
  func resumes() throws {
    let item = try PlayerItem.ofFixture("voice-8k.wav")
    #expect([1, 2, 3, 4, 9].map(item.resumeDuration) == [2, 4, 8, 16, 16].map(seconds))
    item.preferredForwardBufferDuration = seconds(3)
    #expect([1, 2, 3].map(item.resumeDuration) == [2, 3, 3].map(seconds))
    for time in [Time.invalid, .positiveInfinity, .zero - seconds(1)] {
      item.preferredForwardBufferDuration = time
      #expect(item.preferredForwardBufferDuration == .zero)
    }
  }

  @Test("a download reports its progress, and leaves the whole in the cache")
  func downloads() async throws {
    let server = try HoldingServer(seconds: 5)
    let url = MediaLocation.remote(try server.url("rate=2000000"))
    var last: DownloadProgress?
    for try await progress in server.library.download(url) {
      #expect(progress.totalBytes == server.size)
      #expect(progress.completedBytes > last?.completedBytes ?? 0)
      last = progress
    }
    #expect(last?.fractionCompleted == 1 && (last?.bytesPerSecond ?? 0) > 0)
    #expect(try server.library.loadedRanges(of: url) == [0..<Int64(server.size)])
    let file = MediaLocation.file(server.file)
    #expect(try server.library.loadedRanges(of: file) == [0..<Int64(server.size)])
    await #expect(throws: Failure.self) {
      for try await _ in server.library.download(.remote(try server.url("status=403"))) {}
    }
  }

  @Test("a download that nobody reads any more ends, and keeps what it has")
  func cancelsDownloads() async throws {
    let server = try HoldingServer(seconds: 12)
    let url = MediaLocation.remote(try server.url("hold=\(2 * Self.second)-\(8 * Self.second)"))
    for try await progress in server.library.download(url) {
      #expect(progress.completedBytes <= 2 * Self.second)
      if progress.completedBytes > Self.second { break }
    }
    let loaded = try server.library.loadedRanges(of: url)
    #expect(loaded.count == 1 && loaded[0].upperBound > Self.second)
  }
}
