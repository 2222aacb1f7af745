import Diagnosis
import MediaComposition

extension PicturePlan {
  /// A note on the transparency of pictures which an output does not get; nil where there is none, or it
  /// gets it.
  package func alphaNote(in output: Output) -> Diagnostic? {
    guard let source = assets.first(where: { $0.pictureTrack?.hasAlpha == true }),
      let codec = source.videoCodec
    else { return nil }
    let reason: String
    if encoding != nil {
      reason = "pictures are encoded without it"
    } else if !container.isMatroska, ["vp8", "vp9"].contains(codec) {
      reason = "\(container.name) has no place for it beside \(codec)"
    } else {
      return nil
    }
    return Diagnostic(
      .note, "'\(output.path)': the transparency of '\(source.location)' left out: \(reason)",
      at: output.origin)
  }
}
