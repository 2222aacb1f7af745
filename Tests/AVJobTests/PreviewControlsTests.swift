import ExportEngine
import Glibc
import MediaComposition
import Playback
import SystemPackage
import TestSupport
import Testing

@testable import avjob

@Suite struct PreviewControlsTests {
  @Test("behind an entry that cannot be played comes the next, also one that is ready only later")
  func goesOn() async throws {
    let library = MediaLibrary()
    let folder = TestFolder()
    try writeFile(folder.path("gone.ogg"), readFile(Fixture.path("feelings.ogg")))
    let gone = try PlayerItem(contentsOf: FilePath(folder.path("gone.ogg")), library: library)
    let next = try PlayerItem(
      contentsOf: FilePath(Fixture.path("feelings.ogg")), library: library)
    unlink(folder.path("gone.ogg"))
    let player = try QueuePlayer(items: [gone], opening: NullSink.opener())
    var controls = PreviewControls(player, PreviewRoster([], library: library), isLooping: false)
    let events = player.events
    player.play()
    var (hasFailed, hasStopped) = (false, false)
    for await event in events {
      if case .itemFailed(let item, _) = event {
        controls.itemFailed(item)
        hasFailed = true
      }
      if case .statusChanged(.paused) = event { hasStopped = true }
      if hasFailed, hasStopped { break }
    }
    let early = controls.beginNext()
    #expect(!early)
    player.insert(next, after: nil)
    let late = controls.beginNext()
    #expect(late)
    #expect(player.currentItem === next)
    #expect(player.status != .paused)
  }
}
