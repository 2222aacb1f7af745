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
      item = try server.item(fault, loadedTo: 2 * second)
      player = try Player(item, opening: device.opener)
      player.automaticallyWaitsToMinimizeStalling = false
      reader = SequenceReader(player.events)
      player.play()
      try waitUntilWaiting()
      // On a busy machine its report may come late, and that of the device's opening is another one.
      _ = try reader.elements(until: "the wait is reported") {
        if case .timeControlStatusChanged(_, .toMinimizeStalls) = $0 { true } else { false }
      }
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
    // On a busy machine it may wait again.
    let statuses = stalled.statuses
    #expect(statuses.last == .paused)
    #expect(
      zip(statuses, statuses.dropFirst()).contains { before, after in
        before == .waitingToPlayAtSpecifiedRate && after == .playing
      })
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

  @Test("after a seek during a wait the first sound is enough, whatever the wait was for")
  func hearsFirstSound() throws {
    let stalled = try Stalled()
    let (player, before) = (stalled.player, stalled.device.playedFrames)
    player.seek(to: seconds(5))
    try wait(until: "the seek is done as far as it can be") {
      player.currentTime == seconds(5) && player.reasonForWaitingToPlay == .toMinimizeStalls
    }
    #expect(player.bufferingProgress == nil)
    // Of the two seconds that the stall was to end with there is half a second.
    try stalled.server.release(upTo: 11 * Self.second / 2)
    try stalled.device.waitUntilPlayed(before + 10_000)
    try stalled.server.release()
    try player.waitUntilPaused()
  }

  @Test("a pause ends a wait, and after it the first sound is enough")
  func restsPaused() throws {
    let stalled = try Stalled()
    let (player, before) = (stalled.player, stalled.device.playedFrames)
    #expect(player.bufferingProgress != nil)
    player.pause()
    #expect(!player.isPlaybackBufferEmpty && player.bufferingProgress == nil)
    try stalled.device.waitUntilDropped()
    player.play()
    try stalled.waitUntilWaiting()
    #expect(player.bufferingProgress == nil)
    // Of the two seconds that the wait was to end with there is half a second.
    try stalled.server.release(upTo: 5 * Self.second / 2)
    try stalled.device.waitUntilPlayed(before + 10_000)
    try stalled.server.release()
    try player.waitUntilPaused()
    #expect(stalled.device.floats == (try stalled.server.exported()))
  }

  @Test("a wait ends with its item, also if no other one follows")
  func restsEmptied() throws {
    let stalled = try Stalled()
    stalled.player.remove(stalled.item)
    #expect(stalled.player.timeControlStatus == .paused && !stalled.player.isPlaybackBufferEmpty)
    let next = try PlayerItem.ofFixture("voice-8k.wav")
    stalled.player.insert(next, after: nil)
    stalled.player.play()
    _ = try stalled.reader.elements(until: "the next item begins") {
      if case .itemBegan(let item) = $0 { item === next } else { false }
    }
    // The pause of the empty queue may be reported behind it.
    try wait(until: "the next item is played") {
      stalled.statuses.suffix(2) == [.playing, .paused]
    }
  }

  @Test("another item that is gone to does not wait for what the item before it waited for")
  func advances() throws {
    let stalled = try Stalled()
    let next = try PlayerItem.ofFixture("voice-8k.wav")
    stalled.player.insert(next, after: nil)
    stalled.player.advanceToNextItem()
    #expect(stalled.player.bufferingProgress == nil)
    _ = try stalled.reader.elements(until: "the next item is played") { $0.isPause }
    #expect(
      stalled.statuses.suffix(3) == [.waitingToPlayAtSpecifiedRate, .playing, .paused])
    #expect(!stalled.player.isPlaybackBufferEmpty)
  }

  @Test("a stall is of the item whose sound is missing, and of none between two items")
  func countsStalls() throws {
    let (first, second) = (
      try PlayerItem.ofFixture("voice-8k.wav"), try PlayerItem.ofFixture("voice-8k.wav")
    )
    func mark(_ item: PlayerItem, at index: Int64) -> PlayerState.Mark {
      PlayerState.Mark(
        index: index, item: item, frame: 0, sampleRate: 8000,
        frameCount: item.duration.frames(atRate: 8000), speed: .normal, trackRevision: 0,
        loopsLeft: 0, cause: .jump)
    }
    var state = PlayerState()
    state.marks = [mark(first, at: 0)]
    state.isPlaying = true
    for count in 1...2 {
      state.beginStall(at: 4000)
      #expect(state.stall?.goal?.item === first && state.stallCount(of: first) == count)
      #expect(state.stall?.goal?.start == Time(value: 1, timescale: 2))
      #expect(state.stall?.goal?.length == first.resumeDuration(afterStalls: count))
    }
    state.beginStall(at: first.duration.frames(atRate: 8000))
    #expect(state.stall != nil && state.stall?.goal == nil)
    state.marks.append(mark(second, at: 10_000))
    state.beginStall(at: 10_100)
    #expect(state.stallCount(of: first) == 0 && state.stallCount(of: second) == 1)
    state.jump = PlayerState.Jump(item: second, time: .zero)
    #expect(state.stall != nil && state.stall?.goal == nil)
    state.isPlaying = false
    #expect(state.stall == nil)
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
    #expect(stalled.player.currentItem === next)
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

  @Test("a medium in the cache is loaded, also one that no player has opened")
  func looksUp() async throws {
    let server = try HoldingServer(seconds: 6)
    let item = try server.item("plain")
    for try await _ in server.library.download(.remote(try server.url("plain"))) {}
    #expect(item.loadedTimeRanges == [TimeRange(start: .zero, end: item.duration)])
    let other = try server.item("hold=500000-1000000")
    #expect(other.loadedTimeRanges.allSatisfy { $0.end < seconds(3) })
  }

  @Test("an item that was heard keeps no medium open")
  func closes() throws {
    let server = try HoldingServer(seconds: 2)
    let item = try server.item("plain")
    let player = try Player(item, opening: MemoryDevice().opener)
    player.play()
    try player.waitUntilPaused()
    #expect(item.loadedTimeRanges == [TimeRange(start: .zero, end: item.duration)])
    player.removeAllItems()
    let url = try server.url("plain")
    try wait(until: "the medium is closed") { RemoteMedium(at: url) == nil }
    #expect(item.loadedTimeRanges == [TimeRange(start: .zero, end: item.duration)])
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
      try wait(until: "enough is there") {
        let end = item.loadedTimeRanges.first?.end
        return player.isPlaybackBufferFull && (preferred > .zero || end == item.duration)
      }
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
    #expect(try await server.library.loadedRanges(of: url) == [0..<Int64(server.size)])
    let file = MediaLocation.file(server.file)
    #expect(try await server.library.loadedRanges(of: file) == [0..<Int64(server.size)])
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
    let loaded = try await server.library.loadedRanges(of: url)
    #expect(loaded.count == 1 && loaded[0].upperBound > Self.second)
  }
}
