import Diagnosis
import LibAV

extension LibAVError {
  /// What a job forbids of a picture; `phrase` stands behind its source's name, with a remedy.
  static func forbiddenPicture(_ phrase: String) -> LibAVError {
    .refusedPicture(phrase).blamed(on: Failure(.mendJob, phrase))
  }
}

extension PicturePassage {
  /// Why pictures would be encoded, which `copy strict` forbids: the fade that changes them, or the entries on
  /// both sides of the cut. `isCut` says whether the range begins there.
  func strictRefusal(_ entrance: Entrance, isCut: Bool) -> LibAVError {
    func text(_ tick: Int64) -> String { reel.readableTime(of: tick) }
    var window = entrance.window
    var entries: [Int64] = []
    while (try? window.fill(1)) != nil, let picture = window.take(1).first {
      // Pictures before a fade may be encoded with it.
      if picture.shown == entrance.first || picture.shown > entrance.first && !isCut,
        !picture.isHidden,
        let fade = fade(picture.shown, until: window.next(after: picture.shown))
      {
        return .forbiddenPicture(
          "would have pictures from \(text(entrance.first)) on encoded for '\(fade.key)', which 'copy "
            + "strict' forbids: write '\(fade.key): { duration: \(fade.duration.readableText), picture: cut "
            + "}', or 'video: copy'")
      }
      guard picture.kind != .other, !picture.isHidden else { continue }
      entries.append(picture.shown)
      if picture.shown > entrance.first { break }
    }
    let places = entries.filter { $0 != entrance.first }.map(text).listed("and")
    return .forbiddenPicture(
      "would have pictures from \(text(entrance.first)) on encoded, which 'copy strict' forbids; key "
        + "pictures stand at \(places): cut there, as 'snap: keyframe' does, or write 'video: copy', or, "
        + "for MP4 and MOV, 'video: { copy: edits }'")
  }
}
