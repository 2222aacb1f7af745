import MediaTime

extension Composition {
  /// The composition with its sound through effects, as the inserts of a master (`AVAudioEngine`'s
  /// effects before its main mixer).
  ///
  /// It is longer than this one by the effects' tails (`AudioProcessor.tail`; those of `delay` and
  /// `reverb`), in which they ring out. Tracks of pictures stay as they are. O(tracks).
  public func applying(_ effects: [Effect]) -> Composition {
    let sounds = Composition(tracks: tracks(withMediaType: .audio))
    guard sounds.duration > .zero, !effects.allSatisfy(\.isNeutral) else { return self }
    return Composition(tracks: [Track(segments: [sounds.segment(through: effects)])] + videoTracks)
  }

  /// One segment of all of the composition and the effects' tails.
  fileprivate func segment(through effects: [Effect]) -> Segment {
    let tail = effects.reduce(Time.zero) { $0 + $1.tail }
    var content = self
    if tail > .zero {
      let whole = TimeRange(start: .zero, duration: duration)
      content = Composition(tracks: [
        Track(segments: [
          Segment(.composition(self), source: whole, at: .zero),
          Segment(.silence, source: TimeRange(start: .zero, duration: tail), at: duration),
        ])
      ])
    }
    let all = TimeRange(start: .zero, duration: content.duration)
    return Segment(
      .composition(content), TimeMapping(source: all, target: all), effects: effects)
  }
}

extension Track {
  /// The track with its sound through effects, before its own mix and its ducking, as the inserts of a
  /// channel strip. It is longer by the effects' tails; a track of pictures stays as it is. O(segments).
  public func applying(_ effects: [Effect]) -> Track {
    guard mediaType == .audio, end > .zero, !effects.allSatisfy(\.isNeutral) else { return self }
    let sound = Track(segments: segments, timePitchAlgorithm: timePitchAlgorithm, origin: origin)
    var copy = self
    copy.segments = [Composition(tracks: [sound]).segment(through: effects)]
    return copy
  }
}
