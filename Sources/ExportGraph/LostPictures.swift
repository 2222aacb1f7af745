import Diagnosis
import MediaComposition

/// Outputs are sound alone: what is said where a job could expect a picture.
extension Output {
  /// Why it may not have its name: that promises a picture. `kind` is what the file would hold.
  func pictureProblem(_ kind: Kind) -> Diagnostic? {
    guard let own = path.videoExtension else { return nil }
    let usual = kind.capabilities.extensions.first ?? "m4a"
    return Diagnostic(
      Self.pictureRefusal(of: own), at: origin, help: Self.pictureHelp(path.stem, usual))
  }

  /// What is wrong with a video's extension.
  package static func pictureRefusal(of videoExtension: String) -> String {
    "'.\(videoExtension)' is a video's extension, and outputs are sound alone: the picture would be "
      + "lost"
  }

  /// What to write instead of a video's name.
  package static func pictureHelp(_ stem: String?, _ soundExtension: String) -> String {
    "for the sound alone write '\(stem ?? "").\(soundExtension)'"
  }
}

extension SourceFacts {
  /// A note on moving pictures of sources, which no output has, at the place of the first output; nil
  /// where there is none.
  func pictureNote(for outputs: [Output]) -> Diagnostic? {
    let videos = assets.filter { $0.videoCodec != nil }
    guard let first = videos.first, let codec = first.videoCodec, let output = outputs.first else {
      return nil
    }
    let name = "'\(first.location)' (\(codec))"
    let subject =
      videos.count == 1
      ? "the picture of \(name) is" : "the pictures of \(name) and of \(videos.count - 1) more are"
    return Diagnostic(
      .note, "\(subject) left out: outputs are sound alone", at: output.origin)
  }
}
