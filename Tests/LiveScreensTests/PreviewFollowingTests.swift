import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import MediaTime
import Playback
import SystemPackage
import Terminal
import TestSupport
import Testing
import Threads

@testable import LiveScreens

private func tenths(_ value: Int64) -> Time { Time(value: value, timescale: 10) }

/// A paused preview of jobs that are changed while it plays.
private struct FollowedPreview {
  var controls: PreviewControls
  let messages: Inbox<PreviewMessage>
  let folder = TestFolder()
  private let library = MediaLibrary()

  var player: QueuePlayer { controls.player }

  /// Jobs of these names, whose sound is from its start.
  init(_ names: String...) throws {
    let inbox = try Inbox<PreviewMessage>()
    messages = inbox
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let made = PreviewItems(
      names.map { [library] in entry($0, of: asset, library) }, library: library)
    let items = try names.indices.map { try made.make($0).item }
    controls = PreviewControls(
      try QueuePlayer(items: items, opening: StillSink.opener()), made, isLooping: false,
      outputs: EncodedOutputs(library: library) { inbox.put($0) },
      markFiles: try PreviewMarkFiles(
        at: FilePath(folder.path("m.txt")), entries: names, replacing: false))
    controls.setPlaying(false)
  }

  mutating func perform(_ commands: PlayerCommand...) {
    for command in commands { controls.perform(command) }
  }

  /// Another version of the jobs, of which some begin with so much more of the sound.
  func change(to names: String..., later: [String: Time] = [:]) throws -> Playlist.Difference {
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let next = names.map { name in
      NextEntry.entry(entry(name, of: asset, library, after: later[name] ?? .zero))
    }
    return try controls.items.change(to: next, endingAt: nil, PreviewMeasuring()).change
  }

  /// Another version, of one job of so many clips of a second each.
  func change(to name: String, ofClips count: Int) throws -> Playlist.Difference {
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let clips = (0..<Int64(count)).map { index in
      Segment(
        .asset(asset), source: TimeRange(start: tenths(index * 20), duration: tenths(10)),
        at: tenths(index * 10))
    }
    let next = NextEntry.entry(entry(name, of: clips, library))
    return try controls.items.change(to: [next], endingAt: nil, PreviewMeasuring()).change
  }

  /// Encodes the entry that is heard.
  mutating func encode() throws -> EncodedOutputs.Encoded {
    perform(.encoded)
    var encoded: EncodedOutputs.Encoded?
    try wait(until: "the output is encoded") {
      for case .encoded(let found) in messages.takeAll() { encoded = found }
      return encoded != nil
    }
    return try #require(encoded)
  }

  func text(_ name: String) throws -> String {
    String(decoding: try readFile(folder.path(name)), as: UTF8.self)
  }

  var markFiles: [FilePath] { controls.markFiles?.files ?? [] }
}

/// Three seconds of a sound in two clips that join at 2 s, after some more of it.
private func entry(
  _ name: String, of asset: Asset, _ library: MediaLibrary, after more: Time = .zero
) -> PreviewEntry {
  func clip(_ source: TimeRange, at place: Time) -> Segment {
    Segment(.asset(asset), source: source, at: place)
  }
  var segments = [
    clip(TimeRange(start: .zero, duration: tenths(20)), at: more),
    clip(TimeRange(start: tenths(30), duration: tenths(10)), at: more + tenths(20)),
  ]
  if more > .zero {
    segments.insert(clip(TimeRange(start: tenths(40), duration: more), at: .zero), at: 0)
  }
  return entry(name, of: segments, library)
}

private func entry(
  _ name: String, of segments: [Segment], _ library: MediaLibrary
) -> PreviewEntry {
  let composition = Composition(tracks: [Track(name: "voice", segments: segments)])
  let output = Output(path: "none.wav", format: .wav(.float32))
  return PreviewEntry(
    .job(
      ExportSession(
        Export(name: name, composition: composition, outputs: [output]), library: library)))
}

