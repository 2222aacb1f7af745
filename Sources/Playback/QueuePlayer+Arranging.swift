/// Changes of the queue as a whole.
extension Player {
  /// Makes `items` the queue. The current item goes on; if it is not among them, `next` begins, or the
  /// player stops without one.
  ///
  /// - Parameters:
  ///   - items: Each item once.
  ///   - next: One of `items`.
  /// - Complexity: O(items)
  package func arrange(_ items: [PlayerItem], orElse next: PlayerItem?) {
    let heard = engine.heardIndex
    engine.update { state in
      let isSame = state.queue.count == items.count && zip(state.queue, items).allSatisfy(===)
      guard !isSame else { return }
      let current = state.current(heard: heard)
      state.queue = items
      if let current {
        if !state.isInQueue(current) { state.go(to: next) }
      } else {
        state.current = items.first
      }
    }
  }
}
