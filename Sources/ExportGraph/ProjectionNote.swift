import Diagnosis
import MediaComposition

extension PicturePlan {
  /// A note on 360° and 3D which an output does not say of its pictures; nil where they have none, or it
  /// says so.
  package func projectionNote(in output: Output) -> Diagnostic? {
    let tracks = assets.compactMap(\.pictureTrack)
    guard let source = assets.first(where: { $0.pictureTrack?.projection != nil }),
      let projection = source.pictureTrack?.projection
    else { return nil }
    let reason: String
    if container == .mov {
      reason = "FFmpeg writes it into MP4, MKV and WebM alone"
    } else if tracks.contains(where: { $0.projection != projection }) {
      reason = "not all sources have it"
    } else {
      return nil
    }
    return Diagnostic(
      .note,
      "'\(output.path)': \(projection) of the picture of '\(source.location)' left out: \(reason)",
      at: output.origin)
  }

  /// A note on edges of pictures which a source hides and an output shows; nil where there are none.
  package func croppingNote(in output: Output) -> Diagnostic? {
    let cropped = assets.first { asset in
      asset.pictureTrack?.cropping.map { encoding != nil || !$0.isCopied } ?? false
    }
    guard let cropped, let cropping = cropped.pictureTrack?.cropping else { return nil }
    return Diagnostic(
      .note,
      "'\(output.path)': \(cropping.name) of '\(cropped.location)' left out, so that the edges of its "
        + "pictures that it hides are shown: "
        + (encoding == nil
          ? "this FFmpeg does not write it" : "pictures are encoded with these edges"),
      at: output.origin)
  }
}