@Suite struct PreviewFollowingTests {
  @Test("marks and their files follow their entries, and a new entry has a file of its own")
  func marks() throws {
    var preview = try FollowedPreview("a", "b")
    preview.perform(.go(to: "1s"), .mark, .entry(.by(1)), .go(to: "2s"), .mark)
    let change = try preview.change(to: "c", "a", "b", later: ["b": tenths(5)])
    preview.controls.take(change)
    #expect(try preview.text("m-a.txt") == "1.000000\t1.000000\tmark 1\n")
    // Half a second was inserted before it.
    #expect(try preview.text("m-b.txt") == "2.500000\t2.500000\tmark 2\n")
    _ = try preview.controls.items.make(0)
    let new = try #require(preview.controls.items.playlist[0].item)
    preview.player.arrange(preview.controls.items.items, orElse: nil)
    preview.player.go(to: new)
    preview.perform(.go(to: "0.1s"), .mark)
    #expect(preview.controls.message == "mark 3 at 0:00.100; Enter names it")
    #expect(try preview.text("m-c.txt") == "0.100000\t0.100000\tmark 3\n")
    preview.perform(.unmark, .unmark)
    #expect(preview.markFiles == [FilePath(preview.folder.path("m-a.txt"))])
  }

  @Test("the file of an entry that is gone stays, and no other entry gets it")
  func leftFile() throws {
    var preview = try FollowedPreview("a", "b")
    preview.perform(.mark)
    preview.controls.take(try preview.change(to: "b"))
    let change = try preview.change(to: "b", "a")
    preview.controls.take(change)
    _ = try preview.controls.items.make(1)
    preview.player.arrange(preview.controls.items.items, orElse: nil)
    preview.player.go(to: try #require(preview.controls.items.playlist[1].item))
    preview.perform(.go(to: "1s"), .mark)
    #expect(try preview.text("m-a.txt") == "0.000000\t0.000000\tmark 1\n")
    #expect(
      preview.markFiles == ["m-a.txt", "m-a-2.txt"].map { FilePath(preview.folder.path($0)) })
  }

  @Test(
    "a change is taken over when the player has it, so that what is made then stays in its queue")
  func takenOver() throws {
    for _ in 0..<50 {
      var preview = try FollowedPreview("a", "b", "c", "d")
      let change = try preview.change(to: "a")
      let (items, player, count) = (preview.controls.items, preview.player, Monitor(0))
      let waiting = try Thread.spawn(name: "waiting") {
        items.awaitCommit()
        count.withLock { $0 = player.items.count }
      }
      preview.controls.take(change)
      waiting.join()
      #expect(count.withLock { $0 } == 1)
    }
  }

  @Test("an open list has the entries of the new version, with its search and the chosen row")
  func list() throws {
    var preview = try FollowedPreview("a", "b", "ab")
    preview.perform(.list(.open), .list(.find("b")), .list(.last))
    preview.controls.take(try preview.change(to: "b", "ab", "bc"))
    let list = try #require(preview.controls.list)
    #expect((0..<list.count).map { list[$0].number } == [1, 2, 3])
    #expect(list.selected?.text.hasPrefix("ab ") == true)
    // A row may be gone.
    preview.controls.take(try preview.change(to: "b"))
    #expect(preview.controls.list?.selected?.text.hasPrefix("b ") == true)
    preview.perform(.list(.choose))
    #expect(preview.player.currentItem === preview.controls.items.playlist[0].item)
  }

  @Test("a renamed job goes on at its place, and others are not taken for it")
  func renamed() throws {
    var preview = try FollowedPreview("a", "b")
    let first = try #require(preview.player.currentItem)
    preview.player.seek(to: tenths(30))
    preview.controls.take(try preview.change(to: "x", "b"))
    let item = try #require(preview.controls.items.playlist[0].item)
    #expect(item !== first && item.name == "x")
    #expect(preview.player.currentItem === item)
    #expect(preview.player.currentTime == tenths(30))
    // Of a job that is gone, and one that is new elsewhere, neither is the other.
    preview.controls.take(try preview.change(to: "b", "y"))
    #expect(preview.player.currentItem?.name == "b")
    #expect(preview.controls.items.playlist[1].item == nil)
  }

