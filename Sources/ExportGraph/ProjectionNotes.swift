import Diagnosis
import MediaComposition

extension PicturePlan {
  /// Notes on 360° and 3D which an output does not say of its pictures: one for each source; none where
  /// no source has them, or the output says so.
  package func projectionNotes(in output: Output) -> [Diagnostic] {
    let digests = Set(assets.compactMap(\.pictureTrack).map(\.projectionDigest))
    let reason: String
    if container == .mov {
      reason = "FFmpeg writes it into MP4, MKV and WebM alone"
    } else if digests.count > 1 {
      reason = digests.contains(nil) ? "not all sources have it" : "its sources differ in it"
    } else {
      return []
    }
    return assets.compactMap { source in
      guard let projection = source.pictureTrack?.projection else { return nil }
      return Diagnostic(
        .note,
        "'\(output.path)': \(projection) of the picture of '\(source.location)' left out: \(reason)",
        at: output.origin)
    }
  }

  /// Notes on edges of pictures which a source hides and an output shows: one for each source.
  package func croppingNotes(in output: Output) -> [Diagnostic] {
    let reason =
      encoding == nil ? "this FFmpeg does not write it" : "pictures are encoded with these edges"
    return assets.compactMap { source in
      guard let cropping = source.pictureTrack?.cropping, encoding != nil || !cropping.isCopied
      else {
        return nil
      }
      return Diagnostic(
        .note,
        "'\(output.path)': \(cropping.name) of '\(source.location)' left out, so that the edges of its "
          + "pictures that it hides are shown: \(reason)",
        at: output.origin)
    }
  }
}
