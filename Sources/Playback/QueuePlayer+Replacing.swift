import MediaTime

extension Player {
  /// Puts an item in the place of the current one (`replaceCurrentItem(with:)`): it begins at its start,
  /// and plays if the player plays. An item of the queue moves there. O(items).
  ///
  /// - Parameter item: The item; nil: the current item leaves the queue, and the player stops.
  public func replaceCurrentItem(with item: PlayerItem?) {
    let heard = engine.heardIndex
    engine.update { state in
      let current = state.current(heard: heard)
      guard item !== current else { return }
      var queue = state.queue.filter { $0 !== item }
      let place = queue.firstIndex { $0 === current }
      if let place { queue.remove(at: place) }
      if let item { queue.insert(item, at: place ?? queue.startIndex) }
      state.queue = queue
      state.go(to: item)
    }
  }

  /// Puts an item in the place of another one, which leaves the queue: for an item that was made
  /// anew while the old one plays.
  ///
  /// If the other item is heard, playing goes on in the new one without a pause, by a cross-fade of
  /// 10 ms, as soon as the device has played what it holds and the new item is opened. A paused
  /// player is at the new place at once. A loop range stays as far as the new item has it. O(items).
  ///
  /// - Parameters:
  ///   - item: An item of the queue.
  ///   - other: An item that is not in the queue.
  ///   - time: The time of `other` that is heard instead of `place`.
  ///   - place: A time of `item` near the one that is heard; other times of the two lie as far from
  ///     theirs.
  /// - Returns: Whether the item was replaced.
  @discardableResult
  package func replace(
    _ item: PlayerItem, with other: PlayerItem, at time: Time, insteadOf place: Time
  ) -> Bool {
    let heard = engine.heardIndex
    return engine.update { state in
      guard time.isNumeric, place.isNumeric, state.isInQueue(item), !state.isInQueue(other) else {
        return false
      }
      state.replace(item, with: other, offset: time - place, heard: heard)
      return true
    }
  }
}