  @Test("an entry that is not ready stays chosen when others are inserted before it")
  func unreadyRow() throws {
    var preview = try FollowedPreview("a")
    preview.controls.take(try preview.change(to: "a", "b", "c"))
    preview.perform(.list(.open), .list(.move(by: 1)))
    #expect(preview.controls.list?.selected?.text == "b  not ready")
    preview.controls.take(try preview.change(to: "d", "a", "e", "b", "c"))
    #expect(preview.controls.list?.selected?.text == "b  not ready")
    #expect(preview.controls.list?.selected?.number == 4)
    let items = preview.controls.items
    items.state.withLock { $0.playlist[3].failure = Failure(.mendJob, "is no sound") }
    preview.perform(.list(.open), .list(.find("b")))
    #expect(preview.controls.list?.selected?.text == "b  cannot be played")
    preview.perform(.list(.choose))
    #expect(preview.controls.message == "'b' cannot be played")
  }

  @Test("a list that was opened before entries have gone does not go to what is not there")
  func oldList() throws {
    var preview = try FollowedPreview("a", "b")
    preview.perform(.list(.open), .list(.last))
    let list = preview.controls.list
    preview.controls.take(try preview.change(to: "a"))
    preview.controls.list = list
    preview.perform(.list(.choose))
    #expect(preview.player.currentItem === preview.controls.items.playlist[0].item)
  }

  @Test("an output that is gone over to while a change is made is still heard after it")
  func exchange() throws {
    var preview = try FollowedPreview("a", "b")
    defer { preview.controls.outputs.end() }
    preview.perform(.go(to: "1s"))
    let mix = try #require(preview.player.currentItem)
    let encoded = try preview.encode()
    let first = try preview.change(to: "a", "b", "c")
    preview.controls.take(encoded)
    let item = try #require(preview.player.currentItem)
    #expect(item !== mix)
    preview.controls.take(first)
    #expect(preview.player.currentItem === item)
    #expect(preview.controls.items.index(of: item) == 0)
    #expect(preview.player.currentTime == tenths(10))
    // The other way.
    let second = try preview.change(to: "b", "a", "c")
    preview.perform(.encoded)
    preview.controls.take(second)
    #expect(preview.player.currentItem === mix)
    #expect(preview.controls.items.index(of: mix) == 1)
    #expect(preview.player.currentTime == tenths(10))
    // Its entry may have changed, too, and then be gone.
    let third = try preview.change(to: "b", "a", later: ["a": tenths(5)])
    preview.perform(.encoded)
    preview.controls.take(third)
    #expect(preview.controls.items.index(of: preview.player.currentItem) == 1)
    #expect(preview.player.currentTime == tenths(15))
  }

