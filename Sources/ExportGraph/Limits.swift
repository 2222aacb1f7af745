import MediaComposition
import MediaTime

/// What the compiler refuses because no renderer could do it.
enum Limits {
  /// Levels of compositions within compositions: compiling and rendering take some stack for each.
  static let deepestNesting = 200

  /// That a segment's speed and its effects are within reach of what does them.
  ///
  /// - Throws: `Failure` (`mendJob`).
  static func require(_ segment: Segment, at sampleRate: Int) throws(Failure) {
    if segment.isScaled, segment.source.duration > .zero, segment.target.duration > .zero,
      let ratio = FrameRatio(
        from: 1, lasting: segment.source.duration, to: 1, lasting: segment.target.duration),
      ratio.source > 100 * ratio.target || ratio.target > 100 * ratio.source
    {
      throw Failure(
        .mendJob, "is played at speed \(ratio.speedText); 0.01 to 100 are possible",
        origin: segment.origin)
    }
    for effect in segment.effects {
      if let reason = refusal(of: effect, at: sampleRate) {
        throw Failure(.mendJob, "\(effect): \(reason)", origin: segment.origin)
      }
    }
  }

  private static func refusal(of effect: Effect, at sampleRate: Int) -> String? {
    let most = Double(sampleRate) / 2
    return switch effect {
    case .highpass(let frequency) where !(frequency > 0 && frequency < most):
      "leaves nothing of a mix at \(sampleRate) Hz; give a frequency above 0 and below "
        + "\(sampleRate / 2) Hz"
    case .lowpass(let frequency) where !(frequency > 0 && frequency <= 999_999):
      "give a frequency above 0 Hz"
    case .denoise(let reduction) where !(0.01...97).contains(reduction):
      "0.01 to 97 dB are possible"
    case .highpass, .lowpass, .denoise: nil
    }
  }
}

extension Composition {
  /// Whether compositions are nested in it deeper than `levels`. Goes no deeper than that.
  func isNested(deeperThan levels: Int) -> Bool {
    tracks.contains { track in
      track.segments.contains { segment in
        guard case .composition(let inner) = segment.content else { return false }
        return levels == 0 || inner.isNested(deeperThan: levels - 1)
      }
    }
  }
}
