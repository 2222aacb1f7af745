import Diagnosis
import MediaComposition

/// Pictures that are copied with what is hidden by an edit list (`video: { copy: edits }`).
extension PicturePlan {
  /// Whether pictures are copied that are not shown: not of a source that is shown whole.
  private var hidesPictures: Bool { isEdited && !isRemuxed }

  /// What is done beside copying, for people; empty: nothing.
  var copyingText: String {
    if hidesPictures { return ", and hidden around cuts by an edit list" }
    guard !isStrict, !isEdited else { return "" }
    return " but for what cuts break" + (fadedSpans == nil ? "" : " and fades change")
  }

  /// Refuses fades that would change pictures, of which none is encoded, and pictures that are shown
  /// though an edit list hides them: libavcodec does not hand that on for what dav1d decodes.
  func requireEditable() throws(PictureProblem) {
    guard isEdited else { return }
    if let asset = assets.first(where: { $0.videoCodec == "av1" }) {
      throw PictureProblem(
        message:
          "the picture of '\(asset.location)' is AV1, of which FFmpeg shows what 'copy: edits' hides",
        help: "write 'video: copy'")
    }
    guard let span = fadedSpans?.first else { return }
    let fade = span.entering.first?.fade ?? span.fades.first
    let key = span.entering.isEmpty ? fade?.key ?? "fade_in" : "crossfade"
    let duration = fade?.range.duration.readableText ?? "1s"
    throw PictureProblem(
      message: "'\(key)' changes pictures, and 'copy: edits' encodes none",
      help: "write '\(key): { duration: \(duration), picture: cut }', or 'video: copy'")
  }

  /// A note on players that show what an edit list hides; nil where nothing is hidden.
  package func editNote(in output: Output) -> Diagnostic? {
    guard hidesPictures else { return nil }
    // Measured: docs/video.md.
    let players =
      spans.count == 1
      ? "mpv and VLC show them"
      : "mpv and VLC show them, and GStreamer plays the first part only"
    return Diagnostic(
      .note,
      "'\(output.path)': pictures around cuts are in it, and an edit list hides them; \(players)",
      at: output.origin)
  }
}

extension Output {
  /// Refuses an edit list in a container that has none.
  func requireEditList(in container: MovieContainer) throws(PictureProblem) {
    guard video == .editedCopy, container.isMatroska else { return }
    throw PictureProblem(
      message: "\(container.name) has no edit lists, which 'copy: edits' needs",
      help: "write '\(path.stem ?? "").mp4', or 'video: copy'")
  }
}
