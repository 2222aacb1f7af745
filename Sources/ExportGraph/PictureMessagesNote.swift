import Diagnosis
import MediaComposition

extension PicturePlan {
  /// A note on what pictures say beside themselves, such as HDR10+, and those that are encoded do not; nil
  /// where all keep it, or none have it.
  package func messagesNote(in output: Output) -> Diagnostic? {
    guard encoding != nil || mayEncode else { return nil }
    // x264 writes captions of whatever source.
    let isKept = { (name: String) in name == "captions" && encoding?.codec == .h264 }
    for source in assets {
      let names = (source.pictureTrack?.messages ?? []).filter { !isKept($0) }
      guard !names.isEmpty else { continue }
      let place =
        encoding == nil ? "the pictures that are encoded around cuts and in fades" : "all pictures"
      return Diagnostic(
        .note,
        "'\(output.path)': \(names.listed("and")) of '\(source.location)' left out of \(place)",
        at: output.origin,
        help: encoding == nil
          ? "to keep it in all, cut at key pictures, with 'snap: keyframe' and 'video: copy strict'"
          : nil)
    }
    return nil
  }
}
