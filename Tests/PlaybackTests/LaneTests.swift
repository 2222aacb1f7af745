import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import Playback

/// Tracks that cross-fade, of which a composition has two.
@Suite struct LaneTests {
  private let library = MediaLibrary()

  private func segment(_ start: Int64, _ duration: Int64, at place: Int64) throws -> Segment {
    let asset = try library.asset(at: FilePath(Fixture.path("feelings.ogg")))
    let source = TimeRange(
      start: Time(value: start, timescale: 1), duration: Time(value: duration, timescale: 1))
    return Segment(.asset(asset), source: source, at: Time(value: place, timescale: 1))
  }

  @Test("those side by side that come from one place are one to the listener; others are not")
  func groups() throws {
    let (here, there) = (Origin(rawValue: 7), Origin(rawValue: 8))
    func track(_ name: String?, _ place: Int64, _ origin: Origin) throws -> Track {
      Track(name: name, segments: [try segment(place, 1, at: place)], origin: origin)
    }
    let item = try PlayerItem(
      Composition(tracks: [
        try track("voice", 0, here), try track("voice", 1, here), try track(nil, 2, there),
        try track(nil, 3, .unknown), try track(nil, 4, .unknown), try track("late", 5, here),
      ]), library: library)
    #expect(item.tracks.map(\.name) == ["voice", "track 2", "track 3", "track 4", "late"])
    #expect(item.segments.map(\.trackIndex) == [0, 0, 1, 2, 3, 4])
  }

  @Test("muted or alone, a track that cross-fades is whole")
  func mutes() throws {
    let here = Origin(rawValue: 7)
    let lanes = [
      Track(name: "voice", segments: [try segment(0, 2, at: 0)], origin: here),
      Track(name: "voice", segments: [try segment(4, 2, at: 1)], origin: here),
    ]
    let bed = Track(name: "bed", segments: [try segment(8, 3, at: 0)], origin: Origin(rawValue: 8))
    let item = try PlayerItem(Composition(tracks: lanes + [bed]), library: library)
    #expect(item.tracks.map(\.name) == ["voice", "bed"])
    item.tracks[0].isEnabled = false
    let withoutVoice = try item.heard()
    #expect(
      withoutVoice == (try PlayerItem(Composition(tracks: [bed]), library: library).exported()))
    item.tracks[0].isEnabled = true
    item.tracks[0].isSolo = true
    let alone = try item.heard()
    #expect(alone == (try PlayerItem(Composition(tracks: lanes), library: library).exported()))
  }
}
