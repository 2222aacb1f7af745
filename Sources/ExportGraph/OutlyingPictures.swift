import Diagnosis
import MediaComposition
import MediaTime

extension PicturePlan {
  /// A note on pictures of sources that are played to an end of their sound and have pictures beyond it,
  /// which the output does not get since other items stand there; nil where there are none, or where the
  /// sources do not say when their pictures end. O(spans).
  package func outlyingNote(in output: Output) -> Diagnostic? {
    var early = [String?](repeating: nil, count: assets.count)
    var late = early
    for (place, span) in spans.enumerated() {
      early[span.asset] = early[span.asset] ?? earlyText(place)
      late[span.asset] = late[span.asset] ?? lateText(place)
    }
    let found = assets.indices.filter { early[$0] != nil || late[$0] != nil }
    guard let first = found.first else { return nil }
    let text = [early[first], late[first]].compactMap(\.self).joined(separator: " and ")
    let others = found.count - 1
    let more = others == 0 ? "" : ", and pictures of \(others) more"
    return Diagnostic(
      .note,
      "'\(output.path)' leaves out the picture of '\(assets[first].location)' \(text) of its sound"
        + more, at: output.origin)
  }

  /// Sounds and pictures seldom end at one moment: a shorter difference is not told.
  private static let told = Time(value: 1, timescale: 10)

  private func earlyText(_ place: Int) -> String? {
    let span = spans[place]
    guard !isFromStart(place), span.source.start == .zero,
      let first = assets[span.asset].pictureTrack?.firstPicture,
      assets[span.asset].start - first > Self.told
    else { return nil }
    return "for \((assets[span.asset].start - first).readableText) before the start"
  }

  private func lateText(_ place: Int) -> String? {
    let span = spans[place]
    let asset = assets[span.asset]
    let end = asset.start + asset.duration
    guard !isToEnd(place), span.source.end == asset.duration,
      let last = asset.pictureTrack?.lastPictureEnd, last - end > Self.told
    else { return nil }
    return "for \((last - end).readableText) behind the end"
  }
}
