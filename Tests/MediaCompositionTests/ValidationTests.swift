import MediaComposition
import MediaTime
import Testing

@Suite("Validating a composition")
struct ValidationTests {
  private let a = sound("a.wav")

  private func error(_ segments: [Segment]) -> EditError? {
    do throws(EditError) {
      try Composition(tracks: [Track(), Track(segments: segments)]).validate()
      return nil
    } catch {
      return error
    }
  }

  @Test("segments in order, with gaps or without, are valid")
  func valid() {
    #expect(error([]) == nil)
    let segments = [
      clip(a, from: 0, lasting: 5, at: 0), clip(a, from: 995, lasting: 5, at: 5),
      clip(a, from: 0, lasting: 5, at: 100),
    ]
    #expect(error(segments) == nil)
  }

  @Test("segments that overlap or are out of order are refused")
  func order() {
    let late = clip(a, from: 0, lasting: 5, at: 10)
    let early = clip(a, from: 0, lasting: 5, at: 6)
    #expect(error([early, late]) == .overlappingSegments(early.target, late.target))
    #expect(error([late, early]) == .overlappingSegments(late.target, early.target))
  }

  @Test("targets must be some time of the timeline")
  func targets() {
    #expect(error([clip(a, from: 0, lasting: 0, at: 0)]) == .invalidRange(range(0, 0)))
    #expect(error([clip(a, from: 0, lasting: 5, at: -1)]) == .invalidRange(range(-1, 5)))
    var segment = clip(a, from: 0, lasting: 5, at: 0)
    segment.target.duration = .indefinite
    #expect(error([segment]) == .invalidRange(segment.target))
    segment.target.duration = Composition.longestDuration
    #expect(error([segment]) == nil)
    segment.target.start = seconds(1)
    #expect(error([segment]) == .tooLong(segment.target.end))
    segment.target.duration = .positiveInfinity
    #expect(error([segment]) == .tooLong(.positiveInfinity))
  }

  @Test("sources must be within their content, rounded to frames")
  func sources() {
    for bad in [range(998, 3), range(-1, 3)] {
      #expect(
        error([Segment(.asset(a), source: bad, at: .zero)])
          == .invalidRange(bad, contentDuration: a.duration))
    }
    var segment = clip(a, from: 998, lasting: 2, at: 0)
    segment.source.duration = Time(value: 204, timescale: 100)
    #expect(error([segment]) == nil)
    segment.source.duration = Time(value: 205, timescale: 100)
    #expect(error([segment]) == .invalidRange(segment.source, contentDuration: a.duration))
    let inner = Composition(tracks: [Track(segments: [clip(a, from: 0, lasting: 5, at: 0)])])
    segment.content = .composition(inner)
    segment.source = range(0, 5)
    #expect(error([segment]) == nil)
    segment.source = range(0, 6)
    #expect(error([segment]) == .invalidRange(range(0, 6), contentDuration: seconds(5)))
    let bad = Composition(tracks: [Track(segments: [clip(a, from: 0, lasting: 5, at: -1)])])
    segment.content = .composition(bad)
    #expect(error([segment]) == .invalidRange(range(-1, 5)))
  }

  @Test("ramps must be in order")
  func ramps() {
    var segment = clip(a, from: 0, lasting: 5, at: 0)
    let ramps = [range(2, 2), range(1, 2)].map { VolumeRamp(from: .unity, to: .unity, over: $0) }
    segment.mix.envelopes = [VolumeEnvelope(ramps)]
    #expect(error([segment]) == .overlappingRamps(range(2, 2), range(1, 2)))
    segment.mix.envelopes = [VolumeEnvelope(ramps.reversed())]
    #expect(error([segment]) == .overlappingRamps(range(1, 2), range(2, 2)))
    segment.mix.envelopes = []
    segment.mix.pan.ramps = [PanRamp(from: .left, to: .right, over: .invalid)]
    #expect(error([segment]) == .invalidRange(.invalid))
  }
}
