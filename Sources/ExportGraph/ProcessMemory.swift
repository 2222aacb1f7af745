import Dynamics
import MediaComposition

extension Node.Kind {
  /// How far back its sound depends on its input; that of a `convert` by `ratio`.
  func memory(atRate sampleRate: Int, converting ratio: FrameRatio) -> Node.Memory {
    switch self {
    case .mix, .excerpt: .none
    case .source(let source, _): source.ratio == .one ? .none : .resampling(by: source.ratio)
    case .convert: ratio == .one ? .none : .resampling(by: ratio)
    case .process(let process, _): process.memory(atRate: sampleRate)
    case .duck(_, _, let ducking): .frames(Int(ducking.behind))
    }
  }
}

extension Node.Memory {
  fileprivate static func resampling(by ratio: FrameRatio) -> Self {
    .frames(Resampling.warmUp(ratio))
  }
}

extension SoundProcess {
  fileprivate func memory(atRate sampleRate: Int) -> Node.Memory {
    switch self {
    case .reverse: .none
    case .varispeed(let ratio): .resampling(by: ratio)
    case .stretch, .filter, .delay, .reverb: .unbounded
    case .leveler, .limiter: .frames(window(atRate: sampleRate).before)
    case .custom(let effect):
      effect.window(atRate: sampleRate).map { .frames($0.before) } ?? .unbounded
    case .normalize(let normalization):
      normalization.limiter.map { SoundProcess.limiter($0).memory(atRate: sampleRate) } ?? .none
    }
  }

  /// Frames of input before and after a frame that a leveler, a limiter or a processor of bounded
  /// memory depends on.
  func window(atRate sampleRate: Int) -> (before: Int, after: Int) {
    switch self {
    case .leveler(let settings):
      let leveler = settings.leveler(atRate: sampleRate)
      return (leveler.reach, leveler.lookAhead)
    case .limiter(let settings):
      let limiter = settings.limiter(atRate: sampleRate)
      return (limiter.reach, limiter.lookAhead)
    case .custom(let effect): return effect.window(atRate: sampleRate) ?? (0, 0)
    case .reverse, .varispeed, .stretch, .filter, .delay, .reverb, .normalize: return (0, 0)
    }
  }
}

extension Effect.Limiter {
  /// The limiter at a rate.
  package func limiter(atRate sampleRate: Int) -> TruePeakLimiter {
    TruePeakLimiter(ceiling: ceiling, release: 6 / release.seconds, sampleRate: sampleRate)
  }
}

extension Effect.Leveler {
  /// The leveler at a rate.
  package func leveler(atRate sampleRate: Int) -> Leveler {
    Leveler(target: target, range: range, sampleRate: sampleRate)
  }
}
