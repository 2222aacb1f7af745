import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import LiveScreens

@Suite struct PlaylistTests {
  private let library = MediaLibrary()

  /// A job of a second of sound, from so many tenths of a second on.
  private func entry(_ name: String, from start: Int64 = 0) throws -> NextEntry {
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let source = TimeRange(
      start: Time(value: start, timescale: 10), duration: Time(value: 1, timescale: 1))
    let track = Track(name: "voice", segments: [Segment(.asset(asset), source: source, at: .zero)])
    let export = Export(
      name: name, composition: Composition(tracks: [track]),
      outputs: [Output(path: "none.wav", format: .wav(.float32))])
    return .entry(PreviewEntry(.job(ExportSession(export, library: library))))
  }

  private func change(_ items: PreviewItems, to next: NextEntry...) throws -> Playlist.Difference {
    try items.change(to: next, endingAt: nil, PreviewMeasuring()).change
  }

  /// The identities of a version's entries.
  private func identities(_ change: Playlist.Difference) -> [Int] {
    change.playlist.entries.map(\.id)
  }

  @Test("an entry keeps its identity where it moves or changes, and a new one has another")
  func identities() throws {
    let entries = try ["a", "b", "c"].compactMap { name -> PreviewEntry? in
      if case .entry(let entry) = try entry(name) { entry } else { nil }
    }
    let items = PreviewItems(entries, library: library)
    for index in entries.indices { _ = try items.make(index) }
    let before = items.playlist
    let first = try change(items, to: entry("c"), entry("a", from: 5), entry("d"))
    #expect(identities(first) == [2, 0, 3])
    #expect(Array(first.changed.keys) == [0])
    #expect(first.successors == [1: 2])
    let replacements = first.replacements(of: before)
    #expect(replacements.map(\.id) == [0])
    #expect(replacements.first?.old === before[0].item)
    items.commit(first)
    #expect(items.playlist[0].item === before[2].item)
    #expect(items.index(of: before[1].item) == nil)
    // The identity of an entry that is gone is not given again.
    #expect(try identities(change(items, to: entry("b"), entry("c"))) == [4, 2])
  }

  @Test("the entries of a job that is refused stay as they were, where the job stands now")
  func refused() throws {
    let items = PreviewItems([], library: library)
    items.commit(try change(items, to: entry("a"), entry("b"), entry("c")))
    let next = try change(items, to: .refused(job: "c"), .refused(job: "e"), .refused(job: "a"))
    #expect(identities(next) == [2, 0])
    #expect(next.changed.isEmpty)
  }
}
