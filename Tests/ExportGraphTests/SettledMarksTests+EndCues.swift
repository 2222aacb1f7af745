import MediaComposition
import MediaTime
import Testing

@testable import ExportGraph

/// Cues where sources end, in sequences of parts.
extension SettledMarksTests {
  /// The WAV of parts of a source, one after the other.
  private func sink(
    of asset: Asset, _ parts: [Range<Int64>], keepsChapters: Bool = false
  ) throws -> Sink {
    var segments: [Segment] = []
    var start = Time.zero
    for range in parts {
      let part = TimeRange(start: seconds(range.lowerBound), end: seconds(range.upperBound))
      var segment = Segment(.asset(asset), source: part, at: start)
      if keepsChapters {
        segment.chapters = asset.chapters.filter { part.contains($0.start) }.map { chapter in
          var moved = chapter
          moved.start = chapter.start - part.start
          return moved
        }
      }
      segments.append(segment)
      start = start + part.duration
    }
    let export = Export(
      name: "x", composition: Composition(tracks: [Track(segments: segments)]),
      metadata: asset.metadata, outputs: [Output(path: "out.wav", format: .wav(.int24))])
    return try #require(try Graph(compiling: export).sinks.first)
  }

  private func asset(_ cues: Int64...) -> Asset {
    source { asset, marks in
      marks.cues = cues.map { MediaMarks.Cue(frame: $0 * 48_000, label: "\($0)") }
      asset.chapters = cues.filter { $0 < 10 }.map {
        Chapter(start: seconds($0), title: "\($0)", isInherited: true)
      }
    }
  }

  @Test("where chapters of sources are left out, so are the cues at their ends")
  func leftOutEnds() throws {
    let marked = asset(1, 10)
    #expect(try sink(of: marked, [0..<10, 0..<10]).marks.cues.isEmpty)
    #expect(try sink(of: marked, [0..<10]).marks.cues.isEmpty)
    #expect(
      try sink(of: marked, [0..<10, 0..<10], keepsChapters: true).marks.cues.map(\.frame)
        == [48_000, 480_000, 528_000, 960_000])
  }

  @Test("a cue at the end alone stays with a clip, also with cuts, and not in a sequence")
  func onlyEnds() throws {
    let ended = asset(10)
    #expect(try sink(of: ended, [3..<10]).marks.cues.map(\.frame) == [336_000])
    #expect(try sink(of: ended, [0..<2, 4..<10]).marks.cues.map(\.frame) == [384_000])
    #expect(try sink(of: ended, [0..<10, 0..<10]).marks.cues.isEmpty)
  }
}
