import MediaComposition
import MediaTime

extension Lowering {
  /// Puts an item's effects on it, behind a silence in which they ring out. Gives false where a
  /// medium is not there, which was reported.
  mutating func addEffects(to lowered: inout LoweredItem, of item: Item) -> Bool {
    guard !item.effects.isEmpty else { return true }
    var effects: [Effect] = []
    for effect in item.effects {
      switch effect {
      case .effect(let effect): effects.append(effect)
      case .reverb(let reference, let settings):
        guard let impulse = assets[reference] else { return false }
        effects.append(.reverb(Effect.Reverb(impulse: impulse, settings: settings)))
      }
    }
    let tail = effects.reduce(Time.zero) { $0 + $1.tail }
    if tail > .zero {
      let sound = lowered.segment(at: .zero)
      let silence = Segment(
        .silence, source: TimeRange(start: .zero, duration: tail), at: lowered.duration,
        origin: item.origin)
      lowered.nest(as: [[sound, silence]])
    }
    lowered.effects = effects
    return true
  }
}
