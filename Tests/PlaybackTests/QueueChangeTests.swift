import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine
@testable import Playback

@Suite struct QueueChangeTests {
  static let rate = 44_100

  /// Music of so many frames each.
  ///
  /// Where a device holds still, it holds less than is left of the item: a player takes what is in a
  /// device to be heard as time goes by, and must not come to the next item.
  static func items(_ lengths: [Int64]) throws -> [PlayerItem] {
    try lengths.enumerated().map { index, length in
      try PlayerItem.ofFixture(
        "feelings.ogg",
        TimeRange(
          start: Time(value: Int64(index), timescale: 1),
          duration: Time(frames: length, rate: rate)))
    }
  }

  /// What the listener does while the first of three items is heard and the others are rendered ahead.
  enum Change: String, CaseIterable {
    case removesNext, removesLater, removesBoth, inserts, insertsLater, moves, loops, loopsTwice
    case repeats, replaces, takesBack

    func make(_ player: QueuePlayer, _ items: [PlayerItem]) {
      let (a, b, c, x) = (items[0], items[1], items[2], items[3])
      switch self {
      case .removesNext: player.remove(b)
      case .removesLater: player.remove(c)
      case .removesBoth: for item in [b, c] { player.remove(item) }
      case .inserts: player.insert(x, after: a)
      case .insertsLater: player.insert(x, after: b)
      case .moves:
        player.remove(b)
        player.insert(b, after: c)
      case .loops: player.numberOfLoops = 1
      case .loopsTwice: player.numberOfLoops = 2
      case .repeats:
        player.repeatsQueue = true
        for item in [b, c] { player.remove(item) }
      case .replaces:
        player.insert(x, after: a)
        player.remove(b)
      case .takesBack:
        player.numberOfLoops = 3
        player.numberOfLoops = 0
        player.insert(x, after: a)
        player.remove(x)
      }
    }

    /// Numbers of the items that are heard then; 3 is one that is new.
    var heard: [Int] {
      switch self {
      case .removesNext: [0, 2]
      case .removesLater: [0, 1]
      case .removesBoth: [0]
      case .inserts: [0, 3, 1, 2]
      case .insertsLater: [0, 1, 3, 2]
      case .moves: [0, 2, 1]
      case .loops: [0, 0, 1, 2]
      case .loopsTwice: [0, 0, 0, 1, 2]
      case .repeats: [0, 0, 0]
      case .replaces: [0, 3, 2]
      case .takesBack: [0, 1, 2]
      }
    }
  }

  @Test(
    "what is changed of what comes next is heard so, bit for bit, though other sound is rendered",
    arguments: Change.allCases)
  func changes(change: Change) throws {
    let items = try Self.items([8820, 3000, 3000, 3000])
    let device = MemoryDevice(rate: Self.rate, buffer: 1024, holdingAt: 5000)
    let player = try QueuePlayer(items: Array(items.prefix(3)), opening: device.opener)
    let reader = SequenceReader(player.events)
    player.play()
    try player.waitUntilHeard(5000, on: device)
    try wait(until: "the last item is rendered ahead") {
      player.engine.state.withLock { $0.marks.last?.item === items[2] }
    }
    change.make(player, items)
    try player.settle()
    #expect(player.items.contains { $0 === player.currentItem })
    let wanted = try change.heard.flatMap { try items[$0].exported() }
    if change == .repeats {
      // Without end, and so until the third time.
      device.goOn(to: 2 * 8820 + 5000)
      try player.waitUntilHeard(2 * 8820 + 5000, on: device)
      player.repeatsQueue = false
      try player.settle()
    }
    device.goOn()
    let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
    let isAsWanted = device.floats == wanted
    #expect(isAsWanted, "\(device.floats.count) for \(wanted.count) samples")
    #expect(player.currentItem === change.heard.last.map { items[$0] })
    #expect(player.isAtEnd)
    let begun = told.compactMap { event -> Int? in
      switch event {
      case .itemBegan(let item), .looped(let item): items.firstIndex { $0 === item }
      default: nil
      }
    }
    #expect(begun == change.heard)
  }

  @Test("where a loop is set, the place is looped at once, however far beyond it was rendered")
  func loopsRange() throws {
    let item = try Self.items([8820])[0]
    let whole = try item.exported()
    for (end, isHeardBeyond) in [(6500, false), (4000, true)] {
      let device = MemoryDevice(rate: Self.rate, buffer: 1024, holdingAt: 5000)
      let player = try Player(item, opening: device.opener)
      player.play()
      try player.waitUntilHeard(5000, on: device)
      try player.waitUntilRendered(8820)
      player.loopRange = TimeRange(
        start: Time(frames: 1000, rate: Self.rate), end: Time(frames: Int64(end), rate: Self.rate))
      try player.settle()
      let first = isHeardBeyond ? 5000 : end
      device.goOn(to: first + 2 * (end - 1000) + 100)
      try device.waitUntilPlayed(first + 2 * (end - 1000) + 100)
      // Taken away, the rest follows.
      player.loopRange = nil
      try player.settle()
      device.goOn()
      try player.waitUntilPaused()
      var wanted = Array(whole[..<(2 * first)])
      for _ in 0..<2 { wanted += whole[2000..<(2 * end)] }
      wanted += whole[2000...]
      let isAsWanted = device.floats == wanted
      #expect(isAsWanted)
    }
  }

