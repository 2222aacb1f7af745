import MediaComposition

extension [Effect] {
  /// What they become, in order: effects of libavfilter that follow one another are one process,
  /// each of ours is its own, and those that change nothing are none.
  var processes: [SoundProcess] {
    var processes: [SoundProcess] = []
    for effect in self where !effect.isNeutral {
      if let own = effect.ownProcess {
        processes.append(own)
      } else if case .filter(let run)? = processes.last {
        processes[processes.count - 1] = .filter(run + [effect])
      } else {
        processes.append(.filter([effect]))
      }
    }
    return processes
  }
}

extension Effect {
  /// The process of an effect that libavfilter does not have.
  fileprivate var ownProcess: SoundProcess? {
    switch self {
    case .delay(let settings): .delay(settings)
    case .reverb(let reverb): .reverb(reverb)
    case .leveler(let settings): .leveler(settings)
    case .limiter(let settings): .limiter(settings)
    case .custom(let effect): .custom(effect)
    default: nil
    }
  }
}
