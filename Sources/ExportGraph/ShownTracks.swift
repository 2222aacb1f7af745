import MediaComposition
import MediaTime

/// A track of pictures of an export's composition.
package struct ShownTrack: Sendable, Hashable, Encodable {
  /// A range of a source's picture, and when it is shown.
  package struct Span: Sendable, Hashable, Encodable {
    /// The source.
    package var asset: Asset
    /// In the source's own time, which begins with its sound.
    package var source: TimeRange
    /// On the composition's timeline.
    package var target: TimeRange
  }

  /// The name of the track, if it has one.
  package var name: String?
  /// What it shows, in order of time. Between two of them, and behind the last, the one before stays.
  package var spans: [Span]
}

extension Composition {
  /// Its enabled tracks of pictures; none where an output could not show them.
  var shownTracksOfPictures: [ShownTrack] {
    guard !videoTracks.isEmpty else { return [] }
    return shownTracks.map { track in
      let shown = (try? track.shownSegments()) ?? []
      return ShownTrack(
        name: track.name,
        spans: shown.sorted { $0.target.start < $1.target.start }.map {
          ShownTrack.Span(asset: $0.asset, source: $0.source, target: $0.target)
        })
    }
  }
}

extension ShownTrack {
  /// Its name and what it shows in a part of the timeline, nil for all of it, as lines of a plan.
  func lines(within part: TimeRange?) -> [String] {
    let shown = spans.filter { span in
      part.map { !span.target.intersection($0).isEmpty } ?? true
    }
    return ["  pictures" + (name.map { " '\($0)'" } ?? "")] + shown.map { "    \($0.text)" }
  }
}

extension ShownTrack.Span {
  /// For people: `0:00.000 – 0:04.000  talk.mp4 from 0:01.000`, and the speed where it is another.
  fileprivate var text: String {
    var text =
      target.clockText + "  \(asset.location) from \(source.start.clockText(decimals: 3))"
    if source.duration != target.duration,
      let ratio = FrameRatio(from: 1, lasting: source.duration, to: 1, lasting: target.duration)
    {
      text += ", speed \(ratio.speedText)"
    }
    return text
  }
}
