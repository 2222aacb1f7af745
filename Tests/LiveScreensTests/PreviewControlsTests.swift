import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import Playback
import SystemPackage
import TestSupport
import Testing

@testable import LiveScreens

@Suite struct PreviewControlsTests {
  @Test("behind an entry that cannot be played comes the next, also one that is ready only later")
  func goesOn() async throws {
    let library = MediaLibrary()
    let folder = TestFolder()
    try writeFile(folder.path("gone.ogg"), readFile(Fixture.path("feelings.ogg")))
    let gone = try await PlayerItem(contentsOf: FilePath(folder.path("gone.ogg")), library: library)
    let next = try await PlayerItem(
      contentsOf: FilePath(Fixture.path("feelings.ogg")), library: library)
    unlink(folder.path("gone.ogg"))
    let player = try QueuePlayer(items: [gone], opening: NullSink.opener())
    var controls = PreviewControls(player, PreviewItems([], library: library), isLooping: false)
    let events = player.events
    player.play()
    var (hasFailed, hasStopped) = (false, false)
    for await event in events {
      if case .itemFailed(let item, _) = event {
        controls.itemFailed(item)
        hasFailed = true
      }
      if case .timeControlStatusChanged(.paused, _) = event { hasStopped = true }
      if hasFailed, hasStopped { break }
    }
    let early = controls.beginNext()
    #expect(!early)
    player.insert(next, after: nil)
    let late = controls.beginNext()
    #expect(late)
    #expect(player.currentItem === next)
    #expect(player.timeControlStatus != .paused)
  }

  @Test("a queue repeats itself when all entries are in it, and no more where none can be played")
  func repeats() throws {
    let library = MediaLibrary()
    let medium = MediaLocation.file(FilePath(Fixture.path("feelings.ogg")))
    let entries = [PreviewEntry(.media(medium)), PreviewEntry(.media(medium))]
    let made = PreviewItems(entries, library: library)
    let items = try entries.indices.map { try made.make($0).item }
    let player = try QueuePlayer(items: items, opening: NullSink.opener())
    var controls = PreviewControls(player, made, isLooping: true)
    #expect(!player.repeatsQueue)
    controls.hasLoaded()
    #expect(player.repeatsQueue)
    controls.itemFailed(items[0])
    controls.itemBegan(items[1])
    controls.itemFailed(items[0])
    #expect(player.repeatsQueue)
    controls.itemFailed(items[1])
    #expect(!player.repeatsQueue)
  }

  @Test("why a device does not come back is said when that changes")
  func reasons() {
    var log = PreviewLog()
    let busy = Failure(.tryAgain, "another program has it")
    let gone = Failure(.mendMachine, "it is not there")
    let events: [PlayerEvent] = [
      .deviceLost(nil), .deviceLost(gone), .deviceLost(gone), .deviceLost(busy), .deviceLost(gone),
      .deviceFound(
        SinkFormat(
          sampleRate: 48000, channelCount: 2, encoding: .int16, periodFrames: 1, bufferFrames: 2)),
      .deviceLost(gone),
    ]
    let lines = events.map { log.line(for: $0, at: .zero, device: "card") }
    #expect(
      lines == [
        "card has disconnected at 0:00.0; waiting for it",
        "card cannot be opened again: it is not there", nil,
        "card cannot be opened again: another program has it",
        "card cannot be opened again: it is not there", "card is connected again",
        "card is not available at 0:00.0, and is waited for: it is not there",
      ])
  }
}
