import Diagnosis
import MediaComposition

extension PicturePlan {
  /// Whether its pictures keep the record of Dolby Vision (`dvcC`, `dvvC`), where a source has one: only
  /// where all of them are copied, since what is encoded has no metadata of it, and where FFmpeg writes it.
  package var keepsDolbyVision: Bool { dolbyVisionObstacle == nil }

  /// Why its pictures do not keep the record; nil: they do, or have none.
  private var dolbyVisionObstacle: String? {
    let tracks = assets.compactMap(\.pictureTrack)
    guard tracks.contains(where: { $0.hasDolbyVision == true }) else { return nil }
    if encoding != nil { return "pictures are encoded without it" }
    switch container {
    case .mp4, .mkv: break
    case .mov, .webm: return "FFmpeg writes it into MP4 and MKV alone"
    }
    if mayEncode { return "pictures around cuts and in fades are encoded without it" }
    return tracks.allSatisfy { $0.hasDolbyVision == true } ? nil : "not all sources have it"
  }

  /// A note on the record of Dolby Vision which an output does not get; nil where there is none, or it gets
  /// it.
  package func dolbyVisionNote(in output: Output) -> Diagnostic? {
    guard let source = assets.first(where: { $0.pictureTrack?.hasDolbyVision == true }),
      let reason = dolbyVisionObstacle
    else { return nil }
    let isKept = container == .mp4 || container == .mkv
    return Diagnostic(
      .note, "'\(output.path)': Dolby Vision of '\(source.location)' left out: \(reason)",
      at: output.origin,
      help: mayEncode && isKept
        ? "to keep it, cut at key pictures, with 'snap: keyframe' and 'video: copy strict'" : nil)
  }
}