  @Test("a repetition that was rendered ahead and discarded is played all the same")
  func countsHeardLoops() throws {
    let items = try Self.items([8820, 3000])
    let (once, last) = (try items[0].exported(), try items[1].exported())
    let device = MemoryDevice(rate: Self.rate, buffer: 1024, holdingAt: 5000)
    let player = try QueuePlayer(items: items, opening: device.opener)
    player.numberOfLoops = 2
    player.play()
    try player.waitUntilHeard(5000, on: device)
    try player.waitUntilRendered(8820 + 1)
    #expect(player.numberOfLoops == 2)
    player.pause()
    try device.waitUntilDropped()
    #expect(player.numberOfLoops == 2)
    device.goOn(to: 8820 + 5000)
    player.play()
    try device.waitUntilPlayed(8820 + 5000)
    try wait(until: "a return is counted") { player.numberOfLoops == 1 }
    device.goOn()
    try player.waitUntilPaused()
    let isAsWanted = device.floats == once + once + once + last
    #expect(isAsWanted)
    #expect(player.numberOfLoops == 0)
  }

  @Test("an item inserted before a failed one is played, and the failed one is tried again")
  func changesAroundFailures() throws {
    let items = try Self.items([8820, 3000])
    let folder = TestFolder()
    try writeFile(folder.path("gone.ogg"), readFile(Fixture.path("feelings.ogg")))
    let gone = try PlayerItem(
      contentsOf: FilePath(folder.path("gone.ogg")), library: MediaLibrary())
    unlink(folder.path("gone.ogg"))
    for isTakenOut in [false, true] {
      let device = MemoryDevice(rate: Self.rate, buffer: 1024, holdingAt: 5000)
      let player = try QueuePlayer(items: [items[0], gone], opening: device.opener)
      let reader = SequenceReader(player.events)
      player.play()
      try player.waitUntilHeard(5000, on: device)
      try wait(until: "the second is tried") { player.failure != nil }
      if isTakenOut { player.remove(gone) } else { player.insert(items[1], after: items[0]) }
      try player.settle()
      device.goOn()
      let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
      let failures = told.filter { if case .itemFailed = $0 { true } else { false } }
      #expect(failures.count == (isTakenOut ? 1 : 2))
      let wanted = try items.prefix(isTakenOut ? 1 : 2).flatMap { try $0.exported() }
      let isAsWanted = device.floats == wanted
      #expect(isAsWanted)
      #expect(player.currentItem === (isTakenOut ? items[0] : gone))
    }
  }

  @Test("the current item is removed as such, however late its start is reported")
  func removesCurrent() throws {
    let items = try Self.items([3000, 4000, 3000])
    let device = MemoryDevice(rate: Self.rate, buffer: 512, holdingAt: 100)
    let player = try QueuePlayer(items: items, opening: device.opener)
    let (isHeld, mayGoOn) = (WaitFlag(), WaitFlag())
    let observation = player.addPeriodicTimeObserver(forInterval: Time(value: 1, timescale: 1)) {
      _ in
      isHeld.set()
      mayGoOn.await()
    }
    player.play()
    isHeld.await()
    device.goOn(to: 4000)
    try player.waitUntilHeard(4000, on: device)
    // It was heard to its end, and nobody has said so.
    player.remove(items[0])
    try player.settle()
    device.goOn()
    mayGoOn.set()
    try player.waitUntilPaused()
    let isAsWanted = device.floats == (try items.flatMap { try $0.exported() })
    #expect(isAsWanted)
    observation.cancel()
  }

  @Test("a seek to an invalid time is ignored")
  func seeksNowhere() throws {
    let player = try Player(Self.items([8820])[0], opening: MemoryDevice().opener)
    let place = Time(frames: 3000, rate: Self.rate)
    player.seek(to: place)
    for time in [Time.invalid, .indefinite] {
      player.seek(to: time)
      player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
      #expect(player.currentTime == place)
    }
  }

  @Test("an observer that holds its player keeps it until the observation is released")
  func keepsPlayer() throws {
    weak var kept: Player?
    var observation: PlayerObservation?
    do {
      let player = try Player(Self.items([8820])[0], opening: MemoryDevice().opener)
      kept = player
      let interval = Time(value: 1, timescale: 1)
      observation = player.addPeriodicTimeObserver(forInterval: interval) { _ in
        _ = player.currentTime
      }
    }
    #expect(kept != nil)
    #expect(observation != nil)
    observation = nil
    try wait(until: "the player is gone") { kept == nil }
  }
}

extension Player {
  /// Waits until a device that holds still at a frame has said that it has played so many; before
  /// anything was thrown away.
  func waitUntilHeard(_ frames: Int, on device: MemoryDevice) throws {
    try device.waitUntilPlayed(frames)
    try wait(until: "it is known that \(frames) frames were heard") {
      engine.heardIndex >= Int64(frames)
    }
  }

  /// Waits until so many frames were rendered, counted with those that were thrown away.
  func waitUntilRendered(_ frames: Int) throws {
    try wait(until: "\(frames) frames are rendered") {
      engine.state.withLock { $0.meters.last?.end ?? 0 } >= Int64(frames)
    }
  }

  /// Waits until the thread that renders has done all that changes of the queue ask for.
  func settle() throws {
    // When it takes up the second change, it is done with the first.
    for _ in 0..<2 {
      engine.update { $0.isChanged = true }
      try wait(until: "a change is taken up") { engine.state.withLock { !$0.isChanged } }
    }
  }
}
