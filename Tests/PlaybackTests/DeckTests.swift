import Glibc
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import Playback
@testable import Threads

@Suite struct DeckTests {
  /// How the player is left without an item.
  enum Removal: CaseIterable {
    case all, last, advance
  }

  @Test("who takes away what sounds hears nothing more of it", arguments: Removal.allCases)
  func takesAway(removal: Removal) throws {
    let items = try QueuePlayerTests.items()
    let device = MemoryDevice(rate: items[0].sampleRate, pace: 44_100)
    let player = try QueuePlayer(items: [items[0]], opening: device.opener)
    player.play()
    while device.bytes.isEmpty { usleep(500) }
    switch removal {
    case .all: player.removeAllItems()
    case .last: player.remove(items[0])
    case .advance: player.advanceToNextItem()
    }
    #expect(player.meters == PlayerMeters())
    // It falls silent, and nobody remembers what it was.
    while device.state.withLock({ $0.drops.isEmpty }) { usleep(500) }
    for _ in 0..<20 {
      #expect(player.currentItem == nil)
      #expect(player.currentTime == .zero)
      #expect(player.status == .paused)
      usleep(2000)
    }
    let heard = device.floats.count
    player.insert(items[1], after: nil)
    player.play()
    try player.waitUntilPaused()
    #expect(Array(device.floats[heard...]) == (try items[1].exported()))
  }

  @Test("a range that is looped ends with its item, also where the next one is shorter")
  func endsLoop() throws {
    let items = try QueuePlayerTests.items()
    let device = MemoryDevice(rate: items[0].sampleRate, pace: 400_000)
    let player = try QueuePlayer(items: items, opening: device.opener)
    player.loopRange = TimeRange(
      start: Time(value: 2, timescale: 1), end: Time(value: 5, timescale: 2))
    player.play()
    while device.bytes.isEmpty { usleep(500) }
    player.go(to: items[1])
    #expect(player.loopRange == nil)
    try player.waitUntilPaused()
    #expect(device.floats.suffix(2 * 44_100) == (try items[1].exported())[...])
    #expect(player.currentItem === items[1])
  }

  /// Events in short.
  private func told(
    _ player: QueuePlayer, until isLast: (PlayerEvent) -> Bool
  ) async -> [String] {
    let items = player.items
    func number(_ item: PlayerItem) -> String { "\((items.firstIndex { $0 === item } ?? -1) + 1)" }
    let events = player.events
    player.play()
    var told: [String] = []
    for await event in events {
      switch event {
      case .itemBegan(let item): told.append("began " + number(item))
      case .itemEnded(let item): told.append("ended " + number(item))
      case .itemFailed(let item, _): told.append("failed " + number(item))
      case .statusChanged(.paused): told.append("paused")
      default: break
      }
      if isLast(event) { break }
    }
    return told
  }

  private func isPause(_ event: PlayerEvent) -> Bool {
    if case .statusChanged(.paused) = event { true } else { false }
  }

  /// Items of which those that are named have lost their files.
  private func items(_ count: Int, without missing: Set<Int>, in folder: TestFolder) throws
    -> [PlayerItem]
  {
    let library = MediaLibrary()
    return try (0..<count).map { index in
      let path = folder.path("\(index).wav")
      try writeFile(path, readFile(Fixture.path("voice-8k.wav")))
      let asset = try library.asset(at: FilePath(path))
      if missing.contains(index) { unlink(path) }
      let part = TimeRange(
        start: Time(value: Int64(index), timescale: 10), duration: Time(value: 1, timescale: 2))
      return try PlayerItem(
        Composition(tracks: [Track(segments: [Segment(.asset(asset), source: part, at: .zero)])]),
        library: library)
    }
  }