  @Test("an output that was encoded of a version before is not heard, and its file is removed")
  func formerOutput() throws {
    var preview = try FollowedPreview("a")
    defer { preview.controls.outputs.end() }
    let encoded = try preview.encode()
    #expect(isThere(encoded.file))
    preview.controls.take(try preview.change(to: "a", later: ["a": tenths(5)]))
    let item = preview.player.currentItem
    preview.controls.take(encoded)
    #expect(preview.player.currentItem === item)
    #expect(
      preview.controls.message
        == "'a, encoded' is of a former version; e encodes the present one")
    #expect(!isThere(encoded.file))
    // One that is heard goes with its entry.
    let other = try preview.encode()
    preview.controls.take(other)
    #expect(preview.controls.currentEntry?.isEncodedHeard == true)
    #expect(isThere(other.file))
    preview.controls.take(try preview.change(to: "a"))
    #expect(preview.controls.currentEntry?.encoded == nil)
    #expect(!isThere(other.file))
  }

  private func isThere(_ file: FilePath) -> Bool { access(file.string, F_OK) == 0 }

  @Test("a tour of joins goes on in the encoded output, and in a version with the same join")
  func tour() throws {
    var preview = try FollowedPreview("a", "c")
    defer { preview.controls.outputs.end() }
    let encoded = try preview.encode()
    preview.controls.take(encoded)
    preview.perform(.encoded, .tour)
    #expect(preview.controls.tour?.joins.map(\.start) == [tenths(20)])
    preview.perform(.encoded)
    preview.controls.itemBegan(try #require(preview.player.currentItem))
    #expect(preview.player.currentItem !== encoded.item)
    #expect(preview.controls.tour != nil)
    preview.perform(.join(by: 1), .tour, .tour)
    #expect(preview.controls.tour?.joins.map(\.start) == [tenths(20)])
    preview.controls.take(try preview.change(to: "a", "c", later: ["a": tenths(5)]))
    preview.controls.itemBegan(try #require(preview.player.currentItem))
    let tour = try #require(preview.controls.tour)
    #expect(tour.joins[tour.index].start == tenths(25))
    preview.controls.take(try preview.change(to: "c"))
    #expect(preview.controls.tour == nil)
    #expect(preview.controls.message == "the tour of the joins has ended: its entry is gone")
  }

  @Test("a tour whose last joins are gone goes on with the last one that is left")
  func lastJoin() throws {
    var preview = try FollowedPreview("a")
    preview.controls.take(try preview.change(to: "a", ofClips: 4))
    preview.perform(.tour, .join(by: 1), .join(by: 1))
    #expect(preview.controls.tour?.index == 2)
    preview.controls.take(try preview.change(to: "a", ofClips: 3))
    #expect(preview.controls.tour?.joins.map(\.start) == [tenths(10), tenths(20)])
    #expect(preview.controls.tour?.index == 1)
  }

  @Test("a variable without a value names no folder for temporary files")
  func emptyVariable() {
    func path(_ values: [String: String]) -> String {
      TemporaryFolder.path(of: "FIRST", "SECOND") { values[$0] }
    }
    #expect(path(["FIRST": "/one", "SECOND": "/two"]) == "/one")
    #expect(path(["FIRST": "", "SECOND": "/two"]) == "/two")
    #expect(path(["FIRST": ""]) == "/tmp")
  }

  @Test("the end of an interruption plays again what it has paused, but not what a listener has")
  func interruptions() throws {
    var preview = try FollowedPreview("a")
    let over = AudioSession.Event.interruption(.ended(shouldResume: true))
    let silent = AudioSession.Event.interruption(.ended(shouldResume: false))
    func begin() { _ = preview.controls.take(.interruption(.began(.default))) }
    preview.controls.setPlaying(true)
    begin()
    _ = preview.controls.take(.interruption(.began(.deviceSuspended)))
    preview.perform(.step(milliseconds: 1000))
    #expect(!preview.controls.isPlaying)
    #expect(preview.controls.take(over) == over)
    #expect(preview.controls.isPlaying)
    let pauses: [(inout PreviewControls) -> Void] = [
      {
        $0.perform(.playOrPause)
        $0.perform(.playOrPause)
      },
      { $0.perform(.pause) },
      { $0.perform(.frame(by: 1)) },
    ]
    for pause in pauses {
      preview.controls.setPlaying(true)
      begin()
      pause(&preview.controls)
      #expect(preview.controls.take(over) == silent)
      #expect(!preview.controls.isPlaying)
    }
    begin()
    #expect(preview.controls.take(over) == silent)
    #expect(!preview.controls.isPlaying)
  }

  @Test("a preview that waits for a lost item plays after it is back, and after an interruption")
  func interruptedWaiting() throws {
    var preview = try FollowedPreview("a")
    let over = AudioSession.Event.interruption(.ended(shouldResume: true))
    let silent = AudioSession.Event.interruption(.ended(shouldResume: false))
    func take(later: Int64) throws {
      let lost = PreviewControls.LostItem(
        item: try #require(preview.controls.items.playlist[0].item), time: .zero, end: .zero,
        failure: Failure(.tryAgain, "it has changed"))
      let change = try preview.change(to: "a", later: ["a": tenths(later)])
      let isFound = preview.controls.take(change, lost: lost)
      #expect(isFound)
    }
    func beginWaiting() {
      preview.controls.setPlaying(true)
      preview.player.pause()
      _ = preview.controls.take(.interruption(.began(.default)))
    }
    beginWaiting()
    #expect(preview.controls.take(silent) == silent)
    #expect(preview.player.timeControlStatus == .paused)
    try take(later: 5)
    #expect(preview.player.timeControlStatus != .paused)
    // The other way round.
    beginWaiting()
    try take(later: 10)
    #expect(preview.player.timeControlStatus == .paused)
    #expect(preview.controls.take(silent) == over)
    #expect(preview.player.timeControlStatus != .paused)
    #expect(preview.controls.isPlaying)
  }
}
