import MediaComposition
import MediaTime
import TestSupport
import Testing

@testable import Playback

/// What a listener should hear, said without threads: of the queue as it is at each frame.
private struct Ideal {
  let sounds: [ObjectIdentifier: [Float]]
  var queue: [PlayerItem]
  var isRepeated = false
  var loops = 0
  /// Of the current item.
  var range: Range<Int>?
  /// Nil: it is over.
  var current: PlayerItem?
  var frame = 0
  var heard: [Float] = []

  func length(of item: PlayerItem) -> Int { (sounds[ObjectIdentifier(item)]?.count ?? 0) / 2 }

  func item(after item: PlayerItem) -> PlayerItem? {
    guard let index = queue.firstIndex(where: { $0 === item }) else { return nil }
    return index + 1 < queue.count ? queue[index + 1] : isRepeated ? queue.first : nil
  }

  /// Where what is heard goes on elsewhere.
  private var end: Int { range?.upperBound ?? current.map(length) ?? 0 }

  /// Frames up to there.
  var left: Int { max(0, end - frame) }

  mutating func go(to item: PlayerItem?) {
    if item !== current { range = nil }
    (current, frame) = (item, 0)
  }

  /// Hears so many frames more, or up to the last.
  mutating func hear(_ count: Int) {
    var count = count
    while let item = current {
      if frame < end {
        guard count > 0 else { return }
        let stop = min(end, frame + count)
        heard += sounds[ObjectIdentifier(item)]?[(2 * frame)..<(2 * stop)] ?? []
        (count, frame) = (count - (stop - frame), stop)
      } else if let range {
        frame = range.lowerBound
      } else if loops != 0 {
        (loops, frame) = (loops - (loops > 0 ? 1 : 0), 0)
      } else {
        go(to: self.item(after: item))
      }
    }
  }
}

@Suite struct QueueOrderTests {
  /// A listener who changes the queue at random while a device holds still.
  private struct Listener {
    var dice: Dice
    var ideal: Ideal
    let all: [PlayerItem]
    let player: QueuePlayer
    private(set) var done: [String] = []

    init(_ seed: UInt64, all: [PlayerItem], _ ideal: Ideal, _ player: QueuePlayer) {
      (dice, self.all, self.ideal, self.player) = (Dice(seed), all, ideal, player)
    }

    mutating func number(_ range: Range<Int>) -> Int {
      Int(dice.number(Int64(range.lowerBound)..<Int64(range.upperBound)))
    }

    private func name(_ item: PlayerItem) -> String {
      all.firstIndex { $0 === item }.map { "\($0)" } ?? "?"
    }

    mutating func change() {
      guard let current = ideal.current else { return }
      switch number(0..<8) {
      case 0...2: insert()
      case 3...4: remove(ideal.queue[number(0..<ideal.queue.count)])
      case 5:
        ideal.isRepeated.toggle()
        player.repeatsQueue.toggle()
        done.append("repeats \(ideal.isRepeated)")
      case 6:
        ideal.loops = number(-1..<3)
        player.numberOfLoops = ideal.loops
        done.append("loops \(ideal.loops)")
      default: loop(current)
      }
    }

    private mutating func insert() {
      let free = all.filter { item in !ideal.queue.contains { $0 === item } }
      guard !free.isEmpty else { return }
      let item = free[number(0..<free.count)]
      let index = number(0..<ideal.queue.count)
      player.insert(item, after: ideal.queue[index])
      done.append("inserts \(name(item)) after \(name(ideal.queue[index]))")
      ideal.queue.insert(item, at: index + 1)
    }

    private mutating func remove(_ item: PlayerItem) {
      let next = ideal.item(after: item)
      // It would be over.
      if item === ideal.current, next == nil || next === item { return }
      player.remove(item)
      done.append("removes \(name(item))")
      ideal.queue.removeAll { $0 === item }
      if item === ideal.current { ideal.go(to: next) }
    }

    private mutating func loop(_ current: PlayerItem) {
      let length = ideal.length(of: current)
      let start = number(0..<(length - 1200))
      // Not so near either that the player may know the end to be heard.
      let end = number(max(start + 1200, ideal.frame + QueueOrderTests.ahead + 1)..<(length + 1))
      let isLooped = number(0..<2) == 0
      func time(_ frame: Int) -> Time { Time(frames: Int64(frame), rate: current.sampleRate) }
      ideal.range = isLooped ? start..<end : nil
      player.loopRange = isLooped ? TimeRange(start: time(start), end: time(end)) : nil
      done.append(isLooped ? "loops \(start)..<\(end)" : "loops no range")
    }
  }

  /// What the device holds ahead of what it has played, and has not told about yet.
  fileprivate static let ahead = 512

