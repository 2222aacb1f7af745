import MediaComposition
import MediaTime
import Testing

@testable import JobFile

/// Compositions as texts that a test can read.
enum Shapes {
  /// `a.wav 0s..10s @ 5s`; what lasts another time in its track than in its source says `for 20s`.
  static func text(_ segment: Segment) -> String {
    let what =
      switch segment.content {
      case .silence: "silence"
      case .asset(let asset): "\(asset.location)"
      case .composition(let inner): "[\(inner.tracks.map(text).joined(separator: " | "))]"
      }
    var text = "\(what) \(segment.source) @ \(segment.target.start)"
    if segment.isScaled { text += " for \(segment.target.duration)" }
    if segment.isReversed { text += " reversed" }
    if !segment.effects.isEmpty {
      text += " (\(segment.effects.map(\.description).joined(separator: ", ")))"
    }
    return text
  }

  static func text(_ track: Track) -> String {
    track.segments.map(text).joined(separator: ", ")
  }

  /// The tracks of what `yaml` describes, without its output.
  static func tracks(_ yaml: String, _ bench: Bench = Bench()) throws -> [String] {
    try export(yaml, bench).composition.tracks.map(text)
  }

  static func export(_ yaml: String, _ bench: Bench = Bench()) throws -> Export {
    try #require(try bench.exports(yaml + "\noutput: x.wav").first)
  }

  /// The only segment of what a list of one `item` becomes.
  static func segment(_ item: String, _ bench: Bench = Bench()) throws -> Segment {
    let tracks = try export("concat: [\(item)]", bench).composition.tracks
    #expect(tracks.count == 1 && tracks.first?.segments.count == 1)
    return try #require(tracks.first?.segments.first)
  }

  /// `Intro @ 0s`
  static func chapters(_ export: Export) -> [String] {
    (export.chapters + export.composition.chapters).sortedByStart
      .map { "\($0.title) @ \($0.start)" }
  }
}

extension Bench {
  /// A bench on which `a.wav` has tags, and chapters at these seconds, called A, B, C …
  static func chaptered(at starts: Int64...) -> Bench {
    var bench = Bench()
    var asset = Asset.fake("a.wav", seconds: 60)
    asset.metadata["title"] = "Old"
    asset.chapters = zip(starts, ["A", "B", "C", "D"]).map {
      Chapter(start: Time(value: $0, timescale: 1), title: $1)
    }
    bench.assets["a.wav"] = asset
    return bench
  }
}
