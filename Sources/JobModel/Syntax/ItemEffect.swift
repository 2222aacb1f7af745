import MediaComposition

/// An effect as a job names it: media are probed later.
package enum ItemEffect: Sendable, Hashable {
  /// One without media.
  case effect(Effect)
  /// A reverberation, with its impulse response.
  case reverb(MediaReference, Effect.Reverb.Settings)

  /// The medium that it reads.
  package var media: MediaReference? {
    if case .reverb(let impulse, _) = self { impulse } else { nil }
  }
}

extension [ItemEffect] {
  /// Appends an effect without media.
  package mutating func append(_ effect: Effect) { append(ItemEffect.effect(effect)) }
}

extension Item {
  /// Calls `body` with each impulse response of this item and of items below it, in the order of
  /// writing.
  package func forEachImpulse(_ body: (MediaReference) -> Void) {
    Self.forEach(of: [self]) { items, index in
      for effect in items[index].effects {
        if let media = effect.media { body(media) }
      }
    }
  }
}