  @Test("changes of the queue while it plays keep the order of their moment")
  func keepsOrder() throws {
    let all = try QueueChangeTests.items([2500, 3000, 8000, 2000, 4500, 2200])
    var sounds: [ObjectIdentifier: [Float]] = [:]
    for item in all { sounds[ObjectIdentifier(item)] = try item.exported() }
    for seed in UInt64(0)..<60 {
      let queue = Array(all.prefix(3))
      let ideal = Ideal(sounds: sounds, queue: queue, current: queue[0])
      let device = MemoryDevice(
        rate: QueueChangeTests.rate, buffer: Self.ahead, holdingAt: 0)
      let player = try QueuePlayer(items: queue, opening: device.opener)
      var listener = Listener(seed, all: all, ideal, player)
      player.play()
      // How many frames were rendered and thrown away.
      var lost: Int64 = 0
      for _ in 0..<3 {
        // Not so near to the end of an item that the player may know it to be heard already.
        listener.ideal.hear(listener.number(1..<9000))
        while listener.ideal.current != nil, listener.ideal.left <= Self.ahead {
          listener.ideal.hear(listener.ideal.left + 1)
        }
        guard listener.ideal.current != nil else { break }
        let played = listener.ideal.heard.count / 2
        device.goOn(to: played)
        try device.waitUntilPlayed(played)
        try wait(until: "it is known what was heard") {
          player.engine.heardIndex - lost >= Int64(played)
            && player.currentItem === listener.ideal.current
        }
        if listener.number(0..<4) > 0 { try player.waitUntilFull() }
        let drops = device.state.withLock { $0.drops.count }
        for _ in 0..<listener.number(1..<4) {
          listener.change()
          if listener.number(0..<2) == 0 { try player.settle() }
        }
        try player.settle()
        if device.state.withLock({ $0.drops.count }) > drops {
          lost = player.engine.state.withLock { $0.marks[0].index } - Int64(played)
        }
        #expect(
          player.items.map(ObjectIdentifier.init) == listener.ideal.queue.map(ObjectIdentifier.init)
        )
        #expect(player.currentItem === listener.ideal.current)
        #expect(player.numberOfLoops == listener.ideal.loops)
      }
      listener.ideal.hear(20_000)
      let played = listener.ideal.heard.count / 2
      if listener.ideal.current == nil {
        device.goOn()
        try player.waitUntilPaused()
      } else {
        device.goOn(to: played)
        try device.waitUntilPlayed(played)
      }
      let isAsWanted = device.floats == listener.ideal.heard
      #expect(isAsWanted, "\(seed): \(listener.done)")
    }
  }

  @Test("what has begun instead of an item that can be played now gives way, and all else goes on")
  func changedAtTheEnd() throws {
    let items = try QueueChangeTests.items([1000, 1000, 1000, 1000])
    func mark(_ index: Int, _ cause: PlayerState.Mark.Cause) -> PlayerState.Mark {
      PlayerState.Mark(
        index: Int64(index) * 1000, item: items[index], frame: 0, sampleRate: QueueChangeTests.rate,
        frameCount: 1000, speed: .normal, trackRevision: 0, loopsLeft: 0, cause: cause)
    }
    var state = PlayerState()
    state.queue = [items[0], items[1]]
    state.marks = [mark(0, .jump), mark(1, .advance(past: [], isSame: false))]
    #expect(state.staleFrame(from: 990, since: 990, to: 2000) == nil)
    state.queue = [items[0], items[2], items[1]]
    #expect(state.staleFrame(from: 990, since: 990, to: 2000) == .max)
    // The change was made at frame 990, and the device plays on.
    #expect(state.staleFrame(from: 1010, since: 990, to: 2000) == nil)

    state.queue = [items[0], items[3], items[1]]
    state.marks[1].cause = .advance(past: [items[3]], isSame: false)
    #expect(state.staleFrame(from: 1010, since: 990, to: 2000) == nil)
    state.queue = [items[0], items[2], items[1]]
    #expect(state.staleFrame(from: 1010, since: 1010, to: 2000) == nil)
    let stale = try #require(state.staleFrame(from: 1010, since: 990, to: 2000))
    #expect(stale == 1000)
    let found = state.placeToGoOn(from: stale, to: 2000)
    let place = try #require(found)
    #expect(place.item === items[0])
    #expect(place.time == Time(frames: 1000, rate: QueueChangeTests.rate))
    #expect(state.marks.count == 1)
  }

  @Test("a change notes the frame that is heard, until it is taken")
  func changedFrame() throws {
    let items = try QueueChangeTests.items([44_100, 44_100])
    let player = try QueuePlayer(items: [items[0]], opening: MemoryDevice().opener)
    // A player that is paused takes no change.
    player.insert(items[1], after: nil)
    #expect(player.engine.state.withLock { $0.changedFrame } == 0)
    player.play()
    try wait(until: "the change is taken") {
      player.engine.state.withLock { $0.changedFrame == nil }
    }
  }
}

extension Player {
  /// Waits until nothing more can be rendered ahead.
  fileprivate func waitUntilFull() throws {
    try wait(until: "all that can be is rendered ahead") {
      guard case .open(_, let ring) = engine.writer.device else { return false }
      return ring.filled.slots.room == 0
        || engine.state.withLock { state in
          guard let mark = state.marks.last, let end = state.meters.last?.end else { return false }
          return !state.goesOn && end - mark.index == mark.frameCount - mark.frame
        }
    }
  }
}
