import Diagnosis
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

@Suite struct PlayerEngineTests {
  /// How the player is left without an item.
  enum Removal: CaseIterable {
    case all, last, advance
  }

  @Test("removing the current item silences it", arguments: Removal.allCases)
  func takesAway(removal: Removal) throws {
    let items = try QueuePlayerTests.items()
    let device = MemoryDevice(rate: items[0].sampleRate, holdingAt: 10_000)
    let player = try QueuePlayer(items: [items[0]], opening: device.opener)
    player.play()
    try device.waitUntilPlayed(10_000)
    switch removal {
    case .all: player.removeAllItems()
    case .last: player.remove(items[0])
    case .advance: player.advanceToNextItem()
    }
    #expect(player.meters == PlayerMeters())
    // It falls silent, and nobody remembers what it was.
    try device.waitUntilDropped()
    for _ in 0..<20 {
      #expect(player.currentItem == nil)
      #expect(player.currentTime == .zero)
      #expect(player.timeControlStatus == .paused)
      usleep(2000)
    }
    let heard = device.floats.count
    #expect(heard == 10_000 * 2)
    device.goOn()
    player.insert(items[1], after: nil)
    player.play()
    try player.waitUntilPaused()
    #expect(Array(device.floats[heard...]) == (try items[1].exported()))
  }

  @Test("a range that is looped ends with its item, also where the next one is shorter")
  func endsLoop() throws {
    let items = try QueuePlayerTests.items()
    let device = MemoryDevice(rate: items[0].sampleRate, holdingAt: 10_000)
    let player = try QueuePlayer(items: items, opening: device.opener)
    player.loopRange = TimeRange(
      start: Time(value: 2, timescale: 1), end: Time(value: 5, timescale: 2))
    player.play()
    try device.waitUntilPlayed(10_000)
    player.go(to: items[1])
    #expect(player.loopRange == nil)
    device.goOn()
    try player.waitUntilPaused()
    #expect(device.floats.suffix(2 * 44_100) == (try items[1].exported())[...])
    #expect(player.currentItem === items[1])
  }

  /// Plays; what it tells until it has paused, in short.
  private func told(_ player: QueuePlayer) throws -> [String] {
    let items = player.items
    func number(_ item: PlayerItem) -> String { "\((items.firstIndex { $0 === item } ?? -1) + 1)" }
    return try player.toldUntilPaused().compactMap { event in
      switch event {
      case .itemBegan(let item): "began " + number(item)
      case .itemEnded(let item): "ended " + number(item)
      case .itemFailed(let item, _): "failed " + number(item)
      case .timeControlStatusChanged(.paused, _): "paused"
      default: nil
      }
    }
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
  func hearsAroundFailures(missing: Set<Int>) throws {
    for isRepeated in missing.count == 3 ? [false, true] : [false] {
      let folder = TestFolder()
      let items = try items(3, without: missing, in: folder)
      let device = MemoryDevice(rate: items[0].sampleRate, channels: 1, pace: 80_000)
      let player = try QueuePlayer(items: items, opening: device.opener)
      player.repeatsQueue = isRepeated
      let told = try told(player)
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

  @Test("a stop is reported, however soon it comes after the start")
  func tellsStop() throws {
    for _ in 0..<20 {
      let folder = TestFolder()
      let items = try items(1, without: [0], in: folder)
      let player = try QueuePlayer(
        items: items, opening: MemoryDevice(rate: items[0].sampleRate, channels: 1).opener)
      let told = try told(player)
      #expect(told.filter { $0 != "began 1" } == ["failed 1", "paused"])
    }
  }

  @Test("a lost device is reported again for a reason, and for another one")
  func tellsReasons() throws {
    let item = try QueuePlayerTests.items()[1]
    let device = MemoryDevice(
      rate: item.sampleRate, mishaps: [(20_000, .isUnplugged(attempts: 0))])
    // Whoever opens it says so until somebody has heard of it.
    let reason = Mutex<Failure?>(nil)
    let attempts = Counter()
    let player = try QueuePlayer(items: [item]) { request throws(Failure) in
      attempts.add(1)
      if let reason = reason.withLock({ $0 }) { throw reason }
      return try device.opener(request)
    }
    let reader = SequenceReader(player.events)
    device.state.withLock { state in
      state.willTell = { reason.withLock { $0 = Failure(.mendMachine, "it is not there") } }
    }
    func told() -> [String] {
      reader.elements.compactMap { event in
        switch event {
        // That it is gone may be known only when another was looked for.
        case .deviceLost(let failure): failure?.message
        case .deviceFound: "found"
        case .timeControlStatusChanged(.paused, _): "paused"
        default: nil
        }
      }
    }
    player.play()
    try wait(until: "one reason is told") { told().last == "it is not there" }
    // Looked for again, for the same reason, it is not told again.
    let before = attempts.value
    try wait(until: "it is looked for again") { attempts.value > before + 1 }
    reason.withLock { $0 = Failure(.tryAgain, "it is in use") }
    try wait(until: "another reason is told") { told().last == "it is in use" }
    reason.withLock { $0 = nil }
    try wait(until: "the player tells that it has paused") { told().last == "paused" }
    #expect(told() == ["found", "it is not there", "it is in use", "found", "paused"])
  }

  @Test("where one of its threads cannot be started, the others end", arguments: 0..<3)
  func startsWhole(failing: Int) throws {
    let counts = Mutex((asked: 0, running: 0))
    let opener = MemoryDevice().opener
    #expect(throws: Failure.self) {
      _ = try PlayerEngine(opening: opener) { (name, urgency, body) throws(Thread.SpawnError) in
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
    let kept = Mutex<PlayerObservation?>(nil)
    let isOver = Atomic<Bool>(false)
    weak var released: Player?
    do {
      let made = try Player(item, opening: device.opener)
      released = made
      let observation = made.addPeriodicTimeObserver(forInterval: Time(value: 1, timescale: 100)) {
        _ in
        // Not before there is a device that falls silent.
        guard device.playedFrames > 0 else { return }
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
    try wait(until: "the player is gone, and the device silent") {
      isOver.load(ordering: .acquiring) && released == nil
        && !device.state.withLock { $0.drops.isEmpty }
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
