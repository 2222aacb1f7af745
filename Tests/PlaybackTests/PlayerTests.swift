import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

@Suite struct PlayerTests {
  @Test("the played sound is the exported one, bit for bit")
  func hearsTheExport() throws {
    let item = try PlayerItem.ofFixture("feelings.ogg")
    #expect(try heard(item) == item.exported())
  }

  /// What a file gets of an item.
  private func heard(_ item: PlayerItem, from start: Time = .zero) throws -> [Float] {
    let folder = TestFolder()
    let file = FilePath(folder.path("heard.raw"))
    let player = try Player(item, opening: FileSink.opener(file, container: .raw))
    if start > .zero { player.seek(to: start) }
    player.play()
    try player.waitUntilPaused()
    return try readFile(file.string).withUnsafeBytes {
      Array($0.assumingMemoryBound(to: Float.self))
    }
  }

  @Test("after a seek, the sound is the rest of the whole")
  func hearsTheRest() throws {
    let item = try PlayerItem.ofFixture("feelings.ogg")
    let whole = try item.exported()
    var dice = Dice(6)
    for _ in 0..<10 {
      let frame = dice.number(0..<Int64(whole.count / 2))
      let heard = try heard(item, from: Time(frames: frame, rate: item.sampleRate))
      #expect(heard == Array(whole[Int(frame * 2)...]))
    }
  }

  @Test(
    "however long it plays, of what the meters show it keeps a second, and what is not heard yet")
  func forgetsMeters() throws {
    let item = try PlayerItem.ofFixture("feelings.ogg")
    let device = MemoryDevice(rate: item.sampleRate)
    let player = try Player(item, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    let kept = player.engine.state.withLock { $0.meters.count }
    let slotFrames = SlotRing.slotFrames(atRate: item.sampleRate)
    let held = DeviceWriter.slotCount + device.format.bufferFrames / slotFrames
    #expect(kept <= held + 2 + item.sampleRate / slotFrames)
  }

  @Test("unplugged, it waits for the device and continues at the last played frame")
  func survivesUnplugging() throws {
    let item = try PlayerItem.ofFixture("feelings.ogg")
    let device = MemoryDevice(
      rate: item.sampleRate,
      mishaps: [(50_000, .isUnplugged(attempts: 2)), (90_000, .isInterrupted)])
    let player = try Player(item, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    #expect(device.floats == (try item.exported()))
    #expect(device.state.withLock { $0.openings } == 4)
  }
}

extension PlayerItem {
  static func ofFixture(_ name: String, _ range: TimeRange? = nil) throws -> PlayerItem {
    let library = MediaLibrary()
    let path = FilePath(Fixture.path(name))
    guard let range else { return try PlayerItem(contentsOf: path, library: library) }
    let segment = Segment(.asset(try library.asset(at: path)), source: range, at: .zero)
    return try PlayerItem(Composition(tracks: [Track(segments: [segment])]), library: library)
  }

  /// The frames that an export as WAV would hold.
  func exported() throws -> [Float] {
    let renderer = try Renderer(graph, library: library)
    let buffer = AudioBuffer(channelCount: channelLayout.count, capacity: Renderer.blockSize)
    var frames: [Float] = []
    repeat {
      let next = renderer.position(of: sink.node)
      try renderer.read(next..<next + Int64(buffer.capacity), of: sink.node, into: buffer)
      for index in 0..<buffer.frameCount {
        for channel in 0..<buffer.channelCount { frames.append(buffer.samples(channel)[index]) }
      }
    } while buffer.frameCount > 0
    return frames
  }

  /// What a player of it plays into a device of its rate with two channels.
  func heard() throws -> [Float] {
    let device = MemoryDevice(rate: sampleRate)
    let player = try Player(self, opening: device.opener)
    player.play()
    try player.waitUntilPaused()
    return device.floats
  }
}

extension Player {
  func waitUntilPaused() throws {
    try wait(until: "the player has paused", within: .seconds(120)) { timeControlStatus == .paused }
  }

  /// Plays; what it tells until it has paused.
  func toldUntilPaused() throws -> [PlayerEvent] {
    let reader = SequenceReader(events)
    play()
    return try reader.elements(until: "the player tells that it has paused") { $0.isPause }
  }
}

extension PlayerEvent {
  var isPause: Bool { if case .timeControlStatusChanged(.paused, _) = self { true } else { false } }
}
