import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

/// Changes that are heard as soon as the device has played what it holds.
@Suite struct RevisionTests {
  private static let hold = Player.responsiveIOBufferDuration

  /// Two tracks of four seconds, of the given gain in the whole.
  private static func item(
    from start: Int64 = 0, gain: Double = 0, effect: Effect? = nil
  ) throws -> PlayerItem {
    let library = MediaLibrary()
    func segment(_ name: String, _ start: Int64) throws -> Segment {
      let asset = try library.asset(at: FilePath(Fixture.path(name)))
      let source = TimeRange(
        start: Time(value: start, timescale: 1), duration: Time(value: 4, timescale: 1))
      var segment = Segment(.asset(asset), source: source, at: .zero)
      if let effect { segment.effects = [effect] }
      return segment
    }
    var mix = AudioMix.unity
    mix.gain = Gain(decibels: gain)
    return try PlayerItem(
      Composition(tracks: [
        Track(name: "music", segments: [try segment("feelings.ogg", start + 1)]),
        Track(name: "voice", segments: [try segment("librivox-sonnet.mp3", start + 2)]),
      ]), mix: mix, library: library)
  }

  /// A player that plays to a device that holds still after two seconds, until all that fits into it
  /// and the ring is rendered.
  private struct Stage {
    let item: PlayerItem
    let device: MemoryDevice
    let player: Player
    let frame: Int

    init(
      _ item: PlayerItem, _ others: [PlayerItem] = [], holdingFor hold: Time = RevisionTests.hold,
      at frame: Int? = nil, _ prepare: (Player) -> Void = { _ in }
    ) throws {
      self.item = item
      self.frame = frame ?? item.sampleRate * 2
      device = MemoryDevice(rate: item.sampleRate, holdingAt: self.frame)
      player = try QueuePlayer(items: [item] + others, opening: device.opener)
      player.preferredIOBufferDuration = hold
      prepare(player)
      player.play()
      try device.waitUntilPlayed(self.frame)
      try waitUntilFull()
    }

    var ring: SlotRing? {
      if case .open(_, let ring) = player.engine.writer.device { ring } else { nil }
    }

    func waitUntilFull() throws {
      try wait(until: "the ring is full, and its newest sound is to be played") {
        guard let ring else { return false }
        let next = player.engine.writer.counts.progress.written
        return !ring.isOffered && !ring.isReplacing && ring.filled.slots.room == 0
          && !player.engine.state.withLock { $0.isRevised(from: next) }
      }
    }

    /// Lets the device play to the end; what it has played.
    func heard() throws -> [Float] {
      device.goOn()
      try player.waitUntilPaused()
      return device.floats
    }

    /// The frames after which the device was silenced.
    var drops: [Int] { device.state.withLock { $0.drops } }

    /// The first sample that may be of the new sound, and the first that must be.
    var first: Int { frame * 2 }
    var settled: Int {
      // What the device holds, a piece that is written at once, and the fade.
      let frames = Int(RevisionTests.hold.frames(atRate: item.sampleRate))
      return (frame + frames + 2 * item.sampleRate / 100 + 2) * 2
    }
  }

  /// Whether sound is that of the old up to a sample, and from another one on that of the new.
  private func turns(
    _ heard: [Float], from old: [Float], _ first: Int, to new: [Float], _ settled: Int
  ) -> Bool {
    heard.count == new.count && heard[..<first] == old[..<first]
      && heard[settled...] == new[settled...]
  }

  @Test("a muted track is silent after what the device holds, without a gap, and comes back so")
  func mutes() throws {
    let item = try Self.item()
    let whole = try item.exported()
    let stage = try Stage(item)
    #expect(stage.player.device.bufferedSeconds < 0.3)
    item.tracks[0].isEnabled = false
    try stage.waitUntilFull()
    let heard = try stage.heard()
    let alone = try item.heard()
    #expect(turns(heard, from: whole, stage.first, to: alone, stage.settled))
    #expect(stage.drops == [heard.count / 2])
    #expect(stage.player.device.xruns == 0)
  }

  @Test("many changes of tracks in a row end with the last one")
  func manyChanges() throws {
    let item = try Self.item()
    let whole = try item.exported()
    let stage = try Stage(item)
    for _ in 0..<50 {
      item.tracks[0].isEnabled.toggle()
      item.tracks[1].isSolo.toggle()
    }
    try stage.waitUntilFull()
    let heard = try stage.heard()
    #expect(turns(heard, from: whole, stage.first, to: whole, stage.settled))
  }

  @Test("another speed is heard after what the device holds")
  func speed() throws {
    let item = try Self.item()
    let whole = try item.exported()
    let stage = try Stage(item)
    stage.player.speed = PlaybackSpeed(percent: 200)
    try stage.waitUntilFull()
    let heard = try stage.heard()
    #expect(heard[..<stage.first] == whole[..<stage.first])
    let rest = (heard.count - stage.first) / 2
    let held = (stage.settled - stage.first) / 2
    // Between nothing and all of what may be held was heard at the old speed.
    #expect(rest >= item.sampleRate - 2 && rest <= item.sampleRate + held / 2 + 2)
    #expect(stage.player.currentTime == item.duration)
    #expect(stage.drops == [heard.count / 2])
  }

