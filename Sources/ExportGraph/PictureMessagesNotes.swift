import Diagnosis
import MediaComposition

extension PicturePlan {
  /// Notes on what pictures say beside themselves, such as HDR10+, and those that are encoded do not: one
  /// for each source; none where all keep it, or none have it.
  package func messagesNotes(in output: Output) -> [Diagnostic] {
    guard encoding != nil || mayEncode else { return [] }
    // x264 writes captions of whatever source.
    let isKept = { (name: String) in name == "captions" && encoding?.codec == .h264 }
    let place =
      encoding == nil ? "the pictures that are encoded around cuts and in fades" : "all pictures"
    let help =
      encoding == nil
      ? "to keep it in all, cut at key pictures, with 'snap: keyframe' and 'video: copy strict'"
      : nil
    return assets.compactMap { source in
      let names = (source.pictureTrack?.messages ?? []).filter { !isKept($0) }
      guard !names.isEmpty else { return nil }
      return Diagnostic(
        .note,
        "'\(output.path)': \(names.listed("and")) of '\(source.location)' left out of \(place)",
        at: output.origin, help: help)
    }
  }
}
