import Diagnosis
import ExportEngine
import Glibc
import MediaComposition
import Playback
import Reports
import SystemPackage
import Terminal
import TestSupport
import Testing
import Threads

@testable import LiveScreens

@Suite struct PreviewFollowerTests {
  @Test("a file that changes is read again: its entries are a change, and its mistakes a message")
  func changes() throws {
    let folder = TestFolder()
    let path = folder.path("count.txt")
    let medium = MediaLocation.file(FilePath(Fixture.path("feelings.ogg")))
    // The file has the number of entries.
    let read: @Sendable () -> PreviewReading = {
      let (files, messages) = (ReadFiles(), ReportedDiagnostics(isPrinting: false))
      files.note(FilePath(path))
      let text = (try? readFile(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      let entries = Int(text).map { count in
        (0..<count).map { _ in NextEntry.entry(PreviewEntry(.media(medium))) }
      }
      if entries == nil {
        messages.report(Diagnostics(Diagnostic("'\(text)' is no number", at: .unknown)))
      }
      return PreviewReading(entries, from: files, reporting: messages)
    }
    func write(_ text: String) throws {
      try writeFile(path + ".new", text.utf8)
      #expect(rename(path + ".new", path) == 0)
    }
    try write("1")
    let items = PreviewItems([PreviewEntry(.media(medium))], library: MediaLibrary())
    let player = try QueuePlayer(items: [items.make(0).item], opening: NullSink.opener())
    var controls = PreviewControls(player, items, isLooping: false)
    controls.setPlaying(false)
    let inbox = try Inbox<PreviewMessage>()
    let follower = try PreviewFollower(
      read(), readingAgain: read, endingAt: nil, items: items, follows: true
    ) { inbox.put($0) }
    follower.start(player)
    var mistakes: [String?] = []
    func takeMessages() {
      for message in inbox.takeAll() {
        if case .changed(let change) = message { controls.take(change) }
        if case .mistaken(let found) = message { mistakes.append(found?.summary) }
      }
    }
    try write("2")
    try wait(until: "the new entry is in the queue") {
      takeMessages()
      return player.items.count == 2
    }
    #expect(items.count == 2)
    try write("two")
    try wait(until: "the mistake is reported") {
      takeMessages()
      return mistakes == ["'two' is no number"]
    }
    #expect(player.items.count == 2)
    try write("1")
    try wait(until: "the entry has left the queue") {
      takeMessages()
      return player.items.count == 1
    }
    #expect(mistakes == ["'two' is no number", nil])
  }
}
