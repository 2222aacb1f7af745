import MediaTime

/// When the pictures of a file are shown, in the time of its sound, where all last equally long.
package struct PictureGrid: Sendable, Hashable {
  /// When the first one is shown.
  package let first: Time
  /// How long each is.
  package let duration: Time

  /// When a picture is shown; the first one is 0.
  package func start(of number: Int64) -> Time { first + duration.multiplied(by: number, over: 1) }

  /// The picture whose start is nearest, of two that are as near the later one.
  package func number(nearest time: Time) -> Int64 {
    PictureRate(duration).count(in: time - first)
  }

  /// The picture that is shown at a moment, which may be a millisecond too early: a frame of the sound
  /// seldom stands where a picture begins.
  package func number(shownAt time: Time) -> Int64 {
    let number = number(nearest: time)
    return start(of: number) > time + Self.slack ? number - 1 : number
  }

  private static let slack = Time(value: 1, timescale: 1000)
}

extension Asset {
  /// When its pictures are shown; nil where it has none, or where that is not known.
  package var pictureGrid: PictureGrid? {
    guard let track = tracks.first(where: { $0.mediaType == .video }),
      let first = track.firstPicture, let duration = track.frameDuration, duration > .zero
    else { return nil }
    return PictureGrid(first: first - start, duration: duration)
  }
}