  @Test(
    "what comes before an item that cannot be opened is heard whole, and what comes after is told",
    arguments: [Set([1]), [2], [1, 2], [0], [0, 1, 2]])
  func hearsAroundFailures(missing: Set<Int>) async throws {
    for isRepeated in missing.count == 3 ? [false, true] : [false] {
      let folder = TestFolder()
      let items = try items(3, without: missing, in: folder)
      let device = MemoryDevice(rate: items[0].sampleRate, channels: 1, pace: 80_000)
      let player = try QueuePlayer(items: items, opening: device.opener)
      player.repeatsQueue = isRepeated
      let told = await told(player, until: isPause)
      let sounding = (0..<3).filter { !missing.contains($0) }
      #expect(device.floats == (try sounding.flatMap { try items[$0].exported() }))
      // Who goes to an item is told so before its file is looked for.
      let silent = missing.map { "began \($0 + 1)" }
      #expect(
        told.filter { $0.hasPrefix("began") || $0.hasPrefix("ended") }
          .filter { !silent.contains($0) }
          == sounding.flatMap { ["began \($0 + 1)", "ended \($0 + 1)"] })
      #expect(
        told.filter { $0.hasPrefix("failed") } == missing.sorted().map { "failed \($0 + 1)" })
      #expect(told.last == "paused")
      #expect(player.isAtEnd)
      #expect(player.currentItem === items[2])
    }
  }

  @Test("a stop is told, however soon it comes after the start")
  func tellsStop() async throws {
    for _ in 0..<20 {
      let folder = TestFolder()
      let items = try items(1, without: [0], in: folder)
      let player = try QueuePlayer(
        items: items, opening: MemoryDevice(rate: items[0].sampleRate, channels: 1).opener)
      let told = await told(player, until: isPause)
      #expect(told.filter { $0 != "began 1" } == ["failed 1", "paused"])
    }
  }

  @Test("a device that is gone is told again when there is a reason, and when there is another")
  func tellsReasons() async throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(
      rate: item.sampleRate, mishaps: [(20_000, .isUnplugged(attempts: 0))])
    let attempts = Mutex(0)
    let player = try QueuePlayer(items: [item]) { request throws(Failure) in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      switch attempt {
      case 2, 3: throw Failure(.mendMachine, "it is not there")
      case 4: throw Failure(.tryAgain, "it is in use")
      default: return try device.opener(request)
      }
    }
    let events = player.events
    player.play()
    var told: [String] = []
    for await event in events {
      // That it is gone may be known only when another was looked for.
      if case .deviceLost(let failure?) = event { told.append(failure.message) }
      if case .deviceFound = event { told.append("found") }
      if isPause(event) { break }
    }
    #expect(told == ["found", "it is not there", "it is in use", "found"])
  }

  @Test("where one of its threads cannot be started, the others end", arguments: 0..<3)
  func startsWhole(failing: Int) throws {
    let counts = Mutex((asked: 0, running: 0))
    let opener = MemoryDevice().opener
    #expect(throws: Failure.self) {
      _ = try Deck(opening: opener) { (name, urgency, body) throws(Thread.SpawnError) in
        let isRefused = counts.withLock { counts in
          defer { counts.asked += 1 }
          return counts.asked == failing
        }
        if isRefused { throw Thread.SpawnError(code: EAGAIN) }
        counts.withLock { $0.running += 1 }
        return try Thread.spawn(name: name, urgency: urgency) {
          body()
          counts.withLock { $0.running -= 1 }
        }
      }
    }
    #expect(counts.withLock { $0.running } == 0)
    #expect(counts.withLock { $0.asked } == failing + 1)
  }

  @Test("a player that is released by its own observer ends")
  func releasesItself() throws {
    let item = try QueuePlayerTests.items()[0]
    let device = MemoryDevice(rate: item.sampleRate, pace: 44_100)
    let held = Mutex<Player?>(nil)
    let kept = Mutex<TimeObservation?>(nil)
    let isOver = Atomic<Bool>(false)
    weak var released: Player?
    do {
      let made = try Player(item, opening: device.opener)
      released = made
      let observation = made.addPeriodicTimeObserver(forInterval: Time(value: 1, timescale: 100)) {
        _ in
        let last = held.withLock { held in
          defer { held = nil }
          return held
        }
        if last != nil { isOver.store(true, ordering: .releasing) }
      }
      kept.withLock { $0 = observation }
      held.withLock { $0 = made }
      made.play()
    }
    let deadline = ContinuousClock.now + .seconds(20)
    while !isOver.load(ordering: .acquiring) || released != nil
      || device.state.withLock({ $0.drops.isEmpty })
    {
      try #require(ContinuousClock.now < deadline)
      usleep(2000)
    }
  }

  @Test("a time without end is the end")
  func seeksToEnd() throws {
    let item = try QueuePlayerTests.items()[1]
    let player = try Player(item, opening: MemoryDevice().opener)
    player.seek(to: .positiveInfinity)
    #expect(player.currentTime == item.duration)
    player.seek(to: .negativeInfinity)
    #expect(player.currentTime == .zero)
  }
}
