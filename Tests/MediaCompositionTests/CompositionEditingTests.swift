import MediaComposition
import MediaTime
import Testing

@Suite("Editing a composition")
struct CompositionEditingTests {
  private let a = sound("a.wav")
  private let b = sound("b.wav")

  @Test("an asset is inserted into the first enabled track, and pushes back what is on all")
  func assets() throws {
    var composition = Composition()
    try composition.insertTimeRange(range(0, 10), of: a, at: .zero)
    #expect(composition.tracks == [Track(segments: [clip(a, from: 0, lasting: 10, at: 0)])])
    composition.addTrack(Track(segments: [clip(b, from: 0, lasting: 8, at: 0)]))
    composition.tracks[0].isEnabled = false
    try composition.insertTimeRange(range(20, 5), of: a, at: seconds(9))
    #expect(
      composition.tracks[0].segments.map(\.target) == [range(0, 9), range(9, 5), range(14, 1)])
    #expect(composition.tracks[0].segments[1].isEmpty)
    #expect(composition.tracks[1].segments.last == clip(a, from: 20, lasting: 5, at: 9))
    #expect(composition.duration == seconds(15))
    #expect(composition.removeTrack(at: 0).segments.count == 3)
    #expect(composition.tracks.count == 1)
  }

  @Test("a composition's tracks go into tracks of their name, into unnamed ones, or are added")
  func matching() throws {
    var target = Composition(tracks: [
      Track(name: "music", segments: [clip(a, from: 0, lasting: 10, at: 0)]),
      Track(segments: [clip(a, from: 50, lasting: 20, at: 0)]),
    ])
    let other = Composition(tracks: [
      Track(name: "voice", segments: [clip(b, from: 0, lasting: 10, at: 0)]),
      Track(name: "music", segments: [clip(b, from: 20, lasting: 10, at: 0)]),
      Track(
        name: "noise", segments: [clip(b, from: 40, lasting: 10, at: 0)], isEnabled: false,
        preferredVolume: Gain(factor: 0.5)),
    ])
    try target.insertTimeRange(range(2, 4), of: other, at: seconds(5))
    #expect(target.tracks.map(\.name) == ["music", nil, "noise"])
    #expect(target.tracks[0].segments[1] == clip(b, from: 22, lasting: 4, at: 5))
    #expect(target.tracks[1].segments[1] == clip(b, from: 2, lasting: 4, at: 5))
    #expect(target.tracks[2].segments == [clip(b, from: 42, lasting: 4, at: 5)])
    #expect(target.tracks[2].preferredVolume == Gain(factor: 0.5))
    #expect(!target.tracks[2].isEnabled)
    #expect(target.tracks.map(\.end) == [seconds(14), seconds(24), seconds(9)])
  }

  @Test("a track with a mix of its own is inserted with it")
  func mixesStay() throws {
    var voice = Track(segments: [clip(b, from: 0, lasting: 10, at: 0)])
    try voice.mix.setVolume(Gain(factor: 0.25), at: seconds(5))
    var target = Composition(tracks: [Track(segments: [clip(a, from: 0, lasting: 10, at: 0)])])
    try target.insertTimeRange(range(0, 10), of: Composition(tracks: [voice]), at: .invalid)
    #expect(target.tracks.count == 1)
    #expect(
      target.tracks[0].segments[1]
        == Segment(
          .composition(Composition(tracks: [voice])), source: range(0, 10), at: seconds(10)))
  }

  @Test("silence, removal and scaling reach all tracks")
  func allTracks() throws {
    var composition = Composition(tracks: [
      Track(segments: [clip(a, from: 0, lasting: 10, at: 0)]),
      Track(segments: [clip(b, from: 0, lasting: 4, at: 0)]),
    ])
    try composition.insertEmptyTimeRange(range(2, 3))
    #expect(composition.tracks.map(\.end) == [seconds(13), seconds(7)])
    try composition.removeTimeRange(range(1, 5))
    #expect(composition.tracks.map(\.end) == [seconds(8), seconds(2)])
    try composition.scaleTimeRange(range(0, 4), toDuration: seconds(8))
    #expect(composition.tracks.map(\.end) == [seconds(12), seconds(4)])
    try composition.insertEmptyTimeRange(range(14, 2))
    #expect(composition.duration == seconds(16))
    var empty = Composition()
    try empty.insertEmptyTimeRange(range(0, 5))
    #expect(empty.duration == seconds(5))
  }

  @Test("the mix of a track stays where it is while content moves")
  func automationStays() throws {
    var track = Track(segments: [clip(a, from: 0, lasting: 10, at: 0)])
    try track.mix.setVolume(.silence, at: seconds(5))
    var composition = Composition(tracks: [track])
    try composition.insertEmptyTimeRange(range(0, 5))
    #expect(composition.tracks[0].mix == track.mix)
  }

  @Test("the natural timescale is that on which all frames of a track fall")
  func naturalTimescale() throws {
    let cd = sound("cd.wav", rate: 44_100)
    let film = sound("film.wav", rate: 48_000)
    #expect(Track().naturalTimescale == 600)
    #expect(cd.naturalTimescale == 44_100)
    let inner = Composition(tracks: [Track(segments: [clip(film, from: 0, lasting: 1, at: 0)])])
    var track = Track(segments: [clip(cd, from: 0, lasting: 1, at: 0)])
    try track.insertTimeRange(range(0, 1), of: inner, at: .invalid)
    #expect(track.naturalTimescale == 7_056_000)
    for rate in [11_027, 22_051] {
      try track.insertTimeRange(range(0, 1), of: sound("odd.wav", rate: rate), at: .invalid)
    }
    #expect(track.naturalTimescale == 48_000)
  }
}