  @Test("an item that replaces the one that is heard goes on at its own time, without a gap")
  func replaces() throws {
    let (item, other) = (try Self.item(), try Self.item(from: 1))
    let (whole, new) = (try item.exported(), try other.exported())
    let stage = try Stage(item)
    let reader = SequenceReader(stage.player.events)
    // The other one begins a second later.
    let (one, two) = (Time(value: 1, timescale: 1), Time(value: 2, timescale: 1))
    #expect(stage.player.replace(item, with: other, at: one, insteadOf: two))
    #expect(!stage.player.replace(item, with: other, at: one, insteadOf: two))
    #expect(stage.player.items.map { $0 === other } == [true])
    #expect(stage.player.currentItem === other)
    try stage.waitUntilFull()
    let heard = try stage.heard()
    let shifted = Array(repeating: 0, count: item.sampleRate * 2) + new
    #expect(turns(heard, from: whole, stage.first, to: shifted, stage.settled))
    #expect(stage.drops == [heard.count / 2])
    #expect(stage.player.currentTime == other.duration)
    let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
    let begun = told.compactMap { if case .itemBegan(let item) = $0 { item } else { nil } }
    #expect(begun.map { $0 === other } == [true])
  }

  @Test("an item that replaces a repeated one at its own end has begun when it is repeated")
  func replacesAtEnd() throws {
    let (item, other) = (try Self.item(), try Self.item(from: 1))
    let stage = try Stage(item) { $0.numberOfLoops = 1 }
    let reader = SequenceReader(stage.player.events)
    let two = Time(value: 2, timescale: 1)
    #expect(stage.player.replace(item, with: other, at: other.duration, insteadOf: two))
    _ = try stage.heard()
    let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
    let begun = told.compactMap { if case .itemBegan(let item) = $0 { item } else { nil } }
    #expect(begun.map { $0 === other } == [true])
  }

  @Test("an item that replaces another one of the queue is played in its turn")
  func replacesNext() throws {
    let items = [try Self.item(), try Self.item(from: 1)]
    let other = try Self.item(from: 2)
    let whole = try items[0].exported() + other.exported()
    let stage = try Stage(items[0])
    stage.player.insert(items[1], after: nil)
    #expect(stage.player.replace(items[1], with: other, at: .zero, insteadOf: .zero))
    #expect(try stage.heard() == whole)
  }

  @Test(
    "an item that cannot be opened in the place of another fails once, and the next one follows")
  func replacesInVain() throws {
    let (item, next) = (try Self.item(), try Self.item(from: 2))
    let other = try Self.goneItem()
    let stage = try Stage(item)
    stage.player.insert(next, after: nil)
    let reader = SequenceReader(stage.player.events)
    #expect(stage.player.replace(item, with: other, at: .zero, insteadOf: .zero))
    func isFailure(_ event: PlayerEvent) -> Bool {
      if case .itemFailed(let item, _) = event { item === other } else { false }
    }
    _ = try reader.elements(until: "the player tells that the item has failed", isFailure)
    stage.device.goOn()
    let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
    #expect(told.filter(isFailure).count == 1)
    let whole = try next.exported()
    #expect(stage.device.floats.suffix(whole.count) == whole[...])
  }

