import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// AVQueuePlayer's samples, in their own shapes.
@Suite(.timeLimit(.minutes(5))) struct QueuePlayerPorting {
  /// Items of some words each.
  private func items(_ count: Int) throws -> [PlayerItem] {
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(Fixture.path("voice-8k.wav")))
    return try (0..<count).map { index in
      let part = TimeRange(
        start: Time(value: Int64(index), timescale: 10), duration: Time(value: 1, timescale: 4))
      let segment = Segment(.asset(asset), source: part, at: .zero)
      return try PlayerItem(
        Composition(tracks: [Track(segments: [segment])]), name: "part \(index + 1)",
        library: library)
    }
  }

  @Test("AVQueuePlayer: items are inserted, replaced, skipped and removed, and play on gaplessly")
  func arranges() async throws {
    let folder = TestFolder()
    let file = folder.path("heard.raw")
    let items = try items(4)
    // AVQueuePlayer(items: items)
    let player = try QueuePlayer(
      items: Array(items.prefix(2)),
      opening: FileSink.opener(FilePath(file), as: .int16, container: .raw))
    #expect(player.items == Array(items.prefix(2)))
    #expect(player.canInsert(items[2], after: items[1]))
    player.insert(items[2], after: items[1])
    player.advanceToNextItem()
    #expect(player.currentItem == items[1])
    player.remove(items[2])
    // player.replaceCurrentItem(with: item)
    player.replaceCurrentItem(with: items[3])
    #expect(player.items == [items[0], items[3]] && player.currentItem == items[3])
    player.returnToPreviousItem()
    var ended: [String] = []
    let events = player.events
    player.play()
    for await event in events {
      switch event {
      // AVPlayerItem.didPlayToEndTimeNotification
      case .itemEnded(let item): ended.append(item.name)
      default: break
      }
      if player.isAtEnd, ended.count == 2 { break }
    }
    #expect(ended == ["part 1", "part 4"])
    #expect(try readFile(file).count == 2 * 2 * 2000)
    player.removeAllItems()
    #expect(player.items.isEmpty && player.currentItem == nil)
  }

  @Test("AVQueuePlayer: the current item is observed as it changes")
  func observes() async throws {
    let items = try items(3)
    let player = try QueuePlayer(items: items, opening: NullSink.opener())
    // player.publisher(for: \.currentItem)
    let current = player.values(of: \.currentItem)
    player.play()
    var names: [String] = []
    for await item in current {
      names.append(item?.name ?? "none")
      if names.count == 3 { break }
    }
    #expect(names == ["part 1", "part 2", "part 3"])
  }

  @Test("AVQueuePlayer: the index of the current item, and how many follow")
  func counts() throws {
    let items = try items(3)
    let player = try QueuePlayer(items: items, opening: NullSink.opener())
    player.advanceToNextItem()
    let current = try #require(player.currentItem)
    let index = try #require(player.items.firstIndex(of: current))
    #expect(index == 1 && player.items[(index + 1)...] == [items[2]])
    // seekToIndex: of a player of one's own.
    player.go(to: player.items[0])
    #expect(player.currentItem == items[0])
  }
}
