import MediaComposition
import MediaTime
import Testing

@Suite("Editing a track")
struct EditingTests {
  private let a = sound("a.wav")
  private let b = sound("b.wav")

  @Test("what is inserted pushes back what is later, and splits what it lands in")
  func insertion() throws {
    var track = Track()
    try track.insertTimeRange(range(0, 10), of: a, at: .zero)
    try track.insertTimeRange(range(50, 5), of: b, at: seconds(4))
    #expect(
      track.segments == [
        clip(a, from: 0, lasting: 4, at: 0), clip(b, from: 50, lasting: 5, at: 4),
        clip(a, from: 4, lasting: 6, at: 9),
      ])
    try track.insertTimeRange(range(1, 1), of: b, at: .invalid)
    #expect(track.segments.last == clip(b, from: 1, lasting: 1, at: 15))
    try track.insertTimeRange(range(2, 1), of: b, at: seconds(20))
    #expect(track.segments.last == clip(b, from: 2, lasting: 1, at: 20))
    #expect(track.end == seconds(21))
  }

  @Test("silence pushes back what is later, and counts at the end too")
  func emptiness() throws {
    var track = Track(segments: [clip(a, from: 0, lasting: 10, at: 0)])
    try track.insertEmptyTimeRange(range(3, 2))
    try track.insertEmptyTimeRange(range(4, 1))
    #expect(
      track.segments.map(\.target) == [range(0, 3), range(3, 3), range(6, 7)])
    #expect(track.segments[1].isEmpty)
    try track.insertEmptyTimeRange(range(15, 5))
    #expect(track.end == seconds(20))
  }

  @Test("a range is taken out of whatever it touches, and the track is shorter by it")
  func removal() throws {
    var track = Track(segments: [
      clip(a, from: 0, lasting: 10, at: 0), clip(b, from: 0, lasting: 10, at: 12),
    ])
    try track.removeTimeRange(range(8, 6))
    #expect(
      track.segments == [
        clip(a, from: 0, lasting: 8, at: 0), clip(b, from: 2, lasting: 8, at: 8),
      ])
    try track.removeTimeRange(TimeRange(start: seconds(4), duration: .positiveInfinity))
    #expect(track.segments == [clip(a, from: 0, lasting: 4, at: 0)])
    try track.removeTimeRange(range(4, 100))
    #expect(track.end == seconds(4))
    track.segments.append(clip(b, from: 0, lasting: 1, at: 6))
    try track.removeTimeRange(range(6, 1))
    #expect(track.end == seconds(6))
  }

  @Test("a range is scaled with all that is in it, and what is later moves")
  func scaling() throws {
    var first = clip(a, from: 0, lasting: 4, at: 0)
    first.chapters = [Chapter(start: seconds(3), title: "late")]
    first.mix.envelopes = [
      VolumeEnvelope([VolumeRamp(from: .unity, to: .silence, over: range(2, 2))])
    ]
    var track = Track(segments: [
      first, clip(b, from: 0, lasting: 2, at: 6), clip(a, from: 9, lasting: 1, at: 8),
    ])
    try track.scaleTimeRange(range(0, 8), toDuration: seconds(16))
    #expect(track.segments.map(\.target) == [range(0, 8), range(12, 4), range(16, 1)])
    #expect(track.segments.map(\.source) == [range(0, 4), range(0, 2), range(9, 1)])
    #expect(track.segments[0].chapters.map(\.start) == [seconds(6)])
    #expect(track.segments[0].mix.envelopes[0].ramps[0].timeRange == range(4, 4))
    try track.scaleTimeRange(range(0, 16), toDuration: seconds(8))
    #expect(track.segments[0] == first)
  }

  @Test("taking out and putting back gives one segment again, fades and chapters and all")
  func cutAndInsert() throws {
    var whole = clip(a, from: 5, lasting: 20, at: 0)
    whole.mix.envelopes = [
      VolumeEnvelope([VolumeRamp(from: .silence, to: .unity, over: range(0, 8))])
    ]
    whole.chapters = [2, 9, 15].map { Chapter(start: seconds($0), title: "\($0)") }
    for isReversed in [false, true] {
      whole.isReversed = isReversed
      let original = Track(segments: [whole])
      var track = original
      try track.removeTimeRange(range(3, 7))
      #expect(track.segments.count == 2)
      try track.insertTimeRange(range(3, 7), of: original, at: seconds(3))
      #expect(track == original)
    }
  }

  @Test("the parts of a filtered segment are ranges of one whole")
  func filteredParts() throws {
    var filtered = clip(a, from: 5, lasting: 20, at: 0)
    filtered.effects = [.highpass(frequency: 80)]
    filtered.mix.gain = Gain(factor: 0.5)
    var track = Track(segments: [filtered])
    try track.insertEmptyTimeRange(range(8, 1))
    filtered.mix = .unity
    let inner = Composition(tracks: [Track(segments: [filtered])])
    for (segment, source) in [(track.segments[0], range(0, 8)), (track.segments[2], range(8, 12))] {
      #expect(segment.content == .composition(inner))
      #expect(segment.source == source)
      #expect(segment.mix == AudioMix(gain: Gain(factor: 0.5)))
      #expect(segment.effects.isEmpty)
    }
  }

  @Test(
    "a segment that plays faster or slower is parted as a whole",
    arguments: TimePitchAlgorithm.allCases)
  func stretchedParts(algorithm: TimePitchAlgorithm) throws {
    let stretched = Segment(
      .asset(a), TimeMapping(source: range(10, 10), target: range(0, 30)))
    var track = Track(segments: [stretched], timePitchAlgorithm: algorithm)
    try track.removeTimeRange(range(0, 7))
    let inner = Track(segments: [stretched], timePitchAlgorithm: algorithm)
    #expect(
      track.segments == [
        Segment(.composition(Composition(tracks: [inner])), source: range(7, 23), at: .zero)
      ])
    let heard = Composition(tracks: [track]).sources(at: seconds(5)).map(\.time)
    #expect(heard == [seconds(14)])
  }

  @Test("another track's segments are copied where that sounds the same, else held as a whole")
  func tracksInTracks() throws {
    var other = Track(segments: [
      clip(a, from: 0, lasting: 10, at: 0), clip(b, from: 0, lasting: 10, at: 10),
    ])
    var track = Track()
    try track.insertTimeRange(range(5, 10), of: other, at: seconds(2))
    #expect(
      track.segments == [
        clip(a, from: 5, lasting: 5, at: 2), clip(b, from: 0, lasting: 5, at: 7),
      ])
    other.mix.gain = Gain(factor: 0.5)
    other.isEnabled = false
    try track.insertTimeRange(range(5, 10), of: other, at: .zero)
    #expect(track.segments[0].source == range(5, 10))
    other.isEnabled = true
    #expect(track.segments[0].content == .composition(Composition(tracks: [other])))
    #expect(track.end == seconds(22))
  }

  @Test("a composition is one segment of a track, and keeps its own time")
  func groups() throws {
    let inner = Composition(tracks: [
      Track(segments: [clip(a, from: 0, lasting: 10, at: 0)]),
      Track(segments: [clip(b, from: 0, lasting: 10, at: 5)]),
    ])
    var track = Track(segments: [clip(b, from: 90, lasting: 10, at: 0)])
    try track.insertTimeRange(range(4, 6), of: inner, at: seconds(5))
    #expect(track.segments.count == 3)
    let heard = Composition(tracks: [track]).sources(at: seconds(7))
    #expect(heard.map(\.asset.location.file) == ["a.wav", "b.wav"])
    #expect(heard.map(\.time) == [seconds(6), seconds(1)])
  }

  @Test("what cannot be done is refused, and nothing has changed")
  func refusals() throws {
    let original = Track(segments: [clip(a, from: 0, lasting: 10, at: 0)])
    var track = original
    let late = TimeRange(start: seconds(995), duration: seconds(6))
    #expect(throws: EditError.invalidRange(late, contentDuration: a.duration)) {
      try track.insertTimeRange(late, of: a, at: .zero)
    }
    #expect(throws: EditError.invalidRange(range(1, 0), contentDuration: a.duration)) {
      try track.insertTimeRange(range(1, 0), of: a, at: .zero)
    }
    #expect(throws: EditError.invalidTime(seconds(-1))) {
      try track.insertTimeRange(range(0, 1), of: a, at: seconds(-1))
    }
    #expect(throws: EditError.invalidTime(.positiveInfinity)) {
      try track.insertTimeRange(range(0, 1), of: a, at: .positiveInfinity)
    }
    #expect(throws: EditError.invalidRange(range(-1, 3))) {
      try track.removeTimeRange(range(-1, 3))
    }
    #expect(throws: EditError.invalidRange(.invalid)) { try track.removeTimeRange(.invalid) }
    #expect(throws: EditError.invalidTime(.zero)) {
      try track.scaleTimeRange(range(0, 1), toDuration: .zero)
    }
    let limit = Composition.longestDuration
    #expect(throws: EditError.tooLong(limit + seconds(9))) {
      try track.scaleTimeRange(range(0, 1), toDuration: limit)
    }
    #expect(throws: EditError.tooLong(limit + seconds(1))) {
      try track.insertTimeRange(range(0, 1), of: a, at: limit)
    }
    #expect(throws: EditError.tooLong(limit + seconds(10))) {
      try track.insertEmptyTimeRange(TimeRange(start: .zero, duration: limit))
    }
    #expect(track == original)
  }

  @Test("a copy is edited alone")
  func copies() throws {
    let original = Track(segments: (0..<100).map { clip(a, from: $0, lasting: 1, at: $0 * 2) })
    let before = original.segments
    var copy = original
    for second in stride(from: Int64(180), to: 0, by: -7) {
      try copy.removeTimeRange(range(second, 3))
      try copy.scaleTimeRange(range(second / 2, 2), toDuration: seconds(3))
    }
    #expect(copy != original)
    #expect(original.segments == before)
  }
}