  @Test(
    "an item whose next one cannot be played is replaced up to its very end",
    arguments: [false, true])
  func replacesBeforeFailure(isNextLate: Bool) throws {
    let (item, other, gone) = (try Self.item(), try Self.item(from: 1), try Self.goneItem())
    let (whole, new) = (try item.exported(), try other.exported())
    let count = whole.count / 2
    // The device holds the last frame, which counts as heard when its time has passed.
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: count - 1)
    let player = try QueuePlayer(
      items: isNextLate ? [item] : [item, gone], opening: device.opener)
    let reader = SequenceReader(player.events)
    player.play()
    try device.waitUntilPlayed(count - 1)
    if isNextLate {
      try wait(until: "the end of the item is reported") {
        player.engine.state.withLock { $0.observed } == count
      }
      player.insert(gone, after: nil)
    }
    _ = try reader.elements(until: "the player tells that the next one has failed") {
      if case .itemFailed = $0 { true } else { false }
    }
    let two = Time(value: 2, timescale: 1)
    #expect(player.replace(item, with: other, at: two, insteadOf: item.duration))
    device.goOn()
    _ = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
    let heard = device.floats
    #expect(heard.count == whole.count + new.count / 2)
    #expect(heard.starts(with: whole))
    #expect(heard.suffix(new.count / 2) == new.suffix(new.count / 2))
  }

  /// An item whose medium is gone.
  private static func goneItem() throws -> PlayerItem {
    let folder = TestFolder()
    let path = folder.path("gone.wav")
    try Tool.succeed("sox", "-n", "-r", "44100", "-c", "2", path, "synth", "4", "sine", "440")
    let item = try PlayerItem(contentsOf: FilePath(path), library: MediaLibrary())
    #expect(unlink(path) == 0)
    return item
  }

  @Test("an item that comes back to the place of the one that has replaced it goes on there")
  func comesBack() throws {
    let (item, other) = (try Self.item(), try Self.item(from: 1))
    let whole = try item.exported()
    let stage = try Stage(item)
    let (one, two) = (Time(value: 1, timescale: 1), Time(value: 2, timescale: 1))
    for _ in 0..<2 {
      #expect(stage.player.replace(item, with: other, at: one, insteadOf: two))
      #expect(stage.player.replace(other, with: item, at: two, insteadOf: one))
    }
    try stage.waitUntilFull()
    #expect(try stage.heard() == whole)
    #expect(stage.player.items.map { $0 === item } == [true])
  }

  @Test(
    "an item that replaces the next one, of which sound is rendered ahead, follows without a gap")
  func replacesRenderedNext() throws {
    let items = [try Self.item(), try Self.item(from: 1)]
    let other = try Self.item(from: 2)
    let whole = try items[0].exported() + other.exported()
    // A tenth of a second before the end.
    let stage = try Stage(items[0], [items[1]], at: items[0].sampleRate * 39 / 10)
    #expect(stage.player.replace(items[1], with: other, at: .zero, insteadOf: .zero))
    try stage.waitUntilFull()
    #expect(try stage.heard() == whole)
    #expect(stage.drops == [whole.count / 2])
  }

  @Test(
    "an item that replaces one that is looped within what is rendered ahead goes on without a gap")
  func replacesLooped() throws {
    let (item, other) = (try Self.item(), try Self.item(gain: -6))
    let loop = TimeRange(start: .zero, duration: Time(value: 1, timescale: 10))
    let stage = try Stage(item, at: item.sampleRate / 2) { $0.loopRange = loop }
    #expect(stage.player.replace(item, with: other, at: .zero, insteadOf: .zero))
    #expect(stage.player.loopRange == loop)
    try stage.waitUntilFull()
    stage.player.loopRange = nil
    let heard = try stage.heard()
    let new = try other.exported()
    #expect(heard.suffix(new.count / 2) == new.suffix(new.count / 2))
    #expect(stage.player.currentTime == other.duration)
  }

  @Test("a paused player is at the place of the item that replaces its own")
  func replacesPaused() throws {
    let (item, other) = (try Self.item(), try Self.item(from: 1))
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    player.seek(to: Time(value: 2, timescale: 1))
    let (one, two) = (Time(value: 1, timescale: 1), Time(value: 2, timescale: 1))
    #expect(player.replace(item, with: other, at: one, insteadOf: two))
    #expect(player.currentTime == one)
    player.play()
    try player.waitUntilPaused()
    let new = try other.exported()
    #expect(device.floats == Array(new[(item.sampleRate * 2)...]))
  }

  @Test(
    "a pause changes nothing, also of what remembers without end",
    arguments: [Effect.denoise(reduction: 12), .highpass(frequency: 300)])
  func pauses(effect: Effect) throws {
    let item = try Self.item(effect: effect)
    let whole = try item.exported()
    let stage = try Stage(item, holdingFor: .zero)
    for _ in 0..<3 {
      let drops = stage.device.state.withLock { $0.drops.count }
      stage.player.pause()
      try stage.device.waitUntilDropped(after: drops)
      stage.player.play()
      try stage.waitUntilFull()
    }
    #expect(try stage.heard() == whole)
  }

  @Test("another output goes on at the frame that was heard last, and is no loss")
  func output() throws {
    let item = try Self.item()
    let whole = try item.exported()
    let stage = try Stage(item)
    let reader = SequenceReader(stage.player.events)
    let other = MemoryDevice(rate: item.sampleRate)
    stage.player.setOutput(opening: other.opener)
    try stage.player.waitUntilPaused()
    #expect(stage.device.floats + other.floats == whole)
    let told = try reader.elements(until: "the player tells that it has paused") { $0.isPause }
    #expect(!told.contains { if case .deviceLost = $0 { true } else { false } })
  }

  @Test("after a jump, what remembers without end is nearly the export, and then the export")
  func chases() throws {
    let item = try Self.item(effect: .denoise(reduction: 12))
    let whole = try item.exported()
    let place = item.sampleRate
    let device = MemoryDevice(rate: item.sampleRate, holdingAt: item.sampleRate / 2)
    let player = try Player(item, opening: device.opener)
    #expect(player.approximation == nil)
    player.seek(to: Time(value: 1, timescale: 1))
    player.play()
    try device.waitUntilPlayed(item.sampleRate / 2)
    #expect(try #require(player.approximation) <= 1)
    try wait(until: "the exact sound has arrived") { player.approximation == 1 }
    // What is rendered by now, and half a second.
    let settled = item.sampleRate * 3 / 2
    device.goOn()
    try player.waitUntilPaused()
    let (heard, rest) = (device.floats, whole[(place * 2)...])
    #expect(heard.count == rest.count)
    let isExact = heard[(settled * 2)...] == rest.dropFirst(settled * 2)
    #expect(isExact)
    #expect(heard[0] != rest[place * 2] || heard[1000] != rest[place * 2 + 1000])
  }
}
