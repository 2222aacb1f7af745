import Diagnosis
import MediaComposition
import MediaTime

/// Bounds of the compiler, beyond which no renderer works.
enum Limits {
  /// Levels of nested compositions: compiling and rendering take some stack for each.
  static let deepestNesting = 200

  /// The largest frame: small enough for sums and differences of some, and far behind the longest
  /// timeline.
  static let farthestFrame: Int64 = 1 << 60

  /// Checks that a segment's ranges are valid, and that it ends on the longest timeline.
  ///
  /// - Throws: `Failure` (`mendJob`).
  static func requireRanges(_ segment: Segment) throws(Failure) {
    let (source, target) = (segment.source, segment.target)
    guard target.isOnTimeline, target.end <= Composition.longestDuration else {
      throw Failure(
        .mendJob,
        "is placed from \(target.start) to \(target.end), which is no part of a timeline of at "
          + "most 10,000 hours", origin: segment.origin)
    }
    guard segment.isEmpty || source.isOnTimeline else {
      throw Failure(
        .mendJob, "has no range from \(source.start) to \(source.end)", origin: segment.origin)
    }
  }

  /// Checks that a segment's speed and its effects are within the filters' bounds.
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
      if let reason = effect.problem ?? refusal(of: effect, at: sampleRate) {
        throw Failure(.mendJob, "\(effect): \(reason)", origin: segment.origin)
      }
    }
  }

  private static func refusal(of effect: Effect, at sampleRate: Int) -> String? {
    let most = Double(sampleRate) / 2
    func above(_ frequency: Double) -> String? {
      frequency < most
        ? nil
        : "\(EffectUnit.hertz.text(frequency)) is not in a mix at \(sampleRate) Hz; give a frequency "
          + "below \(sampleRate / 2) Hz"
    }
    return switch effect {
    case .highpass(let frequency) where !(frequency > 0 && frequency < most):
      "leaves nothing of a mix at \(sampleRate) Hz; give a frequency above 0 and below "
        + "\(sampleRate / 2) Hz"
    case .lowpass(let frequency) where !(frequency > 0 && frequency <= 999_999):
      "give a frequency above 0 Hz"
    case .equalizer(let bands): bands.lazy.compactMap { above($0.frequency) }.first
    case .dehum(let settings): above(settings.frequency)
    case .custom(let effect): effect.problem(atRate: sampleRate)
    case .highpass, .lowpass, .compressor, .gate, .deesser, .denoise, .declick, .filter, .delay,
      .reverb, .leveler, .limiter:
      nil
    }
  }
}

extension TimeRange {
  /// Whether it begins at zero or later, and its duration is not negative.
  fileprivate var isOnTimeline: Bool {
    start.isNumeric && duration.isNumeric && start >= .zero && duration >= .zero && end.isNumeric
  }
}

extension Composition {
  /// Whether compositions in it are nested deeper than `levels`. Stops there.
  func isNested(deeperThan levels: Int) -> Bool {
    tracks.contains { track in
      track.segments.contains { segment in
        guard case .composition(let inner) = segment.content else { return false }
        return levels == 0 || inner.isNested(deeperThan: levels - 1)
      }
    }
  }
}
