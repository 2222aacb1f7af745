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
      // The item that is heard, also before the observing thread has reported it.
      var current = state.current
      if state.isPlaying, state.jump == nil,
        let mark = state.marks.last(where: { $0.index < heard }),
        state.isInQueue(state.resolved(mark.item))
      {
        current = state.resolved(mark.item)
      }
      state.queue = items
      if let current {
        if !state.isInQueue(current) { state.go(to: next) }
      } else {
        state.current = items.first
      }
    }
  }
}
